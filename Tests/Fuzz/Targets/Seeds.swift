/// The inputs at the beginning of a search, and pieces for insertion.
enum Seeds {
    static let json: [String] = [
        #"{"jsonrpc":"2.0","id":1,"method":"mood.list","params":{"limit":50,"filter":{"isFavorite":true}}}"#,
        #"{"id":"6ba7b810","emoji":"😊","label":"Happy","tags":["a","b"],"valence":-0.25,"notes":""}"#,
        #"[1,-0,0.5,1e3,1E+3,-1.25e-7,1e300,9007199254740993,12345678901234567890,50.0]"#,
        #"["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac\ud83d\ude0a","\u0000\u001f"]"#,
        #"{"a":1,"\u0061":2}"#,
        #"{"a":{"b":[{"a":1},{"a":2}]},"b":{"a":null}}"#,
        #" [ true , false , null , { } , [ ] , "" ] "#,
        "{\(members(0..<16)),\"m3\":1}",
        "{\(members(0..<17)),\"m16\":{\(members(0..<18)),\"\\u006d7\":0}}",
        "\"\u{e9}e\u{301}\u{20ac}\u{1f60a}\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"",
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        String(repeating: #"{"a":"#, count: 63) + "{}" + String(repeating: "}", count: 63),
        "\"0123456789abcdef0123456789abcdef\"",
        "-1",
    ]

    private static func members(_ numbers: Range<Int>) -> String {
        numbers.map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    }

    static let jsonTokens: [String] = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "\\ud83d", "\\ude0a", "\\u0061", "\\\"", "\\\\",
        "true", "false", "null", "0", "-", ".", "e", "E+", "1e400", "00", "\"a\":", "\"a\"", "{\"a\":1}",
        "[[[[", "]]]]", " ", "\n", "\r", "\t", "\u{0}", "\u{1f}", "\u{7f}", "\u{301}", "\u{feff}",
        "\u{1f60a}", "01234567", "99999999999999999999",
    ]

    /// Bytes that are no text: broken UTF-8.
    static let jsonBytes: [[UInt8]] = [
        [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xed, 0x9f, 0xbf],
        [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xf5], [0xff],
        [0xe2, 0x82],
    ]

    private static let streams: [String] = [
        "{\"id\":1}\n[]\r\n\n \t\r\nlast",
        "Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]{\"a\":1}\n",
        "content-type: x\r\nCONTENT-LENGTH:2\r\nContent-Length: 2 \r\n\r\n[]{}\n",
        "Content-Length: 9999\r\n\r\n{}\n{}",
        "Content-Length: 99999999999999999999\r\n\r\n{}\n",
        "Content-Length: -1\r\n\r\n{}\nContent-Length:\r\n\r\n{}\n",
        "Content-Length: 1\nContent-Length: 2\r\n\r\n[]",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n[]\n",
        "Content-\r\n\r\nContent\n-Content-Length: 2\r\n\r\n",
        "Content-X: \u{ff}\u{7f}\r\n\r\n{}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\",\"params\":[1]}\n",
        "{\"jsonrpc\":\"2.0\",\"\\u0069d\":1e2,\"method\":null,\"params\":7,\"result\":{},\"error\":{}}\n",
        "{ \"method\" : \"a\" , \"params\" : {\"b\":[{}]} , \"id\":-1.5e3,\"jsonrpc\":\"2.0\"}\n",
        "     \n    {}\n   Content-Length: 2\r\n\r\n[]\n",
    ]

    /// The first two bytes are for `FrameTarget`: the limit and the cuts.
    static var frame: [[UInt8]] {
        var seeds: [[UInt8]] = []
        for stream in streams {
            for head: [UInt8] in [[64, 3], [4, 7], [200, 40]] { seeds.append(head + Array(stream.utf8)) }
        }
        seeds.append([8, 0xf1] + repeated("a", 3) + Array("\n{}\n".utf8))
        seeds.append([8, 0xf1] + repeated(" ", 3) + Array("{}\n{}\n".utf8))
        seeds.append([8, 0xf1] + repeated("Content-X: a", 140) + Array("\r\n\r\n{}\n".utf8))
        seeds.append([130, 0xf1] + repeated("Content-Length: 200\r\n\r\na", 4) + Array("\n{}\n".utf8))
        return seeds
    }

    /// The text, then the mark that makes 64 times as many of its last byte.
    private static func repeated(_ text: String, _ times: UInt8) -> [UInt8] { Array(text.utf8) + [0xff, times] }

    static let frameTokens: [String] = [
        "Content-", "Content-Length: ", "content-length:", "Content-Type: x", "\r\n\r\n", "\r\n", "\n", "\r",
        " ", "\t", "0", "2", "65", "-", "9223372036854775808", "{}", "[]", "{\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", "\"id\":", "\\u0069d", "\"params\":", "\"method\":",
        "\"jsonrpc\":\"2.0\"", "\"meta\":{\"id\":1,\"id\":2}", ",", "{", "}", " : ",
    ]

    static let frameBytes: [[UInt8]] = [
        [0xff, 1], [0xff, 2], [0xff, 130], [0xff, 255], [0x0b], [0x0c], [0xc2, 0x85],
    ]
}
