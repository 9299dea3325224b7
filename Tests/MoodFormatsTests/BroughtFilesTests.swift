import JSONCodec
import MoodCore
import Testing

@testable import MoodFormats

/// Files from other programs, each of a kind that a public bug report or a manual shows. All are made up.
@Suite struct BroughtFilesTests {
    struct Read {
        var moods: [JSONValue] = []
        /// Parts that were left out, and rows that are no moods, each as `line reason`.
        var kept: [String] = []
        /// Rows that were not imported.
        var lost: [String] = []

        var times: [String] { moods.map { $0["timestamp"]?.string ?? "" } }
        var labels: [String] { moods.map { $0["label"]?.string ?? "" } }
    }

    static func read(
        _ bytes: [UInt8], zone: String? = "Europe/Berlin", map: [(String, String)] = [], dateFormat: String? = nil,
        format: ImportFormat? = nil
    ) throws -> Read {
        var options = MoodImportTests.options(zone: zone, map: map)
        options.dateFormat = dateFormat
        let moods = try MoodImport(bytes, as: format, options)
        var read = Read()
        while let item = moods.next() {
            switch item {
            case .mood(let mood):
                read.moods.append(try JSONValue.parse(mood.json))
                read.kept += mood.leftOff.map { "\($0.line) \($0.reason)" }
            case .problem(let problem):
                if problem.loss == .row {
                    read.lost.append("\(problem.line) \(problem.reason)")
                } else {
                    read.kept.append("\(problem.line) \(problem.reason)")
                }
            case .settings: break
            }
        }
        if let refusal = moods.refusal { throw refusal }
        return read
    }

    static func read(
        _ text: String, zone: String? = "Europe/Berlin", map: [(String, String)] = [], dateFormat: String? = nil,
        format: ImportFormat? = nil
    ) throws -> Read {
        try read(Array(text.utf8), zone: zone, map: map, dateFormat: dateFormat, format: format)
    }

    // MARK: Times in tables

    @Test(arguments: [
        ("2024-08-29T21:10Z", "2024-08-29T21:10:00.000Z"), ("2024-08-29T21:10+02:00", "2024-08-29T19:10:00.000Z"),
        ("2024-08-29T21:10:00+0200", "2024-08-29T19:10:00.000Z"),
        ("2024-08-29T21:10:00 +02:00", "2024-08-29T19:10:00.000Z"),
        ("2024-08-29 21:10:00 UTC", "2024-08-29T21:10:00.000Z"), ("2024-08-29 9:10 PM", "2024-08-29T19:10:00.000Z"),
        ("2024-8-9 21:10", "2024-08-09T19:10:00.000Z"), ("2024-08-29T21:10:00,5Z", "2024-08-29T21:10:00.500Z"),
        ("+002024-08-29T21:10:00Z", "2024-08-29T21:10:00.000Z"),
        ("2024-08-29T21:10:00[Asia/Tokyo]", "2024-08-29T12:10:00.000Z"),
        ("2024-08-29T21:10:00+02:00[Europe/Berlin]", "2024-08-29T19:10:00.000Z"),
        ("29.08.2024 21:10", "2024-08-29T19:10:00.000Z"), ("29.8.24", "2024-08-29T10:00:00.000Z"),
        ("08/29/2024 9:10 PM", "2024-08-29T19:10:00.000Z"), ("29/08/2024 21:10", "2024-08-29T19:10:00.000Z"),
        ("2024/08/29 21:10", "2024-08-29T19:10:00.000Z"), ("20240829", "2024-08-29T10:00:00.000Z"),
        ("20240829T211000Z", "2024-08-29T21:10:00.000Z"), ("1724965800", "2024-08-29T21:10:00.000Z"),
        ("1724965800000", "2024-08-29T21:10:00.000Z"), ("1724965800.25", "2024-08-29T21:10:00.250Z"),
        ("Thu Aug 29 2024 21:10:00 GMT+0200 (CEST)", "2024-08-29T19:10:00.000Z"),
        ("Thu, 29 Aug 2024 21:10:00 +0200", "2024-08-29T19:10:00.000Z"),
        ("Thu Aug 29 21:10:00 2024 +0200", "2024-08-29T19:10:00.000Z"),
        ("Thu Aug 29 21:10:00 UTC 2024", "2024-08-29T21:10:00.000Z"),
        ("2024-08-29 21:10:00.123456+02", "2024-08-29T19:10:00.123Z"),
        ("2024-08-29T21:10:00.123456789Z", "2024-08-29T21:10:00.123Z"),
        ("29 août 2024", "2024-08-29T10:00:00.000Z"), ("29. August 2024, 21 Uhr", "2024-08-29T19:00:00.000Z"),
        ("29 de agosto de 2024 21:10", "2024-08-29T19:10:00.000Z"),
        ("29. elokuuta 2024 klo 21.10", "2024-08-29T19:10:00.000Z"),
        ("jeudi 29 août 2024 à 21h10", "2024-08-29T19:10:00.000Z"),
        ("August 29, 2024 9:10 PM", "2024-08-29T19:10:00.000Z"),
        ("Donnerstag, 29. August 2024 21:10", "2024-08-29T19:10:00.000Z"), ("29-Aug-2024", "2024-08-29T10:00:00.000Z"),
        ("2024-08-29T24:00:00Z", "2024-08-30T00:00:00.000Z"), ("2024年8月29日 21時10分", "2024-08-29T19:10:00.000Z"),
        ("2024. 8. 29. 오후 9:10", "2024-08-29T19:10:00.000Z"), ("2024-W35-4 noon", "2024-08-29T10:00:00.000Z"),
        ("29 august 2024 evening", "2024-08-29T18:00:00.000Z"), ("05/05/2024", "2024-05-05T10:00:00.000Z"),
    ]) func timesAreReadAsTheyAreWritten(_ text: String, _ time: String) throws {
        let read = try Self.read("label,timestamp\nHappy,\"\(text)\"\n")
        #expect(read.times == [time], "\(text): \(read.lost)")
    }

