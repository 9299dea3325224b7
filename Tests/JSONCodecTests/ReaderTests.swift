import JSONCodec
import Testing

@Suite struct ReaderTests {
    @Test func pullsWhatIsAskedForAndSkipsTheRest() throws {
        let text =
            #" { "skip" : [ {"a":"]}"}, "\"" , -1.5e3 , null ] , "id" : "x" , "n":5,"on":true,"off":false,"no":null } "#
        let read: [String] = try reading(text) { reader in
            var read: [String] = []
            guard reader.enterObject() else { return read }
            while let key = reader.nextKey() {
                switch key.string {
                case "id": read.append(reader.text()?.string ?? "no text")
                case "n": read.append(reader.number()?.text ?? "no number")
                case "on", "off": read.append(reader.boolean().map { "\($0)" } ?? "no boolean")
                case "no": read.append(reader.null() ? "null" : "no null")
                default: read.append(String(decoding: reader.skip().bytes, as: UTF8.self))
                }
            }
            read.append("\(reader.at)")
            return read
        }
        let skipped = #"[ {"a":"]}"}, "\"" , -1.5e3 , null ]"#
        #expect(read == [skipped, "x", "5", "true", "false", "null", "\(text.utf8.count - 1)"])
    }

    @Test(arguments: ["{}", " { } ", "[]", "[ ]"])
    func entersWhatIsEmpty(_ text: String) throws {
        let end: Int = try reading(text) { reader in
            if reader.enterArray() {
                if reader.nextElement() { return -1 }
            } else if !reader.enterObject() || reader.nextKey() != nil {
                return -1
            }
            return reader.at
        }
        #expect(end == text.utf8.count - (text.hasSuffix(" ") ? 1 : 0))
    }

    @Test func readsNestedArraysToTheirEnds() throws {
        var numbers: [Int] = []
        let end: Int = try reading("[[1,[2]],[],[[[]]],3]") { reader in
            func walk(_ reader: inout JSONReader) {
                if reader.enterArray() {
                    while reader.nextElement() { walk(&reader) }
                } else if let number = reader.number()?.integer {
                    numbers.append(number)
                }
            }
            walk(&reader)
            return reader.at
        }
        #expect(numbers == [1, 2, 3] && end == 21)
    }

    @Test func passesANameThatStandsThereAndNoOther() throws {
        let text = #"{"id":1,"isFavorite":2, "tags":3,"attachments":4}"#
        let read: [Bool] = try reading(text) { reader in
            guard reader.enterObject() else { return [] }
            var read = [reader.pass("\"ida\":"), reader.pass("\"id\":")]
            reader.skip()
            read += [reader.pass("\"isFavorita\":"), reader.pass("\"isfavorite\":"), reader.pass("\"isFavorite\":")]
            reader.skip()
            // After white space the usual way works.
            read += [reader.pass("\"tags\":"), reader.nextKey()?.string == "tags"]
            reader.skip()
            read += [reader.pass("\"attachmentz\":"), reader.pass("\"attachments\":")]
            reader.skip()
            read += [reader.pass("\"id\":"), reader.nextKey() == nil]
            return read
        }
        #expect(read == [false, true, false, false, true, false, true, false, true, false, true])
    }

    /// The claim of every reading method: it leaves a value of another kind in place.
    @Test(arguments: ["null", "true", "false", "0", "-1.5", #""a""#, "[1]", "{}", #"{"a":[]}"#])
    func answersNilAndReadsNothingWhenAnotherKindComes(_ value: String) throws {
        for space in ["", "  "] {
            let text = "[\(space)\(value)\(space),7]"
            let (wrong, rest): ([JSONKind], [String]) = try reading(text) { reader in
                guard reader.enterArray(), reader.nextElement() else { return ([], []) }
                let kind = reader.kind
                let calls: [(JSONKind, (inout JSONReader) -> Bool)] = [
                    (.object, { $0.enterObject() }), (.array, { $0.enterArray() }), (.string, { $0.text() != nil }),
                    (.number, { $0.number() != nil }), (.boolean, { $0.boolean() != nil }), (.null, { $0.null() }),
                ]
                let wrong = calls.filter { $0.0 != kind && $0.1(&reader) }.map(\.0)
                var rest = [String(decoding: reader.skip().bytes, as: UTF8.self)]
                while reader.nextElement() { rest.append(reader.number()?.text ?? "no number") }
                return (wrong, rest)
            }
            #expect(wrong.isEmpty && rest == [value, "7"])
        }
    }

    @Test func tellsTheKinds() throws {
        let kinds: [(String, JSONKind, String)] = [
            ("null", .null, "null"), ("true", .boolean, "a boolean"), ("-0", .number, "a number"),
            ("\"\"", .string, "a string"), ("[]", .array, "an array"), ("{}", .object, "an object"),
        ]
        for (text, kind, name) in kinds {
            let read = try reading(" \n" + text) { $0.kind }
            #expect(read == kind && kind.name == name)
        }
    }

    @Test func readsNothingAsNull() {
        let nothing = ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0))
        var reader = JSONReader(nothing)
        let kind = reader.kind
        #expect(kind == .null && JSONValue(nothing).text == "null")
    }

    @Test func skipsExactlyOneValueOfEveryCaseOfTheCorpus() throws {
        for one in try Corpus.cases() where one.isAccepted {
            one.text.withUnsafeBytes { bytes in
                var reader = JSONReader(ValidJSON(trusting: bytes))
                let skipped = Array(reader.skip().bytes)
                let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
                let trimmed = Array(
                    one.text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
                #expect(skipped == trimmed, "\(one.testDescription)")
            }
        }
    }

    /// Reading text that was not validated gives nonsense, but nothing from outside the text.
    @Test func readsNothingBehindATextThatWasCutOff() {
        let text = Array(#"{"a":[1,{"b":"c\\"}],"d":"e","f":-1.5e3,"g":true,"h":null}"#.utf8)
        for length in 0...text.count {
            text[..<length].withUnsafeBytes { bytes in
                var reader = JSONReader(ValidJSON(trusting: bytes))
                guard reader.enterObject() else { return }
                while let key = reader.nextKey() {
                    let value = reader.skip()
                    #expect(key.raw.count + value.bytes.count <= length, "\(length)")
                }
            }
        }
    }
}
