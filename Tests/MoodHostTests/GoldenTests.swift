import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// Named states, kept as files that people read: what previews are to an app. (Elsewhere: snapshot tests.)
///
/// `Tests/Golden/NAME.json` holds `{state, given, asked, part?, answer}`: in words what it shows, the requests that lead there
/// and must succeed, the request whose answer is kept, and where in the answer to look, as a JSON Pointer. With
/// `MOODBOARD_GOLDEN=write` in the environment the answers are written anew, and the change of the files is reviewed.
@Suite struct GoldenTests {
    private static let folder = "Tests/Golden"
    private static let names = ProjectFiles.names(in: folder).filter { $0.hasSuffix(".json") }

    @Test(arguments: names)
    func theStateIsAsItWasReviewed(name: String) throws {
        let path = "\(Self.folder)/\(name)"
        let text = String(decoding: try ProjectFiles.bytes(path), as: UTF8.self)
        let golden = try JSONValue(parsing: text)
        let answer = try Self.answer(golden)
        let present = Self.text(golden, answer)
        if ProcessFacts.environment("MOODBOARD_GOLDEN") == "write" {
            if present != text { try ProjectFiles.write(present, to: path) }
            return
        }
        let isSame = present == text
        #expect(
            isSame,
            "\(name) is now\n\(present)\nIf that is right: MOODBOARD_GOLDEN=write swift test --filter GoldenTests")
    }

    @Test(arguments: [
        "detail-favorite", "detail-not-favorite", "detail-dark", "detail-missing-relation", "detail-everything",
        "detail-playing", "detail-error", "list-empty", "list-empty-filter", "list-rows", "editor-new",
        "editor-problems", "menu", "screen-menu", "screen-list", "screen-list-empty", "screen-observation",
        "screen-architecture", "screen-form", "screen-form-closed", "screen-form-complete",
    ])
    func theStateIsKept(name: String) {
        #expect(Self.names.contains(name + ".json"))
    }

    private static func answer(_ golden: JSONValue) throws -> JSONValue {
        let session = TestSession()
        for request in golden["given"]?.array ?? [] {
            _ = try session.result(try method(request), request["params"]?.text ?? "{}")
        }
        let asked = try #require(golden["asked"])
        let answer = try session.call(try method(asked), asked["params"]?.text ?? "{}")
        let outcome = try #require(answer["result"] ?? answer["error"])
        guard let part = golden["part"]?.string else { return outcome }
        var found = outcome
        for step in part.split(separator: "/") {
            if let place = Int(step), let elements = found.array {
                try #require(elements.indices.contains(place), "\(part) leads nowhere")
                found = elements[place]
            } else {
                found = try #require(found[String(step)], "\(part) leads nowhere")
            }
        }
        return found
    }

    private static func method(_ request: JSONValue) throws -> String { try #require(request["method"]?.string) }

    private static func text(_ golden: JSONValue, _ answer: JSONValue) -> String {
        let kept = (golden.object ?? []).filter { $0.name != "answer" }
        return JSONValue.object(kept + [.init("answer", answer)]).prettyText + "\n"
    }
}
