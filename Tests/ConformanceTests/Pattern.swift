import Foundation
import JSONCodec

/// A pattern for answers: equal JSON with a few wildcards. `Tests/Conformance/README.md`, "Patterns".
struct Pattern {
    /// A failed step, in words.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Compares, and fills `captures`.
    func match(_ value: JSONValue, _ captures: inout [String: JSONValue], at place: String = "") throws(Mismatch) {
        switch self.value {
        case .string(let text) where text.hasPrefix("$"):
            try Self.matchWildcard(String(text.dropFirst()), value, &captures, place)
        case .object(let members): try Self.matchObject(members, value, &captures, place)
        case .array(let elements): try Self.matchArray(elements, value, &captures, place)
        case .number(let wanted):
            guard case .number(let text) = value, Self.isSameNumber(wanted, text) else {
                throw Mismatch("\(place): expected \(wanted), got \(value.short)")
            }
        default:
            guard self.value.isEqual(to: value) else {
                throw Mismatch("\(place): expected \(self.value.short), got \(value.short)")
            }
        }
    }

    private static func isSameNumber(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        guard let left = Double(a), let right = Double(b), left.isFinite else { return false }
        return left == right
    }

    private static func matchObject(
        _ members: [JSONValue.Member], _ value: JSONValue, _ captures: inout [String: JSONValue], _ place: String
    ) throws(Mismatch) {
        if members.count == 1, let json = members.first, json.name == "$json" {
            guard let text = value.string, let inner = try? JSONValue(parsing: text) else {
                throw Mismatch("\(place): not a string with JSON")
            }
            return try Pattern(json.value).match(inner, &captures, at: place + "(json)")
        }
        guard let object = value.object else { throw Mismatch("\(place): expected an object, got \(value.short)") }
        let named = members.filter { $0.name != "$rest" }
        for member in named {
            let found = value[member.name]
            if member.value.string == "$absent" {
                if let found { throw Mismatch("\(place)/\(member.name): must not be there, is \(found.short)") }
                continue
            }
            guard let found else { throw Mismatch("\(place)/\(member.name): missing") }
            try Pattern(member.value).match(found, &captures, at: "\(place)/\(member.name)")
        }
        if named.count < members.count { return }
        let extra = object.map(\.name).filter { name in !named.contains { $0.name == name } }
        if !extra.isEmpty { throw Mismatch("\(place): unexpected members \(extra.joined(separator: ", "))") }
    }

    private static func matchArray(
        _ elements: [JSONValue], _ value: JSONValue, _ captures: inout [String: JSONValue], _ place: String
    ) throws(Mismatch) {
        guard let array = value.array else { throw Mismatch("\(place): expected an array, got \(value.short)") }
        if elements.first?.string == "$includes" {
            for wanted in elements.dropFirst() {
                var isFound = false
                for element in array where !isFound {
                    isFound = (try? Pattern(wanted).match(element, &captures, at: place)) != nil
                }
                if !isFound { throw Mismatch("\(place): no element like \(wanted.short) in \(value.short)") }
            }
            return
        }
        guard elements.count == array.count else {
            throw Mismatch("\(place): expected \(elements.count) elements, got \(array.count): \(value.short)")
        }
        for (index, element) in elements.enumerated() {
            try Pattern(element).match(array[index], &captures, at: "\(place)/\(index)")
        }
    }

    private static func matchWildcard(
        _ text: String, _ value: JSONValue, _ captures: inout [String: JSONValue], _ place: String
    ) throws(Mismatch) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let argument = parts.count > 1 ? String(parts[1]) : ""
        let isRight: Bool
        switch name {
        case "any": return
        case "capture":
            captures[argument] = value
            return
        case "error": return try matchError(argument, value, place)
        case "string": isRight = value.string != nil
        case "number": isRight = if case .number = value { true } else { false }
        case "boolean": isRight = value.boolean != nil
        case "array": isRight = value.array != nil
        case "object": isRight = value.object != nil
        case "uuid":
            isRight = finds("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", in: value.string)
        case "time":
            isRight = finds("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$", in: value.string)
        case "match": isRight = finds(argument, in: value.string)
        default: throw Mismatch("\(place): the transcript uses an unknown wildcard $\(text)")
        }
        if !isRight { throw Mismatch("\(place): expected $\(text), got \(value.short)") }
    }

    private static func finds(_ expression: String, in text: String?) -> Bool {
        guard let text, let expression = try? NSRegularExpression(pattern: expression) else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    /// Compares with `CODE`, `CODE:KIND` or `CODE:KIND:PATH`; several codes or kinds are joined by `|`.
    private static func matchError(_ argument: String, _ value: JSONValue, _ place: String) throws(Mismatch) {
        let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        func alternatives(_ index: Int) -> [String] {
            index < parts.count && !parts[index].isEmpty ? parts[index].split(separator: "|").map(String.init) : []
        }
        guard alternatives(0).contains(value["code"]?.text ?? "") else {
            throw Mismatch("\(place)/code: expected \(parts[0]), got \(value.short)")
        }
        if !alternatives(1).isEmpty, !alternatives(1).contains(value["data"]?["kind"]?.string ?? "") {
            throw Mismatch("\(place)/data/kind: expected \(parts[1]), got \(value.short)")
        }
        guard parts.count > 2, !parts[2].isEmpty else { return }
        let path = parts[2] == "(root)" ? "" : parts[2]
        if value["data"]?["path"]?.string != path {
            throw Mismatch("\(place)/data/path: expected \(path), got \(value.short)")
        }
    }
}

extension JSONValue {
    /// The beginning, for messages.
    var short: String { text.count <= 300 ? text : text.prefix(300) + "… (\(text.count) characters)" }

    /// The raw text of each message's top-level `id`; nil if there is none.
    static func rawIDs(in text: String) -> [String?] {
        var text = text
        return text.withUTF8 { bytes in
            var reader = JSONReader(ValidJSON(trusting: UnsafeRawBufferPointer(bytes)))
            guard reader.enterArray() else { return [rawID(&reader)] }
            var ids: [String?] = []
            while reader.nextElement() { ids.append(rawID(&reader)) }
            return ids
        }
    }

    private static func rawID(_ reader: inout JSONReader) -> String? {
        guard reader.enterObject() else {
            reader.skip()
            return nil
        }
        var id: String?
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals("id") { id = String(decoding: value.bytes, as: UTF8.self) }
        }
        return id
    }
}
