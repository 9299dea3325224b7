import JSONCodec
import MoodFormats

/// What must hold for any bytes that are to be a file of moods, in each format.
///
/// 1. Reading comes to an end, and gives the same again.
/// 2. What is a mood is one JSON object with an id; what is a problem says where, and that place is there.
public struct FormatsTarget {
    private static let texts: [String] = [
        "id,emoji,label,timestamp,tags\r\n,😊,Happy,2026-11-20T10:00:00Z,\"a,b\"\r\n",
        "when;mood\n2026-11-20 21:30;\"a \"\"b\"\"\"\n",
        "full_date,date,weekday,time,mood,activities,note_title,note\n2026-11-20,November 20,Friday,9:30 pm,good,a | b,,c<br>d\n",
        "year,date,weekday,time,mood,activities,note\n2020,January 5,Sunday,21:30,meh,,\"x\"\n",
        #"{"id":"01890000-0000-7000-8000-000000000001","emoji":"😊","label":"Happy","timestamp":"2026-11-20T10:00:00Z"}"#
            + "\n",
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
            "|",
        ].map { Array($0.utf8) } + [[0xFF], [0], [0xEF, 0xBB]]
    }

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        for format in ImportFormat.allCases + [ImportFormat(detecting: input)] {
            let first = try items(input, format)
            let second = try items(input, format)
            try require(first == second, "\(format) is not read the same again")
        }
    }

    private func items(_ input: [UInt8], _ format: ImportFormat) throws(Violation) -> [String] {
        var options = ImportOptions()
        options.timeZone = ("Europe/Berlin", true)
        options.map = [("mood", "label"), ("when", "timestamp"), ("meh", "-0.4")]
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(input, as: format, options)
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
