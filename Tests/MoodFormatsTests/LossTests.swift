import JSONCodec
import MoodCore
import Testing

@testable import MoodFormats

/// Nothing of a file is lost or misread in silence: it is taken as its writer means it, or named with its place.
@Suite struct LossTests {
    private typealias Read = BroughtFilesTests.Read

    private static func read(_ text: String, _ map: [(String, String)] = [], zone: String? = "UTC") throws -> Read {
        try BroughtFilesTests.read(text, zone: zone, map: map)
    }

    private static func refusal(_ text: String, _ map: [(String, String)] = []) throws -> String {
        let moods = try MoodImport(Array(text.utf8), as: .csv, MoodImportTests.options(zone: "UTC", map: map))
        while moods.next() != nil {}
        return moods.refusal?.reason ?? "taken"
    }

    private static func event(_ lines: String) -> String {
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Calm\r\n\(lines)\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    }

    // MARK: Journals

    @Test func aTitleKeepsWhatStandsBehindItsFeeling() throws {
        for (title, notes) in [
            ("Happy: title. body", "title. body"), ("Happy. body", "body"), ("Happy, sad", "sad"), ("Happy!", nil),
        ] {
            let mood = try #require(try Self.read("[2019-09-02 09:00] \(title)\n").moods.first)
            #expect(mood["label"]?.string == "Happy" && mood["notes"]?.string == notes, "\(title)")
        }
        #expect(try Self.read("[2019-09-02 09:00] Happy=sad\n").labels == ["Happy=sad"])
    }

    @Test func aPartOfAnEntryThatCannotBeReadIsListed() throws {
        let read = try Self.read(
            """
            {"metadata":{"version":"1.0"},"entries":[
            {"creationDate":"2024-01-01T10:00:00Z","text":"Happy","tags":["sea",5],"starred":"y","timeZone":9,"location":{"latitude":"x"}},
            {"creationDate":"2024-01-01T11:00:00Z","text":"Calm","tags":"sea","starred":null,"location":{}}]}
            """)
        #expect(read.moods.map { $0["tags"]?.array?.compactMap(\.string) } == [["sea"], nil])
        #expect(read.kept.map { $0.prefix(6) } == ["2 star", "2 tags", "2 time", "2 loca", "3 tags"])
    }

    // MARK: Zones

