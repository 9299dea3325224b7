import JSONCodec

/// The validator's verdict on a text, as a value to compare.
enum Verdict: Equatable {
    case accepted
    /// The offset of the first duplicate name.
    case doubled(Int)
    case refused(Int, JSONError.Reason)

    init(_ text: [UInt8], depthLimit: Int = 64) {
        var validator = JSONValidator(depthLimit: depthLimit)
        self.init(text, &validator)
    }

    init(_ text: String, depthLimit: Int = 64) { self.init(Array(text.utf8), depthLimit: depthLimit) }

    init(_ text: [UInt8], _ validator: inout JSONValidator) {
        self = text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                return try validator.validate(bytes).duplicate.map { .doubled($0) } ?? .accepted
            } catch {
                return .refused(error.offset, error.reason)
            }
        }
    }
}

/// Calls `body` with a reader over the text, which must be JSON.
func reading<Result>(_ text: String, _ body: (inout JSONReader) throws -> Result) throws -> Result {
    var copy = text
    return try copy.withUTF8 { bytes in
        var validator = JSONValidator(depthLimit: 64)
        var reader = JSONReader(try validator.validate(UnsafeRawBufferPointer(bytes)).text)
        return try body(&reader)
    }
}

/// The writer's output.
func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.buffer.bytes, as: UTF8.self)
}
