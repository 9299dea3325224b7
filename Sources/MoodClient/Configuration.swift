import JSONCodec
import Platform

/// The client's own settings: `$XDG_CONFIG_HOME/moodboard/config.json`, else `~/.config/moodboard/config.json`.
///
///     {"store": "~/moods", "color": "never", "pager": "less -FRX"}
///
/// A command line wins over it, and so does the environment.
struct Configuration {
    private static let bytesMax = 1 << 16
    private static let names = ["store", "color", "pager"]
    private static let colors = ["auto", "never", "always"]

    private(set) var store: String?
    private(set) var color: String?
    private(set) var pager: String?

    /// - Throws: bad input with the line and the column, if the file is there and wrong.
    static func read(_ console: Console) throws(ClientError) -> Configuration {
        guard let path = path(console) else { return Configuration() }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try console.readFile(path, bytesMax)
        } catch {
            throw .badInput("\(path) cannot be read: \(error).", advice: nil)
        }
        guard let bytes else { return Configuration() }
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
        guard let members = value.object else { throw fault(0, "an object is wanted, such as {\"pager\": \"less\"}.") }
        for member in members {
            let offset = Self.offset(of: member.name, in: bytes)
            guard Self.names.contains(member.name) else {
                let nearest = Suggestion.question(Suggestion.nearest(to: member.name, among: Self.names))
                throw fault(
                    offset, "there is no '\(member.name)'; there are \(Self.names.joined(separator: ", ")).\(nearest)")
            }
            guard let text = member.value.string else { throw fault(offset, "'\(member.name)' is a text in quotes.") }
            switch member.name {
            case "store":
                guard text.hasPrefix("/") || text.hasPrefix("~/") else {
                    throw fault(offset, "'store' is a path from the root on, or from ~/.")
                }
                store = text.hasPrefix("~/") ? (home ?? "") + text.dropFirst() : text
            case "color":
                guard Self.colors.contains(text) else { throw fault(offset, "'color' is auto, never or always.") }
                color = text
            default: pager = text
            }
        }
    }

    /// Where a member's name stands: the names here hold nothing that is escaped.
    private static func offset(of name: String, in bytes: [UInt8]) -> Int {
        let wanted = Array("\"\(name)\"".utf8)
        guard bytes.count >= wanted.count else { return 0 }
        return (0...bytes.count - wanted.count).first { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) } ?? 0
    }
}
