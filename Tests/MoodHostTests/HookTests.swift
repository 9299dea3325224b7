import Testing

@testable import MoodHost

@Suite struct HookTests {
    /// A newer host has trusted it, so this one cannot read its manifest.
    private static func plugin(_ occasion: String, _ failure: String) -> String {
        #"""
        {"format":"moodboard-plugins","version":1,"plugins":{
        "org.example.guard":{"digest":"sha256:\#(String(repeating: "0", count: 64))","trustedSince":"2026-01-02T03:04:05.678Z","trustedRevision":0,"execRealPath":"/bin/true","manifest":{"manifestVersion":2,"provides":{"hooks":[{"on":"\#(occasion)","failure":"\#(failure)"}]}}}
        }}
        """#
    }

    @Test(arguments: [
        ("change", "closed", "mood.create", #"{"emoji":"😊","label":"A"}"#, 1003),
        ("change", "open", "mood.create", #"{"emoji":"😊","label":"A"}"#, nil),
        ("navigate", "closed", "nav.navigate", #"{"route":{"name":"observation"}}"#, 1003),
        ("navigate", "closed", "mood.create", #"{"emoji":"😊","label":"A"}"#, nil),
    ])
    func aClosedHookThatCannotBeReadObjects(
        occasion: String, failure: String, method: String, params: String, code: Int?
    ) throws {
        let directory = TestDirectory()
        _ = try TestSession(directory).result("mood.create", #"{"emoji":"😊","label":"A"}"#)
        directory.write("plugins.json", Self.plugin(occasion, failure))
        let session = TestSession(directory)
        let answer = try session.call(method, params)
        #expect(answer.code == code)
        guard code != nil else { return }
        #expect(answer["error"]?["data"]?["by"]?.string == "x.org.example.guard")
        #expect(try session.result("mood.list")["items"]?.array?.count == 1, "nothing was done")
    }
}
