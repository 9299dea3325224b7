import JSONCodec
import Testing

@testable import MoodFormats

/// Calendars of programs with their own zone names.
@Suite struct CalendarFilesTests {
    private static func zone(_ name: String, _ to: (String, String) = ("+0100", "+0200")) -> String {
        """
        BEGIN:VTIMEZONE
        TZID:\(name)
        BEGIN:STANDARD
        DTSTART:16010101T030000
        TZOFFSETFROM:\(to.1)
        TZOFFSETTO:\(to.0)
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:16010101T020000
        TZOFFSETFROM:\(to.0)
        TZOFFSETTO:\(to.1)
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
        END:DAYLIGHT
        END:VTIMEZONE

        """
    }

    private static func event(_ start: String, _ more: String = "", kind: String = "VEVENT") -> String {
        "BEGIN:\(kind)\n\(start)\nSUMMARY:Fine\n\(more)END:\(kind)\n"
    }

    private static func read(_ body: String, zone: String? = nil) throws -> BroughtFilesTests.Read {
        let text = "BEGIN:VCALENDAR\nVERSION:2.0\n\(body)END:VCALENDAR\n"
        return try BroughtFilesTests.read(text.replacing("\n", with: "\r\n"), zone: zone)
    }

    @Test func theZoneThatAFileDefinesWins() throws {
        let outlook = try Self.read(
            Self.zone("W. Europe Standard Time") + Self.event("DTSTART;TZID=W. Europe Standard Time:20221029T080000")
                + Self.event("DTSTART;TZID=\"W. Europe Standard Time\":20221031T080000"))
        #expect(outlook.times == ["2022-10-29T06:00:00.000Z", "2022-10-31T07:00:00.000Z"])
        #expect(outlook.moods[0]["timeZone"]?.string == "Europe/Berlin")
        let own = try Self.read(
            Self.event("DTSTART;TZID=\"(UTC+01:00) Amsterdam, Berlin, Rome\"\n :20200504T110000")
                + Self.event("DTSTART;TZID=Customized Time Zone:20260308T090000")
                + Self.zone("(UTC+01:00) Amsterdam\\, Berlin\\, Rome") + Self.zone("Customized Time Zone"))
        #expect(own.times == ["2020-05-04T09:00:00.000Z", "2026-03-08T08:00:00.000Z"])
        let london = try Self.read(
            Self.zone("GMT", ("+0000", "+0100")) + Self.event("DTSTART;TZID=GMT:20260723T102000"))
        #expect(london.times == ["2026-07-23T09:20:00.000Z"] && london.moods[0]["timeZone"] == nil)
        let short = try Self.read(
            "BEGIN:VTIMEZONE\nTZID:(UTC+10:00) Brisbane\nBEGIN:STANDARD\nTZOFFSETTO:+1000\nDTSTART:16010101T000000\nEND:STANDARD\nEND:VTIMEZONE\n"
                + Self.event("DTSTART;TZID=\"(UTC+10:00) Brisbane\":20260723T102000"))
        #expect(short.times == ["2026-07-23T00:20:00.000Z"])
    }