    @Test(arguments: [
        "soon", "yesterday", "fri", "9pm", "nov 20", "2 hours ago", "2024-11", "2024", "13/13/2024", "29.02.2023",
        "45533.88", "2024-08-29 25:00", "03/04/2024", "2024-08-29 10:00 CEST", "last week", "",
    ]) func whatIsNoTimeOrDependsOnNowIsLeftOut(_ text: String) throws {
        let read = try Self.read("label,timestamp\nHappy,\"\(text)\"\nCalm,2024-08-29\n")
        #expect(read.labels == ["Calm"] && read.lost.count == 1, "\(text): \(read.times)")
    }

    @Test func oneDateDecidesForAllOfItsColumn() throws {
        let head = "mood,date\nHappy,03/04/2024\n"
        #expect(try Self.read(head + "Calm,29/08/2024\n").times[0] == "2024-04-03T10:00:00.000Z")
        #expect(try Self.read(head + "Calm,08/29/2024\n").times[0] == "2024-03-04T11:00:00.000Z")
        let both = try Self.read(head + "Calm,08/29/2024\nCalm,29/08/2024\n")
        #expect(both.times.count == 2 && both.lost.count == 1)
        #expect(both.lost[0].contains("could be 2024-04-03 or 2024-03-04"))
        #expect(try Self.read(head, dateFormat: "%d/%m/%Y").times == ["2024-04-03T10:00:00.000Z"])
        #expect(try Self.read(head, dateFormat: "%m/%d/%Y").times == ["2024-03-04T11:00:00.000Z"])
        #expect(
            try Self.read("mood,date\nHappy,03/04/24 9:10 PM\n", dateFormat: "%d/%m/%y %I:%M %p").times
                == ["2024-04-03T19:10:00.000Z"])
    }

    @Test func aTimeOfDayInAColumnOfItsOwnIsTaken() throws {
        let table =
            "project;date;start\nHappy;2022-10-24;08:37\nCalm;2022-10-24;8.37\nSad;2022-10-24;\nSad;2022-10-24;soon\n"
        let read = try Self.read(table, map: [("project", "label"), ("date", "timestamp"), ("start", "time")])
        #expect(read.times == ["2022-10-24T06:37:00.000Z", "2022-10-24T06:37:00.000Z", "2022-10-24T10:00:00.000Z"])
        #expect(read.kept == ["4 There is no time of day: noon was taken."])
        #expect(read.lost.count == 1 && read.lost[0].hasPrefix("5 The time is not a time"))
        let hours =
            "\u{feff}Date,Hour,Minute,Level,Label,Comment\n\"September 5, 2015\",21,7,8,Great,\"out #run\"\n\"September 6, 2015\",9,30,3,Bad,\n"
        let imood = try Self.read(
            hours, zone: "America/New_York", map: [("Level", "valence:1..10"), ("Comment", "notes")])
        #expect(imood.times == ["2015-09-06T01:07:00.000Z", "2015-09-06T13:30:00.000Z"])
        #expect(imood.moods[0]["valence"]?.double.map { abs($0 - 5.0 / 9) < 1e-9 } == true)
    }

    // MARK: Tables

    @Test(arguments: [
        "mood;when;note", "Stimmung;Zeitpunkt;Notiz", "estado de ánimo;fecha y hora;comentario",
        "Humeur;horodatage;remarque",
        "mieliala;ajankohta;muistiinpano", "Feeling;Date and Time;Comments",
    ]) func headersThatSayWhatTheyAreNeedNoMap(_ header: String) throws {
        let read = try Self.read(header + "\nHappy;2026-11-20 21:30;Tea\n")
        #expect(read.times == ["2026-11-20T20:30:00.000Z"] && read.moods[0]["notes"]?.string == "Tea")
    }

    @Test func aRowLosesNothingForSomethingElseInIt() throws {
        let table =
            "id,label,timestamp,valence,scales,isFavorite,timeZone,tags,createdAt,scales.sleep\n"
            + "x,Happy,2026-11-20 21:30,much,\"a=1; b=lots\",perhaps,Mars/Base,\"a,b\",never,\"7,5 h\",more\n"
        let read = try Self.read(table)
        #expect(read.times == ["2026-11-20T20:30:00.000Z"] && read.lost.isEmpty)
        #expect(read.moods[0]["scales"]?.text == #"{"a":1,"sleep":7.5}"#)
        #expect(read.moods[0]["tags"]?.text == #"["a","b"]"#)
        #expect(read.kept.count == 7, "\(read.kept)")
    }

    @Test func aTableWithoutLabelsTakesTheNearestFeeling() throws {
        let read = try Self.read(
            "day,score\n2026-11-20,9\n2026-11-21,7\n2026-11-22,x\n", map: [("score", "valence:1..10")])
        #expect(read.labels == ["Happy", "Calm"])
        #expect(read.lost == ["4 score must be a number from 1 to 10, and is x."])
    }

    @Test func columnsAreNamedOfTablesAlone() throws {
        func refusal(_ text: String) -> String {
            do { _ = try Self.read(text) } catch { return (error as? UnreadableFile)?.reason ?? "\(error)" }
            return "read"
        }
        #expect(refusal("colour,shape\nred,round\n").contains("the columns are colour, shape"))
        for text in [
            "Dear diary, today was hard.\nMy secret is this.\n", "My secret\nis this\n", "{\"secret\": 1}",
            "[{\"secret\": 1}]",
            "<secret/>", "secret,secret\n1,2\n3\n", "secret, secret\n",
        ] {
            let reason = refusal(text)
            #expect(reason != "read" && !reason.contains("ecret") && reason.contains("nearest"), "\(text): \(reason)")
        }
        #expect(refusal("PK\u{3}\u{4}x").contains("zip"))
        #expect(refusal(#"{"version":15,"dayEntries":[]}"#).contains("Daylio"))
        #expect(refusal("<?xml version=\"1.0\"?><!DOCTYPE HealthData>").contains("Apple Health"))
    }

    // MARK: Daylio

    @Test func daylioKeepsTheEntryAndItsScales() throws {
        let read = try Self.read(
            """
            full_date,date,weekday,time,mood,activities,scales,note_title,note
            2026-05-02,May 2,Saturday,09:10,good,"","Rest: 7/10 points | Hours asleep: 7:45 | Coffee: 2 cups | Weight: 70,5 kg","","A note."
            2026-05-03,May 3,Sunday,21:00,meh,"reading","Rest: much | Hours asleep: 0:30","A title","Was <b>fine</b>.<br>Second &amp; more<ul><li>one</li><li>two</li></ul>"
            2026-05-04,May 4,Monday,08:00,half good,"reading | running","","","x"
            """, zone: "Europe/Warsaw")
        #expect(read.moods.count == 3 && read.lost.isEmpty)
        #expect(
            read.moods[0]["scales"]?.text == #"{"Rest":7,"Hours asleep":7.75,"Coffee":2,"Weight":70.5}"#)
        #expect(read.moods[1]["scales"]?.text == #"{"Hours asleep":0.5}"# && read.kept.count == 1)
        #expect(read.moods[1]["notes"]?.string == "A title\n\nWas fine.\nSecond & more\none\ntwo")
    }

    @Test(arguments: [
        ("Samstag", "Super Gut Ok Schlecht Lausig"), ("samedi", "super bien bof mauvais horrible"),
        ("sábado", "genial bien meh mal horrible"), ("lauantai", "mahtava hyvä ok huono kamala"),
        ("Saturday", "rad good meh bad awful"), ("Samstag", "rad good meh bad awful"),
    ]) func theFiveMoodsOfDaylioAreKnownInItsLanguages(_ weekday: String, _ names: String) throws {
        let header = "full_date,date,weekday,time,mood,activities,scales,note_title,note\n"
        let rows = names.split(separator: " ").map { "2026-05-02,x,\(weekday),21:10,\($0),,,,\n" }.joined()
        let read = try Self.read(header + rows)
        #expect(read.moods.map { $0["valence"]?.double } == [1, 0.5, 0, -0.5, -1])
        #expect(read.moods.map { $0["emoji"]?.string } == ["😄", "🙂", "😐", "🙁", "😣"])
    }

    @Test func mapIsDoneOrRefused() throws {
        let header = "full_date,date,weekday,time,mood,activities,note_title,note\n"
        let row = "2026-05-02,x,Samstag,21:10,Prima,,,\n"
        let read = { (map: [(String, String)]) throws in try Self.read(header + row, map: map).moods[0] }
        #expect(try read([("Prima", "rad")])["valence"]?.double == 1)
        #expect(try read([("prima", "0.25")])["valence"]?.text == "0.25")
        #expect(try read([("Prima", "glad")])["label"]?.string == "Happy")
        for map in [("Super", "rad"), ("Prima", "splendid"), ("mood", "label")] {
            #expect(throws: UnreadableFile.self) { _ = try read([map]) }
        }
        let jsonl = #"{"emoji":"😊","label":"Prima","timestamp":"2026-11-20T10:00:00Z"}"# + "\n"
        #expect(try Self.read(jsonl, map: [("Prima", "0.5")]).moods[0]["valence"]?.text == "0.5")
        #expect(throws: UnreadableFile.self) { _ = try Self.read(jsonl, map: [("when", "timestamp")]) }
    }

    @Test func theNamesOfDaylioWinOverThePalette() throws {
        var options = MoodImportTests.options(map: [("Prima", "rad")])
        options.feelings = [KnownFeeling(emoji: "🎉", label: "Excited", valence: 0.9, aliases: ["rad", "good"])]
        let text =
            "full_date,date,weekday,time,mood,activities,note_title,note\n2026-05-02,x,Saturday,21:10,good,,,\n2026-05-02,x,Saturday,21:10,Prima,,,\n"
        let moods = try MoodImport(Array(text.utf8), as: nil, options)
        var found: [String] = []
        while case .mood(let mood)? = moods.next() {
            let value = try JSONValue.parse(mood.json)
            found.append(
                "\(value["emoji"]?.string ?? "") \(value["label"]?.string ?? "") \(value["valence"]?.text ?? "")")
        }
        #expect(found == ["🙂 good 0.5", "😄 Prima 1"])
    }

    @Test func theShortFormOfDaylioKeepsItsIds() throws {
        let table = "date,time,mood,activities,note\n2016-03-05,21:10,rad,\"a | b\",x\n"
        let read = try Self.read(table)
        #expect(read.moods[0]["valence"]?.double == 1 && read.moods[0]["tags"]?.text == #"["a","b"]"#)
        let before = try Self.read(table, map: [("mood", "label")])
        #expect(before.moods[0]["id"]?.string == read.moods[0]["id"]?.string)
    }

    // MARK: Journals

    @Test func theTextOfJrnlIsRead() throws {
        let read = try Self.read(
            "[2019-09-02 09:00] Kids.\nTook them to school @school.\n\n[2019-09-14 09:00:11 PM] Heating *\nInstalled.\n[not a time] stays\n",
            zone: "UTC")
        #expect(read.times == ["2019-09-02T09:00:00.000Z", "2019-09-14T21:00:11.000Z"])
        #expect(read.moods[1]["isFavorite"]?.boolean == true && read.labels == ["Kids.", "Heating"])
        #expect(read.moods[0]["tags"]?.text == #"["school"]"#)
        #expect(read.moods[1]["notes"]?.string == "Installed.\n[not a time] stays")
        let old = try Self.read("2012-05-05 21:30 😊 Happy day\nBody\n2012-05-06 08:00 Calm\n", zone: "UTC")
        #expect(old.times == ["2012-05-05T21:30:00.000Z", "2012-05-06T08:00:00.000Z"])
        let json = try Self.read(
            #"{"entries":[{"title":"Calm @sea","body":"b","date":"2026-11-20","time":"21:30","starred":false}]}"#)
        #expect(json.labels == ["Calm"] && json.moods[0]["tags"]?.text == #"["sea"]"#)
    }

    @Test func dayOneIsRead() throws {
        let read = try Self.read(
            #"""
            {"metadata":{"version":"1.0"},"entries":[{"uuid":"0A3BFC9847BD4173881DE43749F23B58","creationDate":"2018-12-10T16:50:12Z","modifiedDate":"2018-12-10T16:56:18Z","timeZone":"America\/Denver","starred":true,"tags":["walk","dog"],"text":"# Title here\n\nA plain line\\. And **bold**\\.\n\n![](dayone-moment:\/\/6C886CB69DC14EB9A8B568678C0FDD32)","location":{"localityName":"Nowhere","country":"Utopia","latitude":1.5,"longitude":2.5}}]}
            """#, zone: nil)
        let mood = try #require(read.moods.first)
        #expect(read.times == ["2018-12-10T16:50:12.000Z"] && mood["timeZone"]?.string == "America/Denver")
        #expect(mood["isFavorite"]?.boolean == true && mood["tags"]?.text == #"["walk","dog"]"#)
        #expect(mood["label"]?.string == "Title here" && mood["notes"]?.string == "A plain line. And **bold**.")
        #expect(mood["attachments"]?.text.contains("Nowhere, Utopia") == true && read.kept.count == 1)
    }

    @Test func pixelsIsRead() throws {
        let text =
            #"[{"date":"2025-1-31","type":"Mood","scores":[5,4],"notes":"hiii","tags":[{"type":"Emotions","entries":[":3"]},{"type":"Else","entries":["b"]}]},{"date":"2025-02-01","type":"Mood","scores":[],"notes":"","tags":[]}]"#
        let read = try Self.read(text)
        #expect(read.times == ["2025-01-31T11:00:00.000Z"] && read.moods[0]["valence"]?.double == 0.75)
        #expect(read.labels == ["Happy"] && read.moods[0]["tags"]?.text == #"[":3","b"]"#)
        #expect(read.lost == ["1 The day has no score."])
        #expect((try? Self.read(text, zone: nil)) == nil)
    }
}
