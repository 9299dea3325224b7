import JSONCodec
import JSONRPC
import MoodCore
import Testing

@testable import MoodProtocol

@Suite struct ArgumentsTests {
    private static let id = "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b"

    private static let methods = [
        Method(MoodMethods.create), Method(MoodMethods.get), Method(MoodMethods.list), Method(MoodMethods.update),
        Method(MoodMethods.delete), Method(MoodMethods.clear), Method(MoodMethods.setFavorite),
        Method(MoodMethods.share), Method(MoodMethods.detail), Method(StoreMethods.verify), Method(HostMethods.ping),
    ]

    /// The error for params, or a call of `body` without one.
    private func read(
        _ params: String?, _ method: String, _ body: (borrowing Arguments) -> Void = { _ in }
    ) throws -> RPCError? {
        let declaration = try #require(Self.methods.first { "\($0.name)" == method })
        var arguments = Arguments()
        guard var params else { return Self.read(nil, declaration, &arguments) }
        return params.withUTF8 { bytes in
            let error = Self.read(ValidJSON(trusting: UnsafeRawBufferPointer(bytes)), declaration, &arguments)
            if error == nil { body(arguments) }
            return error
        }
    }

    private static func read(_ params: ValidJSON?, _ method: Method, _ arguments: inout Arguments) -> RPCError? {
        var validator = JSONValidator(depthLimit: 64)
        do throws(RPCError) {
            try arguments.read(params, for: method, Limits(), &validator)
            return nil
        } catch {
            return error
        }
    }

    private func path(_ error: RPCError?) -> String? {
        error?.details.first { $0.name == "path" }?.value.string
    }

