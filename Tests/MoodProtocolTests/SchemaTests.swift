import JSONCodec
import MoodCore
import Testing

@testable import MoodProtocol

/// The problem of a JSON text by a schema, or nil.
func firstProblem(_ json: String, _ schema: Schema, _ limits: Limits = Limits()) -> Problem? {
    var json = json
    return json.withUTF8 { bytes in
        var reader = JSONReader(ValidJSON(trusting: UnsafeRawBufferPointer(bytes)))
        return schema.check(&reader, limits)
    }
}

private let id = "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b"
private let object = Schema.object(
    [
        .required("name", .string(.name), "A name."), .optional("age", .integer(0...9), "An age."),
        .optional("zone", .nullable(.string(.timeZone)), "A zone."),
    ], nil)

@Suite struct SchemaTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let schema: Schema
        let json: String
        /// The path of the problem; nil if there is none.
        let path: String?
        let testDescription: String

        init(_ name: String, _ schema: Schema, _ json: String, _ path: String? = nil) {
            self.schema = schema
            self.json = json
            self.path = path
            testDescription = "\(name) \(json.prefix(60))"
        }
    }

    private static let plain: [Case] = [
        Case("string", .string(.plain), "\"\""), Case("string", .string(.plain), "1", ""),
        Case("string", .string(.plain), "null", ""), Case("string", MoodSchemas.id, "\"\(id)\""),
        Case("string", MoodSchemas.id, "\"\\u0030190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\""),
        Case("string", MoodSchemas.id, "\"\\u00300190b5a0\"", ""), Case("string", MoodSchemas.id, "\"x\"", ""),
        Case("string", .string(.emoji), "\"\\ud83d\\ude0a\""), Case("string", .string(.emoji), "\"a\"", ""),
        Case("string", MoodSchemas.time, "\"2026-01-02T03:04:05Z\""), Case("string", MoodSchemas.time, "\"2026\"", ""),
        Case("string", .string(.token), "\"\"", ""), Case("string", .string(.name), "\"a\\nb\"", ""),
        Case("string", .string(.deepLink), "\"moodboard://moods\""), Case("string", .string(.deepLink), "\"x\"", ""),
        Case("string", .string(.template), "\"{emoji}\""), Case("string", .string(.template), "\"{x}\"", ""),
        Case("boolean", .boolean, "true"), Case("boolean", .boolean, "false"), Case("boolean", .boolean, "1", ""),
        Case("boolean", .boolean, "\"true\"", ""), Case("boolean", .boolean, "null", ""),
        Case("confirmation", .confirmation, "true"), Case("confirmation", .confirmation, "false", ""),
        Case("confirmation", .confirmation, "1", ""), Case("confirmation", .confirmation, "{}", ""),
        Case("integer", .integer(1...9), "1"), Case("integer", .integer(1...9), "9.0"),
        Case("integer", .integer(1...9), "1e0"), Case("integer", .integer(1...9), "0", ""),
        Case("integer", .integer(1...9), "10", ""), Case("integer", .integer(1...9), "1.5", ""),
        Case("integer", .integer(1...9), "1e300", ""), Case("integer", .integer(1...9), "-1", ""),
        Case("integer", .integer(1...9), String(repeating: "9", count: 400), ""),
        Case("integer", .integer(1...9), "\"1\"", ""), Case("integer", .integer(1...9), "[1]", ""),
        Case("count", .count(.listPage), "1000"), Case("count", .count(.listPage), "1001", ""),
        Case("count", .count(.listPage), "0", ""), Case("number", .number(-1...1), "-1"),
        Case("number", .number(-1...1), "1e-400"), Case("number", .number(-1...1), "1.0000001", ""),
        Case("number", .number(-1...1), "1e400", ""), Case("number", .number(-1...1), "true", ""),
        Case("choice", .choice(["a", "b"]), "\"b\""), Case("choice", .choice(["a", "b"]), "\"\\u0061\""),
        Case("choice", .choice(["a", "b"]), "\"A\"", ""), Case("choice", .choice(["a", "b"]), "\"\"", ""),
        Case("choice", .choice(["a", "b"]), "0", ""), Case("any", .any, "{\"a\":[1,{}]}"), Case("any", .any, "null"),
        Case("nullable", .nullable(.boolean), "null"), Case("nullable", .nullable(.boolean), "true"),
        Case("nullable", .nullable(.boolean), "0", ""), Case("named", .named("N", .boolean), "0", ""),
    ]

    private static let nested: [Case] = [
        Case("array", .array(.boolean, .range(1...2), isUnique: false), "[true,false]"),
        Case("array", .array(.boolean, .range(1...2), isUnique: false), "[]", ""),
        Case("array", .array(.boolean, .range(1...2), isUnique: false), "[true,true,true]", ""),
        Case("array", .array(.boolean, .range(1...2), isUnique: false), "[true,1]", "/1"),
        Case("array", .array(.boolean, .any, isUnique: false), "{}", ""),
        Case("array", .array(.array(.boolean, .any, isUnique: false), .any, isUnique: false), "[[],[true,0]]", "/1/1"),
        Case("tags", MoodSchemas.tags, "[\"a\",\"b\"]"), Case("tags", MoodSchemas.tags, "[\"a\",\"b\",\" a \"]", "/2"),
        Case("tags", MoodSchemas.tags, "[\"a\",\"\\u0061\"]", "/1"),
        Case("tags", MoodSchemas.tags, "[\"a\",\" \"]", "/1"),
        Case("tags", MoodSchemas.tags, "[\"a\",\"A\"]", "/1"), Case("tags", MoodSchemas.tags, "[\"é\",\"e\u{301}\"]"),
        Case("object", object, "{\"name\":\"a\"}"), Case("object", object, "{\"name\":\"a\",\"age\":null}"),
        Case("object", object, "{\"name\":\"a\",\"zone\":null}"), Case("object", object, "{\"n\\u0061me\":\"a\"}"),
        Case("object", object, "{}", "/name"), Case("object", object, "{\"name\":null}", "/name"),
        Case("object", object, "{\"name\":\"a\",\"age\":10}", "/age"),
        Case("object", object, "{\"name\":\"a\",\"zone\":\"x\"}", "/zone"),
        Case("object", object, "{\"name\":\"a\",\"nme\":1}", "/nme"), Case("object", object, "[]", "/name"),
        Case("object", object, "[1]", ""),
        Case("object", object, "{\"name\":\"a\",\"a/b~c\":1}", "/a~1b~0c"), Case("object", object, "{\"\":1}", "/"),
        Case("set", MoodSchemas.set, "{}"), Case("set", MoodSchemas.set, "{\"valence\":null,\"timeZone\":null}"),
        Case("set", MoodSchemas.set, "{\"label\":null}"), Case("set", MoodSchemas.set, "{\"id\":\"\(id)\"}", "/id"),
        Case("set", MoodSchemas.set, "{\"valence\":2}", "/valence"),
        Case("set", MoodSchemas.set, "{\"tags\":[1]}", "/tags/0"),
        Case("set", MoodSchemas.set, "{\"scales\":null}"), Case("set", MoodSchemas.set, "{\"scales\":{}}"),
        Case("set", MoodSchemas.set, "{\"scales\":[]}"), Case("set", MoodSchemas.set, "{\"scales\":[1]}", "/scales"),
        Case("set", MoodSchemas.set, "{\"scales\":{\"sleep\":7}}"),
        Case("set", MoodSchemas.set, "{\"scales\":{\"sleep\":1001}}", "/scales/sleep"),
        Case("set", MoodSchemas.set, "{\"scales\":{\"a/b~\":true}}", "/scales/a~1b~0"),
        Case("set", MoodSchemas.set, "{\"scales\":{\"a\":1,\" a\":1}}", "/scales/ a"),
        Case("route", MoodSchemas.route, "{\"name\":\"menu\"}"),
        Case("route", MoodSchemas.route, "{\"name\":\"x\"}", "/name"),
        Case("route", MoodSchemas.route, "{\"name\":\"menu\",\"id\":null}"),
        Case("route", MoodSchemas.route, "{\"name\":\"menu\",\"id\":\"\(id)\"}", "/id"),
        Case("route", MoodSchemas.route, "{\"name\":\"moodDetail\"}", "/id"),
        Case("route", MoodSchemas.route, "{\"id\":\"\(id)\",\"name\":\"moodDetail\"}"),
    ]

    private static let attachments: [Case] = [
        Case("link", MoodSchemas.attachment, #"{"kind":"link","url":"https://a"}"#),
        Case("link", MoodSchemas.attachment, #"{"url":"https://a","kind":"link","title":null}"#),
        Case("link", MoodSchemas.attachment, #"{"url":"https://a"}"#, "/kind"),
        Case("link", MoodSchemas.attachment, #"{"kind":"video"}"#, "/kind"),
        Case("link", MoodSchemas.attachment, #"{"kind":1}"#, "/kind"), Case("link", MoodSchemas.attachment, "1", ""),
        Case("link", MoodSchemas.attachment, #"{"kind":"link"}"#, "/url"),
        Case("link", MoodSchemas.attachment, #"{"kind":"link","url":"ftp://a"}"#, "/url"),
        Case("link", MoodSchemas.attachment, #"{"kind":"link","url":"https://a","path":"/a"}"#, "/path"),
        Case("link", MoodSchemas.attachment, #"{"kind":"link","url":"https://a","title":""}"#, "/title"),
        Case("email", MoodSchemas.attachment, #"{"kind":"email","address":"a"}"#, "/address"),
        Case("place", MoodSchemas.attachment, #"{"kind":"place","latitude":90,"longitude":-180}"#),
        Case("place", MoodSchemas.attachment, #"{"kind":"place","latitude":90.1,"longitude":0}"#, "/latitude"),
        Case("place", MoodSchemas.attachment, #"{"kind":"place","latitude":0,"longitude":181}"#, "/longitude"),
        Case("image", MoodSchemas.attachment, #"{"kind":"image","path":"/a"}"#),
        Case("image", MoodSchemas.attachment, #"{"kind":"image","path":"a"}"#, "/path"),
        Case("image", MoodSchemas.attachment, #"{"kind":"image"}"#, "/path"),
        Case("image", MoodSchemas.attachment, #"{"kind":"image","path":"/a","url":"https://a"}"#, "/url"),
        Case("image", MoodSchemas.attachment, #"{"kind":"image","path":null,"url":"https://a"}"#),
        Case("image", MoodSchemas.attachment, #"{"kind":"image","path":"/a","aspectRatio":0}"#, "/aspectRatio"),
        Case("event", MoodSchemas.attachment, #"{"kind":"event","title":"T","occurrences":[]}"#, "/occurrences"),
        Case(
            "event", MoodSchemas.attachment,
            #"{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:04Z"}]}"#,
            "/occurrences/0/end"),
        Case(
            "event", MoodSchemas.attachment,
            #"{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05Z"}]}"#, "/occurrences/0/end"),
        Case("relation", MoodSchemas.attachment, #"{"kind":"relation","moodId":"x","type":"t"}"#, "/moodId"),
        Case("list", MoodSchemas.attachments, #"[{"kind":"link","url":"https://a"},{"kind":"link"}]"#, "/1/url"),
    ]

    @Test(arguments: plain + nested + attachments)
    func findsTheFirstProblemAndItsPath(test: Case) {
        #expect(firstProblem(test.json, test.schema)?.path == test.path)
    }

    @Test(arguments: [
        ("1", Schema.boolean, "must be true or false, not a number"),
        ("0", .integer(1...9), "must be an integer from 1 to 9"),
        ("-1", .integer(0 ... .max), "must be an integer, 0 or more"),
        ("\"c\"", .choice(["a", "b"]), "must be one of \"a\", \"b\""), ("{}", object, "A name."),
        (#"{"nmae":1}"#, object, "did you mean \"name\"?"), (#"{"qqqqqq":1}"#, object, "known are name, age, zone"),
    ])
    func aProblemSaysWhatIsRight(json: String, schema: Schema, reason: String) {
        #expect(firstProblem(json, schema)?.reason.contains(reason) == true)
    }

    @Test func limitsThatAreSetAreObeyed() {
        var limits = Limits()
        let refusal = limits.set(.tags, to: 1)
        #expect(refusal == nil)
        #expect(firstProblem(#"["a","b"]"#, MoodSchemas.tags, limits)?.path == "")
        #expect(firstProblem(#"["a"]"#, MoodSchemas.tags, limits) == nil)
    }

    /// The client's name goes into an answer.
    @Test func aLongUnknownNameIsCut() throws {
        let found = firstProblem("{\"\(String(repeating: "x", count: 1_000_000))\":1}", object)
        let problem = try #require(found)
        #expect(problem.path.utf8.count <= 1025 && problem.reason.utf8.count <= 300)
    }
}
