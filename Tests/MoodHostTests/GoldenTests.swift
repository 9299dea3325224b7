import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// Named states in files for reviewers, like previews of an app. (Elsewhere: snapshot tests.)
///
/// `Tests/Golden/NAME.json` holds `{state, plugins?, given, asked, part?, answer}`: a description, manifests of trusted
/// plugins, the requests that lead there and must succeed, the request whose answer is kept, and a JSON Pointer into
/// the answer. With `MOODBOARD_GOLDEN=write` in the environment the test rewrites the answers for review.
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
        "detail-playing", "detail-error", "detail-loading", "list-empty", "list-empty-filter", "list-rows",
        "editor-new", "editor-problems", "menu", "screen-menu", "screen-list", "screen-list-empty",
        "screen-observation", "screen-architecture", "screen-form", "screen-form-closed", "screen-form-complete",
    ])
    func theStateIsKept(name: String) {
        #expect(Self.names.contains(name + ".json"))
    }

    private static func answer(_ golden: JSONValue) throws -> JSONValue {
        let place = TestDirectory()
        let session = try session(golden["plugins"]?.array ?? [], in: place)
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

    /// Trusts the plugins. None of them runs, because there is no supervisor program.
    private static func session(_ manifests: [JSONValue], in place: TestDirectory) throws -> TestSession {
        guard !manifests.isEmpty else { return TestSession() }
        // The plugin may have closed its pipe at the first write.
        Terminal.ignoreBrokenPipes()
        var options = HostOptions(place: .memory)
        options.plugins.places = [place.path]
        options.plugins.keeper = "/no/such/keeper"
        try FileSystem.system.makeDirectory(place.path)
        let session = TestSession(options)
        for manifest in manifests {
            let id = try #require(manifest["id"]?.string)
            try FileSystem.system.makeDirectory("\(place.path)/\(id)")
            place.write("\(id)/plugin.json", manifest.text)
            let digest = try #require(try session.result("plugin.info", #"{"id":"\#(id)"}"#)["digest"]?.string)
            _ = try session.result("plugin.trust", #"{"id":"\#(id)","digest":"\#(digest)"}"#)
        }
        return session
    }

    private static func method(_ request: JSONValue) throws -> String { try #require(request["method"]?.string) }

    private static func text(_ golden: JSONValue, _ answer: JSONValue) -> String {
        let kept = (golden.object ?? []).filter { $0.name != "answer" }
        return JSONValue.object(kept + [.init("answer", answer)]).prettyText + "\n"
    }
}
