import JSONCodec
import JSONRPC

/// An envelope in the simplest form, for comparison with `Envelope`. It validates the whole message first, and then
/// reads its members one after the other.
struct PlainEnvelope: Equatable {
    private var id: [UInt8]?
    private var method: [UInt8]?
    private var params: [UInt8]?
    private var result: [UInt8]?
    private var error: [UInt8]?
    private var fault: String?
    /// The offset of the first doubled name, at any depth.
    private var duplicate: Int?

    /// Reads a message; nil for an array, a number or the like.
    static func read(_ message: [UInt8], _ validator: inout JSONValidator) -> Result<PlainEnvelope?, JSONError> {
        message.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                return .success(outline.kind == .object ? PlainEnvelope(outline) : nil)
            } catch {
                return .failure(error)
            }
        }
    }

    private init(_ outline: JSONOutline) {
        var isVersioned = false
        var isIDWrong = false
        var areParamsWrong = false
        for part in outline.parts {
            let value = Array(outline.text[part].bytes)
            let key = outline.key(part)
            let name = JSONText(raw: key, isEscaped: key.contains(UInt8(ascii: "\\"))).string
            switch name {
            case "jsonrpc": isVersioned = Self.text(value) == Array("2.0".utf8)
            case "id":
                if Self.isID(value) { id = value } else { isIDWrong = true }
            case "method": method = Self.text(value)
            case "params":
                areParamsWrong = !"{[n".utf8.contains(value[0])
                params = "{[".utf8.contains(value[0]) ? value : nil
            case "result": result = value
            case "error": error = value
            default: break
            }
        }
        if areParamsWrong { fault = "params must be an object or an array." }
        if method == nil { fault = "A request needs a method, which is a string such as \"mood.list\"." }
        if !isVersioned { fault = "A request needs \"jsonrpc\":\"2.0\"." }
        if isIDWrong { fault = "An id must be a string of at most 256 bytes, a number or null." }
        duplicate = outline.duplicate
    }

    /// The envelope of the sources' reader.
    init(_ envelope: Envelope, _ validator: inout JSONValidator) {
        id = envelope.id.map(Array.init)
        method = envelope.method.map { Array($0.string.utf8) }
        params = envelope.params.map { Array($0.bytes) }
        result = envelope.result.map { Array($0.bytes) }
        error = envelope.error.map { Array($0.bytes) }
        fault = envelope.fault?.message
        duplicate = validator.duplicate
    }

    private static func text(_ value: [UInt8]) -> [UInt8]? {
        guard value.first == UInt8(ascii: "\"") else { return nil }
        return value.dropFirst().dropLast().withUnsafeBytes {
            Array(JSONText(raw: $0, isEscaped: $0.contains(UInt8(ascii: "\\"))).string.utf8)
        }
    }

    private static func isID(_ value: [UInt8]) -> Bool {
        if let text = text(value) { return text.count <= 256 }
        return value == Array("null".utf8) || "-0123456789".utf8.contains(value[0]) && value.count <= 256
    }
}