    @Test(arguments: [
        ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "2024-07-02T08:00:00.000Z"),
        ("(GMT-05.00) Eastern Time (US & Canada)", "2024-07-02T14:00:00.000Z"),
        ("(UTC-08:00) Pacific Time (US & Canada)", "2024-07-02T17:00:00.000Z"),
        ("(UTC-06:00) Guadalajara, Mexico City, Monterrey", "2024-07-02T16:00:00.000Z"),
        ("(UTC-09:00) Alaska", "2024-07-02T18:00:00.000Z"), ("(UTC-07:00) Arizona", "2024-07-02T17:00:00.000Z"),
        ("(UTC+00:00) Dublin, Edinburgh, Lisbon, London", "2024-07-02T09:00:00.000Z"),
        ("(UTC+10:00) Canberra, Melbourne, Sydney", "2024-07-02T00:00:00.000Z"),
        ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "2024-07-02T04:30:00.000Z"),
        ("(UTC-03:00) Brasilia", "2024-07-02T13:00:00.000Z"),
        ("(UTC+09:00) Osaka, Sapporo, Tokyo", "2024-07-02T01:00:00.000Z"),
        ("(UTC-03:00) City of Buenos Aires", "2024-07-02T13:00:00.000Z"),
        ("(UTC-11:00) Coordinated Universal Time-11", "2024-07-02T21:00:00.000Z"),
        ("UTC+2", "2024-07-02T08:00:00.000Z"), ("(UTC-03:00)", "2024-07-02T13:00:00.000Z"),
    ]) func namesThatWindowsShowsKeepTheirSummerTime(_ name: String, _ time: String) throws {
        let read = try Self.read(Self.event("DTSTART;TZID=\"\(name)\":20240702T100000"), zone: nil)
        #expect(read.times == [time], "\(name): \(read.lost)")
    }

    @Test func aNameOfNoKnownPlaceIsNoOffset() throws {
        for name in ["(UTC+01:00) Nowhere", "(UTC+05:00) Berlin", "UTC+2 or so"] {
            let text = Self.event("DTSTART;TZID=\"\(name)\":20240702T100000")
            #expect(try Self.read(text, zone: nil).lost.count == 1, "\(name)")
            let told = try Self.read(text, zone: "Europe/Berlin")
            #expect(told.times == ["2024-07-02T08:00:00.000Z"] && told.kept.count == 1, "\(name)")
        }
        let unquoted = try Self.read(Self.event("DTSTART;TZID=tzone://Microsoft/Utc:20240702T100000"), zone: nil)
        #expect(unquoted.times == ["2024-07-02T10:00:00.000Z"])
    }

    @Test(arguments: [
        ("+02:00", "08"), ("+0200", "08"), ("GMT+2", "08"), ("UTC+02:00", "08"), ("W. Europe Standard Time", "08"),
        ("Z", "10"), ("Europe/Helsinki", "07"), ("-03", "13"),
    ]) func aColumnOfZonesTakesEachSpelling(_ zone: String, _ hour: String) throws {
        let read = try Self.read("when,mood,time zone\n2024-05-02 10:00,Calm,\(zone)\n", zone: "America/New_York")
        #expect(read.times == ["2024-05-02T\(hour):00:00.000Z"] && read.kept.isEmpty, "\(zone): \(read.kept)")
    }

    @Test func aZoneThatIsNotKnownIsTold() throws {
        let text = "when,mood,time zone\n2024-05-02 10:00,Calm,CEST\n"
        #expect(try Self.read(text).kept == ["2 The zone CEST is not known: timeZone was taken in its place."])
        #expect(try Self.read(text, zone: nil).lost == ["2 The time names the zone CEST, which is not known."])
    }

    // MARK: Times

    @Test func aYearOfTwoDigitsInFrontIsNotGuessed() throws {
        for date in ["24/02/01", "24/02/30", "24/03/31", "31/02/05", "05/05/24", "29/08/24"] {
            let read = try Self.read("date,mood\n\(date),Happy\n")
            #expect(read.moods.isEmpty && read.lost[0].contains("could be"), "\(date): \(read.times)")
        }
        let one = try Self.read("date,mood\n08/29/24,Happy\n99/02/03,Calm\n24/2/1,Calm\n")
        #expect(one.times.map { $0.prefix(10) } == ["2024-08-29", "1999-02-03", "2024-02-01"])
        let first = try BroughtFilesTests.read("date,mood\n24/02/01,Happy\n", zone: "UTC", dateFormat: "%y/%m/%d")
        #expect(first.times == ["2024-02-01T12:00:00.000Z"])
        let last = try BroughtFilesTests.read("date,mood\n24/02/01,Happy\n", zone: "UTC", dateFormat: "%d/%m/%y")
        #expect(last.times == ["2001-02-24T12:00:00.000Z"])
        let shown = try Self.read("date,mood\n24/02/01,Happy\n24/02/2001,Calm\n")
        #expect(shown.times == ["2001-02-24T12:00:00.000Z", "2001-02-24T12:00:00.000Z"])
    }

    @Test(arguments: ["9.3", "9.5", "0.5", "9:5", "21:30:5", "9h5"])
    func minutesHaveTwoDigits(_ time: String) throws {
        let read = try Self.read("date,time,mood\n2024-05-02,\(time),Happy\n")
        #expect(read.moods.isEmpty && read.lost.count == 1, "\(read.times)")
        #expect(DateText.clock(time) == nil)
    }

    @Test func asianClocksHaveMinutesOfOneDigit() throws {
        let read = try Self.read("when,mood\n2024年8月29日 9時5分,Calm\n2024年8月29日 9時5分7秒,Calm\n")
        #expect(read.times == ["2024-08-29T09:05:00.000Z", "2024-08-29T09:05:07.000Z"])
    }

    @Test func aSecondTimeOfDayIsTold() throws {
        let read = try Self.read("date,time,mood\n2024-05-02 08:00,21:30,Calm\n2024-05-02 08:00,8:00,Calm\n")
        #expect(read.times == ["2024-05-02T08:00:00.000Z", "2024-05-02T08:00:00.000Z"])
        #expect(read.kept == ["2 The time of day 21:30 is left off: 2024-05-02 08:00 has another."])
    }

    // MARK: Columns and rows

    /// Tags are told apart as the host does it: by folded bytes.
    @Test func tagsOfTwoSpellingsAreBothTaken() throws {
        let read = try Self.read(Self.event("DTSTART:20260101T100000Z\r\nCATEGORIES:\u{e9},e\u{301},\u{c9}"))
        let tags = read.moods[0]["tags"]?.array?.compactMap(\.string)
        #expect(tags?.map { Array($0.utf8) } == [[0xc3, 0xa9], [0x65, 0xcc, 0x81]])
    }

    @Test func columnsThatAreNotTakenAreNamed() throws {
        let text = "Date,Mood,Reflect,Level,Mood,empty\n2024-05-02,Calm,deep,7,Sad,\n2024-05-03,Calm,,,,\n"
        let read = try Self.read(text)
        #expect(read.labels == ["Calm", "Calm"] && read.kept.count == 1)
        #expect(read.kept[0].hasPrefix("1 Nothing is taken of the columns Reflect, Level, Mood:"))
        let told = try Self.read(text, [("Reflect", "notes"), ("Level", "")])
        #expect(told.moods[0]["notes"]?.string == "deep" && told.kept[0].contains("of the column Mood:"))
        // Names may be a person's text if rows have other numbers of cells.
        let ragged = try Self.read("Date,Mood,secret\n2024-05-02,Calm,x\n2024-05-03,Calm\n")
        #expect(ragged.kept.count == 1 && ragged.kept[0].contains("column 3") && !ragged.kept[0].contains("secret"))
        let daylio = try Self.read(
            "full_date,date,weekday,time,mood,activities,note_title,note,energy\n2026-05-02,x,Saturday,9:10,good,,,,7\n"
        )
        #expect(daylio.moods.count == 1 && daylio.kept.count == 1)
    }

    @Test func twoColumnsOfOneTargetAreRefused() {
        for map in [[("mood", "label"), ("note", "label")], [("mood", "valence"), ("note", "valence:1..5")]] {
            let refused = #expect(throws: UnreadableFile.self) {
                try Self.read("mood,note,when\nHappy,Sad,2024-05-02\n", map)
            }
            #expect(refused?.param == "map" && refused?.reason.contains("mood and note") == true)
        }
        #expect(throws: Never.self) {
            try Self.read("mood,note,more,when\nHappy,a,b,2024-05-02\n", [("note", "notes"), ("more", "notes")])
        }
    }

    @Test func aSpaceBeforeAQuoteIsNoPartOfTheCell() throws {
        let read = try Self.read("\"date\", \"mood\", \"note\"\n\"2024-05-02 10:00\", \"Happy\", \"a, \"\"b\"\"\nc\"\n")
        #expect(read.moods[0]["notes"]?.string == "a, \"b\"\nc" && read.labels == ["Happy"])
        let plain = try Self.read("date,mood,note\n2024-05-02,Happy, \"a\" she said\n")
        #expect(plain.moods[0]["notes"]?.string == " \"a\" she said")
    }

    @Test func aQuoteThatIsNotClosedLosesItsLineAlone() throws {
        let rows = ["2024-05-02 10:00,Calm,a", "2024-05-02 11:00,Calm,\"b", "2024-05-02 12:00,Calm,c"]
        for more in [[], ["2024-05-02 13:00,Calm,\"d\"", "2024-05-02 14:00,Calm,\"two\nlines\""]] {
            let read = try Self.read("when,mood,note\n" + (rows + more).joined(separator: "\n") + "\n")
            #expect(read.moods.count == 2 + more.count && read.lost.count == 1)
            #expect(read.lost[0].hasPrefix("3 The row has a quote that is not closed"))
        }
    }

    @Test func rowsOfEmptyCellsArePassedOver() throws {
        let read = try Self.read("mood,when,note\nCalm,2024-05-02,\n,,\n , ,\n")
        #expect(read.moods.count == 1 && read.lost.isEmpty)
    }

    // MARK: Numbers

    @Test func aMarkForThousandsIsNoDecimalMark() throws {
        let head = "full_date,date,weekday,time,mood,activities,scales,note_title,note\n"
        let row = "2026-05-02,May 2,Saturday,09:10,good,,"
        let shown = try Self.read(head + row + "\"Water: 1,500 ml | Temp: 36.6\",,\n")
        #expect(shown.moods[0]["scales"]?.text == #"{"Water":1500,"Temp":36.6}"#)
        let unknown = try Self.read(head + row + "Schritte: 1.500,,\n")
        #expect(unknown.moods[0]["scales"] == nil && unknown.kept.count == 1)
        let table = "mood,when,steps\nCalm,2024-05-02,\"10,000\"\nCalm,2024-05-03,"
        let map = [("steps", "scales.steps")]
        #expect(try Self.read(table + "\n", map).kept.count == 1)
        #expect(try Self.read(table + "7.5\n", map).moods[0]["scales"]?["steps"]?.text == "10000")
        #expect(try Self.read(table + "\"7,25\"\n", map).moods[0]["scales"]?["steps"]?.text == "10.000")
        let both = try Self.read(table + "\"7,25\"\nCalm,2024-05-04,7.5\n", map)
        #expect(both.moods[0]["scales"] == nil && both.kept.count == 1)
    }

    @Test(arguments: [
        ("1.234.567", "1234567"), ("1,234,567.5", "1234567.5"), ("1.234,5", "1234.5"), ("10 000", "10000"),
        ("1'500", "1500"), ("7,5", "7.5"), ("0.125", "0.125"), ("-0,125", "-0.125"), ("+5", "5"), ("1.5000", "1.5000"),
        ("1.500", nil), ("1,500", nil), ("7 8", nil), ("12.34,5", nil), ("1,2,3", nil), ("x", nil),
    ]) func numbersAreReadOrNotTaken(_ text: String, _ number: String?) {
        #expect(NumberText.number(text) == number)
    }

    @Test(arguments: [
        ("7/10 points", "7"), ("7/10", "7"), ("1/2", nil), ("3/4", nil), ("10 000 steps", "10000"), ("7 h", "7"),
        ("7:45", "7.75"), ("1.500 ml", nil),
    ]) func measuresAreReadOrNotTaken(_ text: String, _ number: String?) {
        #expect(NumberText.measure(text) == number)
    }

    @Test func aRatingWithoutItsRangeIsRefused() throws {
        let map = [("rating", "valence")]
        let reason = try Self.refusal("date,rating\n2024-02-01,1\n2024-02-02,5\n", map)
        #expect(reason.contains("rating=valence:1..5"), "\(reason)")
        #expect(try Self.refusal("date,mood,rating\n2024-02-01,Calm,1\n2024-02-02,Calm,8\n", map).contains("1..10"))
        #expect(try Self.refusal("date,rating\n2024-02-01,1\n2024-02-02,-0.5\n", map) == "taken")
        // A single number that is out of range is left off.
        let read = try Self.read("date,mood,rating\n2024-02-01,Calm,0.5\n2024-02-02,Calm,5\n", map)
        #expect(read.moods.count == 2 && read.kept.count == 1 && read.kept[0].contains("rating is 5"))
        let alone = try Self.read("date,rating\n2024-02-01,0.5\n2024-02-02,5\n", map)
        #expect(alone.lost.count == 1 && alone.lost[0].contains("rating=valence:1..5"))
        let ranged = try Self.read("date,rating\n2024-02-02,9\n", [("rating", "valence:1..5")])
        #expect(ranged.lost == ["2 rating must be a number from 1 to 5, and is 9."])
    }

    // MARK: Feelings, tags and scales

    @Test func aMoodColumnMayHoldEmojiOrNumbers() throws {
        let read = try Self.read("mood,when\n😊,2024-05-02\n😌 Still,2024-05-03\n🦄 Odd,2024-05-04\n")
        #expect(read.labels == ["Happy", "Still", "Odd"])
        #expect(read.moods.map { $0["emoji"]?.string } == ["😊", "😌", "🦄"])
        let bare = try Self.read("mood,when\n\u{2764} Love,2024-05-02\n:smile:,2024-05-03\n")
        #expect(bare.moods[0]["emoji"]?.string == "❤️" && bare.labels == ["Love", ":smile:"])
        #expect(bare.kept.count == 1 && bare.kept[0].hasPrefix("3 :smile: is kept as a label"))
        let reason = try Self.refusal("mood,when\n7,2024-05-02\n3,2024-05-03\n")
        #expect(reason.contains("mood=valence:1..10"), "\(reason)")
        #expect(try Self.refusal("mood,when\n7,2024-05-02\n3,2024-05-03\n", [("7", "0.5"), ("3", "-0.5")]) == "taken")
    }

    @Test func tagsLoseTheirSigns() throws {
        let read = try Self.read(
            "mood,when,tags\nCalm,2024-05-02,\"#a, #b\"\nCalm,2024-05-03,#a #b\nCalm,2024-05-04,a b\n")
        #expect(read.moods.map { $0["tags"]?.text } == [#"["a","b"]"#, #"["a","b"]"#, #"["a b"]"#])
        let own = "id,emoji,label,timestamp,tags\n01890000-0000-7000-8000-000000000001,😊,A,2026-01-02T03:04:05Z,#a\n"
        #expect(try Self.read(own).moods[0]["tags"]?.text == "[\"#a\"]")
    }

    @Test func scalesArePartedByCommasToo() throws {
        let read = try Self.read(
            "mood,when,scales\nCalm,2024-05-02,\"sleep=7, x=2\"\nCalm,2024-05-03,\"sleep=7,5, x=2\"\nCalm,2024-05-04,\"a, b=2\"\n"
        )
        #expect(
            read.moods.map { $0["scales"]?.text } == [#"{"sleep":7,"x":2}"#, #"{"sleep":7.5,"x":2}"#, #"{"a, b":2}"#])
    }

    // MARK: Calendars and JSON

    @Test func aCalendarThatIsCutOffIsNotWhole() throws {
        let head = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20240702T100000Z\r\nSUMMARY:Calm\r\n"
        for text in [head, head + "END:VEVENT\r\n", head + "END:VEVENT\r\nBEGIN:VEV"] {
            let read = try Self.read(text)
            #expect(read.labels == ["Calm"] && read.lost.last?.contains("The file is cut off") == true, "\(read)")
        }
        #expect(try Self.read(head + "END:VEVENT\r\nEND:VCALENDAR\r\n").lost.isEmpty)
    }

    @Test func calendarsOfOldPhonesAreDecoded() throws {
        let read = try Self.read(
            Self.event(
                "DTSTART:20240702T100000Z\r\nDESCRIPTION;ENCODING=QUOTED-PRINTABLE:Gr=FC=\r\nn=0D=0Aer\r\nURL:https://a.example"
            ))
        #expect(read.moods[0]["notes"]?.string == "Grün\ner")
        #expect(read.kept == ["2 URL: a mood has no place for it."])
    }

    @Test func entriesOnOneLineHaveColumns() throws {
        let text = #"[{"date":"2025-01-31","scores":[]}, {"date":"2025-02-01","scores":[9]}]"#
        let moods = try MoodImport(Array(text.utf8), as: .pixels, MoodImportTests.options())
        var found: [String] = []
        while case .problem(let problem)? = moods.next() { found.append("\(problem.column ?? 0) \(problem.reason)") }
        #expect(found == ["0 The day has no score.", "37 The score 9 is no number from 1 to 5."])
    }

    @Test func dayOneNamesWhatItLosesOfAnEntry() throws {
        let read = try Self.read(
            #"{"entries":[{"creationDate":"2018-12-10T16:50:12Z","text":"Calm","weather":{"code":"clear"},"audios":[{}],"music":null,"photos":[{}]}]}"#
        )
        #expect(
            read.kept == [
                "1 weather, audios: a mood has no place for it.", "1 A picture is not in the file, and is left off.",
            ])
    }

    @Test func textOfOtherEncodingsSaysWhatToDo() {
        for bytes in [
            [0x6D, 0, 0x6F, 0, 0x6F, 0, 0x64, 0], [0xFF, 0xFE, 0, 0, 0x6D, 0, 0, 0, 0x6F, 0, 0, 0] as [UInt8],
        ] {
            let refused = #expect(throws: UnreadableFile.self) { try BroughtFilesTests.read(bytes) }
            #expect(refused?.reason.contains("save it as UTF-8") == true)
        }
    }

    /// Members that the columns cannot say stay in a mood that is there.
    @Test func aFileSaysWhichMembersItHas() throws {
        func says(_ text: String) throws -> [String]? {
            let moods = try MoodImport(Array(text.utf8), as: nil, MoodImportTests.options())
            guard case .mood(let mood)? = moods.next() else { return nil }
            return mood.says
        }
        let id = "01890000-0000-7000-8000-000000000001"
        let row = "\(id),😊,A,2026-01-02T03:04:05Z"
        #expect(try says("id,emoji,label,timestamp\n\(row)\n") == ["id", "emoji", "label", "timestamp"])
        #expect(try says("id,emoji,label,timestamp,valence\n\(row),much\n") == ["id", "emoji", "label", "timestamp"])
        let all = CSVColumn.members.map { "\($0.name)" }
        #expect(try says(all.joined(separator: ",") + "\n\(row)" + String(repeating: ",", count: all.count - 4)) == nil)
        #expect(
            try says(
                "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:\(id)\nDTSTART:20240702T100000Z\nSUMMARY:A\nEND:VEVENT\nEND:VCALENDAR\n"
            )
                == ["timestamp", "label", "notes", "tags"])
    }
}
