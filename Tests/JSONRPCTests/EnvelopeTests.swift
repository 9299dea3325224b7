import JSONCodec
import JSONRPC
import Testing

/// An envelope as text, for comparison.
private struct Read: Equatable {
    var id: String?
    var method: String?
    var params: String?
    var result: String?
    var error: String?
    var fault: String?

    init(_ text: String) throws {
        var validator = JSONValidator(depthLimit: 64)
        var copy = text
        self = try copy.withUTF8 { bytes in
            let message = UnsafeRawBufferPointer(bytes)
            guard let envelope = Envelope.read(message, &validator) else { throw validator.fault(of: message) }
            return Read(envelope)
        }
    }

    init(id: String? = nil, method: String? = nil, params: String? = nil, fault: String? = nil) {
        (self.id, self.method, self.params, self.fault) = (id, method, params, fault)
    }

    private init(_ envelope: Envelope) {
        func text(_ bytes: UnsafeRawBufferPointer?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
        id = text(envelope.id)
        method = envelope.method?.string
        params = text(envelope.params?.bytes)
        result = text(envelope.result?.bytes)
        error = text(envelope.error?.bytes)
        self.fault = envelope.fault.map { "\($0.code.number) \($0.code.name): \($0.message)" }
    }
}

@Suite struct EnvelopeTests {
    private static let longNumberFault =
        "-32600 invalidRequest: An id that is a number may have at most 256 bytes as it is written; this one has more."
    private static let idFault = "-32600 invalidRequest: An id must be a string of at most 256 bytes, a number or null."
    private static let methodFault =
        "-32600 invalidRequest: A request needs a method, which is a string such as \"mood.list\"."
    private static let versionFault = "-32600 invalidRequest: A request needs \"jsonrpc\":\"2.0\"."
    private static let paramsFault = "-32600 invalidRequest: params must be an object or an array."

    private func request(_ id: String?, _ rest: String = #""method":"m""#) -> String {
        #"{"jsonrpc":"2.0","# + (id.map { #""id":\#($0),"# } ?? "") + rest + "}"
    }

    @Test(arguments: [
        "1", "-1", "0", "-0", "1.0", "1e2", "1E+2", "123456789012345678901234567890", "1.50", "null", #""""#, #""1""#,
        #""b2f1a8c4-0000-7000-8000-000000000000""#, #""\u0031\/""#, #""é😊""#,
        "\"" + String(repeating: "x", count: 256) + "\"",
        "\"" + String(repeating: "é", count: 128) + "\"", "\"" + String(repeating: "\\u0061", count: 256) + "\"",
        String(repeating: "9", count: 256),
    ])
    func keepsAnIDAsItWasWritten(_ id: String) throws {
        #expect(try Read(request(id)) == Read(id: id, method: "m"))
    }

