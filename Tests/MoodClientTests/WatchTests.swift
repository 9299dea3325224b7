import Testing

@testable import MoodClient

@Suite struct WatchTests {
    private static func event(_ seq: Int, _ changes: String, more: String = "") -> String {
        #"{"subscription":"s1","topic":"mood","seq":\#(seq),"at":"2026-01-02T05:04:0\#(seq % 10).678Z","changes":[\#(changes)]\#(more)}"#
    }

    private static func change(_ type: String, _ mood: String? = nil) -> String {
        let mood = mood.map { ",\"mood\":" + $0 } ?? ""
        return #"{"type":"\#(type)","id":"\#(Canned.id)"\#(mood)}"#
    }

    @Test func showsALineForEachChange() {
        let outside = Outside(["events.subscribe": #"{"subscription":"s1","revision":3}"#])
        outside.events = [
            Self.event(4, Self.change("created", Canned.mood(isFavorite: true)) + "," + Self.change("deleted")),
            Self.event(5, Self.change("deleted"), more: #","truncated":true,"count":250"#),
        ]
        #expect(outside.run("watch", "--count", "2") == .success)
        #expect(
            outside.output == """
                2026-01-02 06:04  created  😊 Happy ★  \(Canned.id)
                2026-01-02 06:04  deleted  \(Canned.id)
                2026-01-02 06:04  deleted  \(Canned.id)
                2026-01-02 06:04  and 249 more in the same commit

                """)
        #expect(outside.sent == [.init(method: "events.subscribe", params: #"{"topics":["mood"]}"#)])
        #expect(outside.closed == 1)
    }

    /// The client shows a host's count and does not calculate with it.
    @Test(arguments: [Int.min, -1, 0, 1, .max]) func believesNoCount(count: Int) {
        let outside = Outside(["events.subscribe": #"{"subscription":"s1","revision":3}"#])
        outside.events = [Self.event(4, Self.change("deleted"), more: #","truncated":true,"count":\#(count)"#)]
        #expect(outside.run("watch", "--count", "1") == .success)
        #expect(outside.output.contains("more in the same commit") == (count > 1))
    }

    @Test func printsEventsAsTheyCame() {
        let outside = Outside([
            "events.subscribe": #"{"subscription":"s1","revision":3}"#, "store.info": #"{"revision":3}"#,
        ])
        let events = [Self.event(4, Self.change("deleted")), Self.event(5, Self.change("deleted"))]
        outside.events = events + [Self.event(6, "")]
        #expect(outside.run("--json", "watch", "-n", "2", "--since", "3") == .success)
        #expect(outside.output == events.joined(separator: "\n") + "\n")
        #expect(outside.sent.last?.params == #"{"topics":["mood"],"since":3}"#)
    }

    /// A client that was too slow continues after the last event that it saw.
    @Test func takesUpABrokenSequence() {
        let outside = Outside(["events.subscribe": #"{"subscription":"s1","revision":3}"#])
        outside.events = [
            Self.event(4, Self.change("deleted")),
            #"{"subscription":"s1","topic":"mood","seq":4,"at":"2026-01-02T05:04:04.678Z","lagged":true}"#,
            Self.event(5, Self.change("deleted")),
        ]
        #expect(outside.run("watch", "--count", "2") == .success)
        #expect(outside.sent.map(\.params) == [#"{"topics":["mood"]}"#, #"{"topics":["mood"],"since":4}"#])
        #expect(outside.output.split(separator: "\n").count == 2)
        #expect(outside.error == "")
    }

    @Test func saysWhatIsNotKept() {
        let outside = Outside([
            "store.info": #"{"revision":9}"#, "events.subscribe": #"{"subscription":"s1","revision":9,"resync":true}"#,
        ])
        outside.events = [Self.event(10, Self.change("deleted"))]
        #expect(outside.run("watch", "--since", "2", "--count", "1") == .success)
        #expect(
            outside.error
                == "mood: The changes after revision 2 are not kept; showing those after revision 9.\n")
    }

    @Test func failsWithTheHost() {
        let outside = Outside(["events.subscribe": #"{"subscription":"s1","revision":3}"#])
        #expect(outside.run("watch") == .hostUnavailable)
        #expect(outside.error.contains("The host ended."))
    }

    @Test(arguments: [["--count", "0"], ["--since", "-1"], ["--count", "x"], ["more"]])
    func refusesWhatMakesNoSense(arguments: [String]) {
        let outside = Outside()
        #expect(outside.run(["watch"] + arguments) == .usage)
        #expect(outside.sent.isEmpty)
    }

    @Test func showsNothingThatATerminalObeys() {
        let outside = Outside(["events.subscribe": #"{"subscription":"s1","revision":3}"#])
        outside.isOutputTerminal = true
        outside.environment = ["NO_COLOR": "1"]
        outside.events = [Self.event(4, Self.change("created", Canned.mood(label: "\\u001b[2J")))]
        #expect(outside.run("watch", "-n", "1") == .success)
        #expect(!outside.output.unicodeScalars.contains("\u{1b}"))
    }
}
