import JSONCodec
import Testing

@testable import PluginHost

@Suite struct RecordTests {
    private static func record(_ id: String = "org.example.poem") throws -> PluginRecords.Record {
        PluginRecords.Record(
            id: try #require(PluginID(id)), digest: "sha256:" + String(repeating: "0a", count: 32),
            trustedSince: "2026-01-02T03:04:05.678Z", trustedRevision: 7, execRealPath: "/usr/bin/sh",
            manifest: TestManifest.json(id))
    }

    private static func read(_ text: String) throws -> PluginRecords {
        try Array(text.utf8).withUnsafeBytes { try PluginRecords.read($0, isSealed: false) }
    }

    @Test func whatIsWrittenIsReadTheSame() throws {
        var records = PluginRecords()
        var record = try Self.record()
        record.isEnabled = false
        record.config = ["city": "Rome"]
        (record.readable, record.writable, record.runtimes) = (["/a"], ["/b", "/c"], ["/d"])
        record.tools = "sha256:" + String(repeating: "1", count: 64)
        record.toolList = [["name": "sum", "inputSchema": ["type": "object"]]]
        let (other, first) = (try Self.record("org.other.b"), try Self.record("org.aaa.c"))
        for one in [record, other, first] { records[one.id] = one }
        #expect(records.records.map(\.id.text) == ["org.aaa.c", "org.example.poem", "org.other.b"])
        let again = try Self.read(String(decoding: records.write(), as: UTF8.self))
        #expect(again == records && again[record.id] == record && again.records == records.records)
        #expect(try records.write().withUnsafeBytes { try PluginRecords.read($0, isSealed: true) } == records)
        // With the members in any order.
        let turned = try JSONValue.parse(records.write()).object?.reversed() ?? []
        #expect(try Self.read(JSONValue.object(turned).text) == records)
        records[record.id] = nil
        #expect(records.records.count == 2 && records != again)
    }

    /// The kinds of contributions are found without parsing the manifest; both results must agree.
    @Test(
        arguments: [
            ("{}", []), (#"{"methods":[{"name":"a","summary":"A."}]}"#, .methods), (#"{"methods":[]}"#, []),
            (#"{"hooks":[{"on":"navigate"}],"cells":[{"type":"a"}]}"#, [.navigateHooks, .cells]),
            (#"{"hooks":[{"on":"change"}],"events":["mood"],"later":{"a":[1]}}"#, [.changeHooks, .events]),
        ] as [(String, ContributionKinds)])
    func whatItBringsIsKnownFromItsRecord(provides: String, expected: ContributionKinds) throws {
        var record = try Self.record()
        record.manifest = .object(
            (TestManifest.json().object ?? []).filter { $0.name != "provides" }
                + [.init("provides", try JSONValue(parsing: provides))])
        #expect(record.provisions == expected)
    }

    @Test func anMCPServerBringsMethods() throws {
        var record = try Self.record()
        record.manifest = .object((record.manifest.object ?? []) + [.init("kind", "mcp")])
        #expect(record.provisions.contains(.methods))
    }

    @Test func membersOfOthersAreKept() throws {
        let manifest = TestManifest.json().text
        let digest = "sha256:" + String(repeating: "0", count: 64)
        let records = try Self.read(
            #"{"format":"moodboard-plugins","version":1,"later":[1],"plugins":{"org.example.poem":{"digest":"\#(digest)","trustedSince":"2026-01-02T03:04:05Z","trustedRevision":0,"execRealPath":"/a","manifest":\#(manifest),"mood":"😊"},"?":{"x":1}}}"#
        )
        let text = String(decoding: records.write(), as: UTF8.self)
        for kept in [#""later":[1]"#, #""mood":"😊""#, #""?":{"x":1}"#, #""trustedSince":"2026-01-02T03:04:05.000Z""#] {
            #expect(text.contains(kept), "\(text)")
        }
    }

    @Test(arguments: [
        "", "[]", #"{"format":"moodboard","version":1,"plugins":{}}"#, #"{"format":"moodboard-plugins","plugins":{}}"#,
        #"{"format":"moodboard-plugins","version":0,"plugins":{}}"#, #"{"format":"moodboard-plugins","version":1}"#,
        #"{"format":"moodboard-plugins","version":1,"version":1,"plugins":{}}"#,
        #"{"format":"moodboard-plugins","version":1,"plugins":{"a.b":{}}}"#,
        #"{"format":"moodboard-plugins","version":1,"plugins":{"a.b":{"digest":"sha256:00"}}}"#,
    ])
    func whatIsNoFileOfRecordsIsRefused(text: String) {
        let damage = #expect(throws: PluginRecords.Damage.self) { try Self.read(text) }
        #expect(damage?.reason.isEmpty == false && damage?.isNewer == false)
    }

    @Test(arguments: [
        "digest", "trustedSince", "trustedRevision", "enabled", "config", "granted", "execRealPath", "tools",
        "manifest",
    ])
    func aMemberOfAnotherKindIsNamed(name: String) throws {
        var records = PluginRecords()
        var record = try Self.record()
        record.tools = record.digest
        records[record.id] = record
        let file = try JSONValue.parse(records.write())
        let members = file["plugins"]?[record.id.text]?.object ?? []
        #expect(members.contains { $0.name == name })
        for wrong: JSONValue in [-1, "x", [], .null] where !(name == "execRealPath" && wrong.string != nil) {
            let changed = members.map { $0.name == name ? JSONValue.Member(name, wrong) : $0 }
            let plugins: JSONValue = .object([.init(record.id.text, .object(changed))])
            let damage = #expect(throws: PluginRecords.Damage.self) {
                try Self.read(#"{"format":"moodboard-plugins","version":1,"plugins":\#(plugins.text)}"#)
            }
            #expect(damage?.reason.contains(name) == true, "\(String(describing: damage))")
        }
    }

    @Test func aNewerFileIsSaidToBeNewer() {
        let damage = #expect(throws: PluginRecords.Damage.self) {
            try Self.read(#"{"format":"moodboard-plugins","version":2,"plugins":7}"#)
        }
        #expect(damage?.isNewer == true)
    }

    @Test func aFileIsAsItsSchemaSays() throws {
        let schema = try JSONSchema.compile(
            try JSONValue.parse(Fixtures.bytes("../../../Schemas/plugins.schema.json")))
        var records = PluginRecords()
        let record = try Self.record()
        records[record.id] = record
        #expect(schema.check(try JSONValue.parse(records.write())) == nil)
        for text in [
            "{}", #"{"format":"moodboard-plugins","version":2,"plugins":{}}"#,
            #"{"format":"moodboard-plugins","version":1,"plugins":{"a.b":{}}}"#,
            #"{"format":"moodboard-plugins","version":1,"plugins":{"a":1}}"#,
        ] {
            #expect(schema.check(try JSONValue(parsing: text)) != nil, "\(text)")
        }
    }

    @Test func secretsAreKeptApart() throws {
        let id = try #require(PluginID("org.example.poem"))
        var secrets = PluginSecrets()
        #expect(secrets[id].object?.isEmpty == true)
        secrets[id] = ["key": "k"]
        let again = try secrets.write().withUnsafeBytes { try PluginSecrets.read($0, isSealed: true) }
        #expect(again[id]["key"]?.string == "k")
        secrets[id] = [:]
        #expect(String(decoding: secrets.write(), as: UTF8.self).contains("org.example.poem") == false)
    }
}
