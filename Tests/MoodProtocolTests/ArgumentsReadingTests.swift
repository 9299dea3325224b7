import JSONCodec
import JSONRPC
import MoodCore
import Seeds
import Testing

@testable import MoodProtocol

/// `Arguments` checks and takes params in one pass over bytes; `PlainArguments` does it step by step over a tree.
@Suite struct ArgumentsReadingTests {
    private static let methods = [
        Method(MoodMethods.create), Method(MoodMethods.get), Method(MoodMethods.list), Method(MoodMethods.update),
        Method(MoodMethods.deleteMany), Method(MoodMethods.setFavorite), Method(MoodMethods.share),
        Method(MoodMethods.detail), Method(NavigationMethods.navigate), Method(NavigationMethods.screen),
        Method(EditorMethods.set), Method(EventMethods.subscribe), Method(StoreMethods.undo),
        Method(StoreMethods.verify), Method(HostMethods.ping),
    ]

    private static let values = [
        #""0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b""#, #""0190B5A0-7c5e-7000-8000-3f2a9c1d4e5\u0062""#,
        #""2026-01-02T03:04:05Z""#, #""2026-01-02T03:04:05.5+02:\u00300""#, #""😊""#, #""\ud83d\ude0a""#, "null", "1",
        "50",
        "0", "-1", "1e1", "1e300", "0.5", "true", "false", #""""#, #""a""#, #"" b\n""#, #""text""#,
        #""Europe/Helsinki""#,
        #""en_US""#, "[]", "[1]", #"["a","b"]"#, #"["a","a"]"#, "{}", #"{"isFavorite":true}"#, #"{"label":"L"}"#,
        #"{"name":"menu"}"#, #"[{"kind":"link","url":"https://example.org"}]"#, #"["mood","nav"]"#,
        "\"" + String(repeating: "x", count: 300) + "\"",
    ]

    /// Params for a method, more often valid than not.
    private static func params(for method: Method, _ random: inout SeededRandom) -> [UInt8] {
        func space(_ random: inout SeededRandom) -> String {
            random.isOne(in: 6) ? random.pick([" ", "\t ", "\r"]) : ""
        }
        var fields = method.fields.filter { $0.isRequired || random.isOne(in: 3) }
        if random.isOne(in: 10) { fields.removeLast(min(1, fields.count)) }
        let isByPosition = random.isOne(in: 4)
        if isByPosition { fields = Array(method.params.prefix(random.below(method.params.count + 1))) }
        if random.isOne(in: 3), !isByPosition { fields.shuffle(using: &random) }
        var parts: [String] = []
        for field in fields {
            // A value that is valid by itself, if there is one.
            var value = random.pick(values)
            for _ in 0..<(random.isOne(in: 8) ? 0 : 30) where !isRight(value, field) { value = random.pick(values) }
            let name = random.isOne(in: 8) ? escaped("\(field.name)") : "\(field.name)"
            let head = isByPosition ? "" : "\"\(name)\"" + space(&random) + ":" + space(&random)
            parts.append(head + value + space(&random))
        }
        if random.isOne(in: 12) { parts.append(isByPosition ? "1" : "\"nobody\":1") }
        let inside = space(&random) + parts.joined(separator: "," + space(&random))
        return Array((isByPosition ? "[\(inside)]" : "{\(inside)}").utf8)
    }

    private static func isRight(_ value: String, _ field: Field) -> Bool {
        Array(value.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(ValidJSON(trusting: bytes))
            return field.schema.check(&reader, Limits()) == nil
        }
    }

    private static func time(_ text: String) -> Timestamp? {
        Array(text.utf8).withUnsafeBytes { Timestamp(rfc3339: $0) }
    }

    private static func escaped(_ name: String) -> String {
        "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
    }

    @Test(arguments: SeededRandom.seeds)
    func takesWhatAPlainReadingTakes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var arguments = Arguments()
        var validator = JSONValidator(depthLimit: 64)
        var taken = 0
        for method in Self.methods {
            for _ in 0..<150 {
                let params = Self.params(for: method, &random)
                let text = String(decoding: params, as: UTF8.self)
                // The rest of the message belongs to other members.
                (params + Array(",\"x\":".utf8)).withUnsafeBytes { bytes in
                    let expected = PlainArguments(UnsafeRawBufferPointer(rebasing: bytes[..<params.count]), method)
                    var cursor = JSONCursor(bytes)
                    validator.begin()
                    var problem: Problem?
                    do throws(Problem) {
                        try arguments.read(&cursor, for: method, Limits(), &validator)
                    } catch {
                        problem = error
                    }
                    #expect(problem?.path == expected.problem?.path, "\(seed): \(method.name) \(text)")
                    #expect(problem?.reason == expected.problem?.reason, "\(seed): \(method.name) \(text)")
                    guard problem == nil else { return }
                    taken += 1
                    #expect(cursor.at == params.count)
                    for (index, field) in method.fields.enumerated() {
                        let isGiven = arguments.isGiven(index)
                        let wanted = expected.values["\(field.name)"]
                        #expect(isGiven == (wanted != nil), "\(seed): \(method.name) \(text)")
                        guard isGiven else { continue }
                        let (value, id, time) = (arguments.values[index], arguments.ids[index], arguments.times[index])
                        #expect(JSONValue(value).text == wanted?.text, "\(seed): \(method.name) \(text)")
                        #expect(arguments.text(index)?.string == wanted?.string)
                        if case .id = field.schema { #expect(id.text == wanted?.string?.lowercased()) }
                        if case .time = field.schema { #expect(time == wanted?.string.flatMap(Self.time)) }
                    }
                }
            }
        }
        #expect(taken > 1_000, "\(seed): \(taken) of the params were right")
    }
}

/// Params in the simplest form. They must be JSON without doubled names.
private struct PlainArguments {
    var values: [String: JSONValue] = [:]
    var problem: Problem?

    init(_ params: UnsafeRawBufferPointer, _ method: Method) {
        let params = ValidJSON(trusting: params)
        if JSONValue(params).array != nil {
            var place = 0
            params.forEachElement { element in
                defer { place += 1 }
                guard problem == nil else { return }
                if place >= method.params.count {
                    let count = method.params.count
                    problem = Problem("is one too many; this method takes \(count) params by position", at: "/\(place)")
                } else {
                    take(element, method.params[place], "\(place)")
                }
            }
        } else {
            params.forEachMember { key, value in
                guard problem == nil else { return }
                if let field = method.fields.first(where: { "\($0.name)" == key.string }) {
                    take(value, field, "\(field.name)")
                } else {
                    problem = Schema.unknown(key, among: method.fields)
                }
            }
        }
        for field in method.fields where problem == nil && field.isRequired && values["\(field.name)"] == nil {
            problem = Problem("is required: \(field.summary)", at: "/\(field.name)")
        }
    }

    private mutating func take(_ value: ValidJSON, _ field: Field, _ place: String) {
        if JSONValue(value).text == "null", !field.isRequired, !field.schema.isNullable { return }
        var reader = JSONReader(value)
        problem = field.schema.check(&reader, Limits())?.below(place)
        values["\(field.name)"] = JSONValue(value)
    }
}
