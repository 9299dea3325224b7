/// The time of a commit as text, `2026-01-02T03:04:05.678Z`: RFC 3339 in UTC with milliseconds, which always takes 24
/// bytes. Inline, because every store has one, also one in memory, which never writes it down.
public struct TimeText: Sendable {
    private static let byteCount = 24

    private var text: InlineArray<24, UInt8>

    /// The first moment of 1970, until somebody says what time it is.
    init() {
        let start = "1970-01-01T00:00:00.000Z" as StaticString
        text = InlineArray { start.utf8Start[$0] }
    }

    /// Takes another time; anything but 24 bytes is no time and changes nothing.
    public mutating func set(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return }
        for index in text.indices { text[index] = bytes[index] }
    }

    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try text.span.bytes.withUnsafeBytes(body)
    }
}