    @Test(arguments: [
        "true", "false", "[]", "[1]", "{}", "\"" + String(repeating: "x", count: 257) + "\"",
        "\"" + String(repeating: "é", count: 128) + "x\"", "\"" + String(repeating: "\\u0061", count: 257) + "\"",
        String(repeating: "9", count: 257),
    ])
    func refusesAnIDOfAnotherTypeOrLength(_ id: String) throws {
        let isNumber = id.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        #expect(try Read(request(id)) == Read(method: "m", fault: isNumber ? Self.longNumberFault : Self.idFault))
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
        #"{"id":null,"result":null}"#, #"{"error":1,"x":2,"params":3}"#, #"{"jsonrpc":"2.0","id":[],"res\u0075lt":1}"#,
    ])
    func tellsAnAnswerFromARequest(_ text: String) throws {
        #expect(try isAnswer(text))
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"m"}"#, #"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#,
        #"{"jsonrpc":"2.0","id":1,"method":null,"result":1}"#, #"{"jsonrpc":"2.0","id":1}"#, "{}",
    ])
    func takesNothingElseForAnAnswer(_ text: String) throws {
        #expect(try !isAnswer(text))
    }

    private func isAnswer(_ text: String) throws -> Bool {
        var validator = JSONValidator(depthLimit: 64)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try #require(Envelope.read(bytes, &validator)).isAnswer
        }
    }

    @Test func takesARequestWithoutIDForANotification() throws {
        #expect(try Read(request(nil)) == Read(method: "m"))
    }

    @Test func readsMembersInAnyOrderAndSpelling() throws {
        let text =
            #" { "p\u0061rams" : {"a":1} , "\u006d\u0065thod" : "\u006d.n" , "i\u0064" : 7 , "jsonrpc" : "2\u002e0" } "#
        #expect(try Read(text) == Read(id: "7", method: "m.n", params: #"{"a":1}"#))
    }

    @Test func passesOverMembersThatItDoesNotKnow() throws {
        #expect(
            try Read(request("1", #""method":"m","meta":{"id":2,"method":"x"},"ID":3,"Method":4,"":5"#))
                == Read(id: "1", method: "m"))
    }

    @Test(arguments: [
        ("", nil), (#","params":null"#, nil), (#","params":{}"#, "{}"), (#","params":[]"#, "[]"),
        (#","params":[1, {}]"#, "[1, {}]"),
    ])
    func keepsParamsAsBytes(_ member: String, _ params: String?) throws {
        #expect(try Read(request("1", #""method":"m""# + member)) == Read(id: "1", method: "m", params: params))
    }

    @Test(arguments: ["1", #""x""#, "true", "false"])
    func refusesParamsOfAnotherKind(_ params: String) throws {
        #expect(
            try Read(request("1", #""method":"m","params":"# + params))
                == Read(id: "1", method: "m", fault: Self.paramsFault))
    }

    @Test(arguments: ["null", "1", "[]", "{}", "true"])
    func keepsTheIDWhenTheMethodIsNoString(_ method: String) throws {
        #expect(try Read(request("\"x\"", #""method":"# + method)) == Read(id: "\"x\"", fault: Self.methodFault))
    }

    @Test func keepsTheIDWhenMembersAreMissing() throws {
        #expect(try Read(#"{"jsonrpc":"2.0","id":1}"#) == Read(id: "1", fault: Self.methodFault))
        #expect(try Read(#"{"id":1,"method":"m"}"#) == Read(id: "1", method: "m", fault: Self.versionFault))
        #expect(try Read(#"{"id":1}"#) == Read(id: "1", fault: Self.versionFault))
        #expect(try Read("{}") == Read(fault: Self.versionFault))
        for version in [#""1.0""#, "2.0", "2", "null", #""2.0 ""#, #"["2.0"]"#] {
            #expect(
                try Read(#"{"jsonrpc":\#(version),"id":1,"method":"m"}"#)
                    == Read(id: "1", method: "m", fault: Self.versionFault))
        }
        #expect(
            try Read(#"{"id":[1],"method":7,"params":8}"#) == Read(fault: Self.idFault), "the id's fault comes first")
    }

    @Test(arguments: ["[]", "[1,2]", "7", "null", #""x""#, "[{\"id\":1}]", "{]", "{", "", " ", #"{"id":1} 2"#])
    func findsNothingInWhatIsNoObject(_ text: String) throws {
        #expect(throws: JSONError.self) { try Read(text) }
    }

    @Test func readsResponses() throws {
        let result = try Read(#"{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}"#)
        #expect(result.id == "1" && result.result == #"{"a":[1]}"# && result.error == nil && result.method == nil)
        let empty = try Read(#"{"jsonrpc":"2.0","id":1,"result":null}"#)
        #expect(empty.result == "null")
        let error = try Read(#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}"#)
        #expect(error.id == "null" && error.error == #"{"code":-1,"message":"x"}"# && error.result == nil)
    }

    @Test func stopsAtTheParamsWithWhatCameBefore() {
        var validator = JSONValidator(depthLimit: 64)
        let message = #"{"method":"a", "params": [1] ,"id":1,"params":{"b":2},"jsonrpc":"2.0","params":null}"#
        Array(message.utf8).withUnsafeBytes {
            var envelope = Envelope($0)
            var places: [Int] = []
            while envelope.advance(&validator) {
                #expect(envelope.method?.string == "a" && envelope.params == nil)
                #expect((envelope.id == nil) == places.isEmpty)
                places.append(envelope.cursor.at)
                // The params are skipped from their beginning, wherever the cursor is.
                envelope.cursor.move(to: envelope.cursor.at + places.count)
                envelope.skipParams(&validator)
            }
            #expect(envelope.isObject && places == [25, 46] && envelope.params == nil && envelope.fault == nil)
            #expect(validator.duplicate == 37)
        }
    }

    /// Params that the caller does not skip are not taken for the rest of the message.
    @Test func isNoObjectWhereTheParamsAreLeft() {
        var validator = JSONValidator(depthLimit: 64)
        for text in [#"{"params":{}}"#, #"{"params":{},"id":1}"#, #"{"params":[,]}"#] {
            Array(text.utf8).withUnsafeBytes {
                var envelope = Envelope($0)
                let hasParams = envelope.advance(&validator)
                #expect(hasParams)
                if text.contains(",]") { envelope.skipParams(&validator) }
                let hasMore = envelope.advance(&validator)
                #expect(!hasMore && !envelope.isObject)
            }
        }
    }

    @Test func obeysALimitThatWasSet() throws {
        var validator = JSONValidator(depthLimit: 64)
        for (id, isUsable) in [("\"abcd\"", true), ("\"abcde\"", false), ("1234", true), ("12345", false)] {
            let found = Array(request(id).utf8).withUnsafeBytes { bytes in
                var envelope = Envelope(bytes, idBytesMax: 4)
                _ = envelope.advance(&validator)
                return envelope.id != nil
            }
            #expect(found == isUsable)
        }
    }
}
