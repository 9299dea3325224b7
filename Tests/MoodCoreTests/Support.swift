import JSONCodec
import MoodCore

/// Calls `body` with the UTF-8 of a text.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var text = text
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
}

/// The text that `body` writes.
func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var writer = JSONWriter()
    try body(&writer)
    return String(decoding: writer.buffer.bytes, as: UTF8.self)
}

/// Calls `body` with the mood of a record, or nil.
func withMood<Result>(_ record: String, _ body: (MoodMembers?) throws -> Result) rethrows -> Result {
    try withBytes(record) { try body(MoodMembers(checking: ValidJSON(trusting: $0))) }
}
