import Platform
import Testing

@testable import MoodClient

/// A real process at the other end of real pipes: a shell script plays the host.
@Suite(.serialized) struct HostProcessTests {
    /// A directory with one script, removed afterwards.
    private final class Script {
        let directory: String
        let path: String

        init(_ text: String) throws {
            var template = Array("/tmp/moodclient.XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: 0) }
            directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = directory + "/moodboard"
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
            let bytes = Array("#!/bin/sh\n\(text)\n".utf8)
            try bytes.withUnsafeBytes { try StandardStream.writeAll($0, to: file) }
            Platform.close(file)
        }

        deinit {
            unlink(path)
            rmdir(directory)
        }
    }

    private func start(_ path: String, store: HostLaunch.Store = .usual) throws(ClientError) -> HostProcess {
        Terminal.ignoreBrokenPipes()
        let location = HostLocation(ownPath: nil, calledAs: nil, searchPath: nil, isExecutable: Terminal.isExecutable)
        return try HostProcess(HostLaunch(program: path, store: store), location: location)
    }

    private func result(_ answer: Answer) -> String {
        switch answer {
        case .result(let bytes): String(decoding: bytes, as: UTF8.self)
        case .failure(let error): "error \(error.code) \(error.message)"
        }
    }

    private func complaint(_ script: String) throws -> String {
        let script = try Script(script)
        do throws(ClientError) {
            let host = try start(script.path)
            _ = try host.connection.call("host.ping", nil)
            return "answered"
        } catch {
            guard case .unavailable(let message, _) = error else { return "another error" }
            return message
        }
    }

    /// Notifications before an answer reach a listener that comes later.
    @Test func whatIsToldBeforeAnAnswerIsHeard() throws {
        let script = try Script(
            """
            read -r line; echo '{"jsonrpc":"2.0","method":"a"}'; echo '{"jsonrpc":"2.0","id":1,"result":{}}'
            """)
        let host = try start(script.path)
        _ = try host.connection.call("x", nil)
        var heard: [String] = []
        try host.connection.listen { (method, _) in
            heard.append(method)
            return false
        }
        #expect(heard == ["a"])
        host.close()
    }

