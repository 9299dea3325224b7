import JSONCodec

/// A time of a mood: a view that is parsed only on use, or a time that was set.
public struct MoodTime {
    private var text: JSONText?
    private var moment: Timestamp?

    public init() {}

    public init(_ text: JSONText?) { self.text = text }

    public init(_ time: Timestamp?) { moment = time }

    /// A time with known text and moment.
    public init(_ text: JSONText, saying moment: Timestamp) {
        self.text = text
        self.moment = moment
    }

    public var isEmpty: Bool { text == nil && moment == nil }

    /// The moment; nil if there is none, or it cannot be read.
    public var value: Timestamp? { moment ?? text?.withDecoded { Timestamp(rfc3339: $0) } }

    /// Writes the canonical form. It copies times in UTC with three digits, or with none.
    func write(to buffer: inout ByteBuffer) {
        if let raw = text?.raw, text?.isEscaped == false, raw.count >= 20, raw[raw.count - 1] == UInt8(ascii: "Z"),
            raw[10] == UInt8(ascii: "T"), raw[17] != UInt8(ascii: "6")
        {
            if raw.count == Timestamp.textLength { return buffer.append(raw) }
            if raw.count == 20 {
                buffer.append(UnsafeRawBufferPointer(rebasing: raw[..<19]))
                return buffer.append(".000Z" as StaticString)
            }
        }
        value?.write(to: &buffer)
    }
}
