import Foundation
import JSONCodec
import Testing

/// The client's doctors and recordings, with the built programs. `Tests/Scripts/doctors.py` tries every known fault.
@Suite(.serialized) struct DoctorTests {
    /// A temporary folder.
    private final class Folder {
        let path = NSTemporaryDirectory() + "doctor-\(UUID().uuidString)"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// A plugin as a shell script.
        func plugin(_ id: String, unknown: String) throws -> String {
            let folder = path + "/" + id
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let manifest = """
                {"manifestVersion": 1, "id": "\(id)", "name": "Tried", "version": "1.0.0", "protocol": [1],
                 "exec": ["sh", "./main.sh"], "provides": {}, "permissions": {"moods": "none"}}
                """
            let program = #"""
                while IFS= read -r line; do
                    case $line in '{"jsonrpc":"2.0","id":'*) ;; *) continue ;; esac
                    id=${line#*'"id":'}
                    id=${id%%',"method":'*}
                    case $line in
                    *'"plugin.hello"'*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocol\":1}}" ;;
                    *) printf '%s\n' "\#(unknown)" ;;
                    esac
                done

                """#
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: folder + "/plugin.json"))
            try Data(program.utf8).write(to: URL(fileURLWithPath: folder + "/main.sh"))
            for file in ["/plugin.json", "/main.sh", ""] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: file.isEmpty ? 0o755 : 0o644], ofItemAtPath: folder + file)
            }
            return folder
        }
    }

    private static let refusal = #"{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}"#

    /// Runs `mood`; returns its output and its exit status.
    private func mood(_ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
        let host = try #require(ConformanceTests.host)
        let program = ((host as NSString).deletingLastPathComponent as NSString).appendingPathComponent("mood")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let (written, read) = (Pipe(), Pipe())
        process.standardInput = written
        process.standardOutput = read
        process.standardError = FileHandle.nullDevice
        try process.run()
        written.fileHandleForWriting.write(Data(input.utf8))
        try written.fileHandleForWriting.close()
        let output = read.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }

    @Test func findsNothingInAPluginThatIsRight() throws {
        let folder = try Folder()
        let found = try mood(["doctor", "plugin", folder.plugin("org.example.right", unknown: Self.refusal)])
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains("nothing is wrong"))
    }

    @Test func namesTheClausesThatAPluginBreaks() throws {
        let folder = try Folder()
        let wrong = Self.refusal.replacingOccurrences(of: "-32601", with: "-32000")
        let found = try mood(["doctor", "plugin", "--json", folder.plugin("org.example.wrong", unknown: wrong)])
        #expect(found.status == 1)
        let findings = try JSONValue(parsing: found.output)["findings"]?.array ?? []
        #expect(findings.contains { $0["clause"]?.string?.contains("-32601") == true }, "\(found.output)")
    }

    @Test func findsNothingInTheHost() throws {
        let host = try #require(ConformanceTests.host)
        let found = try mood(["doctor", "host", "--", host, "--in-memory"])
        #expect(found.status == 0, "\(found.output)")
    }

    @Test func findsWhatIsWrongInAHost() throws {
        let found = try mood(["doctor", "host", "--json", "--", "sh", "-c", "while read -r line; do echo hello; done"])
        #expect(found.status == 1)
        #expect(found.output.contains("has no answer"), "\(found.output)")
    }

    @Test func showsWhatAPluginInWorkSays() throws {
        let folder = try Folder()
        let shown = try mood(
            ["plugin", "dev", folder.plugin("org.example.right", unknown: Self.refusal)], input: "no.such {\"a\":1}\n")
        #expect(shown.status == 0)
        #expect(shown.output.contains(#"--> {"jsonrpc":"2.0","id":0,"method":"plugin.hello""#), "\(shown.output)")
        #expect(shown.output.contains(#"<-- {"jsonrpc":"2.0","id":0,"result":{"protocol":1}}"#))
        #expect(shown.output.contains(#"--> {"jsonrpc":"2.0","id":1,"method":"no.such","params":{"a":1}}"#))
        #expect(shown.output.contains(#"<-- {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#))
    }

    @Test func whatWasRecordedComesAgain() throws {
        let folder = try Folder()
        let file = folder.path + "/session.transcript"
        let requests = (1...50).map { number in
            #"{"jsonrpc":"2.0","id":\#(number),"method":"mood.create","params":{"emoji":"😊","label":"L\#(number)"}}"#
        }
        let input =
            requests.joined(separator: "\n") + "\nrubbish\n" + #"{"jsonrpc":"2.0","id":99,"method":"mood.list"}"#
        let recorded = try mood(["rpc", "--record", file], input: input)
        #expect(recorded.status == 0)
        #expect(recorded.output.split(separator: "\n").count == 52)
        for _ in 1...2 {
            let replayed = try mood(["rpc", "--replay", file])
            #expect(replayed.status == 0, "\(replayed.output)")
        }
        // A replay notices another answer than the recorded one.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "\"label\":\"L7\",\"t", with: "\"label\":\"M7\",\"t")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try mood(["rpc", "--replay", file]).status == 1)
        #expect(try mood(["rpc", "--replay", file, "--test-seed", "2"]).status == 1)
    }
}