    @Test func requestsAndAnswersGoThroughThePipes() throws {
        // Answers with the request as the result, after an event and an answer to another client.
        let script = try Script(
            """
            n=0
            while read -r line; do
              n=$((n+1))
              printf '{"jsonrpc":"2.0","method":"events.event","params":{}}\\n'
              printf '{"jsonrpc":"2.0","id":99,"result":0}\\n'
              printf '{"jsonrpc":"2.0","id":%s,"result":{ "args":"%s", "got":%s}}\\r\\n\\n' $n "$*" "$line"
            done
            """)
        let host = try start(script.path, store: .directory("/some/where"))
        let first = result(try host.connection.call("mood.get", Array(#"{"id":"x"}"#.utf8)))
        #expect(
            first
                == #"{ "args":"--store /some/where", "got":{"jsonrpc":"2.0","id":1,"method":"mood.get","params":{"id":"x"}}}"#
        )
        let second = result(try host.connection.call("a\"b", nil))
        #expect(second.hasSuffix(#""got":{"jsonrpc":"2.0","id":2,"method":"a\"b"}}"#))
        host.close()
    }

    @Test func anErrorIsAValueAlsoWithoutAnID() throws {
        let script = try Script(
            #"read -r line; echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}'"#)
        let host = try start(script.path)
        #expect(result(try host.connection.call("x", nil)) == "error -32600 too large")
        host.close()
    }

    @Test func anAnswerMayBeLongAndUnterminated() throws {
        let script = try Script(
            #"read -r line; printf '{"jsonrpc":"2.0","id":1,"result":"'; head -c 3000000 /dev/zero | tr '\0' x; printf '"}'"#
        )
        let host = try start(script.path)
        #expect(result(try host.connection.call("x", nil)).utf8.count == 3_000_002)
        host.close()
    }

    @Test func headerFramingIsUnderstoodToo() throws {
        let script = try Script(
            #"read -r line; printf 'Content-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":77}'; cat"#)
        let host = try start(script.path)
        #expect(result(try host.connection.call("x", nil)) == "77")
        host.close()
    }

    @Test(arguments: [
        ("exit 3", "The host ended before it answered (exit status 3)."),
        ("read -r line; exit 0", "The host ended before it answered (exit status 0)."),
        ("kill -9 $$", "The host ended before it answered (killed by signal 9)."),
        ("read -r line; kill -9 $$", "The host ended before it answered (killed by signal 9)."),
        ("read -r line; echo Hello", "The host does not speak the protocol: what it writes is not JSON-RPC 2.0."),
        ("cat", "The host does not speak the protocol: what it writes is not JSON-RPC 2.0."),
        ("yes", "The host does not speak the protocol: what it writes is not JSON-RPC 2.0."),
        ("echo 42", "The host does not speak the protocol: what it writes is not JSON-RPC 2.0."),
        (
            "echo '{\"jsonrpc\":\"2.0\",\"result\":1}'",
            "The host does not speak the protocol: what it writes is not JSON-RPC 2.0."
        ),
    ])
    func aHostThatDiesOrBabblesIsUnavailable(_ script: String, _ message: String) throws {
        #expect(try complaint(script) == message)
    }

    @Test func aProgramThatCannotBeStartedIsUnavailable() throws {
        let script = try Script("exit 0")
        for path in ["/nonexistent/moodboard", script.directory] {
            do throws(ClientError) {
                _ = try start(path)
                Issue.record("started \(path)")
            } catch {
                #expect(ExitCode(error) == .hostUnavailable)
            }
        }
    }

    @Test func whatTheHostTellsBeforeItsAnswerIsHeard() throws {
        let script = try Script(
            """
            while read -r line; do
              printf '{"jsonrpc":"2.0","method":"$/progress","params":{"token":1}}\\n{"jsonrpc":"2.0","method":"x"}\\n'
              printf '{"jsonrpc":"2.0","id":1,"result":{}}\\n{"jsonrpc":"2.0","method":"late"}\\n'
            done
            """)
        let host = try start(script.path)
        var heard: [String] = []
        _ = try host.connection.call("store.verify", nil) {
            heard.append($0 + " " + String(decoding: $1, as: UTF8.self))
        }
        #expect(heard == [#"$/progress {"token":1}"#, "x "])
        host.close()
    }

    @Test func theChildGetsThreeDescriptorsAndNoMore() throws {
        // A descriptor without close-on-exec must not reach the child either (glibc 2.34 and later).
        let leak = dup(0)
        defer { Platform.close(leak) }
        let script = try Script(
            #"read -r line; n=$(ls /proc/self/fd | wc -l); echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":$n}""#)
        let host = try start(script.path)
        // 0, 1 and 2, the script, and the directory that ls reads.
        let count = try #require(Int(result(try host.connection.call("x", nil)).filter { $0.isNumber }))
        #expect(count <= 5)
        host.close()
    }

    @Test func inputIsCopiedToItsEnd() throws {
        let script = try Script("exec wc -c")
        var child = try ChildProcess.start(path: script.path, arguments: [], output: .pipe)
        let input = try Script(String(repeating: "0123456789", count: 200_000))
        let source = open(input.path, O_RDONLY | O_CLOEXEC)
        defer { Platform.close(source) }
        try child.copyInput(from: source)
        child.closeInput()
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try bytes.withUnsafeMutableBytes { try child.read(into: $0) }
        #expect(String(decoding: bytes[..<count], as: UTF8.self).filter(\.isNumber) == "2000011")
        #expect(child.wait() == .exited(0))
    }

    @Test func theEndOfTheHostEndsTheCopyingOfASilentInput() throws {
        let script = try Script("exit 0")
        var child = try ChildProcess.start(path: script.path, arguments: [], output: .pipe)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { Platform.close(end) } }
        try child.copyInput(from: ends[0])
        #expect(child.wait() == .exited(0))
    }

    @Test func aHostThatDoesNotEndIsEnded() throws {
        let script = try Script("trap '' TERM; exec 0</dev/null; while :; do sleep 0.05; done")
        var child = try ChildProcess.start(path: script.path, arguments: [], output: .pipe)
        #expect(child.finish(within: 60) == .signalled(SIGKILL))
        #expect(child.status == .signalled(SIGKILL))
    }

    @Test func aHostThatEndsAtTheEndOfInputIsNotKilled() throws {
        let script = try Script("while read -r line; do :; done; exit 7")
        var child = try ChildProcess.start(path: script.path, arguments: [], output: .pipe)
        #expect(child.finish(within: 5_000) == .exited(7))
    }
}

@Suite struct HostLocationTests {
    private func find(
        _ asked: String?, own: String? = "/opt/bin/mood", called: String? = nil, path: String? = "/usr/bin:/x",
        there: [String]
    ) -> String? {
        let location = HostLocation(
            ownPath: own, calledAs: called, searchPath: path, isExecutable: { there.contains($0) })
        return try? location.find(asked)
    }

    @Test func besideItselfComesBeforePATH() {
        #expect(find(nil, there: ["/opt/bin/moodboard", "/x/moodboard"]) == "/opt/bin/moodboard")
        #expect(find(nil, there: ["/usr/bin/moodboard", "/x/moodboard"]) == "/usr/bin/moodboard")
        #expect(find(nil, there: ["/x/moodboard"]) == "/x/moodboard")
        #expect(find(nil, there: []) == nil)
        #expect(find(nil, path: nil, there: ["/x/moodboard"]) == nil)
    }

    @Test func withoutItsOwnPathTheNameItWasCalledByCounts() {
        #expect(find(nil, own: nil, called: "./bin/mood", there: ["./bin/moodboard"]) == "./bin/moodboard")
        #expect(find(nil, own: nil, called: "mood", there: ["/x/mood", "/x/moodboard"]) == "/x/moodboard")
        #expect(find(nil, own: "/mood", there: ["/moodboard"]) == "/moodboard")
    }

    @Test func whatWasAskedForIsTakenOrRefused() {
        let there = ["/opt/bin/moodboard", "/a/host", "/x/host", "./host"]
        #expect(find("/a/host", there: there) == "/a/host")
        #expect(find("./host", there: there) == "./host")
        #expect(find("host", there: there) == "/x/host")
        #expect(find("/a/other", there: there) == nil)
        #expect(find("other", there: there) == nil)
    }
}
