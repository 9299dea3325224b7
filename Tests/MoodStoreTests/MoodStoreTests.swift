import JSONCodec
import MoodCore
import Platform
import Seeds
import Storage
import Synchronization
import Testing

@testable import MoodStore

@Suite struct MoodStoreTests {
    private static func fill(_ moods: TestMoods, _ count: Int) throws {
        for number in 0..<count {
            _ = try moods.create(["emoji": "😊", "label": .string("Mood \(number)")], id: testID(number))
            try moods.endCommit()
        }
        try moods.flush()
    }

    @Test func anIDThatExistsIsTheSameMoodOrAConflict() throws {
        let moods = TestMoods()
        let given: JSONValue = ["id": .string(testID(1).text), "emoji": "😊", "label": "A", "tags": ["x"]]
        let first = try moods.create(given, id: testID(1))
        try moods.endCommit()
        moods.setTime(1_800_000_000_000)
        #expect(try moods.create(given, id: testID(1)).isEqual(to: first))
        #expect(try moods.create(given.setting(["label": " A ", "tags": .null]), id: testID(1)).isEqual(to: first))
        for other: JSONValue in [
            ["label": "B"], ["tags": []], ["valence": 1], ["scales": ["a": 1]], ["timestamp": "2026-01-02T03:04:05Z"],
        ] {
            #expect {
                try moods.create(given.setting(other), id: testID(1))
            } throws: { error in
                if case .idTaken(testID(1), revision: 1) = error as? MoodStoreError { true } else { false }
            }
        }
        #expect(moods.info.revision == 1)
    }

    @Test func aRevisionThatHasPassedIsAConflictAndChangesNothing() throws {
        let moods = TestMoods()
        try Self.fill(moods, 1)
        for change: () throws -> Void in [
            { _ = try moods.update(testID(0), ["label": "X"], ifRevision: 7) },
            { _ = try moods.setFavorite(testID(0), nil, ifRevision: 7) },
            { try moods.delete(testID(0), ifRevision: 7) },
        ] {
            #expect {
                try change()
            } throws: { error in
                if case .revisionConflict(testID(0), current: 1) = error as? MoodStoreError { true } else { false }
            }
        }
        #expect(moods.info.revision == 1 && moods.info.moods == 1)
        _ = try moods.update(testID(0), ["label": "X"], ifRevision: 1)
        try moods.endCommit()
        #expect(try moods.get(testID(0))["revision"]?.integer == 2)
    }

    @Test func aCursorBelongsToItsSortOrderAndFilter() throws {
        let moods = TestMoods()
        try Self.fill(moods, 5)
        var query = MoodQuery()
        query.limit = 2
        let first = try moods.list(query)
        let cursor = try #require(first.nextCursor)
        query.limit = 3
        #expect(try moods.list(query, cursor: cursor).items.count == 3, "the limit may differ")
        var others: [MoodQuery] = []
        for change: (inout MoodQuery) -> Void in [
            { $0.sort = .label }, { $0.sort = .updatedAt }, { $0.isDescending = false },
            { $0.filter.isFavorite = false },
            { query in Array("😊".utf8).withUnsafeBytes { query.filter.select(emoji: $0) } },
            { query in Array("A".utf8).withUnsafeBytes { query.filter.select(label: $0) } },
            { query in [UInt8(65)].withUnsafeBytes { query.filter.add(tag: $0, to: .all) } },
            { $0.filter.from = .minimum }, { $0.filter.to = .maximum },
            { query in Array("m".utf8).withUnsafeBytes { query.filter.search($0) } },
        ] {
            var other = query
            change(&other)
            others.append(other)
        }
        for other in others { Self.expectRefusal(moods, other, cursor) }
        for text in ["", "x", "!!!!", cursor + "A", String(cursor.dropLast()), String(cursor.dropFirst()), "AAAA"] {
            Self.expectRefusal(moods, query, text)
        }
        // Any character changed.
        for index in cursor.indices {
            var text = cursor
            text.replaceSubrange(index...index, with: cursor[index] == "A" ? "B" : "A")
            Self.expectRefusal(moods, query, text)
        }
    }

    private static func expectRefusal(_ moods: TestMoods, _ query: MoodQuery, _ cursor: String) {
        #expect("\(cursor)") {
            try moods.list(query, cursor: cursor)
        } throws: { error in
            if case .invalidCursor = error as? MoodStoreError { true } else { false }
        }
    }

    /// Lists sort by stored labels, not by given ones.
    @Test func whiteSpaceAroundALabelDoesNotSortIt() throws {
        let moods = TestMoods()
        for (number, label) in ["b", " c", "\u{3000}a", "d\u{85}"].enumerated() {
            _ = try moods.create(["emoji": "😊", "label": .string(label)], id: testID(number))
            try moods.endCommit()
        }
        _ = try moods.update(testID(0), ["label": " e"])
        try moods.endCommit()
        var query = MoodQuery()
        query.sort = .label
        query.isDescending = false
        let list = try moods.list(query)
        #expect(list["items"]?.array?.map { $0["label"]?.string } == ["a", "c", "d", "e"])
    }

    @Test func aPageEndsAt4MiB() throws {
        let moods = TestMoods()
        let notes = String(repeating: "x", count: 60_000)
        for number in 0..<100 {
            _ = try moods.create(["emoji": "😊", "label": "A", "notes": .string(notes)], id: testID(number))
            try moods.endCommit()
        }
        var query = MoodQuery()
        query.limit = 1000
        let first = try moods.list(query)
        #expect(first.text.utf8.count < 4 * 1024 * 1024 + 1000 && first.text.utf8.count > 4 * 1024 * 1024 - 70_000)
        let cursor = try #require(first.nextCursor)
        let second = try moods.list(query, cursor: cursor)
        #expect(second.nextCursor == nil)
        #expect(Set(first.items).union(second.items).count == 100 && first.items.count + second.items.count == 100)
        #expect(first["total"]?.integer == 100)
    }

    @Test func anEmptyListSaysWhy() throws {
        let moods = TestMoods()
        let none = try moods.list(MoodQuery())
        #expect(none["empty"]?["title"]?.string == "No moods yet" && none["total"]?.integer == 0)
        #expect(none["empty"]?["hint"]?.string?.contains("mood.create") == true)
        try Self.fill(moods, 1)
        var query = MoodQuery()
        #expect(try moods.list(query)["empty"] == nil)
        Array("other".utf8).withUnsafeBytes { query.filter.select(label: $0) }
        let filtered = try moods.list(query)
        #expect(filtered["empty"]?["title"]?.string == "No matching moods")
        #expect(filtered["total"] == nil, "counted under a filter only when asked")
        query.wantsTotal = true
        #expect(try moods.list(query)["total"]?.integer == 0)
    }

    @Test func everythingIsThereAfterReopening() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        try Self.fill(moods, 20)
        _ = try moods.setFavorite(testID(3), true)
        try moods.endCommit()
        _ = try moods.update(testID(4), ["valence": .double(0.5), "tags": ["a"]])
        try moods.endCommit()
        try moods.delete(testID(5))
        try moods.endCommit()
        try moods.flush()
        let before = try moods.list(MoodQuery())
        let revision = moods.info.revision
        try moods.reopen()
        #expect(try moods.list(MoodQuery()).isEqual(to: before))
        #expect(moods.info.revision == revision && moods.info.favorites == 1)
        try moods.with { try compact(&$0) }
        try moods.reopen()
        #expect(try moods.list(MoodQuery()).isEqual(to: before))
        #expect(moods.info.revision == revision)
        let isWhole = try moods.with { try verify($0)?.isWhole }
        #expect(isWhole == true)
    }

    /// The end of a session compacts its changes. A session that only read writes nothing.
    @Test func aSessionThatWroteMuchPutsTheStoreInOrder() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        try Self.fill(moods, 400)
        let journal = directory.read("journal-1.jsonl").count
        let reader = TestMoods(directory.location())
        #expect(try reader.list(MoodQuery()).items.count == 50)
        try reader.with { $0.part(withinMilliseconds: 60_000) }
        #expect(directory.read("journal-1.jsonl").count == journal && journal > StoreFiles.partingBytesMin)
        let before = try moods.list(MoodQuery())
        try moods.with { $0.part(withinMilliseconds: 60_000) }
        #expect(directory.read("journal-2.jsonl").count < 1024)
        #expect(try reader.list(MoodQuery()).isEqual(to: before))
        try moods.reopen()
        #expect(try moods.list(MoodQuery()).isEqual(to: before))
        #expect(moods.info.revision == 400)
    }

    @Test func aReadOnlyStoreIsReadAndNotWritten() throws {
        let directory = TestDirectory()
        do {
            let moods = TestMoods(directory.location())
            try Self.fill(moods, 2)
        }
        let moods = TestMoods(directory.location(isReadOnly: true))
        #expect(try moods.list(MoodQuery()).items.count == 2)
        #expect(moods.info.readOnlyReason != nil)
        #expect {
            try moods.with { try $0.openForWriting() }
        } throws: { error in
            if case .storage(.readOnly) = error as? MoodStoreError { true } else { false }
        }
    }

    @Test func aClearOfALargeStoreIsOneCommit() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        try Self.fill(moods, 500)
        #expect(try moods.clear() == 500)
        try moods.endCommit()
        try moods.flush()
        #expect(moods.info.revision == 501 && moods.info.moods == 0)
        try moods.reopen()
        #expect(try moods.list(MoodQuery()).items.isEmpty)
        #expect(moods.info.revision == 501)
        #expect(try moods.clear() == 0)
        try moods.endCommit()
        #expect(moods.info.revision == 501, "nothing to clear, no commit")
    }

    @Test(arguments: SeededRandom.seeds)
    func base64URLReadsBack(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(Array(text.utf8)) == bytes)
            #expect(text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        }
        #expect(Base64URL.encode(Array("fo".utf8)) == "Zm8")
        for text in ["a=", "a b", "é", "a+", "a/"] { #expect(Base64URL.decode(Array(text.utf8)) == nil) }
    }

    /// A store opened during a fault can be written soon after the fault ends, without a restart of the host.
    @Test func writesWithinASecondOnceAFaultIsGone() throws {
        let directory = TestDirectory()
        try Self.fill(TestMoods(directory.location()), 3)
        let isReadOnly = Mutex(true)
        var files = FileSystem.system
        files.open = { path, access throws(SystemError) in
            if [.readWrite, .readWriteOrCreate, .create].contains(access), isReadOnly.withLock({ $0 }) {
                throw SystemError(call: "open", subject: path, code: EROFS)
            }
            return try FileSystem.system.open(path, access)
        }
        let moods = TestMoods(directory.location(files))
        #expect(throws: MoodStoreError.self) { try moods.with { try $0.openForWriting() } }
        #expect(moods.info.moods == 3 && moods.info.readOnlyReason != nil)
        isReadOnly.withLock { $0 = false }
        let end = Clock.monotonicMilliseconds + 1_000
        var isWritable = false
        while !isWritable, Clock.monotonicMilliseconds < end {
            isWritable = (try? moods.with { try $0.openForWriting() }) != nil
        }
        #expect(isWritable && moods.info.readOnlyReason == nil)
        _ = try moods.create(["emoji": "😊", "label": "More"], id: testID(9))
        try moods.endCommit()
        try moods.flush()
        #expect(moods.info.moods == 4)
    }
}
