import JSONCodec

/// The notifications of the Model Context Protocol.
extension NoticeQueue {
    /// What was asked for with a token, and was done at once.
    func addDone(_ token: ValidJSON) {
        add("notifications/progress") { writer in
            writer.beginObject()
            writer.key("progressToken")
            writer.raw(token.bytes)
            writer.buffer.append(",\"progress\":1,\"total\":1,\"message\":\"Done\"" as StaticString)
            writer.endObject()
        }
    }
}
