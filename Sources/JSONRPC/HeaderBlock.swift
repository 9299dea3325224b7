import JSONCodec

/// The lines of a header block of LSP's base protocol: a name, a colon and a value, each ended by LF with any number of
/// CR before it.
struct HeaderBlock {
    /// The value of `Content-Length` in any case, or nil if it is absent, not a plain decimal number, or given twice
    /// with different values (RFC 9112, section 6.3, calls that an unrecoverable error).
    private(set) var length: Int?
    /// Whether a line is no header line.
    private(set) var isBroken = false

    /// - Parameter block: whole lines, without the empty one.
    init(_ block: UnsafeRawBufferPointer) {
        var lengths: [Int?] = []
        var start = 0
        while start < block.count {
            let next = block.firstOffset(of: 0x0a, from: start) ?? block.count
            var end = next
            while end > start, block[end - 1] == 0x0d { end -= 1 }
            if block[start..<end].dropFirst().firstIndex(of: UInt8(ascii: ":")) == nil { isBroken = true }
            if let value = Self.value(of: "content-length", in: block, start, end) {
                lengths.append(Self.decimal(block, value, end))
            }
            start = next + 1
        }
        if let first = lengths.first, lengths.allSatisfy({ $0 == first }) { length = first }
    }

    /// Whether a line is empty except for its end.
    static func isEmpty(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        bytes[start..<end].allSatisfy { $0 == 0x0d }
    }

    /// Whether a line is not a header line but a message.
    static func beginsMessage(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// The offset of a line's value if the line has this name.
    private static func value(
        of name: StaticString, in block: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> Int? {
        let count = name.utf8CodeUnitCount
        guard end - start > count, block[start + count] == UInt8(ascii: ":") else { return nil }
        for index in 0..<count where !isSame(block[start + index], name.utf8Start[index]) { return nil }
        return start + count + 1
    }

    /// Whether a byte is this lower-case letter in either case, or exactly this other character. (A blind `| 0x20`
    /// would take a CR for a hyphen.)
    static func isSame(_ byte: UInt8, _ letter: UInt8) -> Bool {
        byte == letter || letter >= UInt8(ascii: "a") && byte | 0x20 == letter
    }

    private static func decimal(_ block: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
        var at = start
        var last = end
        while at < last, block[at] == 0x20 || block[at] == 0x09 { at += 1 }
        while last > at, block[last - 1] == 0x20 || block[last - 1] == 0x09 { last -= 1 }
        guard last > at else { return nil }
        var number = 0
        for index in at..<last {
            let digit = block[index] &- 48
            guard digit < 10 else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int(digit))
            // A length beyond `Int` is too large in any case.
            number = overflows || carries ? .max : sum
        }
        return number
    }
}
