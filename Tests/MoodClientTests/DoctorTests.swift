import Testing

@testable import MoodClient

@Suite struct DoctorTests {
    private static let well =
        #"{"path":"/s","inMemory":false,"schemaVersion":3,"revision":9,"moods":2,"favorites":1,"bytes":123456,"readOnly":false}"#

    private func outside(_ store: String, _ problems: [(kind: String, reason: String)] = []) -> Outside {
        let listed = problems.map { #"{"file":"moods.json","offset":7,"reason":"\#($0.reason)","kind":"\#($0.kind)"}"# }
        return Outside([
            "host.info": #"{"name":"moodboard","version":"0.1.0","store":\#(store)}"#,
            "store.verify":
                #"{"ok":\#(problems.isEmpty),"moods":2,"bytes":1549,"problems":[\#(listed.joined(separator: ","))]}"#,
        ])
    }

    @Test func allIsWell() {
        let outside = outside(Self.well)
        #expect(outside.run("doctor") == .success)
        #expect(
            outside.output == """
                host   moodboard 0.1.0, it answers
                store  /s: 2 moods
                files  whole; 1.5 kB read
                All is well

                """)
        #expect(outside.error.isEmpty && outside.sent.map(\.method) == ["host.info", "store.verify"])
    }

    @Test func aStoreThatIsNotThereYetIsWell() {
        let store = Self.well.replacing(#""bytes":123456"#, with: #""bytes":0"#)
        let outside = outside(store)
        #expect(outside.run("doctor") == .success)
        #expect(
            outside.output.contains("store  /s, not there yet; the first mood makes it\nfiles  none\nAll is well\n"))
        let unwritable = self.outside(store)
        unwritable.unwritableDirectory = "/"
        #expect(unwritable.run("doctor") == .failure)
        #expect(unwritable.output.contains("1. No store can be made in /s.\n   You may not write in /.\n"))
        #expect(
            unwritable.output.contains("     ls -ld /\n") && unwritable.output.contains("     mood --store DIR list\n"))
    }

    @Test(arguments: [
        ("edited", ["mood store accept --yes", "mv /s/moods.json /s/moods-edited.json && mood store salvage DIR"]),
        ("damaged", ["mood store accept --yes", "mood store salvage DIR", "mood store reset --yes"]),
        ("unfinished", ["mood store compact"]), ("missing", ["mood store salvage DIR", "mood store reset --yes"]),
        ("interrupted", ["mood store reset --yes"]), ("version", ["moodboard --version"]),
        ("unreadable", ["ls -la /s", "mood --store DIR list"]),
        ("of a later host", ["ls -la /s", "mood --store DIR list"]),
    ])
    func everyKindOfProblemHasItsRemedy(kind: String, commands: [String]) {
        let outside = outside(Self.well, [(kind, "It is so.")])
        #expect(outside.run("doctor") == .failure)
        #expect(outside.output.contains("\n1. moods.json, byte 7: It is so.\n   "))
        let typed = outside.output.split(separator: "\n").filter { $0.hasPrefix("     ") }.map { $0.dropFirst(5) }
        #expect(typed == commands.map { $0[...] })
        #expect(!outside.output.contains("All is well") && !outside.error.isEmpty)
    }

    @Test func problemsOfOneKindAreOneFinding() {
        let outside = outside(Self.well, [("damaged", "A."), ("damaged", "B."), ("edited", "C."), ("damaged", "D.")])
        #expect(outside.run("doctor") == .failure)
        #expect(outside.output.contains("1. moods.json, byte 7: A. (and 2 more: mood store verify)\n"))
        #expect(outside.output.contains("2. moods.json, byte 7: C.\n") && !outside.output.contains("3."))
        #expect(outside.output.contains("files  4 problems\n"))
    }

    @Test func commandsNameTheStoreThatWasNamed() {
        let outside = outside(Self.well.replacing("/s", with: "/my store"), [("edited", "It is so.")])
        #expect(outside.run("doctor", "--store", "/my store's") == .failure)
        #expect(outside.output.contains(#"mood --store '/my store'\''s' store accept --yes"#))
        #expect(outside.output.contains("mv '/my store/moods.json'"))
    }

    @Test func aBusyStoreIsWorthAnotherTry() {
        let outside = outside(#"{"path":"/s","error":{"kind":"storeBusy","message":"Another process has it."}}"#)
        #expect(outside.run("doctor") == .tryAgain)
        #expect(outside.output.contains("1. Another process has it.") && outside.output.contains("fuser -v /s/lock"))
    }

    @Test func aFullDiskAndAForbiddenOneAreExplained() {
        let full = outside(#"{"path":"/s","error":{"kind":"storageFull","message":"No space."}}"#)
        #expect(full.run("doctor") == .failure)
        #expect(full.output.contains("1. No space.") && full.output.contains("df -h /s"))
        let forbidden = outside(
            Self.well.replacing(#""readOnly":false"#, with: #""readOnly":true,"readOnlyReason":"Permission denied.""#))
        #expect(forbidden.run("doctor") == .failure)
        #expect(forbidden.output.contains("1. Permission denied.") && forbidden.output.contains("chmod -R u+rwX /s"))
        #expect(forbidden.output.contains("which can only be read"))
        let other = outside(#"{"path":"/s","error":{"kind":"storeUnavailable","message":"Because."}}"#)
        #expect(other.run("doctor") == .failure)
        #expect(other.output.contains("1. Because.") && other.output.contains("/s cannot be opened"))
    }

    /// A read-only store whose files have the reason gets no second finding.
    @Test func aCauseIsNamedOnce() {
        let store = Self.well.replacing(#""readOnly":false"#, with: #""readOnly":true,"readOnlyReason":"Edited.""#)
        let outside = outside(store, [("edited", "It is so.")])
        #expect(outside.run("doctor") == .failure)
        #expect(!outside.output.contains("2."))
    }

    @Test func programsGetBothResults() {
        let outside = outside(Self.well, [("edited", "It is so.")])
        #expect(outside.run("doctor", "--json") == .failure)
        let lines = outside.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("\"store\"") && lines[1].hasPrefix("{\"ok\":false"))
    }

    @Test func aHostThatDoesNotAnswerIsUnavailable() {
        let outside = Outside { (_, _) throws(ClientError) in throw .unavailable("It died.", advice: nil) }
        #expect(outside.run("doctor") == .hostUnavailable)
        #expect(outside.error == "mood: It died.\n")
    }
}
