import JSONCodec

/// An error as sent: `{code, message, data: {kind, retryable, …}}`. JSON-RPC 2.0, section 5.1.
public struct RPCError: Error, Sendable {
    public let code: ErrorCode
    /// The message for people: what is wrong and what to do.
    public let message: String
    /// More members of `data`, after `kind` and `retryable`.
    public let details: [JSONValue.Member]

    public init(_ code: ErrorCode, _ message: String, _ details: [JSONValue.Member] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    /// The error for bytes that are not JSON.
    public init(parsing error: JSONError) {
        self.init(
            .parseError,
            "Not JSON at byte \(error.offset): \(error.reason). Send one JSON-RPC 2.0 message, a line each.",
            [.init("offset", .number(String(error.offset))), .init("reason", .string("\(error.reason)"))])
    }

    /// Writes the error object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.number)
        writer.member("message", message)
        writer.beginObject("data")
        writer.member("kind", code.kind)
        writer.member("retryable", code.isRetryable)
        for detail in details {
            writer.key(text: detail.name)
            detail.value.write(to: &writer)
        }
        writer.endObject()
        writer.endObject()
    }
}
