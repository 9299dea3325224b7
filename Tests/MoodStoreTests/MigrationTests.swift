import JSONCodec
import MoodCore
import Platform
import Storage
import Synchronization
import Testing

@testable import MoodStore

/// The settings for a directory. The first new identifier, the store's, is that of the fixtures.
func migrationSettings(
    _ directory: TestDirectory, _ fileSystem: FileSystem = .system, isReadOnly: Bool = false
) throws -> StoreSettings {
    guard case .directory(var settings) = directory.location(fileSystem, isReadOnly: isReadOnly) else {
        throw TestFailure()
    }
    let made = Mutex(0)
    let makeOther = settings.makeIdentifier
    settings.makeIdentifier = {
        let number = made.withLock { number in
            number += 1
            return number
        }
        return number == 1 ? Fixture.storeId : makeOther()
    }
    return settings
}

struct TestFailure: Error {}

/// Adds a mood, durably.
func addMood(_ store: inout MoodRecords, _ number: Int) throws {
    store.setTime(try #require(Timestamp("2027-01-02T03:04:05Z")))
    try store.openForWriting()
    var mood = MoodMembers()
    mood.emoji = JSONText("😊")
    mood.label = JSONText("Added")
    var writer = JSONWriter()
    try store.create(&mood, id: testID(number), at: store.now, to: &writer)
    try store.endCommit()
    try store.flush()
}

@Suite struct MigrationTests {
    @Test(arguments: Fixture.older)
    func becomesWhatItAlwaysBecame(fixture: Fixture) throws {
        let directory = try fixture.copy()
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try store.openForWriting()
        #expect(try shownMoods(&store) == fixture.moods)
        #expect(directory.read("moods.json") == fixture.expected)
        #expect(directory.read(fixture.keptName) == fixture.document)
        #expect(directory.names == ["index-1.v5", "journal-1.jsonl", "lock", "moods.json", fixture.keptName])
        #expect(store.statistics.revision == 1)
        let report = try verify(store)
        #expect(report?.isWhole == true)
    }

    @Test(arguments: Fixture.older)
    func becomesTheSameWhenMigratedTwice(fixture: Fixture) throws {
        let document = fixture.document
        let texts = try (1...2).map { _ in try migratedText(document) }
        #expect(texts[0] == texts[1])
        #expect(texts[0].split(separator: "\n").map(String.init) == fixture.moods)
    }

    @Test(arguments: Fixture.older)
    func isOnlyShownWhereItCannotBeWritten(fixture: Fixture) throws {
        let directory = try fixture.copy()
        let before = directory.contents
        var store = MoodRecords(.directory(try migrationSettings(directory, isReadOnly: true)))
        try store.open()
        #expect(try shownMoods(&store) == fixture.moods)
        let reason = store.statistics.readOnlyReason
        #expect(reason?.contains("has schema version \(fixture.keptName.contains("v1") ? 1 : 2)") == true)
        #expect(throws: MoodStoreError.self) { try store.openForWriting() }
        let report = try verify(store)
        #expect(report?.isWhole == true && report?.records == fixture.moods.count)
        #expect(report?.bytes == fixture.document.count)
        #expect(directory.contents == before)
    }

    /// One process shows the old file; another migrates it and continues; the first one sees that.
    @Test(arguments: [false, true])
    func seesWhatAnotherProcessHasMigrated(isReadOnly: Bool) throws {
        let fixture = Fixture.older[0]
        let directory = try fixture.copy()
        var first = MoodRecords(.directory(try migrationSettings(directory, isReadOnly: isReadOnly)))
        do {
            // Another process holds the lock, so the first one can only show the file.
            let path = directory.path + "/lock"
            let lock = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
            try first.open()
            _ = consume lock
        }
        #expect(try shownMoods(&first) == fixture.moods)
        #expect(directory.read("moods.json") == fixture.document)
        var second = MoodRecords(.directory(try migrationSettings(directory)))
        try addMood(&second, 1)
        second.endGroup()
        #expect(directory.read("moods.json") == fixture.expected)
        first.beginGroup()
        try first.open()
        #expect(try shownMoods(&first).count == fixture.moods.count + 1)
        guard !isReadOnly else { return }
        try addMood(&first, 2)
        #expect(try shownMoods(&first).count == fixture.moods.count + 2)
    }

    @Test(arguments: Fixture.current)
    func opensThePresentVersionWithoutWriting(fixture: Fixture) throws {
        let directory = try fixture.copy()
        let before = directory.contents
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try store.openForWriting()
        #expect(try shownMoods(&store) == fixture.moods)
        // Except the index, which can be rebuilt.
        #expect(directory.contents.filter { !$0.key.hasPrefix("index-") } == before)
    }

    @Test func onlyReadsANewerVersion() throws {
        let directory = try Fixture.newer.copy()
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try store.open()
        #expect(try shownMoods(&store) == Fixture.newer.moods)
        let reason = store.statistics.readOnlyReason
        #expect(reason?.contains("schema version 4") == true)
        #expect(throws: MoodStoreError.self) { try addMood(&store, 1) }
        for name in ["moods.json", "journal-2.jsonl"] {
            #expect(directory.read(name) == readFile(Fixture.newer.path + "/store/" + name))
        }
        #expect(directory.names == ["journal-2.jsonl", "moods.json"])
    }

    @Test func unknownMembersOutliveMigrationChangesAndCompaction() throws {
        let directory = try Fixture(name: "v1-pretty").copy()
        let settings = try migrationSettings(directory)
        do {
            var store = MoodRecords(.directory(settings))
            try addMood(&store, 1)
            var writer = JSONWriter()
            let id = try #require(MoodID("f2473ac9-28c9-54fa-92be-ba5f9e6e3e47"))
            try store.setFavorite(id, to: true, ifRevision: nil, at: store.now, to: &writer)
            var set = MoodMembers()
            set.label = JSONText("Quiet")
            try store.update(id, with: set, ifRevision: nil, at: store.now, to: &writer)
            try store.endCommit()
            try store.flush()
            try compact(&store)
        }
        var store = MoodRecords(.directory(settings))
        try store.open()
        try compact(&store)
        let text = String(decoding: directory.read("moods.json"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        let members =
            #","exportedBy":{"app":"MoodBoard","build":[1,2.50,1e3],"for the \u0041rchive":null},"theme":"dark","#
        #expect(lines[0].hasSuffix(#""generation":3,"revision":3,"count":4"# + members + #""moods":["#))
        let quiet = lines.filter { $0.contains("\"Quiet\"") }
        #expect(quiet.count == 1)
        #expect(quiet[0].contains(#""weather":{"sky":"half {clear}, \"50 %\"","wind":[],"degrees":-0.50}"#))
        for member in [##""colour":"#ff0""##, #""synced":false,"age":12345678901234567890"#] {
            #expect(text.contains(member))
        }
        #expect(throws: Never.self) { try JSONValue(parsing: text) }
    }

    @Test func leftoversOfAnEarlierAttemptAreNoObstacle() throws {
        let fixture = Fixture.older[0]
        let directory = try fixture.copy()
        try directory.write("temporary-1", "half a snapshot")
        try directory.write("moods.v1.json", fixture.document)
        let journal = readFile(Fixture.current[0].path + "/store/journal-2.jsonl").prefix { $0 != 0x0A }
        // Its generation differs from its name's, which does not matter for a blank file.
        try directory.write("journal-1.jsonl", Array(journal) + [0x0A, 0x0A])
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try addMood(&store, 1)
        #expect(directory.read("moods.json") == fixture.expected)
        #expect(directory.names == ["index-1.v5", "journal-1.jsonl", "lock", "moods.json", "moods.v1.json"])
    }

    @Test func aKeptFileIsNeverReplaced() throws {
        let fixture = Fixture.older[0]
        let directory = try fixture.copy()
        try directory.write("moods.v1.json", "something else")
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try store.openForWriting()
        #expect(String(decoding: directory.read("moods.v1.json"), as: UTF8.self) == "something else")
        #expect(directory.read("moods.v1-2.json") == fixture.document)
    }

    /// An old file was copied over the snapshot of a later store. The program cannot know which one is right.
    @Test(arguments: [["journal-2.jsonl"], ["backup-1.json"], ["journal-1.jsonl"]])
    func doesNotMigrateBesideALaterStore(names: [String]) throws {
        let directory = try Fixture.older[0].copy()
        for name in names { try directory.write(name, readFile(Fixture.current[0].path + "/store/journal-2.jsonl")) }
        let before = directory.contents
        for isReadOnly in [false, true] {
            var store = MoodRecords(.directory(try migrationSettings(directory, isReadOnly: isReadOnly)))
            let error = #expect(throws: MoodStoreError.self) { try store.open() }
            guard case .storage(.unavailable(let reason, _)) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(names.allSatisfy { reason.contains($0) })
        }
        var after = directory.contents
        after["lock"] = nil
        #expect(after == before)
    }

    /// A flipped bit can turn the 3 of a snapshot into a 1 or a 2: that is no older store.
    @Test(arguments: ["1", "2"])
    func doesNotTakeADamagedSnapshotForAnOlderOne(version: String) throws {
        let directory = try Fixture.current[0].copy()
        let text = String(decoding: directory.read("moods.json"), as: UTF8.self)
        let damaged = text.replacing("\"schemaVersion\":3", with: "\"schemaVersion\":\(version)")
        directory.names.filter { $0.hasPrefix("journal") }.forEach { unlink(directory.path + "/" + $0) }
        try directory.write("moods.json", damaged)
        let before = directory.contents
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        #expect(throws: MoodStoreError.self) { try store.open() }
        #expect(directory.contents == before)
    }

    @Test func migratesAnEmptyDocument() throws {
        let directory = try Fixture.older[0].copy()
        try directory.write("moods.json", #" {"moods":[ ], "schemaVersion":2} "#)
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try addMood(&store, 1)
        #expect(store.statistics.moods == 1 && store.statistics.revision == 2)
    }

    @Test func migratesALargeDocument() throws {
        let count = 20_000
        var text = #"{"schemaVersion":1,"moods":["#
        for number in 0..<count {
            let time = Timestamp(milliseconds: Int64((number * 7919) % count) * 60_000) ?? .minimum
            text += #"{"emoji":"😊","label":"No. \#(number)","timestamp":"\#(time.text)","n":\#(number)}"#
            text += number + 1 < count ? ",\n" : "]}"
        }
        let directory = try Fixture.older[0].copy()
        try directory.write("moods.json", text)
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        try store.openForWriting()
        #expect(store.statistics.moods == count)
        let lines = String(decoding: directory.read("moods.json"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == count + 2)
        for number in [0, 1, count / 2, count - 1] {
            let time = try #require(Timestamp(milliseconds: Int64((number * 7919) % count) * 60_000)).text
            let line = try #require(lines.first { $0.contains("\"No. \(number)\"") })
            #expect(line.contains(time) && line.hasSuffix("\"n\":\(number)},") || line.hasSuffix("\"n\":\(number)}"))
        }
    }
}

/// The records of a document, a line each.
func migratedText(_ document: [UInt8]) throws -> String {
    try document.withUnsafeBytes { bytes in
        let migrated = try SchemaMigration.moods.migrate(bytes)
        var lines: [String] = []
        migrated.records { lines.append(String(decoding: $0, as: UTF8.self)) }
        #expect(lines.count == migrated.count)
        return lines.joined(separator: "\n")
    }
}
