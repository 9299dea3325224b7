import CPlatform

/// A growable run of bytes, written at its end: for answers, journal lines and scratch text.
///
/// All output is stored here, so it is deliberately plain: one allocation, doubled when full, freed with its owner. It
/// is not `Copyable`, so that no hidden copy of megabytes can happen.
///
/// Why unsafe memory: `[UInt8]` checks uniqueness on every append, which costs more than the append here. The proof of
/// safety is local: `0 <= count <= capacity`, every write goes through `reserve`, and `base` leaves this type only in a
/// closure or as a pointer that its caller uses before the next append.
public struct ByteBuffer: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    /// The number of bytes written.
    @inlinable public var count: Int { _count }
    @usableFromInline var _count: Int
    /// The number of bytes that fit before the next growth.
    public var capacity: Int { _capacity }
    @usableFromInline var _capacity: Int
    /// The most bytes wanted. Bytes that would need more memory than that are dropped, and `isOverfull` is true from
    /// then on; a caller that sets a limit checks this before using the bytes. Only growing checks the limit, so it
    /// costs an append nothing.
    public var limit = Int.max
    /// Bytes that may exceed the limit before any are dropped: the length of one number.
    private static let slack = 32
    /// Number of bytes still wanted.
    public var room: Int { limit - _count }
    /// Whether the limit was exceeded.
    @inlinable public var isOverfull: Bool { _count > limit }

    public init(capacity: Int = 256) {
        _capacity = max(capacity, 16)
        base = Self.reallocate(nil, _capacity)
        _count = 0
    }

    /// A buffer with these bytes in it.
    public init(copying bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        bytes.withUnsafeBytes { append($0) }
    }

    deinit { cplatform_free(base) }

    /// Gets memory from the C library. If it has none, Swift has none either and ends the process.
    private static func reallocate(_ memory: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer {
        cplatform_reallocate(memory, count) ?? .allocate(byteCount: count, alignment: 16)
    }

    @inlinable public var isEmpty: Bool { _count == 0 }

    /// The bytes written so far; valid until the next append, and as long as the buffer lives. The compiler may end the
    /// life of a local buffer after its last use, and using this view is none: use `withBytes` for a local buffer.
    @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: _count) }

    /// Lends the bytes written so far: the buffer lives while `body` runs.
    @inlinable @inline(__always)
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(bytes)
    }

    /// The bytes written so far, which are UTF-8, as a `String`.
    public borrowing func string() -> String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// Makes room for `extra` more bytes.
    /// - Returns: false if they exceed the limit.
    @inlinable @inline(__always) @discardableResult
    public mutating func reserve(_ extra: Int) -> Bool {
        _capacity - _count >= extra || grow(extra)
    }

    @usableFromInline @inline(never)
    mutating func grow(_ extra: Int) -> Bool {
        if isOverfull { return false }
        // Not `_count + extra`, which could overflow; `limit` is `Int.max` if there is none.
        guard extra - Self.slack <= limit - _count else {
            overfill()
            return false
        }
        let most = limit > Int.max - Self.slack ? Int.max : limit + Self.slack
        let wanted = max(min(_capacity * 2, most), _count + extra)
        base = Self.reallocate(base, wanted)
        _capacity = wanted
        return true
    }

    /// Makes the count exceed the limit; zeros replace the dropped bytes.
    private mutating func overfill() {
        let wanted = limit + 1
        if _capacity < wanted {
            base = Self.reallocate(base, wanted)
            _capacity = wanted
        }
        (base + _count).initializeMemory(as: UInt8.self, repeating: 0, count: wanted - _count)
        _count = wanted
    }

    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        guard reserve(1) else { return }
        base.storeBytes(of: byte, toByteOffset: _count, as: UInt8.self)
        _count += 1
    }

    @inlinable @inline(__always)
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, reserve(bytes.count) else { return }
        (base + _count).copyMemory(from: start, byteCount: bytes.count)
        _count += bytes.count
    }

    /// Appends eight bytes, the lowest first.
    @inlinable @inline(__always)
    public mutating func append(word: UInt64) {
        guard reserve(8) else { return }
        base.storeBytes(of: word.littleEndian, toByteOffset: _count, as: UInt64.self)
        _count += 8
    }

    /// Appends a literal, which the compiler keeps as plain bytes.
    @inlinable @inline(__always)
    public mutating func append(_ literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends the UTF-8 of a string.
    @inlinable
    public mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a decimal integer.
    @inlinable
    public mutating func append(integer value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(unsigned: value.magnitude)
    }

    @inlinable
    public mutating func append(unsigned value: UInt) {
        guard reserve(20) else { return }
        var rest = value
        var digits = 1
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value
        var at = _count + digits
        _count = at
        repeat {
            at -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            base.storeBytes(of: UInt8(truncatingIfNeeded: digit) &+ 48, toByteOffset: at, as: UInt8.self)
            rest = quotient
        } while rest != 0
    }

    /// Lets `fill` write up to `limit` bytes after the end; it returns the number of bytes.
    @inlinable
    public mutating func append<Failure: Error>(
        upTo limit: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        guard reserve(limit) else { return }
        let written = try fill(UnsafeMutableRawBufferPointer(start: base + _count, count: limit))
        _count += min(max(written, 0), limit)
    }

    /// Appends bytes of zero; none for a negative number.
    public mutating func appendZeros(_ extra: Int) {
        guard extra > 0, reserve(extra) else { return }
        (base + _count).initializeMemory(as: UInt8.self, repeating: 0, count: extra)
        _count += extra
    }

    /// Lends the bytes written so far to `body`, for changes in place.
    public mutating func withMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        body(UnsafeMutableRawBufferPointer(start: base, count: _count))
    }

    /// Drops the bytes after `count`; the memory stays.
    @inlinable public mutating func truncate(to count: Int) {
        if count < _count { _count = max(count, 0) }
    }

    /// Drops the first `count` bytes and moves the rest to the front.
    @inlinable public mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        let rest = _count - min(count, _count)
        if rest > 0 { base.copyMemory(from: base + count, byteCount: rest) }
        _count = rest
    }

    /// Opens a gap of `width` bytes at `offset` and copies `bytes` into it.
    public mutating func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let start = bytes.baseAddress, offset >= 0, offset <= _count, reserve(bytes.count) else {
            return
        }
        (base + offset + bytes.count).copyMemory(from: base + offset, byteCount: _count - offset)
        (base + offset).copyMemory(from: start, byteCount: bytes.count)
        _count += bytes.count
    }

    /// Overwrites bytes that were already written.
    public mutating func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let start = bytes.baseAddress, offset >= 0, bytes.count <= _count - offset else { return }
        (base + offset).copyMemory(from: start, byteCount: bytes.count)
    }

    /// Gives memory back after an unusually large message.
    public mutating func shrink(toCapacity wanted: Int) {
        guard _capacity > wanted, _count <= wanted else { return }
        base = Self.reallocate(base, max(wanted, 16))
        _capacity = max(wanted, 16)
    }
}

/// Bytes with a stable address, for views of them.
public final class KeptBytes {
    public let bytes: UnsafeRawBufferPointer

    public init(_ bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        bytes.withUnsafeBytes { copy.copyMemory(from: $0) }
        self.bytes = UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    deinit { bytes.baseAddress.map { UnsafeRawPointer($0).deallocate() } }

    /// Lends the bytes, which are JSON.
    public func withJSON<Result, Failure: Error>(
        _ body: (ValidJSON) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(ValidJSON(trusting: bytes))
    }
}
