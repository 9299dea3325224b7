import JSONCodec
import Testing

@testable import MoodFormats

/// The forms of other programs: trackers, spreadsheets of many countries, calendars. Each file is made up; the expected
/// result was worked out by hand.
@Suite struct ForeignFilesTests {
    private typealias Read = BroughtFilesTests.Read

    private static func read(_ text: String, _ map: [(String, String)] = [], zone: String? = "Europe/Berlin") throws
        -> Read
    {
        try BroughtFilesTests.read(text, zone: zone, map: map)
    }

    /// Excel in German: semicolons, a BOM, `sep=`, decimal commas, WAHR.
    @Test func excelInGerman() throws {
        let read = try Self.read(
            "\u{feff}sep=;\r\nDatum;Uhrzeit;Stimmung;Bemerkung;Favorit;Wert\r\n29.08.2024;21:10;Happy;\"a; b\";WAHR;0,75\r\n",
            [("Wert", "valence")])
        #expect(read.times == ["2024-08-29T19:10:00.000Z"] && read.moods[0]["valence"]?.text == "0.75")
        #expect(read.moods[0]["isFavorite"]?.boolean == true && read.moods[0]["notes"]?.string == "a; b")
    }

    /// Excel's "CSV" on a machine in Western Europe is Windows-1252.
    @Test func excelInWindows1252() throws {
        var bytes = Array("Datum;Stimmung;Notiz\r\n29.08.2024 21:10;Happy;".utf8)
        bytes += [0x80, 0x20, 0x4D, 0xFC, 0x64, 0x65, 0x0D, 0x0A]
        let read = try BroughtFilesTests.read(bytes)
        #expect(read.moods[0]["notes"]?.string == "€ Müde" && read.kept.count == 1)
    }

    /// Excel's "Unicode text" is UTF-16 with tabs.
    @Test func excelInUTF16() throws {
        let text = "mood\twhen\tnote\r\nHappy\t8/29/2024 9:10:00 PM\t日本\r\n"
        for isLittle in [true, false] {
            var bytes: [UInt8] = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
            for unit in text.utf16 {
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                bytes += isLittle ? [low, high] : [high, low]
            }
            let read = try BroughtFilesTests.read(bytes)
            #expect(read.times == ["2024-08-29T19:10:00.000Z"] && read.moods[0]["notes"]?.string == "日本")
        }
    }

    @Test func numbersInFrench() throws {
        let read = try Self.read(
            "Date;Heure;Humeur;Commentaire;sommeil\n29/08/2024;21 h 10;Happy;« bien »;7,5\n02/03/2024;08 h 00;Calm;;8\n",
            [("sommeil", "scales.sommeil")], zone: "Europe/Paris")
        #expect(read.times == ["2024-08-29T19:10:00.000Z", "2024-03-02T07:00:00.000Z"])
        #expect(read.moods[0]["scales"]?.text == #"{"sommeil":7.5}"#)
    }

    @Test func sheetsInSpanish() throws {
        let read = try Self.read(
            "Fecha,Hora,Estado de ánimo,Comentario,Etiquetas\n29/08/2024,9:10 p. m.,Happy,x,\"mar, sol\"\n",
            zone: "America/Mexico_City")
        #expect(read.times == ["2024-08-30T03:10:00.000Z"] && read.moods[0]["tags"]?.text == #"["mar","sol"]"#)
    }

    @Test func numbersInFinnish() throws {
        let read = try Self.read(
            "Päivämäärä;Kellonaika;Mieliala;Kommentti\n29.8.2024;21.10;Happy;sauna\n", zone: "Europe/Helsinki")
        #expect(read.times == ["2024-08-29T18:10:00.000Z"] && read.moods[0]["notes"]?.string == "sauna")
    }

