import Platform
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

    /// A hook whose consent is needed may be in the file, so nothing passes until the user has mended it.
    @Test(arguments: ["flip", "rubbish", "link", "folder"])
    func recordsThatCannotBeReadLetNothingPass(_ damage: String) throws {
        let directory = TestDirectory()
        _ = try TestSession(directory).result("mood.create", #"{"emoji":"😊","label":"A"}"#)
        let file = directory.path + "/plugins.json"
        switch damage {
        case "flip":
            directory.write(
                "plugins.json", #"{"format":"moodboard-plugins","version":1,"plugins":{},"crc":"00000000"}"#)
        case "rubbish": directory.write("plugins.json", "{")
        case "link": #expect(symlink("/dev/null", file) == 0)
        default: #expect(mkdir(file, 0o700) == 0)
        }
        let session = TestSession(directory)
        for (method, params) in [
            ("mood.create", #"{"emoji":"😊","label":"B"}"#), ("nav.navigate", #"{"route":{"name":"observation"}}"#),
        ] {
            let answer = try session.call(method, params)
            #expect(answer.code == 1003 && answer["error"]?["data"]?["by"]?.string == "plugins.json", "\(method)")
            let said = answer["error"]?["message"]?.string ?? ""
            #expect(["Mend it", "put back", "Put the file", "Check who"].contains { said.contains($0) }, "\(said)")
        }
        #expect(try session.result("mood.list")["items"]?.array?.count == 1, "what reads is answered")
        #expect(rename(file, directory.path + "/aside") == 0)
        _ = try session.result("plugin.list")
        #expect(try session.call("mood.create", #"{"emoji":"😊","label":"B"}"#).outcome == "ok")
    }
}
