/// Text in Windows-1252, the default of spreadsheets in Western Europe.
enum WindowsText {
    /// The characters at 0x80 to 0x9F; the others are those of ISO 8859-1.
    private static let upper: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]

    static func text(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.map { 0x80...0x9F ~= $0 ? upper[Int($0) - 0x80] : UInt16($0) }, as: UTF16.self)
    }
}

/// Yes and no in some languages, as in spreadsheets.
enum BooleanText {
    private static let words: [String: Bool] = [
        "true": true, "1": true, "yes": true, "x": true, "y": true, "*": true, "★": true, "✓": true, "wahr": true,
        "ja": true, "verdadero": true, "sí": true, "si": true, "vrai": true, "oui": true, "tosi": true, "kyllä": true,
        "false": false, "0": false, "no": false, "n": false, "falsch": false, "nein": false, "falso": false,
        "faux": false, "non": false, "epätosi": false, "ei": false,
    ]

    static func boolean(_ text: String) -> Bool? { words[Folded.text(text)] }
}
