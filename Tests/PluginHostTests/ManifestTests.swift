import JSONCodec
import Testing

@testable import PluginHost

@Suite struct ManifestTests {
    @Test(arguments: ["org.example", "a.b", "a1.b-2.c", "0.0", String(repeating: "a", count: 98) + ".b"])
    func anIDIsLabelsJoinedByDots(text: String) throws {
        #expect(try #require(PluginID(text)).text == text)
    }

    @Test(arguments: [
        "", ".", "a", "a.", ".a", "a..b", "A.b", "a.-b", "a.b-", "a_b.c", "a.b/c", "../a.b", "a.b ", "ä.b",
        String(repeating: "a", count: 99) + ".b",
    ])
    func anythingElseIsNoID(text: String) { #expect(PluginID(text) == nil) }

    @Test func theManifestOfTheContractIsReadWhole() throws {
        let text = String(decoding: try Fixtures.bytes("manifest-contract.json"), as: UTF8.self)
        let manifest = try Manifest.read(try JSONValue(parsing: text), id: "org.example.poem")
        let provides = manifest.provides
        #expect(manifest.id.lastLabel == "poem" && manifest.name == "Poem card" && manifest.version == "1.2.0")
        #expect(manifest.exec == ["./poem.py"] && manifest.kind == .moodboard)
        #expect(provides.methods.map(\.name) == ["write", "today"] && provides.methods.map(\.isTool) == [true, false])
        #expect(provides.methods.map(\.effect) == [.read, .read])
        #expect(provides.shareFormats.first?.mediaType == "image/svg+xml" && provides.cells.first?.type == "weather")
        let hook = try #require(provides.hook(on: .change))
        #expect(hook.failure == .open && hook.timeoutMilliseconds == 250 && provides.hook(on: .navigate) == nil)
        #expect(provides.events == [.mood] && provides.importers.first?.extensions == ["acme"])
        #expect(provides.exporters.first?.fileExtension == "acme" && provides.menu.first?.method == "today")
        #expect(manifest.permissions.moods == .read && !manifest.permissions.navigation)
        #expect(manifest.limits == Manifest.Limits() && manifest.limits.timeoutMilliseconds == 5000)
        #expect(manifest.config?.check(["city": "Rome"]) == nil && manifest.config?.check(["city": 1])?.path == "/city")
    }

    @Test func whatIsNotKnownIsLeftOutOfAccount() throws {
        let manifest = try TestManifest.read([
            .init("colour", "red"), .init("provides", ["themes": [1], "cells": [["type": "a", "size": 3]]]),
            .init("permissions", ["contacts": true]), .init("limits", ["gpu": 1]),
        ])
        #expect(manifest.provides.cells.map(\.type) == ["a"] && manifest.source["colour"]?.string == "red")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let value: JSONValue
        let pointer: String

        init(_ name: String, _ value: JSONValue, _ pointer: String) {
            self.name = name
            self.value = value
            self.pointer = pointer
        }

        var testDescription: String { "\(name): \(value.text.prefix(80))" }
    }

    private static let method: JSONValue = ["name": "write", "summary": "Writes."]

    @Test func tooDeepIsSaidAndNotTakenForBroken() {
        let deep = Array((String(repeating: "[", count: 70) + String(repeating: "]", count: 70)).utf8)
        let problem = #expect(throws: ManifestProblem.self) {
            try deep.withUnsafeBytes { try Manifest.read($0, id: "a.b") }
        }
        #expect(problem?.reason.hasPrefix("is nested deeper than") == true, "\(String(describing: problem))")
    }

