import JSONCodec
import MoodFormats

/// Properties for any bytes as a file of moods, in each format.
///
/// 1. Reading ends, and gives an equal result again.
/// 2. A mood is one JSON object with an id. A problem has a place that exists.
public struct FormatsTarget {
    private static let texts: [String] = [
        "id,emoji,label,timestamp,tags\r\n,😊,Happy,2026-11-20T10:00:00Z,\"a,b\"\r\n",
        "when;mood\n2026-11-20 21:30;\"a \"\"b\"\"\"\n",
        "full_date,date,weekday,time,mood,activities,note_title,note\n2026-11-20,November 20,Friday,9:30 pm,good,a | b,,c<br>d\n",
        "year,date,weekday,time,mood,activities,note\n2020,January 5,Sunday,21:30,meh,,\"x\"\n",
        #"{"id":"01890000-0000-7000-8000-000000000001","emoji":"😊","label":"Happy","timestamp":"2026-11-20T10:00:00Z"}"#
            + "\n",
        "sep=;\nStimmung;Datum;Uhrzeit;Level\nGut;03/04/2024;21.10;7\nGut;29/08/2024;9 pm;x\n",
        "[2019-09-02 09:00] Kids.\nTook them @school.\n\n[2019-09-14 09:00:11 PM] Heating *\nInstalled.\n",
        ##"{"metadata":{},"entries":[{"uuid":"0A3B","creationDate":"2018-12-10T16:50:12Z","timeZone":"America/Denver","starred":true,"tags":["a"],"text":"# T\\.\n\n![](dayone-moment://6C)","location":{"latitude":1,"longitude":2}}]}"##,
        #"[{"date":"2025-1-31","type":"Mood","scores":[4,4],"notes":"n","tags":[{"type":"Emotions","entries":["a"]}]}]"#,
        "BEGIN:VCALENDAR\nX-WR-TIMEZONE:Europe/Rome\nBEGIN:VTIMEZONE\nTZID:Own\\, zone\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYMONTHDAY=8,9,10;BYDAY=SU;BYMONTH=3;UNTIL=20300101T000000Z\nEND:DAYLIGHT\nEND:VTIMEZONE\nBEGIN:VEVENT\nUID:1\nSEQUENCE:1\nRRULE:FREQ=DAILY\nDTSTART;TZID=\"Own, zone\":20200504T110000\nSUMMARY:a\nEND:VEVENT\nEND:VCALENDAR\n",
        #"{"settings":{"palette":[]}}"# + "\n" + #"{"emoji":"😊","label":"A","timestamp":"2026-11-20T10:00:00Z","x":1}"#
            + "\n",
        #"{"tags":{},"entries":[{"title":"Calm today","body":"b","date":"2026-11-20","time":"21:30","tags":["@a"],"starred":true}]}"#,
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Berlin:20261120T213000\r\nSUMMARY:😊 Ha\r\n ppy\\, so\r\nCATEGORIES:a,b\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    ]

    static var seeds: [[UInt8]] { texts.map { Array($0.utf8) } }
    static var tokens: [[UInt8]] {
        [
            "\"", ",", ";", "\t", "\r\n", "\n ", "\u{feff}", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR", "DTSTART:",
            ":", "\\",
            "entries", "{", "}", "[", "]", "2026-11-20", "9:30 p. m.", "午後", "T", "Z", "null", "full_date", "timestamp",
            "|", "sep=;", "[", "] ", "RRULE:FREQ=YEARLY;BYDAY=99999999999SU", "BYMONTHDAY=9223372036854775807",
            "TZOFFSETTO:+9999",
            "DTSTART:99991231T235959", "SEQUENCE:9", "RECURRENCE-ID:1", "+0200", "29.08.2024", "13/13/2024", "Aug",
            "1724965800",
            "creationDate", "scores", "\u{a0}", ":45", "/10",
        ].map { Array($0.utf8) } + [[0xFF], [0], [0xEF, 0xBB]]
    }

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        for format in ImportFormat.allCases.map({ $0 as ImportFormat? }) + [nil] {
            let first = try items(input, format)
            let second = try items(input, format)
            try require(first == second, "\(Self.name(format)) is not read the same again")
        }
    }

    private static func name(_ format: ImportFormat?) -> String {
        format?.rawValue ?? "a file of a format that is not told"
    }

    private func items(_ input: [UInt8], _ told: ImportFormat?) throws(Violation) -> [String] {
        let format = Self.name(told)
        var options = ImportOptions()
        options.timeZone = ("Europe/Berlin", true)
        options.map = [("mood", "label"), ("when", "timestamp"), ("meh", "-0.4")]
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(input, as: told, options)
        } catch {
            return ["\(error)"]
        }
        let lines = input.count { $0 == 10 || $0 == 13 } + 1
        var found: [String] = []
        while let item = moods.next() {
            try require(found.count <= input.count, "\(format) does not end")
            switch item {
            case .problem(let problem):
                try require((1...lines).contains(problem.line), "\(format): line \(problem.line) of \(lines)")
                try require(!problem.reason.isEmpty, "\(format): a problem without a reason")
                found.append("\(problem)")
            case .settings(let line, let text): found.append("\(line) \(String(decoding: text, as: UTF8.self))")
            case .mood(let mood):
                try require((1...lines).contains(mood.line), "\(format): line \(mood.line) of \(lines)")
                let value = try? JSONValue.parse(mood.json)
                try require(value?["id"] != nil, "\(format): \(String(decoding: mood.json, as: UTF8.self))")
                found.append(String(decoding: mood.json, as: UTF8.self))
            }
        }
        return found
    }
}
