import JSONCodec

/// A mood as a text file that a person edits: front matter, then the notes.
///
///     ---
///     emoji: 😊
///     label: Happy
///     time: 2026-11-20 10:00
///     tags: sea, holiday
///     ---
///     Walk by the sea.
///
/// Lines that begin with `#` before the notes are remarks.
struct Draft: Equatable {
    struct Fault: Error, Equatable {
        let message: String
    }

    static let names =
        ["emoji", "label", "time", "time-zone", "tags", "favorite", "valence", "scales"]
        + MemberOption.others.map(\.name)

    /// The value after each name, without white space at its ends.
    var values: [String: String] = [:]
    var notes = ""

    subscript(name: String) -> String { values[name] ?? "" }

    /// - Parameter remark: lines for the person, such as an error.
    func text(remark: String? = nil) -> String {
        var text = ""
        for line in (remark ?? "").split(separator: "\n") { text += "# \(line)\n" }
        text += "---\n"
        for name in Self.names { text += "\(name): \(self[name])\n".replacing(": \n", with: ":\n") }
        return text + "---\n" + notes + (notes.isEmpty || notes.hasSuffix("\n") ? "" : "\n")
    }

    init() {}

    /// A draft of a mood that exists.
    /// - Parameter time: the mood's time as a person writes it.
    init(_ mood: MoodView, time: String) {
        let scales = mood["scales"]?.object ?? []
        values = [
            "emoji": mood.emoji, "label": mood.label, "time": time, "tags": mood.tags.joined(separator: ", "),
            "favorite": mood.isFavorite ? "yes" : "no",
            "scales": scales.map { "\($0.name)=\($0.value.text)" }.joined(separator: ", "),
        ]
        for row in MemberOption.all { values[row.name] = row.text(mood[row.member]) }
        // Editors may write all line ends in one form; the person did not change them.
        notes = Self.text(of: Array(mood.notes.utf8)) ?? mood.notes
    }

    init(parsing text: String) throws(Fault) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        while let line = lines.first, line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { lines.removeFirst() }
        guard lines.popFirst().map(Self.isFence) == true else {
            throw Fault(message: "The first line is --- and another --- ends the front matter.")
        }
        while true {
            guard let line = lines.popFirst() else { throw Fault(message: "A line of --- ends the front matter.") }
            if Self.isFence(line) { break }
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            guard let colon = line.firstIndex(of: ":") else {
                throw Fault(message: "'\(line)' has no colon: it is written 'name: value'.")
            }
            let name = Self.trimmed(line[..<colon]).lowercased()
            guard Self.names.contains(name) else {
                let question = Suggestion.question(Suggestion.nearest(to: name, among: Self.names))
                throw Fault(
                    message: "There is no '\(name)'; there are \(Self.names.joined(separator: ", ")).\(question)")
            }
            guard values[name] == nil else { throw Fault(message: "'\(name)' stands twice.") }
            values[name] = Self.trimmed(line[line.index(after: colon)...])
        }
        notes = Self.withoutLastLines(lines.joined(separator: "\n"))
    }

    private static func withoutLastLines(_ notes: String) -> String {
        var notes = notes
        while notes.last?.isNewline == true { notes.removeLast() }
        return notes
    }

    /// Decodes a file that an editor wrote; nil if it is not UTF-8. Drops a byte order mark; each line ends with LF.
    static func text(of bytes: [UInt8]) -> String? {
        let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated().dropFirst(start) {
            if byte == 0x0d, index + 1 < bytes.count, bytes[index + 1] == 0x0a { continue }
            lines.append(byte == 0x0d ? 0x0a : byte)
        }
        return String(validating: lines, as: UTF8.self)
    }

    /// Whether a text has nothing but remarks.
    static func isEmpty(_ text: String) -> Bool {
        text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") || $0.allSatisfy(\.isWhitespace) }
    }

    private static func isFence(_ line: String) -> Bool { trimmed(line[...]) == "---" }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    // MARK: As members of a mood

    /// The members that differ from another draft, without the time, which the host reads.
    func changes(from other: Draft) throws(Fault) -> Params {
        var members: Params = [:]
        for name in ["emoji", "label"] where self[name] != other[name] {
            members[name] = .string(self[name])
        }
        // Editors add line ends after the last line; the person did not change them.
        if Self.withoutLastLines(notes) != Self.withoutLastLines(other.notes) {
            members["notes"] = .string(notes)
        }
        if self["tags"] != other["tags"] {
            members["tags"] = Client.tags(self["tags"]).json
        }
        if self["favorite"] != other["favorite"] {
            guard let isFavorite = ["yes": true, "no": false, "": false][self["favorite"].lowercased()] else {
                throw Fault(message: "favorite is yes or no, not '\(self["favorite"])'.")
            }
            members["isFavorite"] = .boolean(isFavorite)
        }
        for row in MemberOption.all where self[row.name] != other[row.name] {
            guard let value = row.json(self[row.name]) else {
                throw Fault(message: "\(row.name) is \(row.form), not '\(self[row.name])'.")
            }
            members[row.member] = value
        }
        if self["scales"] != other["scales"] { members["scales"] = try scales() }
        return members
    }

    private func scales() throws(Fault) -> JSONValue {
        var members: Params = [:]
        for part in self["scales"].split(separator: ",") {
            guard let sign = part.lastIndex(of: "="),
                let number = Double(Self.trimmed(part[part.index(after: sign)...])),
                number.isFinite
            else { throw Fault(message: "scales are written 'sleep=7, energy=2.5', not '\(part)'.") }
            members[Self.trimmed(part[..<sign])] = .double(number)
        }
        return members.isEmpty ? .null : members.json
    }
}
