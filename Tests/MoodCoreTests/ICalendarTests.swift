import JSONCodec
import Seeds
import Testing

@testable import MoodCore

/// Calendars by RFC 5545.
@Suite struct ICalendarTests {
    private static let head = """
        {"id":"0194f2a1-0000-7000-8000-000000000001","emoji":"😊","label":"Happy; day, \\\\o/",\
        "timestamp":"2026-01-02T03:04:05.678Z","isFavorite":false,
        """
    private static let tail = """
        "createdAt":"2026-01-02T03:04:06.000Z","updatedAt":"2026-02-03T04:05:06.789Z","revision":3}
        """

    private static func record(notes: String = "", tags: String = "[]", attachments: String = "[]") -> String {
        "\(head)\"notes\":\"\(notes)\",\"tags\":\(tags),\"attachments\":\(attachments),\(tail)"
    }

    /// The lines of a text, after the checks for every text: CRLF, at most 75 octets, whole characters.
    private func lines(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var lines: [String] = []
        var line: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A {
                #expect(line.count <= CalendarWriter.octetsMax)
                #expect(String(validating: line, as: UTF8.self) != nil, "a character is split")
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
                index += 2
            } else {
                #expect(bytes[index] != 0x0D && bytes[index] != 0x0A, "a bare line break")
                line.append(bytes[index])
                index += 1
            }
        }
        #expect(line.isEmpty, "the last line is not ended")
        // Unfold bytes (RFC 5545, section 3.1): a space and a joiner after it would be one character.
        return lines.reduce(into: []) { result, line in
            if line.utf8.first == UInt8(ascii: " "), let last = result.popLast() {
                result.append(String(decoding: Array(last.utf8) + line.utf8.dropFirst(), as: UTF8.self))
            } else {
                result.append(line)
            }
        }
    }

    private func calendar(_ record: String, as component: ICalendar.Component) throws -> [String] {
        try withMood(record) { lines(ICalendar.text(of: try #require($0), as: component)) }
    }

    /// An event's identity does not depend on earlier attachments, nor on its time while it has only one.
    @Test func anEventKeepsItsIdentity() throws {
        func uids(_ events: [(title: String, starts: [String])], at place: Int) throws -> [String] {
            let attachments = events.map { event in
                let times = event.starts.map { "{\"start\":\"\($0)\",\"end\":\"\($0)\"}" }.joined(separator: ",")
                return "{\"kind\":\"event\",\"title\":\"\(event.title)\",\"occurrences\":[\(times)]}"
            }
            let record = Self.record(attachments: "[" + attachments.joined(separator: ",") + "]")
            return try withMood(record) { mood in
                let mood = try #require(mood)
                guard case .event(let event) = Attachment.all(of: mood)[place].attachment.content else { return [] }
                return lines(ICalendar.text(of: event, at: place, in: mood)).filter { $0.hasPrefix("UID:") }
            }
        }
        let (first, later) = ("2026-03-01T15:00:00.000Z", "2026-03-02T15:00:00.000Z")
        let tea = try uids([("Walk", [first]), ("Tea", [first])], at: 1)
        #expect(try uids([("Tea", [later])], at: 0) == tea)
        #expect(try uids([("Walk", [first])], at: 0) != tea)
        #expect(try uids([("Tea", [first]), ("Tea", [first])], at: 1) == tea.map { $0 + "-1" })
        #expect(try Set(uids([("Tea", [first, first, later])], at: 0)).count == 3)
    }

    /// Requests refuse it, but a file may have it.
    @Test(arguments: ["1e300", "-1e300", "180.5"]) func aPlaceThatIsNotOnTheEarthIsLeftOut(degrees: String) throws {
        for place in ["\"latitude\":\(degrees),\"longitude\":0", "\"latitude\":0,\"longitude\":\(degrees)"] {
            let record = Self.record(attachments: #"[{"kind":"place",\#(place)}]"#)
            let lines = try calendar(record, as: .vevent)
            #expect(!lines.contains { $0.hasPrefix("GEO") })
        }
    }

    @Test func aMoodIsAnEventOrAnEntryOfADiary() throws {
        let place = #"{"kind":"place","latitude":60.1699,"longitude":-0.0000001,"label":"Home, 1"}"#
        let record = Self.record(
            notes: "a\\r\\nb\\nc\\u0001", tags: #"["x,y","z"]"#,
            attachments: #"[{"kind":"link","url":"https://a.b"},\#(place)]"#)
        #expect(
            try calendar(record, as: .vevent) == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//MoodBoard//MoodBoard//EN", "CALSCALE:GREGORIAN",
                "BEGIN:VEVENT", "UID:0194f2a1-0000-7000-8000-000000000001", "DTSTAMP:20260203T040506Z",
                "DTSTART:20260102T030405Z", "CREATED:20260102T030406Z", "LAST-MODIFIED:20260203T040506Z",
                "SUMMARY:😊 Happy\\; day\\, \\\\o/", "DESCRIPTION:a\\nb\\nc", "CATEGORIES:x\\,y,z",
                "LOCATION:Home\\, 1", "GEO:60.1699;0", "TRANSP:TRANSPARENT",
                "URL:moodboard://mood/0194f2a1-0000-7000-8000-000000000001", "CLASS:PRIVATE", "END:VEVENT",
                "END:VCALENDAR",
            ])
        let journal = try calendar(record, as: .vjournal)
        #expect(journal.contains("BEGIN:VJOURNAL") && journal.contains("END:VJOURNAL"))
        for name in ["TRANSP", "LOCATION", "GEO", "DTEND", "BEGIN:VALARM"] {
            #expect(!journal.contains { $0.hasPrefix(name) }, "\(name) has no place in a VJOURNAL")
        }
    }

    @Test func anEventIsOnePartForEachOfItsTimes() throws {
        func occurrence(_ start: String, _ end: String) throws -> MoodCore.Attachment.Occurrence {
            .init(start: try #require(Timestamp(start)), end: try #require(Timestamp(end)))
        }
        let event = MoodCore.Attachment.Event(
            title: "Tea",
            occurrences: [
                try occurrence("2026-03-01T15:00:00Z", "2026-03-01T16:00:00Z"),
                try occurrence("2026-03-02T15:00:00.100Z", "2026-03-02T15:00:00.900Z"),
            ], location: "Garden; left", description: "Bring cake", hostName: "Ann", url: "https://example.org/a,b;c")
        let found = try withMood(Self.record()) { lines(ICalendar.text(of: event, at: 2, in: try #require($0))) }
        #expect(found.filter { $0 == "BEGIN:VEVENT" }.count == 2)
        let uids = found.filter { $0.hasPrefix("UID:") }
        #expect(
            uids == [
                "UID:0194f2a1-0000-7000-8000-000000000001-6cede919e20c6ea9-20260301T150000Z",
                "UID:0194f2a1-0000-7000-8000-000000000001-6cede919e20c6ea9-20260302T150000Z",
            ])
        #expect(found.filter { $0.hasPrefix("DTSTART:") } == ["DTSTART:20260301T150000Z", "DTSTART:20260302T150000Z"])
        // The second one has no whole second, and an end must be after the start.
        #expect(found.filter { $0.hasPrefix("DTEND:") } == ["DTEND:20260301T160000Z"])
        for line in [
            "SUMMARY:Tea", "LOCATION:Garden\\; left", "DESCRIPTION:Bring cake\\nHost: Ann",
            "URL:https://example.org/a,b;c", "CLASS:PRIVATE", "TRANSP:TRANSPARENT", "TRIGGER:-PT1H30M",
            "ACTION:DISPLAY",
            "DTSTAMP:20260203T040506Z",
        ] {
            #expect(found.filter { $0 == line }.count == 2, "\(line)")
        }
    }

    /// Reading the lines gives back any notes, apart from line breaks and control characters.
    @Test(arguments: SeededRandom.seeds)
    func longTextsAreFoldedAndReadBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "ö", "€", "😊", "👨‍👩‍👧", ",", ";", "\\", "\n", "\r\n", "\t", " ", "\u{1}", "\u{2028}", "word ",
        ]
        for _ in 0..<50 {
            let count = Int.random(in: 0...200, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            var lines = CalendarWriter()
            lines.text("DESCRIPTION", text)
            let unfolded = try #require(self.lines(lines.string).first)
            var read = ""
            var isEscaped = false
            for character in unfolded.unicodeScalars.dropFirst("DESCRIPTION:".count) {
                if isEscaped {
                    read.unicodeScalars.append(character == "n" ? "\n" : character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else {
                    read.unicodeScalars.append(character)
                }
            }
            var wanted = ""
            for character in text where character != "\u{1}" { wanted.append(character.isNewline ? "\n" : character) }
            #expect(Array(read.unicodeScalars) == Array(wanted.unicodeScalars), "seed \(seed)")
        }
    }

    @Test(arguments: [
        (60.1699, "60.1699"), (-0.5, "-0.5"), (0, "0"), (-0.0000001, "0"), (180, "180"), (1e-5, "0.00001"),
        (12.3456789, "12.345679"), (-179.9999999, "-180"),
    ])
    func degreesAreWrittenWithoutAnExponent(degrees: Double, text: String) {
        #expect(Coordinates(latitude: degrees, longitude: 0).latitudeText == text)
    }
}
