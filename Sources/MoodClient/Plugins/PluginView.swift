import JSONCodec

/// The host's description of a plugin, in words for people. It is not escaped yet.
struct PluginView {
    struct Row {
        let term: String
        let text: String
    }

    private let info: JSONValue

    init(_ info: JSONValue) { self.info = info }

    var id: String { info["id"]?.string ?? "?" }
    var state: String { info["state"]?.string ?? "?" }
    var digest: String? { info["digest"]?.string }
    var path: String { info.text(of: "path") }
    var isDisabled: Bool { state == "disabled" }
    /// The configuration without secrets.
    var config: JSONValue { info["config"] ?? .object([]) }

    /// `org.example.poem is stopped`, escaped for a terminal.
    var sentence: String {
        let reason = info["reason"]?.string.map { ": \($0)" } ?? ""
        return Escaping.visible("\(id) is \(state)\(reason)")
    }

    /// All facts about the plugin.
    var rows: [Row] {
        var rows = [Row(term: "plugin", text: title), Row(term: "state", text: state)]
        if let reason = info["reason"]?.string { rows.append(Row(term: "reason", text: reason)) }
        if info.isTrue("changed") {
            rows.append(Row(term: "changed", text: "its folder is not what was trusted; what runs still is"))
        }
        rows += trusted
        for (term, name) in [("process", "pid"), ("starts", "starts"), ("crashes", "crashes"), ("calls", "calls")] {
            if let number = info[name]?.integer { rows.append(Row(term: term, text: String(number))) }
        }
        for part in info["isolation"]?.object ?? [] {
            rows.append(Row(term: part.name, text: part.value.string ?? part.value.text))
        }
        if let error = info["lastError"], let reason = error["reason"]?.string {
            rows.append(
                Row(term: "last fault", text: [error["at"]?.string, reason].compactMap { $0 }.joined(separator: "  ")))
        }
        return rows
    }

    private var title: String {
        [id, info["name"]?.string, info["version"]?.string].compactMap { $0 }.joined(separator: "  ")
    }

    /// The facts on which a person decides about trust.
    var question: [Row] {
        [Row(term: "plugin", text: title)] + trusted
            + [
                Row(
                    term: "not covered",
                    text:
                        "interpreters, and what they load or fetch from elsewhere; that other files exist stays visible to it"
                )
            ]
    }

    private var trusted: [Row] {
        var rows: [Row] = []
        if !path.isEmpty { rows.append(Row(term: "folder", text: path)) }
        if let command = info["command"] {
            let real = info["exec"]?.string.map { ", from \($0)" } ?? ""
            rows.append(Row(term: "runs", text: Self.words(command) + real))
        }
        rows.append(Row(term: "provides", text: provides))
        rows.append(Row(term: "may", text: words(of: info["permissions"]) ?? "nothing more than run"))
        if let granted = info["granted"], let words = words(of: granted) {
            let isOfOthers = info.isTrue("changed")
            rows.append(Row(term: "granted", text: isOfOthers ? words + " (to what was trusted before)" : words))
        }
        if let digest { rows.append(Row(term: "digest", text: digest)) }
        if let tools = info["tools"] { rows.append(Row(term: "tools", text: Self.words(tools))) }
        return rows
    }

    private var provides: String {
        let kinds = (info["provides"]?.object ?? []).compactMap { kind -> String? in
            let names = (kind.value.array ?? []).map { element in
                ["name", "type", "format", "on", "title"].compactMap { element[$0]?.string }.first
                    ?? element.string ?? "?"
            }
            return names.isEmpty ? nil : "\(kind.name) \(names.joined(separator: ", "))"
        }
        return kinds.isEmpty ? "nothing" : kinds.joined(separator: "; ")
    }

    /// Permissions in words; nil if there are none.
    private func words(of permissions: JSONValue?) -> String? {
        var words: [String] = []
        switch permissions?["moods"]?.string {
        case "read": words.append("read moods")
        case "write": words.append("read and change moods")
        default: break
        }
        if permissions?["navigation"]?.boolean == true {
            words.append(words.isEmpty ? "navigate, and see the moods on screens" : "navigate")
        }
        for (name, verb) in [("read", "read"), ("write", "write")] {
            let paths = (permissions?["files"]?[name]?.array ?? []).compactMap(\.string)
            if !paths.isEmpty { words.append("\(verb) \(paths.joined(separator: " and "))") }
        }
        let runtimes = (permissions?["runtimes"]?.array ?? []).compactMap(\.string)
        if !runtimes.isEmpty { words.append("run from \(runtimes.joined(separator: " and "))") }
        if permissions?["network"]?.boolean == true { words.append("use the network") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// A value such as a command: its texts one after the other.
    private static func words(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        if let elements = value.array { return elements.map(words).joined(separator: " ") }
        return (value.object ?? []).map { "\($0.name) \(words($0.value))" }.joined(separator: ", ")
    }
}
