import JSONCodec

/// The rules of JSON-RPC 2.0 for every message of a peer.
struct Inspection {
    enum Clause {
        static let request = "JSON-RPC 2.0, 4 Request object"
        static let notification = "JSON-RPC 2.0, 4.1 Notification"
        static let response = "JSON-RPC 2.0, 5 Response object"
        static let error = "JSON-RPC 2.0, 5.1 Error object"
        static let unknown = "JSON-RPC 2.0, 5.1: -32601 for a method that is not there"
    }

    /// The number of requests by id, as the id is written.
    var asked: [String: Int] = [:]
    /// Whether a broken message was sent, for which an answer without an id is right.
    var isBroken = false
    private(set) var faults: [(clause: String, what: String)] = []
    private var seen: [String: Int] = [:]

    /// Makes a request and counts it.
    mutating func ask(_ method: String, _ params: JSONValue, id: JSONValue) -> String {
        asked[id.text, default: 0] += 1
        return Self.request(method, params, id: id)
    }

    mutating func look(at messages: [Conversation.Message], rubbish clause: String) {
        for message in messages {
            guard let value = message.value, value.object != nil || value.array != nil else {
                faults.append((clause, "It printed \(Self.excerpt(message))"))
                continue
            }
            if let members = value.array {
                if members.isEmpty { faults.append((Clause.response, "An empty array is no answer.")) }
                for member in members { look(at: member, message) }
            } else {
                look(at: value, message)
            }
        }
        for (id, count) in seen where id != "null" && count > asked[id, default: 0] && asked[id] != nil {
            faults.append((Clause.response, "The request with the id \(id) has \(count) answers."))
            break
        }
    }

    private mutating func look(at value: JSONValue, _ message: Conversation.Message) {
        let excerpt = Self.excerpt(message)
        let isRequest = value["method"] != nil
        if value["jsonrpc"]?.string != "2.0" {
            faults.append((isRequest ? Clause.request : Clause.response, "Without \"jsonrpc\":\"2.0\": \(excerpt)"))
        }
        if isRequest {
            if value["method"]?.string == nil { faults.append((Clause.request, "The method is no text: \(excerpt)")) }
            switch value["id"] {
            case nil, .string, .number, .null: return
            default: return faults.append((Clause.request, "The id of a request is a text or a number: \(excerpt)"))
            }
        }
        guard let id = value["id"] else {
            return faults.append((Clause.response, "Neither a request nor an answer: \(excerpt)"))
        }
        seen[id.text, default: 0] += 1
        if (value["result"] == nil) == (value["error"] == nil) {
            faults.append((Clause.response, "An answer has either a result or an error: \(excerpt)"))
        }
        if let error = value["error"], error["code"]?.integer == nil || error["message"]?.string == nil {
            faults.append((Clause.error, "An error has a code, a whole number, and a message: \(excerpt)"))
        }
        if id.isNull, !isBroken {
            faults.append((Clause.response, "An answer without its id, to a message that can be read: \(excerpt)"))
        } else if !id.isNull, asked[id.text] == nil {
            faults.append((Clause.response, "An answer with an id that was not asked: \(excerpt)"))
        }
    }

    // MARK: Messages

    static func request(_ method: String, _ params: JSONValue, id: JSONValue) -> String {
        let request: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params]
        return request.text
    }

    static func notification(_ method: String, _ params: JSONValue? = nil) -> String {
        let head: [JSONValue.Member] = [.init("jsonrpc", "2.0"), .init("method", .string(method))]
        return JSONValue.object(head + (params.map { [.init("params", $0)] } ?? [])).text
    }

    static func excerpt(_ message: Conversation.Message) -> String {
        if message.bytes.isEmpty { return "something that cannot be read" }
        return String(decoding: message.bytes.prefix(160), as: UTF8.self) + (message.bytes.count > 160 ? "…" : "")
    }
}

extension JSONValue {
    var isNull: Bool { if case .null = self { true } else { false } }
}
