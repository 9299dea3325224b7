/// A value that is kept elsewhere in memory, so that what holds it stays small: to move it moves one word, and the compiler
/// follows the members of what is held only where they are used. (Rust: `Box`.)
///
/// Its value is reached by address: an accessor that yields is a coroutine, whose frame is allocated where it is not inlined.
///
/// Why unsafe memory: a class would check each use for another one at the same time. Proof: the pointer is initialised once,
/// never handed out, and freed with its only owner.
public struct Indirect<Value: ~Copyable>: ~Copyable {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    @inlinable
    public init(_ value: consuming Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    @inlinable
    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    @inlinable public var value: Value {
        @inline(__always) unsafeAddress { UnsafePointer(pointer) }
        @inline(__always) unsafeMutableAddress { pointer }
    }
}
