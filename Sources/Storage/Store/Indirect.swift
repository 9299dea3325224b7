/// A value stored elsewhere in memory, so that its holder stays small: moving the holder moves one word, and the
/// compiler follows the value's members only where they are used. (Rust: `Box`.)
///
/// `value` is reached by address: a yielding accessor is a coroutine, whose frame is allocated where it is not inlined.
///
/// Why unsafe memory: a class would check each use for exclusive access. Proof: the pointer is initialised once, never
/// handed out, and freed with its only owner.
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
