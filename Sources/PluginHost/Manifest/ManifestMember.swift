import JSONCodec
import MoodProtocol

/// A value of a manifest and its pointer, which reads as the expected type or throws a problem.
struct ManifestMember {
    let value: JSONValue
    let pointer: String

    func problem(_ reason: String) -> ManifestProblem { ManifestProblem(pointer: pointer, reason: reason) }

    /// The member of this name; nil if there is none.
    /// - Throws: a problem if this is no object.
    func optional(_ name: String) throws(ManifestProblem) -> ManifestMember? {
        guard value.object != nil else { throw problem("must be an object") }
        return value[name].map { ManifestMember(value: $0, pointer: "\(pointer)/\(name)") }
    }

    /// The member of this name, which is required.
    func required(_ name: String, _ meaning: String) throws(ManifestProblem) -> ManifestMember {
        guard let member = try optional(name) else {
            throw ManifestProblem(pointer: "\(pointer)/\(name)", reason: "is required: \(meaning)")
        }
        return member
    }

    func elements(max: Int) throws(ManifestProblem) -> [ManifestMember] {
        guard let elements = value.array else { throw problem("must be an array") }
        guard elements.count <= max else { throw problem("may have at most \(max) elements") }
        return elements.enumerated().map { ManifestMember(value: $0.element, pointer: "\(pointer)/\($0.offset)") }
    }

    /// The elements of an optional member.
    func elements(of name: String, max: Int) throws(ManifestProblem) -> [ManifestMember] {
        try optional(name)?.elements(max: max) ?? []
    }

    func text() throws(ManifestProblem) -> String {
        guard let text = value.string else { throw problem("must be a string") }
        return text
    }

    /// One line for users, of 1 to `max` code points.
    func line(max: Int) throws(ManifestProblem) -> String {
        let text = try text()
        guard 1...max ~= text.unicodeScalars.count,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw problem("must be one line of 1 to \(max) characters, without control characters") }
        return text
    }

    /// A name of the protocol: `[a-z][A-Za-z0-9]{0,39}`.
    func name() throws(ManifestProblem) -> String {
        let text = try text()
        guard ManifestMember.isName(text) else {
            throw problem(
                "must be a name: a letter a-z, then at most 39 letters A-Z, a-z and digits, such as writePoem")
        }
        return text
    }

    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first, text.utf8.count <= 40 else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
    }

    func boolean() throws(ManifestProblem) -> Bool {
        guard let value = value.boolean else { throw problem("must be true or false") }
        return value
    }

    func integer(_ range: ClosedRange<Int>) throws(ManifestProblem) -> Int {
        guard let value = value.integer, range.contains(value) else {
            throw problem("must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// One of the words of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(ManifestProblem) -> Choice {
        guard let text = value.string, text.utf8.count <= 64, let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }
            throw problem("must be one of " + words.joined(separator: ", "))
        }
        return choice
    }

    func schema() throws(ManifestProblem) -> JSONSchema {
        do throws(SchemaProblem) {
            return try JSONSchema.compile(value)
        } catch {
            throw ManifestProblem(pointer: pointer + error.pointer, reason: error.reason)
        }
    }

    /// A schema that an object can fit.
    func objectSchema() throws(ManifestProblem) -> JSONSchema {
        let schema = try schema()
        if let kinds = schema.nodes[0].kinds, !kinds.contains(SchemaKinds(.object)) {
            throw ManifestProblem(pointer: pointer + "/type", reason: "must be \"object\"")
        }
        return schema
    }

    /// A media type, RFC 6838, section 4.2, with parameters or without.
    func mediaType() throws(ManifestProblem) -> String {
        let text = try line(max: 127)
        let essence = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        let parts = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isRight =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { 0x21...0x7e ~= $0 && !"()<>@,:\\\"[]?=".utf8.contains($0) }
            }
        guard isRight else { throw problem("must be a media type such as text/plain") }
        return text
    }

    /// The scheme of urls, RFC 3986, section 3.1, in lower case. Those of the host's own transports are taken.
    func scheme() throws(ManifestProblem) -> String {
        let text = try text()
        let isRight =
            1...32 ~= text.utf8.count && (text.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 } ?? false)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
                    UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        guard isRight else { throw problem("must be a scheme: a letter a-z, then a-z, 0-9, +, . and -, such as nats") }
        guard text != "folder", text != "git", !text.hasPrefix("git+") else {
            throw problem("must not be one of the host's own: folder, git, git+…")
        }
        return text
    }

    /// The extension of a file's name, without its dot.
    func fileExtension() throws(ManifestProblem) -> String {
        let text = try text()
        let isRight =
            1...20 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        guard isRight, text.utf8.first != UInt8(ascii: ".") else {
            throw problem("must be the end of a file's name without its dot, such as csv")
        }
        return text
    }
}