    static let wrong: [Case] = [
        Case("manifestVersion", 2, "/manifestVersion"), Case("manifestVersion", "1", "/manifestVersion"),
        Case("id", "org.example.other", "/id"), Case("id", "poem", "/id"), Case("id", 1, "/id"),
        Case("name", "", "/name"), Case("name", "a\nb", "/name"), Case("name", 7, "/name"),
        Case("name", .string(String(repeating: "a", count: 101)), "/name"), Case("version", .null, "/version"),
        Case("protocol", [2], "/protocol"), Case("protocol", 1, "/protocol"), Case("protocol", ["1"], "/protocol/0"),
        Case("exec", [], "/exec"), Case("exec", "main.sh", "/exec"), Case("exec", ["/bin/sh"], "/exec/0"),
        Case("exec", ["../main.sh"], "/exec/0"), Case("exec", ["./../main.sh"], "/exec/0"),
        Case("exec", ["bin/sh"], "/exec/0"),
        Case("exec", ["./"], "/exec/0"), Case("exec", [".."], "/exec/0"), Case("exec", ["sh", 1], "/exec/1"),
        Case("exec", ["sh", "a\u{0}b"], "/exec/1"), Case("kind", "grpc", "/kind"), Case("provides", [], "/provides"),
        Case("provides", ["methods": 1], "/provides/methods"),
        Case("provides", ["methods": [["name": "Write", "summary": "x"]]], "/provides/methods/0/name"),
        Case("provides", ["methods": [["name": "write"]]], "/provides/methods/0/summary"),
        Case("provides", ["methods": [method, method]], "/provides/methods/1/name"),
        Case(
            "provides", ["methods": [["name": "a", "summary": "x", "params": ["type": "array"]]]],
            "/provides/methods/0/params/type"),
        Case(
            "provides", ["methods": [["name": "a", "summary": "x", "result": ["properties": ["b": ["typ": 1]]]]]],
            "/provides/methods/0/result/properties/b/typ"),
        Case("provides", ["methods": [["name": "a", "summary": "x", "effect": "none"]]], "/provides/methods/0/effect"),
        Case(
            "provides", ["shareFormats": [["name": "a", "title": "A", "mediaType": "text"]]],
            "/provides/shareFormats/0/mediaType"),
        Case("provides", ["cells": [["type": "a b"]]], "/provides/cells/0/type"),
        Case("provides", ["hooks": [["on": "delete"]]], "/provides/hooks/0/on"),
        Case("provides", ["hooks": [["on": "change", "timeoutMs": 2001]]], "/provides/hooks/0/timeoutMs"),
        Case("provides", ["hooks": [["on": "change"], ["on": "change"]]], "/provides/hooks/1/on"),
        Case("provides", ["events": ["moods"]], "/provides/events/0"),
        Case("provides", ["events": ["mood", "nav"]], "/provides/events/1"),
        Case("provides", ["events": ["mood", "mood"]], "/provides/events/1"),
        Case("provides", ["importers": [["format": "a", "title": "A"]]], "/provides/importers/0/extensions"),
        Case(
            "provides", ["importers": [["format": "a", "title": "A", "extensions": [".csv"]]]],
            "/provides/importers/0/extensions/0"),
        Case(
            "provides", ["exporters": [["format": "a", "title": "A", "extension": "a/b", "mediaType": "text/plain"]]],
            "/provides/exporters/0/extension"),
        Case("provides", ["menu": [["title": "A", "method": "a"]]], "/provides/menu/0/method"),
        Case(
            "provides",
            [
                "methods": [["name": "a", "summary": "x", "params": ["required": ["b"]]]],
                "menu": [["title": "A", "method": "a"]],
            ], "/provides/menu/0/method"),
        Case("config", ["type": "string"], "/config/type"),
        Case("config", ["properties": ["a": ["$ref": "#/$defs/b"]]], "/config/properties/a/$ref"),
        Case(
            "config", ["properties": ["a": ["type": "integer", "default": "1"]]], "/config/properties/a/default"),
        Case(
            "config", ["properties": ["a": ["items": ["properties": ["default": ["writeOnly": true]]]]]],
            "/config/properties/a/items/properties/default/writeOnly"),
        Case("config", ["$defs": ["a": ["writeOnly": true]]], "/config/$defs/a/writeOnly"),
        Case("config", ["writeOnly": true], "/config/writeOnly"),
        Case("permissions", ["moods": "all"], "/permissions/moods"),
        Case("permissions", ["network": 1], "/permissions/network"),
        Case("permissions", ["files": ["read": ["notes"]]], "/permissions/files/read/0"),
        Case("permissions", ["files": ["write": ["~/a", "/a/../b"]]], "/permissions/files/write/1"),
        Case("permissions", ["files": ["write": ["~other/a"]]], "/permissions/files/write/0"),
        Case("limits", ["memoryMB": 0], "/limits/memoryMB"),
        Case("limits", ["timeoutMs": .double(1.5)], "/limits/timeoutMs"),
        Case("limits", ["idleSeconds": -1], "/limits/idleSeconds"), Case("limits", [1], "/limits"),
    ]