    /// Each instant by the time zone database's zone of that name.
    @Test func rulesOfOtherKindsAreKept() throws {
        let newYork = """
            BEGIN:VTIMEZONE
            TZID:US
            BEGIN:DAYLIGHT
            TZOFFSETFROM:-0500
            TZOFFSETTO:-0400
            DTSTART:19870405T020000
            RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z
            END:DAYLIGHT
            BEGIN:DAYLIGHT
            TZOFFSETFROM:-0500
            TZOFFSETTO:-0400
            DTSTART:20070311T020000
            RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8,9,10,11,12,13,14;BYDAY=SU
            END:DAYLIGHT
            BEGIN:STANDARD
            TZOFFSETFROM:-0400
            TZOFFSETTO:-0500
            DTSTART:19671029T020000
            RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z
            END:STANDARD
            BEGIN:STANDARD
            TZOFFSETFROM:-0400
            TZOFFSETTO:-0500
            DTSTART:20071104T020000
            RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
            END:STANDARD
            END:VTIMEZONE

            """
        let locals = [
            "20050402T120000", "20050404T120000", "20061101T120000", "20070315T120000", "20071030T120000",
            "20240310T023000", "20241103T013000",
        ]
        let read = try Self.read(newYork + locals.map { Self.event("DTSTART;TZID=US:\($0)") }.joined())
        #expect(
            read.times == [
                "2005-04-02T17:00:00.000Z", "2005-04-04T16:00:00.000Z", "2006-11-01T17:00:00.000Z",
                "2007-03-15T16:00:00.000Z", "2007-10-30T16:00:00.000Z", "2024-03-10T07:30:00.000Z",
                "2024-11-03T05:30:00.000Z",
            ])
    }

    @Test func namesOfWindowsAndLongNamesAreKnown() throws {
        let read = try Self.read(
            Self.event("DTSTART;TZID=W. Europe Standard Time:20221029T080000")
                + Self.event("DTSTART;TZID=Romance Standard Time;VALUE=DATE-TIME:20221031T080000")
                + Self.event("DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20221031T080000")
                + Self.event("DTSTART;TZID=/freeassociation.sourceforge.net/America/Argentina/Ushuaia:20221031T080000")
                + Self.event("DTSTART;TZID=GMT+0530:20221031T080000")
                + Self.event("DTSTART;TZID=\"tzone://Microsoft/Utc\":20221031T080000")
        )
        #expect(
            read.times == [
                "2022-10-29T06:00:00.000Z", "2022-10-31T07:00:00.000Z", "2022-10-31T07:00:00.000Z",
                "2022-10-31T11:00:00.000Z", "2022-10-31T02:30:00.000Z", "2022-10-31T08:00:00.000Z",
            ], "\(read.lost)")
        #expect(read.moods[1]["timeZone"]?.string == "Europe/Paris")
        #expect(try Self.read(Self.event("DTSTART;TZID=Nowhere:20221031T080000")).lost.count == 1)
        let taken = try Self.read(Self.event("DTSTART;TZID=Nowhere:20221031T080000"), zone: "Asia/Tokyo")
        #expect(taken.times == ["2022-10-30T23:00:00.000Z"] && taken.kept.count == 1)
    }

    @Test func everyNameOfWindowsStandsForAKnownZone() throws {
        for name in [
            "Dateline Standard Time", "Newfoundland Standard Time", "Nepal Standard Time", "Line Islands Standard Time",
        ] {
            let read = try Self.read(Self.event("DTSTART;TZID=\(name):20240115T120000"))
            #expect(read.moods.count == 1, "\(name)")
        }
    }

    @Test func floatingTimesTakeTheZoneOfTheCalendar() throws {
        let body =
            "X-WR-TIMEZONE:America/New_York\n" + Self.event("DTSTART:20240829T211000")
            + Self.event("DTSTART;VALUE=DATE:20240829")
        #expect(
            try Self.read(body, zone: "Europe/Berlin").times == [
                "2024-08-30T01:10:00.000Z", "2024-08-29T16:00:00.000Z",
            ])
        #expect(try Self.read(Self.event("DTSTART:20240829T211000")).lost.count == 1)
    }

    @Test func ofOneUIDTheHighestSequenceIsTaken() throws {
        let read = try Self.read(
            Self.event("DTSTART:20260701T100000Z", "UID:k1\nRRULE:FREQ=DAILY;COUNT=3\n")
                + Self.event("DTSTART:20260702T120000Z", "UID:k1\nRECURRENCE-ID:20260702T100000Z\n")
                + Self.event("DTSTART:20260701T100000Z", "UID:k2\nSEQUENCE:0\n")
                + Self.event("DTSTART:20260701T110000Z", "UID:k2\nSEQUENCE:1\n")
                + Self.event("DTSTART:20260701T110000Z", "UID:k3\nSTATUS:CANCELLED\n"))
        #expect(read.times == ["2026-07-01T10:00:00.000Z", "2026-07-01T11:00:00.000Z"])
        #expect(read.kept.count == 4 && read.lost.isEmpty, "\(read.kept)")
    }

    @Test func aJournalKeepsEachDescriptionAndItsDay() throws {
        let read = try Self.read(
            Self.event(
                "DTSTAMP:20260101T000000Z",
                "DTSTART;VALUE=DATE:20260723\nDESCRIPTION:first\nDESCRIPTION;ALTREP=\"CID:x\":second: b\n",
                kind: "VJOURNAL")
                + Self.event("DTSTAMP:20260101T000000Z", "CREATED:20260701T101010Z\n", kind: "VJOURNAL"),
            zone: "Europe/Rome")
        #expect(read.times == ["2026-07-23T10:00:00.000Z", "2026-07-01T10:10:10.000Z"])
        #expect(read.moods[0]["notes"]?.string == "first\n\nsecond: b")
    }

    @Test func anEventIsNotLostForALineInIt() throws {
        let read = try Self.read(Self.event("DTSTART:20260701T100000Z", "no property\nCREATED:never\n"))
        #expect(read.labels == ["Fine"] && read.kept.count == 2)
        let cut = try BroughtFilesTests.read("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260701T100000Z\nSUMMARY:Cut\n")
        #expect(cut.labels == ["Cut"] && cut.kept == ["2 VEVENT is never ended."])
    }
}
