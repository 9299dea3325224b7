/// Makes a document of schema version 1 or 2 from any bytes, each of which makes a choice. Mutated text is hardly ever
/// JSON, a made document nearly always, and half of them can be migrated.
struct DocumentMaker {
    private var choices: ArraySlice<UInt8>
    private var text = ""
    private var names = 0

    static func document(_ choices: ArraySlice<UInt8>) -> [UInt8] {
        var maker = DocumentMaker(choices: choices)
        maker.document()
        return Array(maker.text.utf8)
    }

    private init(choices: ArraySlice<UInt8>) { self.choices = choices }

    private mutating func next() -> Int { Int(choices.popFirst() ?? 0) }

    /// Appends a usual text, or rarely one that breaks a rule.
    private mutating func choose(_ usual: [String], odd: [String]) {
        let choice = next()
        text += choice >= 250 && !odd.isEmpty ? odd[choice % odd.count] : usual[choice % usual.count]
    }

    private mutating func space() { choose(["", "", "", " ", "\n  ", "\t", "\r\n"], odd: []) }

    private mutating func comma(_ isFirst: Bool) {
        space()
        if !isFirst { text += "," }
        space()
    }

    private mutating func document() {
        text += "{"
        let order = next()
        for part in 0..<3 {
            comma(part == 0)
            switch (part + order) % 3 {
            case 0: choose([#""schemaVersion":1"#, #""schemaVersion":2"#], odd: [#""schemaVersion":"1""#, #""x":1"#])
            case 1: moods()
            default: unknown()
            }
        }
        if next() >= 250 {
            choose([#","count":1"#, #","format":"moodboard""#, #","crc":"""#, #","revision":1"#], odd: [])
        }
        space()
        text += "}"
        space()
    }

    private mutating func moods() {
        text += "\"moods\""
        space()
        text += ":["
        for number in 0..<next() % 5 {
            comma(number == 0)
            mood()
        }
        space()
        text += "]"
    }

    private mutating func mood() {
        text += "{"
        let order = next()
        for part in 0..<5 {
            comma(part == 0)
            switch (part + order) % 5 {
            case 0:
                choose(
                    [#""emoji":"😊""#, #""emoji" : "❤️""#, #""emoji":"\ud83d\ude0c""#, #""\u0065moji":"👨‍👩‍👧‍👦""#],
                    odd: [#""emoji":"ab""#, #""emoji":null"#, #""emoji":"😊😊""#, #""emoji":"❤""#])
            case 1:
                choose(
                    [
                        #""label":"Happy""#, #""label":" a\/\u0062\"\\ ""#, #""label": "é\u00e9""#,
                        #""label":"\u2003c""#,
                    ],
                    odd: [#""label":"""#, #""label":" \t""#, #""label":7"#, #""label":"a\n""#])
            case 2: timestamp()
            case 3: member()
            default: unknown()
            }
        }
        space()
        text += "}"
    }

    private mutating func timestamp() {
        text += "\"timestamp\":"
        choose(
            [
                "\"2026-01-02T03:04:05Z\"", "\"2026-01-02T03:04:05.678912+02:00\"", "\"2026-01-02 03:04:05 +0000\"",
                "\"0001-01-01T00:00:00z\"", "\"2016-12-31T23:59:60-0000\"", "\"2026-01-02T\\u0030\\u0033:04:05Z\"",
            ],
            odd: [
                "\"2026-01-02\"", "1", "null", "\"0000-01-01T00:00:00Z\"", "\"2026-02-30T00:00:00Z\"",
                "\"9999-12-31T23:59:60Z\"",
            ])
    }

    /// Appends a member of a later version.
    private mutating func member() {
        choose(
            [
                #""isFavorite":true"#, #""isFavorite":false"#, #""notes":"a\nb\u0000""#, #""tags":["a"," b "]"#,
                #""tags":[]"#, #""valence":-0.5"#, #""valence":1e-300"#, #""scales":{" a":1,"b\n":2}"#,
                #""scales" : {"a" : 70e-1 }"#, #""timeZone":"Europe/Helsinki""#,
                #""createdAt":"2026-01-02T03:04:05Z""#, #""updatedAt":"2020-01-02T03:04:05Z""#, #""revision":1"#,
                #""attachments":[{"kind":"link","url":"https://example.org/","x":[ 1 ]},{"kind":"x" , "y":{ }}]"#,
            ],
            odd: [
                #""id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8""#, #""id":1"#, #""tags":["a","a"]"#, #""valence":2"#,
                #""isFavorite":0"#, #""revision":2"#, #""timeZone":"x""#, #""attachments":[1]"#,
            ])
    }

    /// Appends a member of no version, under a unique name.
    private mutating func unknown() {
        names += 1
        text += "\"x\(names)"
        choose(["", "\\u0041", "é", "\\n"], odd: [])
        text += "\""
        space()
        text += ":"
        space()
        value(depth: 0)
    }

    private mutating func value(depth: Int) {
        let choice = next()
        switch choice % 8 {
        case 0 where depth < 6:
            text += "["
            for number in 0..<choice / 64 {
                comma(number == 0)
                value(depth: depth + 1)
            }
            space()
            text += "]"
        case 1 where depth < 6:
            text += "{"
            for number in 0..<choice / 64 {
                comma(number == 0)
                text += "\"k\(number)\":"
                value(depth: depth + 1)
            }
            space()
            text += "}"
        default:
            choose(
                [
                    "null", "true", "-0.50", "12345678901234567890", "1e3", "\"\"", #""a \"{[,:]}\" \\""#,
                    #""\u20ac\/é""#,
                    #"",\"moods\":[""#,
                ], odd: [#"{"a":1,"a":2}"#])
        }
    }
}
