import Foundation
import JSONCodec
import Platform
import Testing

/// Replays every `Tests/Conformance/*.transcript` with the built host, as `run.py` does.
@Suite(.serialized) struct ConformanceTests {
    /// The folder of this file, whatever path the compiler used.
    static let folder: String = {
        let path = realpath(#filePath, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        return ((path ?? #filePath) as NSString).deletingLastPathComponent
    }()

    static let transcripts: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder + "/../Conformance")) ?? []
        return names.filter { $0.hasSuffix(".transcript") }.sorted()
    }()

    /// The host that was built with these tests. It is in the folder of their bundle.
    static let host: String? = {
        var places = [Terminal.executablePath() ?? ""]
        places += CommandLine.arguments.filter { $0.contains(".xctest") }
        places += Bundle.allBundles.map(\.bundlePath)
        for place in places {
            var directory = place as NSString
            for _ in 0..<5 where directory.length > 1 {
                directory = directory.deletingLastPathComponent as NSString
                let candidate = directory.appendingPathComponent("moodboard")
                if Terminal.isExecutable(candidate), !isDirectory(candidate) { return candidate }
            }
        }
        return nil
    }()

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory = ObjCBool(false)
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// A host with that sanitizer dies with SIGBUS under a limit on the size of files.
    private static let isBuiltWithThreadSanitizer = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

    @Test func thereAreTranscriptsAndAHost() {
        #expect(Self.transcripts.count > 50)
        #expect(Self.host != nil, "build the product moodboard")
    }

    @Test(arguments: transcripts)
    func theHostHoldsToTheTranscript(name: String) throws {
        Terminal.ignoreBrokenPipes()
        let host = try #require(Self.host)
        let text = try String(contentsOfFile: Self.folder + "/../Conformance/" + name, encoding: .utf8)
        if Self.isBuiltWithThreadSanitizer, text.contains("\n@filesize ") { return }
        let scratch = try Scratch()
        let replay = Replay(host: host, scratch: scratch.path)
        do {
            try replay.replay(text)
        } catch {
            Issue.record("\(name), \(error)")
        }
    }

    @Test(arguments: transcripts.filter { $0.hasPrefix("transport-") || $0.hasPrefix("message-") })
    func theHostReadsTheSameByteByByte(name: String) throws {
        Terminal.ignoreBrokenPipes()
        let host = try #require(Self.host)
        let scratch = try Scratch()
        let replay = Replay(host: host, scratch: scratch.path)
        replay.sendsByteByByte = true
        do {
            try replay.replay(String(contentsOfFile: Self.folder + "/../Conformance/" + name, encoding: .utf8))
        } catch {
            Issue.record("\(name), \(error)")
        }
    }

    /// The host's words may change: of a message only numbers, names and a client's texts are fixed.
    @Test(arguments: transcripts)
    func messagesForPeopleAreNotMatchedWordForWord(name: String) throws {
        let text = try String(contentsOfFile: Self.folder + "/../Conformance/" + name, encoding: .utf8)
        let member = try NSRegularExpression(pattern: #""(?:message|reason|readOnlyReason|hint)":"([^"]*)""#)
        let allowed = try NSRegularExpression(
            pattern:
                #"^(revision|opId|id|\$(any|string|absent|match:(\\\\S|[0-9.*-]+|[A-Za-z]+([_/][a-z]+)?|[a-z]+-[0-9]+\.jsonl?)))$"#
        )
        for line in text.split(separator: "\n") where line.hasPrefix("<--") {
            let line = String(line)
            for found in member.matches(in: line, range: NSRange(line.startIndex..., in: line)) {
                let pattern = Range(found.range(at: 1), in: line).map { String(line[$0]) } ?? ""
                let isAllowed =
                    allowed.firstMatch(in: pattern, range: NSRange(pattern.startIndex..., in: pattern)) != nil
                #expect(isAllowed, "\(pattern)")
            }
        }
    }

    @Test func theRunnerNoticesWhatDoesNotHold() throws {
        Terminal.ignoreBrokenPipes()
        let host = try #require(Self.host)
        let ping = #"--> {"jsonrpc":"2.0","id":1,"method":"host.ping"}"#
        for expected in [
            #"<-- {"jsonrpc":"2.0","id":2,"result":{}}"#, #"<-- {"jsonrpc":"2.0","id":1.0,"result":{}}"#,
            #"<-- {"jsonrpc":"2.0","id":1,"result":{"a":"$any"}}"#, #"<-- {"jsonrpc":"2.0","id":1,"result":[]}"#,
            #"<-- {"jsonrpc":"2.0","id":1,"error":"$error:1001"}"#, #"<-- {"jsonrpc":"2.0","id":1}"#,
            #"<--header {"jsonrpc":"2.0","id":1,"result":{}}"#, "<--none", "@nonsense", "@exists nowhere",
            "# nothing read",
        ] {
            let scratch = try Scratch()
            #expect(throws: Pattern.Mismatch.self, "\(expected)") {
                try Replay(host: host, scratch: scratch.path).replay(ping + "\n" + expected + "\n")
            }
        }
    }

    /// A fresh directory with others beside it, removed with this value.
    private final class Scratch {
        private let top: String
        let path: String

        init() throws {
            var template = Array(((ProcessFacts.environment("TMPDIR") ?? "/tmp") + "/conformance-XXXXXX").utf8CString)
            guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
                throw Pattern.Mismatch("no scratch directory")
            }
            defer { free(real) }
            top = String(cString: real)
            path = top + "/scratch"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: top) }
    }
}
