import JSONCodec
import JSONRPC
import MoodProtocol

/// The tools of a process, in the order of the list.
public final class ToolCatalogue {
    public let tools: [Tool]
    /// The JSON of `tools/list`; made on request.
    private var listed: [UInt8]?

    public init(_ tools: [Tool]) { self.tools = tools }

    /// The tool of this name.
    /// - Throws: `invalidParams` with the nearest names.
    public func find(_ name: JSONText) throws(RPCError) -> Tool {
        // By index: each step of a loop over the tools would copy one.
        if let place = tools.firstIndex(where: { name.isEqual(to: $0.name) }) { return tools[place] }
        let asked = String(name.string.unicodeScalars.prefix(100))
        let nearest = NearestNames.find(asked, among: tools.map(\.name))
        let hint = nearest.isEmpty ? "tools/list lists all." : "Did you mean \(nearest.joined(separator: " or "))?"
        throw RPCError(
            .invalidParams, "There is no tool \"\(asked)\". \(hint)",
            [
                .init("path", "/name"), .init("reason", .string("is no tool; \(hint)")),
                .init("suggestions", .array(nearest.map { .string($0) })),
            ])
    }

    /// Whether there is a tool of this name.
    public func has(_ name: String) -> Bool { tools.contains { $0.name.utf8.elementsEqual(name.utf8) } }

    /// Writes the array of all tools.
    public func write(to writer: inout JSONWriter) {
        if listed == nil {
            var list = JSONWriter(capacity: 16 * 1024)
            list.beginArray()
            for tool in tools { tool.write(to: &list) }
            list.endArray()
            listed = Array(list.buffer.bytes)
        }
        listed?.withUnsafeBytes { writer.raw($0) }
    }
}

extension JSONText {
    fileprivate func isEqual(to name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in withDecoded { JSONText.sameBytes($0, UnsafeRawBufferPointer(bytes)) } }
    }
}
