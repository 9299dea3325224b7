import JSONCodec
import MoodCore
import Testing

@testable import MoodFormats

@Suite struct MoodImportTests {
    static func options(zone: String? = "Europe/Berlin", map: [(String, String)] = []) -> ImportOptions {
        var options = ImportOptions()
        options.timeZone = zone.map { ($0, true) }
        options.map = map.map { ($0.0, $0.1) }
        options.feelings = [
            KnownFeeling(emoji: "😊", label: "Happy", valence: 0.8, aliases: ["glad"]),
            KnownFeeling(emoji: "😌", label: "Calm", valence: 0.5, aliases: []),
        ]
        return options
    }

    /// Each mood as `emoji label timestamp`, each problem as `line:column reason`.
    static func read(_ text: String, _ format: ImportFormat? = nil, _ options: ImportOptions = options()) throws
        -> [String]
    {
        let bytes = Array(text.utf8)
        let moods = try MoodImport(bytes, as: format, options)
        var found: [String] = []
        while let item = moods.next() {
            switch item {
            case .mood(let mood):
                let value = try JSONValue.parse(mood.json)
                found.append(
                    "\(value["emoji"]?.string ?? "") \(value["label"]?.string ?? "") \(value["timestamp"]?.string ?? "")"
                )
            case .problem(let problem): found.append("\(problem.line):\(problem.column ?? 0) \(problem.reason)")
            case .settings: found.append("settings")
            }
        }
        return found
    }

    private static func moods(_ text: String, _ options: ImportOptions = options()) throws -> [JSONValue] {
        let bytes = Array(text.utf8)
        let moods = try MoodImport(bytes, as: nil, options)
        var found: [JSONValue] = []
        while let item = moods.next() {
            if case .mood(let mood) = item { found.append(try JSONValue.parse(mood.json)) }
        }
        return found
    }

    @Test(arguments: [
        ("21:30", 77_400_000), ("9:30 pm", 77_400_000), ("9:30 PM", 77_400_000), ("09:30 p. m.", 77_400_000),
        ("12:05 am", 300_000), ("12:05 pm", 43_500_000), ("午後9:30", 77_400_000), ("오후 9:30", 77_400_000),
        ("9:30 م", 77_400_000), ("٩:٣٠ م", 77_400_000), ("21.30", 77_400_000), ("21h30", 77_400_000),
        ("21:30 Uhr", 77_400_000),
        ("10:11:12.5", 36_672_500), ("0:00", 0),
    ]) func timesOfDayOfManyLanguagesAreRead(_ text: String, _ milliseconds: Int) {
        #expect(ImportTimeParser.timeOfDay(text) == milliseconds, "\(text)")
    }

