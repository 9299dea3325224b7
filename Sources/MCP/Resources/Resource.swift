import JSONCodec

/// A resource that a client can read by its address.
public struct Resource: Sendable {
    public let uri: String
    /// A name for programs and lists.
    public let name: String
    public let summary: String
    public let mediaType: StaticString

    public init(_ uri: String, _ name: String, _ summary: String, _ mediaType: StaticString = "application/json") {
        self.uri = uri
        self.name = name
        self.summary = summary
        self.mediaType = mediaType
    }

    /// Writes its entry in `resources/list`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes a link in the content of a tool's result.
    func writeLink(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", literal: "resource_link")
        writeMembers(to: &writer)
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("uri", uri)
        writer.member("name", name)
        writer.member("title", name)
        writer.member("description", summary)
        writer.member("mimeType", mediaType)
    }
}
