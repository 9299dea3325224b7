import JSONCodec
import MoodCore
import Testing

@testable import MoodProtocol

@Suite struct OpenRPCTests {
    private static let document = OpenRPC.document(of: .standard, version: "1.2.3")

    private static func methods() throws -> [JSONValue] { try #require(document["methods"]?.array) }

    @Test func hasTheMembersThatOpenRPCRequires() throws {
        #expect(Self.document["openrpc"]?.string?.hasPrefix("1.4.") == true)
        #expect(Self.document["info"]?["title"]?.string == "MoodBoard")
        #expect(Self.document["info"]?["version"]?.string == "1.2.3")
        #expect(try Self.methods().count == MethodCatalogue.standard.methods.count)
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
        let known: Set = ["name", "summary", "paramStructure", "params", "result", "errors"]
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
        #expect(OpenRPC.document(of: .standard, version: "1.2.3").text == Self.document.text)
    }
}
