import JSONCodec
import Testing

@testable import MoodClient

/// A host that understands two words of time.
private func journal() -> Outside {
    Outside { method, params in
        guard method == "time.parse" else { return .result(Array(Canned.page([Canned.mood()]).utf8)) }
        if params.contains("today") {
            return .result(
                Array(
                    #"{"start":"2026-01-02T00:00:00.000Z","end":"2026-01-03T00:00:00.000Z","at":"2026-01-02T12:00:00.000Z","#
                        .utf8)
                    + Array(#""isSpan":true,"dayFrom":"2026-01-02","dayTo":"2026-01-02"}"#.utf8))
        }
        if params.contains("9pm") {
            return .result(
                Array(
                    #"{"start":"2026-01-02T21:00:00.000Z","end":"2026-01-02T21:00:00.000Z","at":"2026-01-02T21:00:00.000Z","#
                        .utf8) + Array(#""isSpan":false,"dayFrom":"2026-01-02","dayTo":"2026-01-02"}"#.utf8))
        }
        if params.contains("last night") {
            return .result(
                Array(#"{"start":"2026-01-01T18:00:00.000Z","end":"2026-01-02T06:00:00.000Z","isSpan":true}"#.utf8))
        }
        return Canned.failure(
            Canned.error(
                -32602, "invalidParams", "/text 'soon' is no time; such as 9pm, yesterday or 2026-11.",
                more: #","path":"/text""#))
    }
}

@Suite struct TimeFilterTests {
    @Test(arguments: [
        (["--from", "today"], #"{"dayFrom":"2026-01-02"}"#),
        (["--to", "today"], #"{"dayTo":"2026-01-02"}"#),
        (["--from", "today", "--to", "today"], #"{"dayFrom":"2026-01-02","dayTo":"2026-01-02"}"#),
        (["--from", "9pm"], #"{"from":"2026-01-02T21:00:00.000Z"}"#),
        (
            ["--from", "last night", "--to", "9pm"],
            #"{"from":"2026-01-01T18:00:00.000Z","to":"2026-01-02T21:00:00.000Z"}"#
        ),
        (["--on", "today"], #"{"dayFrom":"2026-01-02","dayTo":"2026-01-02"}"#),
        (["--in", "last night"], #"{"from":"2026-01-01T18:00:00.000Z","to":"2026-01-02T06:00:00.000Z"}"#),
    ])
    func aSpanBeginsAtItsStartAndHasItsEndInIt(_ arguments: [String], _ filter: String) {
        let outside = journal()
        #expect(outside.run(["list"] + arguments) == .success)
        #expect(outside.sent.last?.params == "{\"limit\":100,\"filter\":\(filter)}")
    }

    @Test func theZoneGovernsTheTimesBesideItAndIsKept() {
        let outside = journal()
        outside.run("add", "😊", "Happy", "--at", "today", "--time-zone", "Asia/Tokyo")
        #expect(outside.sent[0] == .init(method: "time.parse", params: #"{"text":"today","timeZone":"Asia/Tokyo"}"#))
        #expect(outside.sent[1].params.contains(#""timestamp":"2026-01-02T12:00:00.000Z","timeZone":"Asia/Tokyo""#))
    }

    @Test func anErrorNamesTheOption() {
        for (arguments, option) in [
            (["list", "--from", "soon"], "--from"), (["list", "--on", "soon"], "--on"),
            (["add", "😊", "Happy", "--at", "soon"], "--at"), (["add", "😊", "Happy", "@soon"], "@soon"),
        ] {
            let outside = journal()
            #expect(outside.run(arguments) == .badData)
            #expect(outside.error == "mood: \(option): 'soon' is no time; such as 9pm, yesterday or 2026-11.\n")
        }
        let long = journal()
        #expect(long.run("add", "😊", "Happy", "--at", "last night") == .badData)
        #expect(long.error.contains("--at wants a moment"))
    }

    @Test func onAndInAreTheWholeSpan() {
        #expect(journal().run("list", "--on", "today", "--from", "today") == .usage)
        #expect(journal().run("list", "--on", "today", "--in", "today") == .usage)
    }
}