    @Test func sheetsInJapaneseAndKorean() throws {
        let read = try Self.read(
            "いつ,気分\n2024年8月29日 21:10,Happy\n2024/8/30 9:05,Calm\n2024. 8. 31. 오후 9:10,Calm\n",
            [("いつ", "timestamp"), ("気分", "label")], zone: "Asia/Tokyo")
        #expect(
            read.times == ["2024-08-29T12:10:00.000Z", "2024-08-30T00:05:00.000Z", "2024-08-31T12:10:00.000Z"])
    }

    /// Google Sheets of the United States, with a checkbox.
    @Test func sheetsOfTheUnitedStates() throws {
        let read = try Self.read(
            "Timestamp,Mood,Notes,Starred\n8/29/2024 21:10:05,Happy,,TRUE\n9/2/2024 7:00:00,Calm,,FALSE\n",
            zone: "America/New_York")
        #expect(read.times == ["2024-08-30T01:10:05.000Z", "2024-09-02T11:00:00.000Z"])
        #expect(read.moods.map { $0["isFavorite"]?.boolean } == [true, false])
    }

    /// LibreOffice gives a date a midnight, and a time its day zero.
    @Test func libreOfficeDatesAndTimes() throws {
        let read = try Self.read("date,time,mood\n2024-08-29 00:00:00,1899-12-30 21:10:00,Happy\n")
        #expect(read.times == ["2024-08-29T19:10:00.000Z"])
    }

    @Test func stateOfMindOfAppleHealth() throws {
        let read = try Self.read(
            "Start,End,Kind,Labels,Associations,Valence,Valence Classification\n"
                + "2024-10-01 21:03:12 +0100,2024-10-01 21:03:12 +0100,momentary_emotion,\"Calm | Grateful\",\"Family\",0.42,slightly_pleasant\n"
                + "2024-10-02 07:03:12 +0100,2024-10-02 07:03:12 +0100,daily_mood,,,-0.2,slightly_unpleasant\n",
            [("Start", "timestamp"), ("Valence Classification", "label"), ("Associations", "tags")], zone: nil)
        #expect(read.times == ["2024-10-01T20:03:12.000Z", "2024-10-02T06:03:12.000Z"])
        #expect(read.moods.map { $0["valence"]?.text } == ["0.42", "-0.2"])
        #expect(read.moods[0]["tags"]?.text == #"["Family"]"#)
    }

    /// Bearable writes a day with an ordinal, and the part of the day in a separate column.
    @Test func bearable() throws {
        let read = try Self.read(
            "date,date formatted,weekday,time of day,category,rating/amount,detail,notes\n"
                + "29th Aug 2024,2024-08-29,Thursday,pm,Mood,8,\"Happy | Calm\",n\n",
            [
                ("date formatted", "timestamp"), ("rating/amount", "valence:1..10"), ("detail", "tags"),
            ])
        #expect(read.times == ["2024-08-29T10:00:00.000Z"] && read.labels == ["Calm"])
    }

    /// How We Feel exports a date in words of the United States.
    @Test func howWeFeel() throws {
        let read = try Self.read(
            "Date,Mood,Tags (People),Notes\n\"2024 Thu Aug 29 9:10 PM\",Happy,By Myself,\n", [("Tags (People)", "tags")]
        )
        #expect(read.times == ["2024-08-29T19:10:00.000Z"] && read.moods[0]["tags"]?.text == #"["By Myself"]"#)
    }

    /// Exist has a row for each day and a mood of 1 to 9.
    @Test func exist() throws {
        let read = try Self.read(
            "date,mood,mood_note\n2024-08-29,7,good day\n", [("mood", "valence:1..9"), ("mood_note", "notes")])
        #expect(read.moods[0]["valence"]?.text == "0.5" && read.labels == ["Calm"])
        #expect(read.moods[0]["notes"]?.string == "good day")
    }

    /// eMoods has several scales of 0 to 3.
    @Test func eMoods() throws {
        let read = try Self.read(
            "DATE,DEPRESSED,ELEVATED,ANXIETY,SLEEP,NOTES,FEELING\n8/29/2024,0,1,2,7.5,x,Calm\n",
            [("DEPRESSED", "scales.depressed"), ("ANXIETY", "scales.anxiety"), ("SLEEP", "scales.sleep")])
        #expect(read.moods[0]["scales"]?.text == #"{"depressed":0,"anxiety":2,"sleep":7.5}"#)
        #expect(read.labels == ["Calm"] && read.moods[0]["notes"]?.string == "x")
    }

    /// A program that logs with seconds since 1970, and one with milliseconds.
    @Test func loggers() throws {
        let read = try Self.read("time,mood\n1724965800,Happy\n1724965800123,Calm\n", zone: nil)
        #expect(read.times == ["2024-08-29T21:10:00.000Z", "2024-08-29T21:10:00.123Z"])
    }

    /// Postgres `COPY … CSV HEADER`, and `mysql --batch` with tabs.
    @Test func databases() throws {
        let copied = try Self.read(
            "id,mood,created_at,note\n1,Happy,2024-08-29 21:10:00.123456+02,\n", [("created_at", "timestamp")])
        #expect(copied.times == ["2024-08-29T19:10:00.123Z"] && copied.kept == ["2 The id is no UUID."])
        let batch = try Self.read("mood\twhen\nHappy\t2024-08-29 21:10:00\n")
        #expect(batch.times == ["2024-08-29T19:10:00.000Z"])
    }

    /// MySQL and Spark write a backslash before a quote; in RFC 4180 a backslash is one.
    @Test func escapedQuotes() throws {
        let read = try Self.read(
            """
            mood,when,note
            Happy,2024-08-29 21:10,"said \\"hi, you\\", and \\\\ left"
            Calm,2024-08-30 21:10,"C:\\"
            Happy,2024-08-31 21:10,"\\"two\nlines\\""
            Calm,2024-09-01 21:10,"a \\" b
            Calm,2024-09-02 21:10,"c ""d"" \\e"
            """)
        let notes = read.moods.map { $0["notes"]?.string }
        #expect(notes == ["said \"hi, you\", and \\ left", "C:\\", "\"two\nlines\"", "a \\ b", "c \"d\" \\e"])
        #expect(read.kept.isEmpty)
    }

    /// `git log` and mail give dates of RFC 2822.
    @Test func datesOfMail() throws {
        let read = try Self.read(
            "when;feeling\nThu, 29 Aug 2024 21:10:00 +0200;Happy\nThu Aug 29 21:10:00 2024 +0200;Calm\n29 Aug 2024 19:10 GMT;Calm\n",
            zone: nil)
        #expect(Set(read.times) == ["2024-08-29T19:10:00.000Z"] && read.times.count == 3)
    }

    // MARK: Calendars

    @Test func googleCalendar() throws {
        let read = try Self.read(
            """
            BEGIN:VCALENDAR
            PRODID:-//Google Inc//Google Calendar 70.9054//EN
            METHOD:PUBLISH
            X-WR-CALNAME:Moods
            X-WR-TIMEZONE:Europe/Helsinki
            BEGIN:VTIMEZONE
            TZID:Europe/Helsinki
            X-LIC-LOCATION:Europe/Helsinki
            BEGIN:DAYLIGHT
            TZOFFSETFROM:+0200
            TZOFFSETTO:+0300
            TZNAME:EEST
            DTSTART:19700329T030000
            RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
            END:DAYLIGHT
            BEGIN:STANDARD
            TZOFFSETFROM:+0300
            TZOFFSETTO:+0200
            TZNAME:EET
            DTSTART:19701025T040000
            RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
            END:STANDARD
            END:VTIMEZONE
            BEGIN:VEVENT
            DTSTART;TZID=Europe/Helsinki:20240829T211000
            DTSTAMP:20241101T000000Z
            UID:7kukuqrfedlm2f9t0vr2mpg6hk@google.com
            CREATED:20240829T181500Z
            SEQUENCE:0
            STATUS:CONFIRMED
            SUMMARY:😊 Happy
            TRANSP:OPAQUE
            END:VEVENT
            END:VCALENDAR
            """, zone: nil)
        #expect(read.times == ["2024-08-29T18:10:00.000Z"] && read.labels == ["Happy"])
        #expect(read.moods[0]["timeZone"]?.string == "Europe/Helsinki")
    }

    @Test func appleCalendar() throws {
        let read = try Self.read(
            """
            BEGIN:VCALENDAR
            PRODID:-//Apple Inc.//macOS 14.5//EN
            BEGIN:VEVENT
            TRANSP:TRANSPARENT
            DTEND;VALUE=DATE:20240830
            UID:6B1C6E55-7F0B-4C7A-9B1D-2F6E1C0A9D11
            DTSTAMP:20240829T200000Z
            SUMMARY:Calm
            DTSTART;VALUE=DATE:20240829
            X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
            BEGIN:VALARM
            TRIGGER:-PT15H
            DESCRIPTION:Reminder
            ACTION:AUDIO
            END:VALARM
            END:VEVENT
            END:VCALENDAR
            """, zone: "America/Denver")
        #expect(read.times == ["2024-08-29T18:00:00.000Z"])
        #expect(read.moods[0]["id"]?.string == "6b1c6e55-7f0b-4c7a-9b1d-2f6e1c0a9d11")
    }

    @Test func nextcloudJournal() throws {
        let read = try Self.read(
            """
            BEGIN:VCALENDAR
            VERSION:2.0
            PRODID:-//IDN nextcloud.com//Calendar app 4.7.6//EN
            BEGIN:VJOURNAL
            CREATED:20240829T190000Z
            DTSTAMP:20240829T200000Z
            LAST-MODIFIED:20240829T200000Z
            UID:nc-1
            DTSTART;TZID=Europe/Berlin:20240829T211000
            SUMMARY:Calm
            DESCRIPTION:tea\\nsea
            CATEGORIES:home,sea
            END:VJOURNAL
            END:VCALENDAR
            """, zone: nil)
        #expect(read.times == ["2024-08-29T19:10:00.000Z"] && read.moods[0]["notes"]?.string == "tea\nsea")
        #expect(read.moods[0]["tags"]?.text == #"["home","sea"]"#)
    }

    @Test func outlookOnTheWeb() throws {
        let read = try Self.read(
            """
            BEGIN:VCALENDAR
            PRODID:Microsoft Exchange Server 2010
            BEGIN:VTIMEZONE
            TZID:AUS Eastern Standard Time
            BEGIN:STANDARD
            DTSTART:16010101T030000
            TZOFFSETFROM:+1100
            TZOFFSETTO:+1000
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=4
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:16010101T020000
            TZOFFSETFROM:+1000
            TZOFFSETTO:+1100
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=10
            END:DAYLIGHT
            END:VTIMEZONE
            BEGIN:VEVENT
            UID:040000008200E00074C5B7101A82E008
            SUMMARY;LANGUAGE=en-AU:Fine
            DTSTART;TZID=AUS Eastern Standard Time:20240115T090000
            CLASS:PUBLIC
            PRIORITY:5
            DTSTAMP:20240101T000000Z
            STATUS:CONFIRMED
            SEQUENCE:0
            END:VEVENT
            BEGIN:VEVENT
            UID:040000008200E00074C5B7101A82E009
            SUMMARY;LANGUAGE=en-AU:Fine
            DTSTART;TZID=AUS Eastern Standard Time:20240715T090000
            DTSTAMP:20240101T000000Z
            END:VEVENT
            END:VCALENDAR
            """, zone: nil)
        #expect(read.times == ["2024-01-14T22:00:00.000Z", "2024-07-14T23:00:00.000Z"])
        #expect(read.moods[0]["timeZone"]?.string == "Australia/Sydney")
    }

    /// A mailed cancellation is no mood.
    @Test func mailedCancellation() throws {
        let read = try Self.read(
            "BEGIN:VCALENDAR\nMETHOD:CANCEL\nBEGIN:VEVENT\nUID:1\nDTSTART:20240829T191000Z\nSUMMARY:x\nEND:VEVENT\nEND:VCALENDAR\n"
        )
        #expect(read.moods.isEmpty && read.kept.count == 1 && read.lost.isEmpty)
    }

    /// A place that is only a name is left out and reported; so is each unreadable part.
    @Test func calendarsWithPlacesWithoutCoordinates() throws {
        func event(_ lines: String) -> String {
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240829T211000Z\r\nSUMMARY:Calm\r\n\(lines)END:VEVENT\r\nEND:VCALENDAR\r\n"
        }
        for lines in ["LOCATION:The sea\r\n", "GEO:north\r\nLOCATION:The sea\r\n", "X-MOODBOARD-VALENCE:good\r\n"] {
            let read = try Self.read(event(lines))
            #expect(read.moods.count == 1 && read.kept.count == 1, "\(lines)")
        }
        #expect(try Self.read(event("GEO:60.1;24.9\r\nLOCATION:The sea\r\n")).kept.isEmpty)
    }
}
