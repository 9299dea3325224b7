import Platform
import Testing

@testable import MoodClient

@Suite struct PluginCommandTests {
    private static let digest = "sha256:" + String(repeating: "0a", count: 32)

    private static func info(_ id: String = "org.a.one", state: String = "untrusted", path: String = "/p") -> String {
        #"{"id":"\#(id)","name":"One\u001b","version":"1.0","state":"\#(state)","path":"\#(path)","digest":"\#(digest)","#
            + #""command":["python3","main.py"],"exec":"/usr/bin/python3.12","config":{"city":"Rome","n":1},"#
            + #""provides":{"cells":[{"type":"weather"}],"events":["mood"]},"permissions":{"moods":"write","navigation":true,"#
            + #""files":{"read":["/a"],"write":[]},"network":true},"isolation":{"files":"enforced"},"starts":3}"#
    }

    @Test func listShowsStatesAndReasons() {
        let outside = Outside([
            "plugin.list":
                #"{"plugins":[{"id":"org.a.one","name":"One","version":"1.0","state":"running","changed":true},{"id":"b","state":"invalid","reason":"No\u001b[2J."}]}"#
        ])
        #expect(outside.run("plugin", "list") == .success)
        #expect(
            outside.output == """
                PLUGIN     STATE    NAME
                org.a.one  running  One 1.0  its folder has changed since it was trusted
                b          invalid           No\\u001b[2J.

                """)
        let none = Outside(["plugin.list": #"{"plugins":[]}"#])
        #expect(none.run("plugin", "list") == .success && none.output.isEmpty && none.error.contains("mood plugin new"))
    }

    @Test func infoShowsWhatRunsAndWhatItMay() {
        let outside = Outside(["plugin.info": Self.info()])
        #expect(outside.run("plugin", "info", "org.a.one") == .success)
        for line in [
            "plugin    org.a.one  One\\u001b  1.0", "state     untrusted",
            "runs      python3 main.py, from /usr/bin/python3.12",
            "provides  cells weather; events mood",
            "may       read and change moods, navigate, read /a, use the network",
            "digest    \(Self.digest)", "starts    3", "files     enforced",
        ] { #expect(outside.output.contains(line + "\n"), "\(outside.output)") }
        #expect(outside.sent == [.init(method: "plugin.info", params: #"{"id":"org.a.one"}"#)])
        #expect(!outside.output.contains("granted"))
        let navigator = Self.info().replacing(#""moods":"write""#, with: #""moods":"none""#)
        let shown = Outside(["plugin.info": navigator])
        #expect(shown.run("plugin", "info", "org.a.one") == .success)
        #expect(shown.output.contains("may       navigate, and see the moods on screens, read /a, use the network\n"))
        let missing = Outside { _, _ in Canned.failure(Canned.error(1001, "notFound", more: #","id":"org.a.one""#)) }
        #expect(missing.run("plugin", "info", "org.a.one") == .notFound)
        #expect(missing.error.contains("'mood plugin list'") && !missing.error.contains("'mood list'"))
    }

    private func trusting(_ typed: String?, isTerminal: Bool) -> Outside {
        let outside = Outside(["plugin.info": Self.info(), "plugin.trust": Self.info(state: "stopped")])
        outside.typed = typed
        outside.isInputTerminal = isTerminal
        return outside
    }

    @Test func trustAsksAtATerminal() {
        for (typed, code) in [("y\n", ExitCode.success), ("n\n", .failure), ("\n", .failure)] {
            let outside = trusting(typed, isTerminal: true)
            #expect(outside.run("plugin", "trust", "org.a.one") == code)
            for words in ["python3 main.py", Self.digest, "use the network", "not covered", "Let it run? [y/N] "] {
                #expect(outside.error.contains(words), "\(outside.error)")
            }
            #expect(outside.sent.contains { $0.method == "plugin.trust" } == (code == .success))
        }
    }

    @Test func whatIsInvalidCannotBeTrusted() {
        let outside = Outside([
            "plugin.info":
                #"{"id":"a.b","name":"B","version":"1.0","state":"invalid","reason":"/exec/0 is no file; put it there."}"#
        ])
        #expect(outside.run("plugin", "trust", "a.b") == .failure)
        #expect(
            outside.error.contains("a.b is invalid: /exec/0 is no file; put it there. It cannot be trusted."),
            "\(outside.error)")
    }

    @Test func trustWithoutATerminalWantsTheDigest() {
        let bare = trusting(nil, isTerminal: false)
        #expect(bare.run("plugin", "trust", "org.a.one", "--yes") == .usage && bare.error.contains("--digest"))
        let other = trusting(nil, isTerminal: false)
        #expect(other.run("plugin", "trust", "org.a.one", "--yes", "--digest", "sha256:0") != .success)
        #expect((bare.sent + other.sent).allSatisfy { $0.method == "plugin.info" })
        let right = trusting(nil, isTerminal: false)
        #expect(
            right.run(
                "plugin", "trust", "org.a.one", "--yes", "--digest", Self.digest, "--runtime", "venv", "--write", "~/x")
                == .success)
        #expect(
            right.sent.last
                == .init(
                    method: "plugin.trust",
                    params:
                        #"{"id":"org.a.one","digest":"\#(Self.digest)","runtimes":["/here/venv"],"files":{"read":[],"write":["~/x"]}}"#
                ))
        #expect(right.output == "org.a.one is stopped\n")
    }

    @Test(arguments: [
        (["untrust", "a.b"], "plugin.untrust", #"{"id":"a.b"}"#),
        (["enable", "a.b"], "plugin.enable", #"{"id":"a.b"}"#),
        (["disable", "a.b"], "plugin.disable", #"{"id":"a.b"}"#),
        (["restart", "a.b"], "plugin.restart", #"{"id":"a.b"}"#),
        (["restart", "a.b", "--skip"], "plugin.restart", #"{"id":"a.b","skip":true}"#),
        (["log", "a.b", "--lines", "5"], "plugin.log", #"{"id":"a.b","lines":5}"#),
        (["call", "a.b", "hello", #"{"a":1}"#], "x.a.b.hello", #"{"a":1}"#),
        (["call", "a.b", "hello"], "x.a.b.hello", ""),
        (
            ["configure", "a.b", "city=Oslo", "n=", "list=[1,true]", "text=a=b"], "plugin.configure",
            #"{"id":"a.b","config":{"city":"Oslo","list":[1,true],"text":"a=b"}}"#
        ),
    ])
    func anActionIsOneRequest(words: [String], method: String, params: String) {
        let outside = Outside { sent, _ in
            .result(Array((sent == "plugin.log" ? #"{"lines":[]}"# : Self.info("a.b", state: "disabled")).utf8))
        }
        #expect(outside.run(["plugin"] + words) == .success)
        #expect(outside.sent.last == .init(method: method, params: params))
    }

    @Test func logShowsWhoSaidWhat() {
        let outside = Outside([
            "plugin.log":
                #"{"lines":[{"at":"2026-01-02T03:04:05.678Z","from":"log","level":"error","text":"a\u001b\nb"}]}"#
        ])
        #expect(outside.run("plugin", "log", "a.b") == .success)
        #expect(outside.output == "2026-01-02T03:04:05.678Z  log error  a\\u001b\\nb\n")
    }

    @Test func configureAloneShowsTheConfig() {
        let outside = Outside(["plugin.info": Self.info()])
        #expect(outside.run("plugin", "configure", "org.a.one") == .success)
        #expect(outside.output == "{\n  \"city\": \"Rome\",\n  \"n\": 1\n}\n")
    }

    @Test(arguments: [
        ["plugin"], ["plugin", "lst"], ["plugin", "info"], ["plugin", "list", "x"], ["plugin", "call", "a.b"],
        ["plugin", "new", "a.b"], ["plugin", "configure", "a.b", "=1"],
    ])
    func aWrongCommandLineIsSaid(words: [String]) {
        let outside = Outside(["plugin.info": Self.info()])
        #expect(outside.run(words) == .usage && outside.output.isEmpty)
    }

    // MARK: Folders

    private final class Folder {
        let path: String

        init() throws {
            var template = Array("/tmp/moodboard-client-XXXXXX".utf8CString)
            path = String(cString: try #require(mkdtemp(&template)))
        }

        deinit { system("rm -rf '\(path)'") }

        func names(_ name: String) -> [String] { ((try? FileSystem.system.list(path + "/" + name)) ?? []).sorted() }
    }

    private func adding(_ folder: Folder) -> Outside {
        let outside = Outside([
            "host.info": #"{"store":{"path":"\#(folder.path)/store","inMemory":false}}"#,
            "plugin.info": Self.info("org.a.one", path: "\(folder.path)/store/plugins/org.a.one"),
            "plugin.trust": Self.info(state: "stopped"), "plugin.untrust": Self.info(),
        ])
        outside.isInputTerminal = true
        return outside
    }

    @Test func addCopiesAndRemoveDeletes() throws {
        let folder = try Folder()
        #expect(Outside().run("plugin", "new", "--lang", "sh", "--", folder.path) == .usage)
        try PluginFiles.write(PluginTemplate.files("org.a.one", "sh"), to: folder.path + "/source")
        system("mkdir -p '\(folder.path)/source/.git' '\(folder.path)/source/a'; touch '\(folder.path)/source/a/b'")
        let outside = adding(folder)
        #expect(outside.run("plugin", "add", folder.path + "/source", "--yes") == .success)
        #expect(outside.output == "org.a.one is stopped\n" && folder.names("store/plugins") == ["org.a.one"])
        #expect(folder.names("store/plugins/org.a.one") == ["a", "main.sh", "plugin.json", "test.sh"])
        let status = try FileSystem.system.statusOfPath(folder.path + "/store/plugins/org.a.one/main.sh")
        #expect(status.permissions == 0o700)
        // A second one is refused, and the first one stays.
        #expect(outside.run("plugin", "add", folder.path + "/source", "--yes") != .success)
        #expect(folder.names("store/plugins") == ["org.a.one"])
        system("mkdir -p '\(folder.path)/store/plugins-data/org.a.one'")
        #expect(outside.run("plugin", "remove", "org.a.one", "--yes") == .success)
        #expect(folder.names("store/plugins") == [] && folder.names("source").count == 5)
        #expect(outside.error.contains("Its data stays: \(folder.path)/store/plugins-data/org.a.one"))
    }

    @Test func whatIsNotTrustedIsNotLeftInTheStore() throws {
        let folder = try Folder()
        try PluginFiles.write(PluginTemplate.files("org.a.one", "sh"), to: folder.path + "/source")
        let outside = adding(folder)
        outside.typed = "n\n"
        #expect(outside.run("plugin", "add", folder.path + "/source") == .failure)
        #expect(folder.names("store/plugins") == [])
        #expect(symlink("/etc", folder.path + "/source/link") == 0)
        #expect(adding(folder).run("plugin", "add", folder.path + "/source", "--yes") != .success)
        #expect(folder.names("store/plugins") == [])
    }

    @Test func removeLeavesAFolderThatIsElsewhere() throws {
        let folder = try Folder()
        let outside = Outside([
            "host.info": #"{"store":{"path":"\#(folder.path)/store","inMemory":false}}"#,
            "plugin.info": Self.info("org.a.one", state: "stopped", path: folder.path), "plugin.untrust": Self.info(),
        ])
        #expect(outside.run("plugin", "remove", "org.a.one", "--yes") == .success)
        #expect(access(folder.path, F_OK) == 0 && outside.error.contains("stays where it is"))
        #expect(outside.sent.last?.method == "plugin.untrust")
    }

    // MARK: Templates

    @Test(arguments: PluginTemplate.languages)
    func aNewPluginWorks(language: String) throws {
        let folder = try Folder()
        let files = PluginTemplate.files("org.example.hello", language)
        let path = folder.path + "/org.example.hello"
        try PluginFiles.write(files, to: path)
        for file in files { #expect(file.text.split(separator: "\n").count <= 40, "\(file.name)") }
        let needed = ["python": "python3", "sh": "jq", "node": "node", "swift": "swiftc"]
        // Print it, so that the output shows what was not tried.
        guard system("command -v \(needed[language] ?? "") > \(folder.path)/found") == 0 else {
            print("\(needed[language] ?? "") is not here: the plugin in \(language) was not tried")
            return
        }
        if language == "swift" {
            #expect(system("cd '\(path)' && swiftc main.swift -o main > build.log 2>&1") == 0)
        }
        #expect(system("cd / && sh '\(path)/test.sh' > '\(folder.path)/test.log'") == 0)
        #expect(system("grep -qx ok '\(folder.path)/test.log'") == 0)
        // The test must fail for another program.
        #expect(system("sed -i 's/Hello, /Bye, /' '\(path)'/main.*") == 0)
        if language == "swift" {
            #expect(system("cd '\(path)' && swiftc main.swift -o main > build.log 2>&1") == 0)
        }
        #expect(system("sh '\(path)/test.sh' > '\(folder.path)/test.log'") != 0)
    }
}