    @Test(arguments: wrong)
    func whatIsWrongIsNamedByItsPointer(one: Case) throws {
        let problem = #expect(throws: ManifestProblem.self) { try TestManifest.read([.init(one.name, one.value)]) }
        #expect(problem?.pointer == one.pointer, "\(String(describing: problem))")
        // A clause that can be part of a sentence.
        #expect(problem?.reason.isEmpty == false && problem?.description.hasSuffix(".") == true)
    }

    @Test(arguments: ["manifestVersion", "id", "name", "version", "exec"])
    func whatMustBeThereIsAskedFor(name: String) throws {
        let members = TestManifest.json().object?.filter { $0.name != name } ?? []
        let problem = #expect(throws: ManifestProblem.self) {
            try Manifest.read(.object(members), id: "org.example.poem")
        }
        #expect(problem?.pointer == "/" + name && problem?.reason.hasPrefix("is required: ") == true)
    }

    @Test(arguments: ["", "{", "[]", "1", "{\"a\":1,\"a\":2}", "\u{feff}{}", String(repeating: " ", count: 262_145)])
    func whatIsNoManifestIsRefusedAsAWhole(text: String) {
        let problem = #expect(throws: ManifestProblem.self) {
            try Array(text.utf8).withUnsafeBytes { try Manifest.read($0, id: "a.b") }
        }
        #expect(problem?.pointer == "" || problem?.pointer == "/manifestVersion")
    }

    @Test func anMCPServerBringsItsToolsAlone() throws {
        let server: JSONValue.Member = .init("kind", "mcp")
        #expect(try TestManifest.read([server, .init("provides", [:])]).kind == .mcp)
        let problem = #expect(throws: ManifestProblem.self) {
            try TestManifest.read([server, .init("provides", ["cells": []])])
        }
        #expect(problem?.pointer == "/provides/cells")
    }

    // MARK: Config

    private static let config: JSONValue = [
        "type": "object",
        "properties": [
            "city": ["type": "string", "default": "Rome"], "key": ["type": "string", "writeOnly": true],
            "mail": [
                "type": "object",
                "properties": [
                    "port": ["type": "integer", "default": 25], "password": ["type": "string", "writeOnly": true],
                ],
            ],
        ],
        "required": ["key"], "additionalProperties": false,
    ]

    @Test func defaultsAreLaidUnderAConfig() throws {
        let schema = try #require(try TestManifest.read([.init("config", Self.config)]).config)
        let filled = PluginConfig.withDefaults(["mail": ["password": "x"]], by: schema)
        #expect(filled.isEqual(to: ["mail": ["password": "x", "port": 25], "city": "Rome"]))
        #expect(PluginConfig.withDefaults(.object([]), by: schema).isEqual(to: ["city": "Rome", "mail": ["port": 25]]))
        #expect(PluginConfig.fault(["key": "a"], by: schema) == nil)
        #expect(PluginConfig.fault(["city": 1, "key": "a"], by: schema)?.path == "/city")
        #expect(PluginConfig.fault([:], by: schema)?.path == "/key")
        #expect(PluginConfig.fault([:], by: nil) == nil && PluginConfig.fault(["a": 1], by: nil) != nil)
        var deep: JSONValue = 1
        for _ in 0..<57 { deep = .array([deep]) }
        #expect(PluginConfig.fault(.object([.init("a", deep)]), by: .any) != nil)
    }

    @Test func secretsAreTakenOutAndLaidOverAgain() throws {
        let schema = try #require(try TestManifest.read([.init("config", Self.config)]).config)
        let whole: JSONValue = ["city": "Oslo", "key": "k", "mail": ["port": 1, "password": "p"]]
        let parts = PluginConfig.split(whole, by: schema)
        #expect(parts.open.isEqual(to: ["city": "Oslo", "mail": ["port": 1]]))
        #expect(parts.secret.isEqual(to: ["key": "k", "mail": ["password": "p"]]))
        #expect(PluginConfig.laid(parts.secret, over: parts.open).isEqual(to: whole))
    }
}
