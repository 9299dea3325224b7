import JSONCodec
import JSONRPC
import MoodCore
import Testing

@testable import MoodHost
@testable import MoodProtocol

@Suite struct OpenRPCTests {
    private static let document = OpenRPC.document(of: MethodTable().all, version: "1.2.3")

    private static func methods() throws -> [JSONValue] { try #require(document["methods"]?.array) }

    @Test func hasTheMembersThatOpenRPCRequires() throws {
        #expect(Self.document["openrpc"]?.string?.hasPrefix("1.4.") == true)
        #expect(Self.document["info"]?["title"]?.string == "MoodBoard")
        #expect(Self.document["info"]?["version"]?.string == "1.2.3")
        #expect(try Self.methods().count == MethodTable().count)
    }

    @Test func everyMethodHasWhatAMethodObjectNeeds() throws {
        let names = try Self.methods().compactMap { $0["name"]?.string }
        #expect(Set(names).count == names.count)
        for method in try Self.methods() {
            let name = method["name"]?.string ?? "?"
            let params = try #require(method["params"]?.array, "\(name)")
            let paramNames = params.compactMap { $0["name"]?.string }
            #expect(Set(paramNames).count == params.count, "\(name)")
            for param in params { #expect(param["schema"]?.object != nil && param["required"]?.boolean != nil) }
            // All optional params come after the required ones.
            let required = params.map { $0["required"]?.boolean ?? false }
            #expect(required == required.sorted { $0 && !$1 }, "\(name)")
            #expect(method["result"]?["name"]?.string != nil && method["result"]?["schema"] != nil, "\(name)")
            #expect(["by-name", "by-position", "either"].contains(method["paramStructure"]?.string))
            for error in method["errors"]?.array ?? [] {
                #expect(error["code"]?.integer != nil && error["message"]?.string?.isEmpty == false, "\(name)")
            }
        }
    }

    @Test func itsOwnMembersBeginWithX() throws {
        let known: Set = ["name", "summary", "paramStructure", "params", "result", "errors", "examples"]
        for method in try Self.methods() {
            for member in method.object ?? [] where !known.contains(member.name) {
                #expect(member.name.hasPrefix("x-"))
            }
        }
    }

    @Test func everyReferenceLeadsToASchema() throws {
        var references: Set<String> = []
        func collect(_ value: JSONValue) {
            for member in value.object ?? [] {
                if member.name == "$ref", let text = member.value.string { references.insert(text) }
                collect(member.value)
            }
            for element in value.array ?? [] { collect(element) }
        }
        collect(Self.document)
        let schemas = try #require(Self.document["components"]?["schemas"]?.object)
        #expect(references == Set(schemas.map { "#/components/schemas/\($0.name)" }), "neither dangling nor unused")
        #expect(schemas.map(\.name).contains("Mood") && schemas.map(\.name).contains("Route"))
        for schema in schemas { #expect(schema.value.object?.isEmpty == false, "\(schema.name)") }
    }

    @Test func aSchemaSaysWhatItsCheckDoes() throws {
        let create = try #require(try Self.methods().first { $0["name"]?.string == "mood.create" })
        func schema(_ name: String) throws -> JSONValue {
            let param = try #require(create["params"]?.array?.first { $0["name"]?.string == name })
            return try #require(param["schema"])
        }
        #expect(try schema("label")["maxLength"]?.integer == 200)
        #expect(try schema("valence")["minimum"]?.integer == -1)
        #expect(try schema("scales")["maxProperties"]?.integer == 16)
        #expect(try schema("scales")["additionalProperties"]?["maximum"]?.integer == 1000)
        #expect(try schema("tags")["maxItems"]?.integer == 32 && schema("tags")["uniqueItems"]?.boolean == true)
        #expect(try schema("isFavorite")["default"]?.boolean == false)
        #expect(try schema("attachments")["items"]?["$ref"]?.string == "#/components/schemas/Attachment")
        let kinds = try #require(Self.document["components"]?["schemas"]?["Attachment"]?["oneOf"]?.array)
        #expect(kinds.count == 7)
        for kind in kinds {
            #expect(kind["additionalProperties"]?.boolean == false)
            #expect(kind["required"]?.array?.first?.string == "kind")
        }
        let mood = try #require(Self.document["components"]?["schemas"]?["Mood"])
        #expect(mood["additionalProperties"] == nil, "a result may grow")
    }

    @Test func theDocumentIsTheSameEachTime() {
        #expect(OpenRPC.document(of: MethodTable().all, version: "1.2.3").text == Self.document.text)
    }

    /// By position a method takes its own params only, so a generator must not pass later ones that way.
    @Test func whatIsGivenByNameOnlyIsSaid() throws {
        for method in MethodTable().all {
            let described = try #require(try Self.methods().first { $0["name"]?.string == "\(method.name)" })
            // In settings.set null has a meaning, so it cannot stand for an omitted param.
            let isEither = method.fields.count == method.params.count && method.name != "settings.set"
            #expect(described["paramStructure"]?.string == (isEither ? "either" : "by-name"), "\(method.name)")
        }
    }

    /// Code generators take titles as names of types.
    @Test func everyTypeHasATitleOfItsOwn() throws {
        var places: [String: String] = [:]
        func look(_ schema: JSONValue, _ place: String, isType: Bool) {
            guard schema.object != nil, schema["$ref"] == nil else { return }
            if let title = schema["title"]?.string {
                #expect(places.updateValue(place, forKey: title) == nil, "\(title) is a title at \(place) too")
            } else {
                let isNamed = ["properties", "oneOf", "enum"].contains { schema[$0] != nil }
                #expect(!isType && !isNamed, "\(place) has no title")
            }
            for property in schema["properties"]?.object ?? [] {
                look(property.value, "\(place)/\(property.name)", isType: false)
            }
            for word in ["oneOf", "allOf"] {
                for part in schema[word]?.array ?? [] { look(part, "\(place)/\(word)", isType: word == "oneOf") }
            }
            for word in ["items", "additionalProperties", "then"] {
                if let part = schema[word] { look(part, "\(place)/\(word)", isType: false) }
            }
        }
        for method in try Self.methods() {
            let name = method["name"]?.string ?? ""
            for param in method["params"]?.array ?? [] {
                look(try #require(param["schema"]), "\(name) \(param["name"]?.string ?? "")", isType: true)
            }
            look(try #require(method["result"]?["schema"]), "\(name) result", isType: true)
        }
        for schema in Self.document["components"]?["schemas"]?.object ?? [] {
            look(schema.value, schema.name, isType: true)
        }
        #expect(places["Mood"] != nil && places["MoodListFilter"] != nil && places["AttachmentLink"] != nil)
    }

    @Test func everyExampleIsAsItsMethodIsDeclared() throws {
        let checker = SchemaChecker(root: Self.document)
        for method in try Self.methods() {
            let name = method["name"]?.string ?? ""
            let example = try #require(method["examples"]?.array?.first, "\(name) has no example")
            var given: [String: JSONValue] = [:]
            for param in example["params"]?.array ?? [] {
                let value: JSONValue = try #require(param["value"])
                given[try #require(param["name"]?.string)] = value
            }
            for param in method["params"]?.array ?? [] {
                let paramName = try #require(param["name"]?.string)
                guard let value = given.removeValue(forKey: paramName) else {
                    #expect(param["required"]?.boolean == false, "the example of \(name) lacks \(paramName)")
                    continue
                }
                let problems = checker.problems(of: value, by: try #require(param["schema"]))
                #expect(problems.isEmpty, "the example of \(name): \(problems)")
            }
            #expect(given.isEmpty, "\(name) takes no \(given.keys.sorted())")
            let result = try #require(example["result"]?["value"], "the example of \(name) has no result")
            let problems = checker.problems(of: result, by: try #require(method["result"]?["schema"]))
            #expect(problems.isEmpty, "the example of \(name): \(problems)")
        }
    }

    @Test func everyBranchHasATitle() {
        func look(_ value: JSONValue, _ path: String) {
            for member in value.object ?? [] where member.name != "examples" {
                if member.name == "oneOf" {
                    let titles = (member.value.array ?? []).map { $0["title"]?.string ?? "" }
                    #expect(!titles.contains("") && Set(titles).count == titles.count, "\(path)")
                }
                look(member.value, path + "/" + member.name)
            }
            for (number, element) in (value.array ?? []).enumerated() { look(element, "\(path)/\(number)") }
        }
        look(Self.document, "")
    }

    /// For an undescribed shape a generator makes "any".
    @Test func everyResultHasAType() throws {
        for method in try Self.methods() {
            let schema = try #require(method["result"]?["schema"])
            #expect(schema.object?.isEmpty == false, "\(method["name"]?.string ?? "")")
        }
    }

    @Test func everyErrorSaysWhatItsDataHolds() throws {
        let errors = try #require(Self.document["components"]?["errors"])
        let codes: [ErrorCode] = ErrorDeclaration.all.map(\.code)
        #expect(errors.object?.map(\.name) == codes.map(\.name))
        for method in try Self.methods() {
            for error in method["errors"]?.array ?? [] {
                let declared = errors[error["message"]?.string ?? ""]
                #expect(declared?["code"]?.integer == error["code"]?.integer)
                #expect(error["data"]?["$ref"]?.string == declared?["data"]?["$ref"]?.string)
            }
        }
    }

    /// One error of each kind that a healthy disk can show.
    @Test func everyErrorsDataIsAsItIsDeclared() throws {
        let session = TestSession()
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"n","opId":"o"}"#)
        let id = #""id":"\#(testID(1))""#
        var answers = try session.answers(
            "{", "[]", #"{"jsonrpc":"2.0","id":1,"id":2,"method":"host.ping"}"#,
            "[" + Array(repeating: "1", count: 129).joined(separator: ",") + "]")
        for (method, params) in [
            ("host.pong", "{}"), ("mood.get", "{}"), ("mood.get", #"{"id":"\#(testID(9))"}"#),
            ("nav.restore", #"{"name":"x"}"#), ("mood.create", #"{\#(id),"emoji":"😊","label":"B"}"#),
            ("mood.delete", #"{\#(id),"ifRevision":1}"#), ("mood.setNotes", #"{\#(id),"notes":"m","opId":"o"}"#),
            ("editor.set", "{}"), ("editor.begin", "{}"), ("editor.submit", "{}"),
            ("editor.set", #"{"notes":"\#(String(repeating: "n", count: 2 << 20))"}"#), ("host.shutdown", "{}"),
            ("host.ping", "{}"),
        ] {
            answers.append(try session.call(method, params))
        }
        var kinds: Set<String> = []
        for answer in answers {
            guard let data = answer["error"]?["data"] else { continue }
            let kind = try #require(data["kind"]?.string)
            kinds.insert(kind)
            let schema = try #require(Self.document["components"]?["errors"]?[kind]?["data"], "\(kind)")
            let problems = SchemaChecker(root: Self.document).problems(of: data, by: schema)
            #expect(problems.isEmpty, "\(problems) in \(answer.text)")
        }
        #expect(
            kinds == [
                "parseError", "invalidRequest", "batchTooLarge", "methodNotFound", "invalidParams", "notFound",
                "conflict", "refused", "limitExceeded", "shuttingDown",
            ])
    }

    @Test func whatTheHostSendsOfItselfIsAsItIsDeclared() throws {
        func schema(_ name: String) throws -> JSONValue {
            let declared = try #require(Self.document["x-notifications"]?.array?.first { $0["name"]?.string == name })
            return try #require(declared["params"])
        }
        let session = TestSession()
        _ = try session.result("events.subscribe")
        var said: [JSONValue] = []
        for (number, call) in [
            ("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#),
            ("nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#),
            ("mood.delete", #"{"id":"\#(testID(1))"}"#), ("store.verify", #"{"progressToken":7}"#),
        ].enumerated() {
            said += try session.answers(request(number, call.0, call.1)).filter { $0["method"] != nil }
        }
        #expect(Set(said.compactMap { $0["params"]?["topic"]?.string }) == ["mood", "nav"])
        for notification in said {
            let name = try #require(notification["method"]?.string)
            let params = try #require(notification["params"])
            let problems = SchemaChecker(root: Self.document).problems(of: params, by: try schema(name))
            #expect(problems.isEmpty, "\(problems) in \(notification.text)")
        }
        #expect(said.contains { $0["method"]?.string == "$/progress" })
    }
}
