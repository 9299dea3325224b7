import JSONCodec
import Testing

@Suite struct CursorTests {
    private func with<Result>(_ text: String, _ body: (inout JSONCursor) throws -> Result) rethrows -> Result {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var cursor = JSONCursor(bytes)
            return try body(&cursor)
        }
    }

    @Test func passesOverWhatComesAndStaysBeforeWhatDoesNot() {
        var validator = JSONValidator(depthLimit: 64)
        validator.begin()
        with(#" { "a" : [1, {"b":2}] ,"c":-1.5e3,"\u0064":"\n"}  "#) { cursor in
            #expect(cursor.take(UInt8(ascii: "[")) == false)
            #expect(cursor.take(UInt8(ascii: "{")) == true)
            #expect(cursor.string()?.string == "a")
            #expect(cursor.string() == nil)
            #expect(cursor.take(UInt8(ascii: ":")) == true)
            let list = cursor.value(&validator, depth: 1)
            #expect(list.map { JSONValue($0).text } == #"[1,{"b":2}]"#)
            #expect(cursor.take(UInt8(ascii: ",")) == true)
            #expect(cursor.take(exactly: "\"c\":") == true)
            #expect(cursor.take(exactly: "-1.5e3,\"\\u0064\":\"\\n\"}  and more than there is") == false)
            let number = cursor.value(&validator, depth: 1)
            #expect(number.map { String(decoding: $0.bytes, as: UTF8.self) } == "-1.5e3")
            #expect(cursor.take(UInt8(ascii: ",")) && !cursor.isAtEnd)
            let name = cursor.string()
            #expect(name?.isEscaped == true && name?.string == "d")
            #expect(cursor.take(UInt8(ascii: ":")) == true)
            let text = cursor.value(&validator, depth: 1)
            #expect(text.map { JSONValue($0).string } == "\n")
            #expect(cursor.take(UInt8(ascii: "}")) && cursor.isAtEnd && cursor.next == 0)
        }
        #expect(validator.duplicate == nil)
    }

    @Test(arguments: [
        "", " ", "}", ",", "tru", "nul", "01", "-", "1.", "\"a", "\"\u{1}\"", #""\x""#, #""\ud800""#, "[1,]", "{\"a\"}",
        "{\"a\":1", "[[[[[]]]]]", "{1:2}",
    ])
    func staysBeforeWhatIsNoValue(text: String) {
        var validator = JSONValidator(depthLimit: 5)
        validator.begin()
        with(text) { cursor in
            // Opened containers are closed again, after any number of attempts.
            for _ in 0..<100 {
                let value = cursor.value(&validator, depth: 1)
                #expect(value == nil)
            }
            #expect(cursor.at == 0 || cursor.next == 0)
        }
    }

    @Test func notesTheFirstNameThatStandsTwice() {
        var validator = JSONValidator(depthLimit: 64)
        validator.begin()
        validator.openObject()
        with(#"{"q":0,"a":{"b":1,"b":2},"q":1}"#) { cursor in
            #expect(cursor.take(UInt8(ascii: "{")) == true)
            for duplicate in [nil, 18, 18] {
                if let name = cursor.string() { validator.enter(name, cursor) }
                let hasColon = cursor.take(UInt8(ascii: ":"))
                let value = cursor.value(&validator, depth: 1)
                #expect(hasColon && value != nil && validator.duplicate == duplicate)
                _ = cursor.take(UInt8(ascii: ","))
            }
            validator.closeObject(cursor)
            #expect(validator.duplicate == 18)
        }
        validator.note(duplicate: 20)
        #expect(validator.duplicate == 18)
        validator.note(duplicate: 3)
        #expect(validator.duplicate == 3)
        validator.begin()
        #expect(validator.duplicate == nil)
    }
}
