import JSONCodec
import Testing

@Suite struct NullCharacterTests {
    private func offset(_ json: String) -> Int? {
        Array(json.utf8).withUnsafeBytes { NullCharacter.offset(in: $0) }
    }

    @Test(arguments: [
        (#""\u0000""#, 1), (#"{"a":"x\u0000"}"#, 7), (#""\\\u0000""#, 3), (#"["\n","\u0041\u0000"]"#, 13),
        (#"{"\u0000":1}"#, 2),
    ])
    func findsTheFirstEscape(_ json: String, _ place: Int) {
        #expect(offset(json) == place)
    }

    @Test(arguments: [#""""#, #""u0000""#, #""\\u0000""#, #""\\\\u0000""#, #""\u0001\u0010""#, #""\u000""#, #""\"#])
    func findsNoneWhereTheBackslashIsEscapedOrItIsAnother(_ json: String) {
        #expect(offset(json) == nil)
    }

    @Test func removesEveryOneAndNothingElse() {
        let json = Array(#"{"a\u0000":"\u0000\\u0000\n\u0000","b":0}"#.utf8)
        let rest = json.withUnsafeBytes { NullCharacter.removed(from: $0) }
        #expect(String(decoding: rest, as: UTF8.self) == #"{"a":"\\u0000\n","b":0}"#)
    }
}
