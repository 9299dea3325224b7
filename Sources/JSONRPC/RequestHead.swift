import JSONCodec

/// The part before the params of a request that is written as nearly every client writes it:
///
///     {"jsonrpc":"2.0","id":7,"method":"mood.get","params":{…}}
///
/// these members, in this order, without white space, the id a plain integer or a string without escapes, or absent. It
/// spares such a request one pass over its bytes. Whatever is written in another way has no head, which says nothing
/// about it: it is read by `JSONValidator` and `Envelope`, as is everything that turns out to be wrong.
public struct RequestHead {
    /// As it was written; nil for a notification.
    public let id: UnsafeRawBufferPointer?
    /// The bytes between the method's quotes, not checked: they are right when they are those of a known name.
    public let method: UnsafeRawBufferPointer
    /// Where the params begin; nil when there are none.
    public let params: Int?

    /// The longest integer that is taken here.
    private static let digitsMax = 18

    @inline(__always)
    public init?(_ message: UnsafeRawBufferPointer, idBytesMax: Int = Envelope.idBytesMax) {
        var at = 0
        guard Self.take("{\"jsonrpc\":\"2.0\",\"", message, &at) else { return nil }
        if Self.take("id\":", message, &at) {
            let start = at
            guard let end = Self.idEnd(message, start, idBytesMax), Self.take(",\"", message, from: end, &at) else {
                return nil
            }
            id = UnsafeRawBufferPointer(rebasing: message[start..<end])
        } else {
            id = nil
        }
        guard Self.take("method\":\"", message, &at) else { return nil }
        let start = at
        // No name of a method is longer than what a header block may have; the catalogue knows its own.
        while at < message.count, message[at] != UInt8(ascii: "\"") { at += 1 }
        method = UnsafeRawBufferPointer(rebasing: message[start..<at])
        if Self.take("\",\"params\":", message, &at) {
            params = at
        } else {
            guard Self.take("\"}", message, &at), at == message.count else { return nil }
            params = nil
        }
    }

    @inline(__always)
    private static func idEnd(_ message: UnsafeRawBufferPointer, _ start: Int, _ bytesMax: Int) -> Int? {
        var at = start
        guard at < message.count else { return nil }
        if message[at] == UInt8(ascii: "\"") {
            at += 1
            while at < message.count, at - start <= bytesMax + 1 {
                let byte = message[at]
                if byte == UInt8(ascii: "\"") { return at + 1 }
                guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
                at += 1
            }
            return nil
        }
        while at < message.count, message[at] &- 48 < 10 { at += 1 }
        let digits = at - start
        guard digits > 0, digits <= min(digitsMax, bytesMax), digits == 1 || message[start] != UInt8(ascii: "0") else {
            return nil
        }
        return at
    }

    /// Moves behind a literal that stands here.
    @inline(__always)
    private static func take(_ literal: StaticString, _ message: UnsafeRawBufferPointer, _ at: inout Int) -> Bool {
        take(literal, message, from: at, &at)
    }

    @inline(__always)
    private static func take(
        _ literal: StaticString, _ message: UnsafeRawBufferPointer, from start: Int, _ at: inout Int
    ) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard message.count - start >= count else { return false }
        let found = UnsafeRawBufferPointer(rebasing: message[start..<start + count])
        guard JSONText(raw: found, isEscaped: false).equals(literal) else { return false }
        at = start + count
        return true
    }
}