    @Test func takesParamsByName() throws {
        let params = #"{"label":"A","emoji":"😊","valence":0.5,"tags":["x"],"isFavorite":true,"dryRun":true}"#
        let error = try read(params, "mood.create") { arguments in
            #expect(arguments[named: "label"]?.text?.string == "A")
            #expect(arguments[named: "isFavorite"]?.boolean == true)
            #expect(arguments[named: "tags"].map { JSONValue($0).text } == #"["x"]"#)
            #expect(
                arguments[named: "notes"] == nil && arguments[named: "id"] == nil
                    && arguments[named: "timestamp"] == nil)
            #expect(arguments[CommonParams.dryRun] && arguments.isDryRun)
        }
        #expect(error == nil)
    }

    @Test func takesTheMethodsOwnParamsByPosition() throws {
        let error = try read(#"["😊","A",null,"2026-01-02T03:04:05Z",true]"#, "mood.create") { arguments in
            #expect(arguments[named: "emoji"]?.text?.string == "😊")
            #expect(arguments[named: "id"] == nil && !arguments.isDryRun)
            #expect(arguments[named: "timestamp"]?.time?.text == "2026-01-02T03:04:05.000Z")
            #expect(arguments[named: "isFavorite"]?.boolean == true)
        }
        #expect(error == nil)
    }

    @Test(arguments: [
        ("mood.get", "[]", "/id"), ("mood.get", "[1]", "/0"), ("mood.get", "[\"\(id)\",true]", "/1"),
        ("mood.setFavorite", "[\"\(id)\"]", "/isFavorite"), ("mood.setFavorite", "[\"\(id)\",null]", "/1"),
        ("mood.delete", "[\"\(id)\",true]", "/1"), ("mood.update", "[\"\(id)\",{\"tags\":[1]}]", "/1/tags/0"),
        ("host.ping", "[1]", "/0"), ("mood.list", "[0]", "/0"), ("mood.get", "{}", "/id"),
        ("mood.get", "{\"id\":null}", "/id"), ("mood.get", "{\"ID\":\"\(id)\"}", "/ID"),
        ("mood.get", "{\"id\":\"\(id)\",\"dryRun\":true}", "/dryRun"),
        ("mood.create", #"{"emoji":"😊","label":"A","opId":""}"#, "/opId"),
        ("mood.get", #"{"id":"\#(id)","opId":"x"}"#, "/opId"),
        ("mood.list", #"{"filter":{"tags":["a",""]}}"#, "/filter/tags/1"), ("mood.list", #"{"rows":1}"#, "/rows"),
        ("mood.list", #"{"a/b":1}"#, "/a~1b"), ("mood.clear", #"{"confirm":false}"#, "/confirm"),
        ("mood.clear", "{}", "/confirm"),
        ("mood.share", #"{"id":"\#(id)","locale":"xx"}"#, "/locale"),
    ])
    func blamesTheMemberThatIsWrong(method: String, params: String, path: String) throws {
        let error = try #require(try read(params, method))
        #expect(error.code == .invalidParams)
        #expect(self.path(error) == path)
        #expect(error.message.contains(path) && (error.message.hasSuffix(".") || error.message.hasSuffix("?")))
        #expect(error.details.contains { $0.name == "reason" })
    }

    @Test func absentNullAndEmptyParamsAreTheSameWhereNothingIsRequired() throws {
        for params in [nil, "{}", "[]"] { #expect(try read(params, "mood.list") == nil) }
        #expect(path(try read(nil, "mood.get")) == "/id")
    }

    @Test func nullMeansAbsentWhereItDoesNotMeanRemove() throws {
        let error = try read(#"{"limit":null,"filter":null,"cursor":null}"#, "mood.list") { arguments in
            #expect(!arguments[has: MoodParams.limit] && arguments[MoodParams.filter] == nil)
        }
        #expect(error == nil)
        let second = try read(#"{"id":"\#(Self.id)","set":{"valence":null}}"#, "mood.update") { arguments in
            #expect(JSONValue(arguments[MoodParams.set]).text == #"{"valence":null}"#)
        }
        #expect(second == nil)
    }

    @Test func aKeyGivesWhatWasGivenElseItsDefault() throws {
        let none = try read("{}", "mood.list") { arguments in
            #expect(arguments[MoodParams.limit] == 50 && arguments[MoodParams.cursor] == nil)
            #expect(arguments[MoodParams.sort] == .timestamp && arguments[MoodParams.order] == .desc)
            #expect(!arguments[MoodParams.count] && arguments[ReadingParams.locale] == nil)
            #expect(!arguments[has: MoodParams.limit])
        }
        let all = try read(
            #"{"limit":5e0,"cursor":"\u0061","sort":"l\u0061bel","order":"asc","count":true,"locale":"fi_FI"}"#,
            "mood.list"
        ) { arguments in
            #expect(arguments[MoodParams.limit] == 5 && arguments[MoodParams.cursor]?.string == "a")
            #expect(arguments[MoodParams.sort] == .label && arguments[MoodParams.order] == .asc)
            #expect(arguments[MoodParams.count] && arguments[ReadingParams.locale] == "fi_FI")
            #expect(arguments[has: MoodParams.limit])
        }
        #expect(none == nil && all == nil)
    }

    /// Lua and PHP write empty objects so.
    @Test(
        arguments: [
            ("mood.list", #"{"filter":[]}"#, nil), ("mood.update", #"{"id":"\#(id)","set":[]}"#, nil),
            ("mood.update", #"{"id":"\#(id)","set":[1]}"#, "/set"), ("mood.list", #"{"filter":[[]]}"#, "/filter"),
            ("mood.create", #"{"emoji":"😊","label":"A","attachments":[[]]}"#, "/attachments/0/kind"),
            ("mood.detail", #"{"id":"\#(id)","location":[]}"#, "/location/latitude"),
            ("mood.list", #"{"sort":[]}"#, "/sort"), ("mood.get", #"{"id":[]}"#, "/id"),
        ] as [(String, String, String?)])
    func anEmptyArrayIsAnEmptyObjectWhereOneIsWanted(method: String, params: String, path: String?) throws {
        let error = try read(params, method)
        #expect(self.path(error) == path)
    }

    @Test(arguments: [
        ("\"a\"", true), ("\"\"", true), ("7", true), ("-1", true), ("1.0", true), ("1e2", true),
        ("9223372036854775807", true), ("9223372036854775808", false), ("1.5", false), ("1e300", false),
        ("1e-1", false),
        ("true", false), ("{}", false), ("[]", false), ("\"\(String(repeating: "ä", count: 128))\"", true),
        ("\"\(String(repeating: "ä", count: 128))a\"", false),
        ("\"\(String(repeating: "\\u0061", count: 256))\"", true),
    ])
    func aProgressTokenIsAnIntegerOrAShortText(token: String, isRight: Bool) throws {
        let error = try read(#"{"progressToken":\#(token)}"#, "store.verify")
        #expect((error == nil) == isRight)
        if !isRight { #expect(path(error) == "/progressToken") }
    }

    @Test func oneValueServesManyCalls() throws {
        var arguments = Arguments()
        let list = Method(MoodMethods.list)
        let ping = Method(HostMethods.ping)
        var text = #"{"limit":7}"#
        text.withUTF8 { bytes in
            let params = ValidJSON(trusting: UnsafeRawBufferPointer(bytes))
            let first = Self.read(params, list, &arguments)
            let limit = arguments[MoodParams.limit]
            #expect(first == nil && limit == 7)
            let second = Self.read(nil, list, &arguments)
            let none = arguments[MoodParams.limit]
            #expect(second == nil && none == 50, "the default stands where the param is declared")
            let third = Self.read(params, ping, &arguments)
            #expect(third != nil)
        }
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, 7, "/a"), (#"{"set":{"tags":[],"x":{"b":1,"b":2}}}"#, 31, "/set/x/b"),
        (#"[1,{"k":0,"k":1}]"#, 10, "/1/k"), (#"{"a/b":1,"a/b":2}"#, 9, "/a~1b"),
        (#"{ "a" : 1 , "a" : 2 }"#, 12, "/a"),
    ])
    func aNameThatStandsTwiceIsFoundByItsPlace(json: String, offset: Int, path: String) {
        var json = json
        let error = json.withUTF8 { bytes in
            Arguments.duplicate(at: offset, in: ValidJSON(trusting: UnsafeRawBufferPointer(bytes)))
        }
        #expect(self.path(error) == path)
        #expect(error.code == .invalidParams)
    }

    /// A client's long name does not make a long answer.
    @Test func theNameInADuplicatesPathIsCut() throws {
        let name = String(repeating: "n", count: 100_000)
        var json = "{\"\(name)\":1,\"\(name)\":2}"
        let error = json.withUTF8 { bytes in
            Arguments.duplicate(at: name.utf8.count + 6, in: ValidJSON(trusting: UnsafeRawBufferPointer(bytes)))
        }
        #expect(try #require(path(error)).utf8.count <= 1025)
        #expect(error.message.utf8.count < 1024)
    }
}
