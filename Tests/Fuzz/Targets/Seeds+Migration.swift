import Seeds

extension Seeds {
    private static let whole = #""emoji":"😊","label":"Happy","timestamp":"2026-01-02T03:04:05Z""#

    static let migration: [String] = [
        #"{"schemaVersion":1,"moods":[]}"#,
        #"{"schemaVersion":1,"moods":[{\#(whole)}]}"#,
        #"{"schemaVersion":1,"moods":[{\#(whole)},{\#(whole)},{"emoji":"😢","label":"Sad","timestamp":"2025-01-02T03:04:05.678+02:00"}]}"#,
        #"{"schemaVersion":2,"moods":[{\#(whole),"isFavorite":true},{\#(whole),"isFavorite":false,"x":[1,{"y":"z"}]}]}"#,
        "{\n  \"theme\" : \"dark\",\n  \"moods\" : [\n    {\n      \"label\" : \" Calm \",\n      \"emoji\" : \"\\ud83d\\ude0c\",\n"
            + "      \"timestamp\" : \"2026-03-04 05:06:07 +0000\",\n      \"w\" : { \"a\" : [ ], \"b\" : 1.50 }\n    }\n  ],\n"
            + "  \"schemaVersion\" : 1,\n  \"count\" : 1\n}\n",
        #"{"schemaVersion":2,"moods":[{\#(whole),"id":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8","notes":"a\nb","tags":["a"," b "],"#
            + #""valence":-0.25,"timeZone":"Europe/Helsinki","createdAt":"2026-01-02T03:04:05Z","updatedAt":"2026-01-02T03:04:05Z","#
            + #""revision":1,"attachments":[{"kind":"link","url":"https://example.org/"},{"kind":"x"}]}]}"#,
        #"{"a":{"b":[{"moods":[]}]},"format":"moodboard","schemaVersion":1,"moods":[{\#(whole),"\u0061":"\u0000\ud83d\ude0a"}]}"#,
    ]

    /// Choices for `DocumentMaker`, after the byte that announces them.
    static var migrationChoices: [[UInt8]] {
        var random = SeededRandom(seed: 9562)
        return (0..<16).map { number in [1] + (0..<number * 16).map { _ in UInt8(random.below(250)) } }
    }

    static let migrationTokens: [String] = [
        "\"schemaVersion\":", "\"moods\":[", "\"emoji\":\"😊\"", "\"label\":\"a\"", "\"timestamp\":",
        "\"isFavorite\":true",
        "\"2026-01-02T03:04:05Z\"", "{\(whole)}", "{\(whole)},", ",\(whole)", "\"x\":", "\"count\":1", "\"revision\":1",
        "\"id\":\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"", "\"notes\":\"\"", "\"tags\":[\"a\"]", "\"valence\":1",
        "\"attachments\":[{\"kind\":\"x\"}]", "\"storeId\":\"\"", ",\"moods\":[\n", "],\"crc\":\"00000000\"}\n", "😢",
        "❤️", " +0000",
    ]
}
