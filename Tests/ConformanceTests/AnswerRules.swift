import JSONCodec

/// What every answer of the host keeps, whatever a transcript expects of it.
enum AnswerRules {
    private static let kinds: [Int: Set<String>] = [
        -32700: ["parseError"], -32600: ["invalidRequest", "messageTooLarge", "batchTooLarge"],
        -32601: ["methodNotFound"], -32602: ["invalidParams"], -32603: ["internalError"], -32800: ["cancelled"],
        -32802: ["shuttingDown"], 1001: ["notFound"], 1002: ["conflict"], 1003: ["refused"], 1010: ["storeBusy"],
        1011: ["storeReadOnly"], 1012: ["storageFull"], 1013: ["outcomeUnknown"], 1014: ["storeUnavailable"],
        1015: ["storeCorrupt"], 1020: ["limitExceeded"], 1030: ["pluginUnavailable"], 1031: ["pluginFailed"],
        1032: ["pluginTimeout"], 1040: ["permissionDenied"], -32022: ["unsupportedProtocolVersion"],
        -32002: ["resourceNotFound"],
    ]
    private static let retryable: Set<String> = ["storeBusy", "storageFull", "outcomeUnknown"]

    static func check(_ answer: JSONValue, isHeaderFramed: Bool) throws(Pattern.Mismatch) {
        if let batch = answer.array {
            if batch.isEmpty { throw Pattern.Mismatch("an empty array is no answer") }
            for member in batch {
                guard member.object != nil else { throw Pattern.Mismatch("a member of a batch answer is no object") }
                try check(member, isHeaderFramed: isHeaderFramed)
            }
            return
        }
        guard let members = answer.object?.map(\.name) else {
            throw Pattern.Mismatch("not an answer: \(answer.short)")
        }
        guard Set(members) == ["jsonrpc", "id", "result"] || Set(members) == ["jsonrpc", "id", "error"] else {
            if Set(members) == ["jsonrpc", "method", "params"] { return try check(notification: answer) }
            throw Pattern.Mismatch("an answer has jsonrpc, id and result or error, not \(members)")
        }
        guard answer["jsonrpc"]?.string == "2.0" else { throw Pattern.Mismatch("jsonrpc is not \"2.0\"") }
        if let error = answer["error"] { try check(error: error, isHeaderFramed: isHeaderFramed) }
    }

    /// What the notifications hold that the host sends of its own.
    private static let notifications: [String: Set<String>] = [
        "$/progress": ["token", "value"], "events.event": ["subscription", "topic", "seq", "at"],
        "notifications/progress": ["progressToken", "progress"], "notifications/resources/updated": ["uri"],
        "notifications/resources/list_changed": [], "notifications/tools/list_changed": [],
        "notifications/subscriptions/acknowledged": ["notifications", "_meta"],
    ]

    private static func check(notification: JSONValue) throws(Pattern.Mismatch) {
        let method = notification["method"]?.string ?? ""
        let members = Set(notification["params"]?.object?.map(\.name) ?? [])
        guard let needed = notifications[method], needed.isSubset(of: members) else {
            throw Pattern.Mismatch("no notification \(method) with these params: \(notification.short)")
        }
    }

    private static func check(error: JSONValue, isHeaderFramed: Bool) throws(Pattern.Mismatch) {
        guard Set(error.object?.map(\.name) ?? []) == ["code", "message", "data"], let data = error["data"] else {
            throw Pattern.Mismatch("an error has the members code, message and data: \(error.short)")
        }
        guard let code = error["code"]?.integer, let kind = data["kind"]?.string, kinds[code]?.contains(kind) == true
        else { throw Pattern.Mismatch("this code does not go with this kind: \(error.short)") }
        guard error["message"]?.string?.contains(where: { !$0.isWhitespace }) == true else {
            throw Pattern.Mismatch("an error has a message")
        }
        guard data["retryable"]?.boolean == retryable.contains(kind) else {
            throw Pattern.Mismatch("retryable is wrong for \(kind): \(error.short)")
        }
        for (name, isRight) in needs(kind, data, isHeaderFramed) where !isRight {
            throw Pattern.Mismatch("\(kind) needs data.\(name): \(error.short)")
        }
    }

    /// The members of `data` that a kind needs, and whether they are there.
    private static func needs(_ kind: String, _ data: JSONValue, _ isHeaderFramed: Bool) -> [(String, Bool)] {
        func text(_ name: String) -> (String, Bool) { (name, data[name]?.string != nil) }
        func integer(_ name: String) -> (String, Bool) { (name, data[name]?.integer != nil) }
        switch kind {
        case "parseError": return [text("reason")] + (isHeaderFramed ? [] : [integer("offset")])
        case "methodNotFound": return [("suggestions", data["suggestions"]?.array != nil)]
        case "invalidParams": return [text("path"), text("reason")]
        case "notFound": return [("id or name", data["id"] != nil || data["name"] != nil)]
        case "conflict":
            return [text("reason")] + (data["reason"]?.string == "revision" ? [integer("currentRevision")] : [])
        case "storeReadOnly", "storeUnavailable": return [text("reason")]
        case "storeCorrupt": return [text("file"), integer("offset")]
        case "limitExceeded": return [("limit", data["limit"] != nil), ("value", data["value"] != nil)]
        default: return []
        }
    }
}