    @Test(arguments: ["", "25:00", "10:60", "ten", "10", "13:00 am", "1:2:3:4", "10:00 elephant", "100:00"])
    func otherTextsAreNoTimesOfDay(_ text: String) { #expect(ImportTimeParser.timeOfDay(text) == nil, "\(text)") }

    @Test func anyTableIsReadByItsHeader() throws {
        let table = "Mood;When;Sleep;What\nglad;2026-11-20 21:30;7,5;\"a; \"\"b\"\"\"\n;;;\ncalm;2026-03-29 02:30;6;\n"
        let map = [
            ("mood", "label"), ("when", "timestamp"), ("sleep", "scales.sleep"), ("what", "notes"), ("calm", "0.25"),
        ]
        let found = try Self.moods("\u{feff}" + table, Self.options(map: map))
        #expect(found.map { $0["timestamp"]?.string } == ["2026-11-20T20:30:00.000Z", "2026-03-29T01:30:00.000Z"])
        #expect(found[0]["scales"]?["sleep"]?.text == "7.5" && found[0]["notes"]?.string == "a; \"b\"")
        #expect(found[0]["emoji"]?.string == "😊" && found[0]["timeZone"]?.string == "Europe/Berlin")
        #expect(found[1]["valence"]?.text == "0.25")
    }

    @Test func whatCannotBeReadIsToldWithItsPlace() throws {
        let found = try Self.read(
            "label,timestamp,valence\nA,2026-11-20T10:00:00Z,1\nB,yesterday,\nC,2026-11-20T10:00:00Z,much\n"
                + "\"D\nE\",2026-11-20T10:00:00Z,,9\nF,,\n\"G,2026")
        #expect(found[0].hasPrefix("💭 A"))
        #expect(
            found.dropFirst().map { String($0.prefix(4)) } == ["3:2 ", "💭 C ", "💭 D\n", "7:2 ", "8:0 "], "\(found)")
        #expect(throws: UnreadableFile.self) { try Self.read("a,b\n1,2\n") }
        #expect(throws: UnreadableFile.self) { try Self.read("", .csv) }
        let mapped = #expect(throws: UnreadableFile.self) {
            try Self.read("a,b\n", .csv, Self.options(map: [("c", "label")]))
        }
        #expect(mapped?.param == "map")
    }

    @Test func timesWithoutAZoneAreRefusedWhereNobodySaysOne() throws {
        let found = try Self.read("label,timestamp\nA,2026-11-20 10:00\n", nil, Self.options(zone: nil))
        #expect(found.count == 1 && found[0].contains("has no zone"))
    }

    @Test func daylioIsReadInEachOfItsShapes() throws {
        let nine = """
            full_date,date,weekday,time,mood,activities,scales,note_title,note
            2026-11-20,20. November,Freitag,9:30 pm,good,"sea | Sea |  sun ","sleep:\u{a0}7 | energy:\u{a0}3","Title","one<br>two &amp; <b>three</b>"
            """
        let found = try Self.moods(nine)
        #expect(found[0]["tags"]?.text == #"["sea","sun"]"#)
        #expect(found[0]["scales"]?.text == #"{"sleep":7,"energy":3}"#)
        #expect(found[0]["notes"]?.string == "Title\n\none\ntwo & three")
        #expect(found[0]["emoji"]?.string == "🙂" && found[0]["valence"]?.text == "0.5")
        #expect(found[0]["timestamp"]?.string == "2026-11-20T20:30:00.000Z")
        let seven =
            "year,date,weekday,time,mood,activities,note\n2020,January 5,Sunday,21:30,glad,,x\n2020,5 août,,8:00,rad,,\n"
        #expect(
            try Self.read(seven) == ["😊 Happy 2020-01-05T20:30:00.000Z", "😄 rad 2020-08-05T06:00:00.000Z"])
        let broken =
            "full_date,date,weekday,time,mood,activities,note_title,note\n2026-13-01,,,1:00,a,,,\n2026-11-20,,,x,a,,,\n1,2\n"
        #expect(try Self.read(broken).map { String($0.prefix(4)) } == ["2:1 ", "3:4 ", "4:1 "])
    }

    @Test func jrnlAndCalendarsAreRead() throws {
        let jrnl = #"""
            {"tags":{"@a":1},
             "entries":[
              {"title":"😊 Happy","body":"b","date":"2026-11-20","time":"21:30","tags":["@a"],"starred":true},
              {"title":"Calm at last.","body":"","date":"2026-11-20","time":"21:31","tags":[],"starred":false},
              {"title":"x","body":"","date":"never","time":"21:31","tags":[],"starred":false}]}
            """#
        #expect(
            try Self.read(jrnl) == [
                "😊 Happy 2026-11-20T20:30:00.000Z", "😌 Calm 2026-11-20T20:31:00.000Z",
                "5:0 The time is not a time such as 2026-11-20T21:30:00Z or 2026-11-20 21:30.",
            ])
        let calendar =
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:01890000-0000-7000-8000-000000000001\r\nDTSTART:20261120T203000Z\r\n"
            + "SUMMARY:😊 Ha\r\n ppy\r\nBEGIN:VALARM\r\nDESCRIPTION:no\r\nEND:VALARM\r\nEND:VEVENT\r\n"
            + "BEGIN:VJOURNAL\nDTSTART;TZID=Asia/Tokyo:20261120T093000\nSUMMARY:Calm\nEND:VJOURNAL\nBEGIN:VEVENT\nSUMMARY:x\n"
        #expect(
            try Self.read(calendar) == [
                "😊 Happy 2026-11-20T20:30:00.000Z", "😌 Calm 2026-11-20T00:30:00.000Z", "15:0 VEVENT is never ended.",
            ])
    }

    @Test func jsonLinesKeepWhatNobodyKnows() throws {
        let lines =
            #"{"emoji":"😊","label":"A","timestamp":"2026-11-20T10:00:00Z","x":[1]}"# + "\n\n"
            + #"{"settings":{}}"# + "\n{\n[1]\n" + #"{"a":1,"a":2}"# + "\n" + #"{"a":1}"# + "\n" + #"{"history":{}}"#
            + "\n"
        #expect(try Self.moods(lines)[0]["x"]?.text == "[1]")
        #expect(
            try Self.read(lines).dropFirst().map { String($0.prefix(2)) } == ["se", "4:", "5:", "6:", "7:"])
    }

    /// A row keeps its id at any place, and equal rows get different ones. Computed with Python's uuid.uuid5.
    @Test func idsAreMadeOfTheRow() throws {
        var ids = RowIDs("csv")
        let cells = ["A", "2026-11-20T10:00:00Z"].map { Array($0.utf8) }
        #expect(ids.next(cells).text == "9766c8fa-8ebd-51da-ad4b-d10c25fc7c2f")
        #expect(ids.next(cells).text == "40e8f935-69d8-5d0d-9629-b27c5af32fe0")
        #expect(ids.next([Array("A".utf8)]).text == "756dbac9-ff76-5057-a2fd-2edbd64a3cfe")
    }
}
