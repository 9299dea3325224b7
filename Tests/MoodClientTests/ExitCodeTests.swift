import Platform
import Testing

@testable import MoodClient

@Suite struct ExitCodeTests {
    @Test(arguments: [
        (-32700, "parseError", false, 65), (-32600, "invalidRequest", false, 65),
        (-32600, "messageTooLarge", false, 65),
        (-32601, "methodNotFound", false, 65), (-32602, "invalidParams", false, 65),
        (-32603, "internalError", false, 1),
        (-32800, "cancelled", false, 1), (-32802, "shuttingDown", false, 69), (1001, "notFound", false, 66),
        (1002, "conflict", false, 1), (1003, "refused", false, 1), (1010, "storeBusy", true, 75),
        (1011, "storeReadOnly", false, 1), (1012, "storageFull", true, 75), (1013, "outcomeUnknown", true, 75),
        (1014, "storeUnavailable", false, 1), (1015, "storeCorrupt", false, 1), (1020, "limitExceeded", false, 1),
        (1031, "pluginFailed", false, 1), (1040, "permissionDenied", false, 1), (4711, "new", false, 1),
        (4712, "new", true, 75),
    ])
    func followsTheHostsError(_ code: Int, _ kind: String, _ retryable: Bool, _ status: Int32) {
        let error = Canned.error(code, kind, retryable: retryable)
        let outside = Outside { _, _ in Canned.failure(error) }
        #expect(outside.run("rpc", "mood.get").rawValue == status)
        #expect(outside.output.isEmpty)
        #expect(outside.error.hasPrefix("mood: It is wrong.\n"))

        let program = Outside { _, _ in Canned.failure(error) }
        #expect(program.run("rpc", "mood.get", "--json").rawValue == status)
        #expect(program.error == error + "\n")
    }

    @Test func busyWithoutTheMemberIsStillBusy() {
        let outside = Outside { _, _ in Canned.failure(#"{"code":1010,"message":"busy"}"#) }
        #expect(outside.run("info") == .tryAgain)
    }

    /// Another program may change a million moods: a command waits for it, and says so once.
    @Test func waitsForAnotherProgramFor15Seconds() {
        var refusals = 3
        let outside = Outside { method, _ in
            refusals -= 1
            return refusals < 0 ? .result(Array("{}".utf8)) : Canned.failure(#"{"code":1010,"message":"It is busy."}"#)
        }
        _ = outside.run("tags", "--json")
        #expect(outside.sent.count == 4 && outside.paused == 300 && outside.error.isEmpty)
        let never = Outside { _, _ in Canned.failure(#"{"code":1010,"message":"It is busy."}"#) }
        #expect(never.run("tags") == .tryAgain)
        #expect((14_000...15_100).contains(never.paused))
        #expect(
            never.error
                == "mood: It is busy. Waiting for 15 s at most …\nmood: It is busy.\n      Nothing was changed; try again in a moment.\n"
        )
        // A raw request is sent once.
        let raw = Outside { _, _ in Canned.failure(#"{"code":1010,"message":"It is busy."}"#) }
        #expect(raw.run("rpc", "mood.list") == .tryAgain && raw.sent.count == 1 && raw.paused == 0)
    }

    @Test func aHostThatIsNotThereIs69() {
        let outside = Outside { (_, _) throws(ClientError) in throw .unavailable("Gone.", advice: "Start it.") }
        #expect(outside.run("info") == .hostUnavailable)
        #expect(outside.error == "mood: Gone.\n      Start it.\n")
        #expect(outside.closed == 1)
    }

    @Test func answersOfTheWrongShapeAre69() {
        for arguments in [["show", "@last"], ["list"], ["info"], ["nav"], ["nav", "menu"], ["clear", "--yes"]] {
            let outside = Outside { _, _ in .result(Array("[]".utf8)) }
            #expect(outside.run(arguments) == .hostUnavailable, "\(arguments)")
        }
    }

    @Test func usageIs64AndStartsNoHost() {
        let outside = Outside()
        #expect(outside.run("lst") == .usage)
        #expect(outside.error == "mood: There is no command 'lst'. Did you mean 'list'?\n      See 'mood --help'.\n")
        #expect(outside.started.isEmpty)
        #expect(outside.output.isEmpty)
    }

    @Test func argumentsThatAreNotUTF8AreRefused() {
        #expect(Outside().run(["add", nil, "x"]) == .usage)
    }

    @Test func emptyStoreOrHostIsUsage() {
        #expect(Outside().run("list", "--store=") == .usage)
        #expect(Outside().run("list", "--host=") == .usage)
    }

    @Test func aReaderThatHasGoneEndsItQuietly() {
        let outside = Outside(["host.info": "{}"])
        outside.writeError = SystemError(call: "write", code: EPIPE)
        #expect(outside.run("info") == .success)
        #expect(outside.error.isEmpty)
        #expect(outside.closed == 1)
    }

    @Test func aFullDiskIsTold() {
        let outside = Outside(["host.info": "{}"])
        outside.writeError = SystemError(call: "write", code: ENOSPC)
        #expect(outside.run("info") == .failure)
        #expect(outside.error.contains("could not be written"))
    }

    @Test func numbersAreTheContracts() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 69, 75])
    }

    @Test func pathReasonAndSuggestionAreToldOnce() {
        let json = Canned.error(
            -32602, "invalidParams", "label is too long.", more: #","path":"/set/label","reason":"over 200 characters""#
        )
        let outside = Outside { _, _ in Canned.failure(json) }
        outside.run("rpc", "x")
        #expect(
            outside.error == "mood: label is too long.\n      It is about /set/label. Reason: over 200 characters.\n")

        let said = Canned.error(-32602, "invalidParams", "/label: too long", more: #","path":"/label""#)
        #expect(RemoteError(json: Array(said.utf8)).lines == ["/label: too long"])

        let unknown = Canned.error(-32601, "methodNotFound", "No.", more: #","suggestions":["mood.get"]"#)
        #expect(RemoteError(json: Array(unknown.utf8)).lines[1].hasPrefix("Did you mean 'mood.get'?"))
    }

    @Test func controlCharactersInErrorsAreEscaped() {
        let outside = Outside { _, _ in Canned.failure(#"{"code":1,"message":"a\u001b[31mb\u202ec"}"#) }
        #expect(outside.run("rpc", "x") == .failure)
        #expect(outside.error == "mood: a\\u001b[31mb\\u202ec\n")
    }
}
