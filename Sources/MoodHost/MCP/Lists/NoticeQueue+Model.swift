import JSONCodec
import MCP
import MoodCore

/// The notifications of the Model Context Protocol.
extension NoticeQueue {
    /// Reports the end of a request with a token that was done immediately.
    func addDone(_ token: ValidJSON) {
        add("notifications/progress") { writer in
            writer.beginObject()
            writer.member("progressToken", raw: token.bytes)
            writer.buffer.append(",\"progress\":1,\"total\":1,\"message\":\"Done\"" as StaticString)
            writer.endObject()
        }
    }

    /// Reports the notifications that a `subscriptions/listen` will bring.
    func addAcknowledged(_ listener: ModelListener) {
        add("notifications/subscriptions/acknowledged") { writer in
            writer.beginObject()
            writer.member("notifications") { writer in
                writer.member(ifTrue: "toolsListChanged", listener.hearsTools)
                writer.member(ifTrue: "resourcesListChanged", listener.hearsLists)
                if !listener.addresses.isEmpty {
                    writer.member("resourceSubscriptions", array: listener.addresses) { address, writer in
                        writer.string(address)
                    }
                }
            }
            writer.subscription(listener.id)
            writer.endObject()
        }
    }

    /// - Parameter id: the id of its `subscriptions/listen`; nil in the older era.
    func addListChanged(_ method: StaticString, for id: [UInt8]?) {
        add(method) { writer in
            writer.beginObject()
            if let id { writer.subscription(id) }
            writer.endObject()
        }
    }

    func addUpdated(_ address: String, for id: [UInt8]?) {
        add("notifications/resources/updated") { writer in
            writer.beginObject()
            writer.member("uri", address)
            if let id { writer.subscription(id) }
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes `_meta` with the id of a `subscriptions/listen`.
    mutating func subscription(_ id: [UInt8]) {
        key("_meta")
        beginObject()
        key("io.modelcontextprotocol/subscriptionId")
        id.withUnsafeBytes { raw($0) }
        endObject()
    }
}
