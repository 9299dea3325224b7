import JSONCodec

/// A message with its members told apart and its params still bytes. JSON-RPC 2.0, sections 4 and 5.
///
/// It is a view of the frame it was read from. Members that the specification does not know are passed over, as LSP and
/// MCP peers do.
public struct Envelope {
    /// The id as it was written, to be echoed byte for byte; nil for a notification.
    public private(set) var id: UnsafeRawBufferPointer?
    public private(set) var method: JSONText?
    /// The params; nil when absent or null, which mean the same.
    public private(set) var params: ValidJSON?
    /// Of a response.
    public private(set) var result: ValidJSON?
    /// Of a response.
    public private(set) var error: ValidJSON?

    /// The longest string id, in bytes of its text; numbers may be as long.
    public static let idBytesMax = 256

    /// Takes an object apart.
    ///
    /// - Returns: the envelope, and what is wrong with it as a request (nil when it is one). The id is salvaged in
    ///   either case when there is a usable one, so that the answer reaches the caller who waits for it.
    public static func read(_ outline: JSONOutline, idBytesMax: Int = idBytesMax) -> (Envelope, RPCError?) {
        var envelope = Envelope()
        var fault: RPCError?
        var isVersioned = false
        var idFault: RPCError?
        var params: ValidJSON?
        for part in outline.parts {
            let value = outline.text[part]
            switch member(outline.key(part)) {
            case .jsonrpc: isVersioned = isVersion2(value)
            case .id:
                if isUsableID(value, idBytesMax) {
                    envelope.id = value.bytes
                } else {
                    idFault = RPCError(
                        .invalidRequest,
                        "An id must be a string of at most \(idBytesMax) bytes, a number or null.")
                }
            case .method:
                var reader = JSONReader(value)
                envelope.method = reader.text()
            case .params: params = value
            case .result: envelope.result = value
            case .error: envelope.error = value
            case nil: break
            }
        }
        if let params {
            switch params.bytes.first {
            case UInt8(ascii: "{"), UInt8(ascii: "["): envelope.params = params
            case UInt8(ascii: "n"): break
            default: fault = RPCError(.invalidRequest, "params must be an object or an array.")
            }
        }
        if envelope.method == nil {
            fault = RPCError(.invalidRequest, "A request needs a method, which is a string such as \"mood.list\".")
        }
        if !isVersioned {
            fault = RPCError(.invalidRequest, "A request needs \"jsonrpc\":\"2.0\".")
        }
        return (envelope, idFault ?? fault)
    }

    private enum Member { case jsonrpc, id, method, params, result, error }

    private static func member(_ key: UnsafeRawBufferPointer) -> Member? {
        member(JSONText(raw: key, isEscaped: false))
            ?? (key.contains(UInt8(ascii: "\\")) ? member(JSONText(raw: key, isEscaped: true)) : nil)
    }

    @inline(__always)
    private static func member(_ text: JSONText) -> Member? {
        switch text.raw.count {
        case 2 where text.equals("id"): .id
        case 6 where text.equals("method"): .method
        case 6 where text.equals("params"): .params
        case 7 where text.equals("jsonrpc"): .jsonrpc
        case 6 where text.equals("result"): .result
        case 5 where text.equals("error"): .error
        default: text.isEscaped ? escapedMember(text) : nil
        }
    }

    private static func escapedMember(_ text: JSONText) -> Member? {
        text.withDecoded { member(JSONText(raw: $0, isEscaped: false)) }
    }

    private static func isVersion2(_ value: ValidJSON) -> Bool {
        if JSONText(raw: value.bytes, isEscaped: false).equals("\"2.0\"") { return true }
        var reader = JSONReader(value)
        return reader.text()?.equals("2.0") ?? false
    }

    private static func isUsableID(_ value: ValidJSON, _ idBytesMax: Int) -> Bool {
        var reader = JSONReader(value)
        switch reader.kind {
        case .string:
            guard let text = reader.text() else { return false }
            if !text.isEscaped { return text.raw.count <= idBytesMax }
            return text.withDecoded { $0.count <= idBytesMax }
        case .number: return value.bytes.count <= idBytesMax
        case .null: return true
        case .boolean, .array, .object: return false
        }
    }
}
