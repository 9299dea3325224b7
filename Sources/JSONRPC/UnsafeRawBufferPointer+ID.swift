import JSONCodec

extension UnsafeRawBufferPointer {
    /// Whether two ids have the same value, however each is written: `1` and `1.0`, `"a"` and `"\u0061"`.
    public func isSameID(as other: UnsafeRawBufferPointer) -> Bool {
        if elementsEqual(other) { return true }
        if let text = textOfID, let otherText = other.textOfID { return text.isEqual(to: otherText) }
        guard let number = integerOfID else { return false }
        return number == other.integerOfID
    }

    private var textOfID: JSONText? {
        guard count > 1, first == UInt8(ascii: "\"") else { return nil }
        let inside = UnsafeRawBufferPointer(rebasing: self[1..<count - 1])
        return JSONText(raw: inside, isEscaped: inside.contains(UInt8(ascii: "\\")))
    }

    private var integerOfID: Int? {
        guard let first, first == UInt8(ascii: "-") || 48...57 ~= first else { return nil }
        return JSONNumber(raw: self).integer
    }
}
