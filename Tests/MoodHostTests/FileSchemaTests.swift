import JSONCodec
import MoodProtocol
import Testing

@testable import MoodHost

/// The published schemas of the store's files describe the files that this host writes.
@Suite struct FileSchemaTests {
    private static func fill(_ directory: TestDirectory) throws {
        let session = TestSession(directory)
        let attachments = #"[{"kind":"link","url":"https://a"},{"kind":"place","latitude":1,"longitude":2}]"#
        _ = try session.answers(
            request(
                1, "mood.create",
                #"{"id":"\#(testID(1))","emoji":"😊","label":"A","tags":["a"],"valence":0.5,"scales":{"sleep":7},"timeZone":"UTC","attachments":\#(attachments)}"#
            ),
            request(2, "store.insertSamples", #"{"opId":"a"}"#),
            request(3, "mood.toggleFavorite", #"{"id":"\#(testID(1))","opId":"b"}"#),
            request(4, "mood.delete", #"{"id":"\#(testID(1))"}"#))
        _ = try session.answers(request(5, "mood.clear", #"{"confirm":true}"#), request(6, "store.insertSamples"))
    }

    @Test func everyLineOfAJournalIsAsItsSchemaSays() throws {
        let directory = TestDirectory()
        try Self.fill(directory)
        let schema = try SchemaChecker.published("journal-line.schema.json")
        let journal = try #require(directory.names.first { $0.hasPrefix("journal-") })
        let lines = directory.text(journal).split(separator: "\n")
        #expect(lines.count == 7)
        for line in lines {
            let problems = SchemaChecker(root: schema).problems(of: try JSONValue(parsing: String(line)), by: schema)
            #expect(problems.isEmpty, "\(problems) in \(line)")
        }
    }

    @Test func aSnapshotIsAsItsSchemaSays() throws {
        let directory = TestDirectory()
        try Self.fill(directory)
        let schema = try SchemaChecker.published("store-snapshot.schema.json")
        var counts: [Int?] = []
        for round in 0..<2 {
            if round == 1 { _ = try TestSession(directory).result("store.compact") }
            let snapshot = try JSONValue(parsing: directory.text("moods.json"))
            let problems = SchemaChecker(root: schema).problems(of: snapshot, by: schema)
            #expect(problems.isEmpty, "\(problems)")
            #expect(snapshot["moods"]?.array?.count == snapshot["count"]?.integer)
            counts.append(snapshot["count"]?.integer)
        }
        #expect(counts == [0, 5])
    }

    /// The part of the schemas that describes a mood comes from the table of its members.
    @Test func aMoodInTheFilesIsDescribedByTheTable() throws {
        let schema = StoredMood.jsonSchema
        let snapshot = try #require(try SchemaChecker.published("store-snapshot.schema.json")["$defs"]?["mood"])
        for name in ["type", "properties", "required"] {
            let isSame = snapshot[name]?.isEqual(to: schema[name] ?? .null) == true
            #expect(isSame, "\(name) in store-snapshot.schema.json must be\n\(schema[name]?.text ?? "")")
        }
        #expect(snapshot["properties"]?.object?.map(\.name) == schema["properties"]?.object?.map(\.name))
        let line = try #require(try SchemaChecker.published("journal-line.schema.json")["$defs"]?["mood"])
        let isSame = line["required"]?.isEqual(to: schema["required"] ?? .null) == true
        #expect(isSame, "required in journal-line.schema.json must be\n\(schema["required"]?.text ?? "")")
    }

    @Test func savedNavigationIsAsItsSchemaSays() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        _ = try session.result("nav.save", #"{"name":"root"}"#)
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        _ = try session.result("nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#)
        _ = try session.result("nav.save", #"{"name":"with \"quotes\" ☕"}"#)
        let schema = try SchemaChecker.published("navigation.schema.json")
        let file = try JSONValue(parsing: directory.text("navigation.json"))
        let problems = SchemaChecker(root: schema).problems(of: file, by: schema)
        #expect(problems.isEmpty && file["states"]?.object?.count == 2, "\(problems)")
        for text in [
            "{}", "[]", #"{"format":"moodboard","version":1,"states":{}}"#,
            #"{"format":"moodboard-navigation","version":2,"states":{}}"#,
            #"{"format":"moodboard-navigation","version":1,"states":{"a":{}}}"#,
            #"{"format":"moodboard-navigation","version":1,"states":{"a":{"path":[{}]}}}"#,
            #"{"format":"moodboard-navigation","version":1,"states":{"a":{"path":[],"savedAt":"now"}}}"#,
        ] {
            let found = SchemaChecker(root: schema).problems(of: try JSONValue(parsing: text), by: schema)
            #expect(!found.isEmpty, "\(text)")
        }
    }

    @Test func settingsAreAsTheirSchemaSays() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result(
            "settings.set",
            #"{"dayStartsAt":"12:00","timeZone":"UTC","locale":"fi","weekStartsOn":"sunday","palette":[{"emoji":"😊","label":"A","valence":1}]}"#
        )
        let schema = try SchemaChecker.published("settings.schema.json")
        let file = try JSONValue(parsing: directory.text("settings.json"))
        let problems = SchemaChecker(root: schema).problems(of: file, by: schema)
        #expect(problems.isEmpty && file["palette"]?.array?.count == 1, "\(problems)")
        for text in [
            "{}", "[]", #"{"format":"moodboard-settings","version":2}"#,
            #"{"format":"moodboard-settings","version":1,"dayStartsAt":"12:01"}"#,
            #"{"format":"moodboard-settings","version":1,"palette":[]}"#,
            #"{"format":"moodboard-settings","version":1,"weekStartsOn":0}"#,
        ] {
            let found = SchemaChecker(root: schema).problems(of: try JSONValue(parsing: text), by: schema)
            #expect(!found.isEmpty, "\(text)")
        }
    }

    /// A schema that accepts everything would pass the other tests.
    @Test(arguments: [
        #"{"format":"moodboard-journal"}"#, #"{"seq":1,"at":"2026-01-02T03:04:05.678Z","durable":0}"#,
        #"{"seq":0,"at":"2026-01-02T03:04:05.678Z","durable":0,"crc":"00000000"}"#,
        #"{"seq":1,"at":"2026-01-02T03:04:05Z","durable":0,"crc":"00000000"}"#,
        #"{"seq":1,"at":"2026-01-02T03:04:05.678Z","durable":0,"crc":"0000000G"}"#,
        #"{"seq":1,"at":"2026-01-02T03:04:05.678Z","durable":0,"put":[{}],"crc":"00000000"}"#,
        #"{"seq":1,"at":"2026-01-02T03:04:05.678Z","durable":0,"more":1,"crc":"00000000"}"#, "{}", "[]", "1",
    ])
    func theSchemaOfAJournalLineRefusesOthers(line: String) throws {
        let schema = try SchemaChecker.published("journal-line.schema.json")
        let problems = SchemaChecker(root: schema).problems(of: try JSONValue(parsing: line), by: schema)
        #expect(!problems.isEmpty)
    }
}
