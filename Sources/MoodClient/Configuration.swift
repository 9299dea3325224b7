import JSONCodec
import Platform

/// The client's own settings: `$XDG_CONFIG_HOME/moodboard/config.json`, else `~/.config/moodboard/config.json`.
///
///     {"store": "~/moods", "color": "never", "pager": "less -FRX", "keepZone": false, "sync": false}
///
/// The command line and the environment take precedence.
struct Configuration {
    private static let bytesMax = 1 << 16
    static let names = ["store", "color", "pager", "keepZone", "sync"]
    /// Names of the boolean settings.
    static let switches: Set = ["keepZone", "sync"]
    private static let colors = ["auto", "never", "always"]

    private(set) var store: String?
    private(set) var color: String?
    private(set) var pager: String?
    /// Whether `mood add` keeps the zone by which a time was read.
    private(set) var keepZone: Bool?
    /// Whether the host of a command may sync by itself; `mood sync now` works anyway.
    private(set) var sync: Bool?
    /// The members as they are in the file.
    private(set) var members: [JSONValue.Member] = []
    /// The file's path; nil if the environment gives none.
    private(set) var path: String?

    /// - Throws: bad input with the line and the column, if the file is there and wrong.
    static func read(_ console: Console) throws(ClientError) -> Configuration {
        if let fault = console.environmentFault("XDG_CONFIG_HOME") {
            throw .usage(
                "XDG_CONFIG_HOME is not UTF-8 text (\(fault.shown)). Set it to another directory, or unset it.",
                command: nil)
        }
        guard let path = path(console) else { return Configuration() }
        var none = Configuration()
        none.path = path
        let bytes = try orBadInput("\(path) cannot be read") { () throws(SystemError) in
            try console.readFile(path, bytesMax)
        }
        guard let bytes else { return none }
        return try Configuration(bytes, path: path, home: console.environment("HOME"))
    }

    /// A relative `$XDG_CONFIG_HOME` is ignored, as its specification says.
    private static func path(_ console: Console) -> String? {
        let name = "/moodboard/config.json"
        if let folder = console.environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + name }
        return console.environment("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.config" + name : nil }
    }

    init() {}

    init(_ bytes: [UInt8], path: String, home: String?) throws(ClientError) {
        func fault(_ offset: Int, _ message: String) -> ClientError {
            let before = bytes.prefix(offset)
            let line = before.count { $0 == 0x0a } + 1
            let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
            let column = String(decoding: bytes[start..<max(start, before.count)], as: UTF8.self).count + 1
            return .badInput("\(path):\(line):\(column): \(message)", advice: nil)
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw fault(error.offset, "\(error.reason).")
        }
        self.path = path
        guard let members = value.object else { throw fault(0, "an object is wanted, such as {\"pager\": \"less\"}.") }
        self.members = members
        for member in members {
            let offset = Self.offset(of: member.name, in: bytes)
            guard Self.names.contains(member.name) else {
                let nearest = Suggestion.question(Suggestion.nearest(to: member.name, among: Self.names))
                throw fault(
                    offset, "there is no '\(member.name)'; there are \(Self.names.joined(separator: ", ")).\(nearest)")
            }
            if Self.switches.contains(member.name) {
                guard let isOn = member.value.boolean else { throw fault(offset, "'\(member.name)' is true or false.") }
                if member.name == "sync" { sync = isOn } else { keepZone = isOn }
                continue
            }
            guard let text = member.value.string else { throw fault(offset, "'\(member.name)' is a text in quotes.") }
            switch member.name {
            case "store":
                guard text.hasPrefix("/") || text.hasPrefix("~/") else {
                    throw fault(offset, "'store' is a path from the root on, or from ~/.")
                }
                store = text.hasPrefix("~/") ? (home ?? "") + text.dropFirst() : text
            case "color":
                guard Self.colors.contains(text) else {
                    throw fault(offset, "'color' is auto, never or always, not '\(text)'.")
                }
                color = text
            default: pager = text
            }
        }
    }

    // MARK: Changing

    /// Builds the file with another value of a member, or without the member.
    /// - Throws: bad input if the member cannot have this value.
    func bytes(setting name: String, to value: JSONValue?, home: String?) throws(ClientError) -> [UInt8] {
        var members = members
        let place = members.firstIndex { $0.name == name }
        if let value {
            if let place { members[place] = .init(name, value) } else { members.append(.init(name, value)) }
        } else if let place {
            members.remove(at: place)
        }
        let lines = members.map { "  " + JSONValue.string($0.name).text + ": " + $0.value.text }
        let bytes = Array(("{" + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n") + "}\n").utf8)
        _ = try Configuration(bytes, path: path ?? "", home: home)
        return bytes
    }

    /// Finds a member's name in the file. The names here have no escapes.
    private static func offset(of name: String, in bytes: [UInt8]) -> Int {
        let wanted = Array("\"\(name)\"".utf8)
        guard bytes.count >= wanted.count else { return 0 }
        return (0...bytes.count - wanted.count).first { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) } ?? 0
    }
}
