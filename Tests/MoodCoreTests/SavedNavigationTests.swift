import JSONCodec
import Testing

@testable import MoodCore

@Suite struct SavedNavigationTests {
    private static let id = MoodID(high: 0x0190_b5a0_7c5e_7000, low: 0x8000_3f2a_9c1d_4e5b)
    private static let moment = Timestamp("2026-01-02T03:04:05.678Z") ?? .minimum

    private static func read(_ text: String) throws -> SavedNavigation {
        try withBytes(text) { try SavedNavigation($0) }
    }

    private static func file(_ states: String) -> String {
        #"{"format":"moodboard-navigation","version":1,"states":{\#(states)}}"#
    }

    private static func text(_ path: [SavedNavigation.SavedRoute]?) -> String? {
        path.map { path in
            written { writer in
                writer.beginArray()
                for route in path { route.write(to: &writer) }
                writer.endArray()
            }
        }
    }

    @Test func whatIsSavedIsReadAgain() throws {
        var saved = SavedNavigation()
        #expect(saved.path("a") == nil)
        try saved.save([.crudList, .moodDetail(Self.id)], as: "a", at: Self.moment)
        try saved.save([], as: "b \"q\"", at: Self.moment)
        let again = try Self.read(written { saved.write(to: &$0) })
        #expect(again.count == 2)
        #expect(Self.text(again.path("a")) == #"[{"name":"crudList"},{"name":"moodDetail","id":"\#(Self.id.text)"}]"#)
        #expect(Self.text(again.path("b \"q\"")) == "[]" && again.path("c") == nil)
        #expect(written { again.write(to: &$0) } == written { saved.write(to: &$0) })
    }

    @Test func aStateStandsOnALine() throws {
        var saved = SavedNavigation()
        try saved.save([.crudList], as: "a", at: Self.moment)
        try saved.save([], as: "b", at: Self.moment)
        let expected = """
            {"format":"moodboard-navigation","version":1,"states":{
            "a":{"savedAt":"2026-01-02T03:04:05.678Z","path":[{"name":"crudList"}]},
            "b":{"savedAt":"2026-01-02T03:04:05.678Z","path":[]}
            }}

            """
        #expect(written { saved.write(to: &$0) } == expected)
    }

    /// Names that look alike are different.
    @Test func namesAreTheirBytes() throws {
        var saved = SavedNavigation()
        try saved.save([.crudList], as: "é", at: Self.moment)
        #expect(saved.path("e\u{301}") == nil)
        try saved.save([], as: "e\u{301}", at: Self.moment)
        #expect(saved.count == 2 && Self.text(saved.path("é")) == #"[{"name":"crudList"}]"#)
    }

    @Test func whatIsNotKnownIsKept() throws {
        let other = #""a":{"path":[{"name":"stats"},{"name":"menu","id":"x"},{"name":"crudList","more":1}],"x":[1]}"#
        var saved = try Self.read(
            #"{"y":{"z":1e5},"states":{\#(other)},"version":1.0,"format":"moodboard-navigation"}"#)
        #expect(Self.text(saved.path("a")) == #"[{"name":"stats"},{"name":"menu","id":"x"},{"name":"crudList"}]"#)
        try saved.save([.observation], as: "b", at: Self.moment)
        let text = written { saved.write(to: &$0) }
        #expect(text.contains(other) && text.contains(#""y":{"z":1e5}"#))
        try saved.save([.observation], as: "a", at: Self.moment)
        #expect(written { saved.write(to: &$0) }.contains(#""path":[{"name":"observation"}],"x":[1]}"#))
    }

    @Test(arguments: [
        ("", 0), ("{", 1), ("{}", 0), ("[]", 0), ("null", 0), (file("") + "x", 0), (#"{"format":"moodboard"}"#, 0),
        (#"{"format":"moodboard-navigation","version":2,"states":{}}"#, 0),
        (#"{"format":"moodboard-navigation","version":1}"#, 0),
        (#"{"format":"moodboard-navigation","version":1,"states":[]}"#, 0), (file(#""a":1"#), 0),
        (file(#""a":{}"#), 0), (file(#""a":{"path":{}}"#), 0), (file(#""a":{"path":[1]}"#), 0),
        (file(#""a":{"path":[{"name":1}]}"#), 0), (file(#""a":{"path":[]},"a":{"path":[]}"#), 71),
        (file(#""a":{"path":[\#(Array(repeating: #"{"name":"crudList"}"#, count: 65).joined(separator: ","))]}"#), 0),
    ])
    func whatIsNoSuchFileIsDamage(text: String, offset: Int) {
        let damage = #expect(throws: SavedNavigation.Damage.self) { try Self.read(text) }
        #expect(damage?.reason.isEmpty == false)
        if offset > 0 { #expect(damage?.offset == offset) }
    }

    @Test func thereIsAMost() throws {
        var saved = SavedNavigation()
        for number in 0..<SavedNavigation.countMax { try saved.save([], as: "\(number)", at: Self.moment) }
        #expect(throws: SavedNavigation.Full.self) { try saved.save([], as: "more", at: Self.moment) }
        try saved.save([.crudList], as: "0", at: Self.moment)
        #expect(saved.count == SavedNavigation.countMax)
    }
}

@Suite struct NavigationLogTests {
    @Test func keepsTheLastMovesInBoundedMemory() {
        var log = NavigationLog()
        #expect(log.newest(10).isEmpty)
        for number in 0..<5000 {
            let moment = Timestamp(milliseconds: Int64(number)) ?? .minimum
            log.add(number % 2 == 0 ? .navigate : .goBack, to: .crudList, at: moment)
            #expect(log.count <= 1100)
            if number % 37 == 0 {
                let newest = log.newest(NavigationLog.keptMin)
                let expected = (0...Int64(number)).reversed().prefix(newest.count)
                #expect(newest.map(\.at.milliseconds) == Array(expected))
                #expect(newest.count == min(number + 1, NavigationLog.keptMin))
            }
        }
        #expect(log.newest(3).map(\.at.milliseconds) == [4999, 4998, 4997])
        #expect(log.newest(0).isEmpty)
    }

    @Test func aCopyIsACopy() {
        var log = NavigationLog()
        log.add(.navigate, to: .crudList, at: .minimum)
        let before = log
        log.add(.goBack, to: .menu, at: .minimum)
        #expect(before.count == 1 && log.count == 2)
    }
}
