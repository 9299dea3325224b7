import JSONCodec

/// The problem of a file beside the moods, and its offset in bytes.
public struct FileDamage: Error, Equatable {
    public let offset: Int
    /// A clause.
    public let reason: String

    /// Reads a file that begins with its format and its version. `kind` is the file in words, as in "it is not a file of settings".
    static func read(
        _ bytes: UnsafeRawBufferPointer, _ kind: String, format: String, version: Int
    ) throws(FileDamage) -> JSONValue {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(bytes) } catch {
            throw FileDamage(offset: error.offset, reason: "\(error.reason)")
        }
        if let offset = outline.duplicate { throw FileDamage(offset: offset, reason: "a member is given twice") }
        let value = JSONValue(ValidJSON(trusting: outline.text.bytes))
        guard let named = value["format"]?.string, named.utf8.elementsEqual(format.utf8) else {
            throw FileDamage(offset: 0, reason: "it is not a file of \(kind)")
        }
        guard let found = value["version"]?.integer, found == version else {
            let found = value["version"]?.text ?? "none"
            throw FileDamage(offset: 0, reason: "it is of version \(found), not of \(version)")
        }
        return value
    }
}
