import JSONCodec
import Platform
import Seeds
import Synchronization
import Testing

@testable import Storage

/// Any damage of an index or its snapshot leads to the right answer, or none.
@Suite struct IndexDamageTests {
    private static func records(_ count: Int, seed: UInt64 = 5) -> [TestRecord] {
        var random = SeededRandom(seed: seed)
        return .random(count, &random)
    }

    private static func ids(_ records: [TestRecord]) -> [RecordID] {
        records.map(\.id) + [RecordID(high: 1, low: 1), RecordID(high: .max, low: 0)]
    }

    @Test(arguments: SeededRandom.seeds)
    func aChangedByteOfTheIndexIsNoticedOrHarmless(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = Self.records(4)
        let indexed = try IndexedSnapshot(records)
        let bytes = try indexed.imageBytes()
        let ids = Self.ids(records)
        var intact = try indexed.buildIndex()
        let expected = intact.answers(ids)
        // Every byte of the header and of the used parts, some of the zeros after the end of a section.
        let used = bytes.indices.filter { $0 < 4096 || bytes[$0] != 0 || $0 % 61 == 0 || $0 % 4096 > 4088 }
        var refused = 0
        let sections = intact.image.header.sections.all
        var noticed: Set<Int> = []
        for at in used where at % 4 == Int(seed % 4) || at < 256 {
            var changed = bytes
            changed[at] ^= UInt8.random(in: 1...255, using: &random)
            guard var index = try indexed.index(from: changed) else {
                refused += 1
                continue
            }
            for (found, right) in zip(index.answers(ids), expected) where found != right {
                let isNoticed = found == .indexDamaged
                try #require(isNoticed, "seed \(seed), byte \(at): \(found), but it is \(right)")
                sections.firstIndex { $0.offset <= at && at < $0.end }.map { _ = noticed.insert($0) }
            }
        }
        #expect(refused >= 256 && noticed.count == sections.count, "seed \(seed): \(noticed)")
    }

    /// All that a store answers from its index; a question during which the index is made again is asked once more.
    private static func answers(_ store: TestRecords, _ ids: [RecordID]) throws -> [String] {
        func asked(_ question: (inout RecordStore) throws -> String) throws -> String {
            do { return try store.with(question) } catch StorageError.busy { return try store.with(question) }
        }
        func walk(_ order: RecordOrder, markedOnly: Bool = false, _ condition: TestCondition? = nil) throws -> String {
            try asked { store in
                var found: [String] = []
                try store.walk(
                    order, isDescending: false, after: nil, markedOnly: markedOnly, matching: condition
                ) {
                    found.append(String(decoding: $0.bytes, as: UTF8.self))
                    return true
                }
                return "\(found)"
            }
        }
        var answers = try RecordOrder.all.map { try walk($0) }
        answers.append(try walk(.time, markedOnly: true))
        answers.append(try walk(.time, TestCondition("a")))
        for id in ids { answers.append(try asked { "\(try $0.record(id)?.head.updated ?? -1)" }) }
        answers.append(
            try asked { store in
                var found: [String] = []
                try store.walkColumns(after: nil) { entries, texts in
                    found += entries.map { $0.described(texts) }
                    return true
                }
                return "\(found)"
            })
        answers.append(try asked { "\(try $0.hours().marks)" })
        return answers
    }

    /// Whatever byte of a section is damaged, the store answers as before, and the index is made again.
    @Test func anyDamagedSectionIsMadeAgain() throws {
        var random = SeededRandom(seed: 8)
        let directory = TestDirectory()
        let said = Mutex(0)
        let settings = settings(directory) { if $0.contains("made again") { said.withLock { $0 += 1 } } }
        let filled = try TestRecords(settings)
        let ids = (0..<40).map { RecordID(high: 7, low: UInt64($0)) }
        for id in ids { try filled.put(.random(id, &random)) }
        try filled.endCommit()
        try filled.flush()
        _ = try filled.with { try $0.compact() }
        let expected = try Self.answers(filled, ids)
        filled.close()
        let bytes = directory.read("index-2.v5")
        let header = try #require(bytes[..<4096].withUnsafeBytes { IndexHeader(page: $0) })
        for section in header.sections.all {
            let inner = (0..<8).map { _ in Int.random(in: section.offset..<section.end, using: &random) }
            for at in [section.offset, section.end - 1] + inner {
                var changed = bytes
                changed[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                directory.overwrite("index-2.v5", changed)
                let before = said.withLock { $0 }
                let store = try TestRecords(settings)
                #expect(try Self.answers(store, ids) == expected, "byte \(at)")
                #expect(said.withLock { $0 } > before, "byte \(at)")
                let made = directory.read("index-2.v5")
                #expect(made.count == bytes.count && made != changed, "byte \(at)")
            }
        }
    }

    @Test func anIndexThatWasCutOrGrownIsRefused() throws {
        let indexed = try IndexedSnapshot(Self.records(3))
        let bytes = try indexed.imageBytes()
        for length in stride(from: 0, to: bytes.count, by: 97) {
            #expect(try !indexed.takes(Array(bytes[..<length])))
        }
        #expect(try !indexed.takes(Array(bytes.dropLast())))
        #expect(try !indexed.takes(bytes + [0]))
        #expect(try indexed.takes(bytes))
    }

    /// Units in each other's place, and whole sections of another index with equal content.
    @Test func aUnitInAnothersPlaceIsNoticed() throws {
        let records = Self.records(40)
        let indexed = try IndexedSnapshot(records)
        let bytes = try indexed.imageBytes()
        var swapped = bytes
        let (first, second) = (IndexRow.offset(3), IndexRow.offset(4))
        for at in 0..<64 { swapped.swapAt(first + at, second + at) }
        indexed.directory.write("index-4.v5", swapped)
        let one = try indexed.openIndex()
        #expect(throws: IndexFault.self) { try one.row(3) }
        #expect(try one.row(5).head.id == records[5].id)
        let other = try indexed.imageBytes(IndexKey(1, 2))
        indexed.directory.write("index-4.v5", Array(bytes[..<4096] + other[4096...]))
        let mixed = try indexed.openIndex()
        for number in records.indices { #expect(throws: IndexFault.self) { try mixed.row(number) } }
        #expect(throws: IndexFault.self) { try mixed.row(of: records[0].id) }
    }

    @Test func anIndexOfAnotherSnapshotIsRefused() throws {
        let indexed = try IndexedSnapshot(Self.records(3))
        let bytes = try indexed.imageBytes()
        indexed.directory.write("index-4.v5", bytes)
        let file = { try File(indexed.directory.path("index-4.v5"), .read, in: .system) }
        let identity = try indexed.identity()
        func isTaken(_ change: (inout SnapshotHeader) -> Void) throws -> Bool {
            var header = identity.header
            change(&header)
            let other = SnapshotIdentity(
                header: header, inode: identity.inode, size: identity.size, modified: identity.modified,
                closingLine: identity.closingLine)
            guard let image = IndexImage(try file(), of: other) else { return false }
            return image.header.count == 3
        }
        #expect(try isTaken { _ in })
        #expect(try !isTaken { $0.storeId = identifier(78) })
        #expect(try !isTaken { $0.generation += 1 })
        #expect(try !isTaken { $0.revision += 1 })
        #expect(try !isTaken { $0.schemaVersion += 1 })
        #expect(try !isTaken { $0.count += 1 })
        // Equal bytes in another file; then another time of change, size and closing line.
        indexed.directory.write("moods.json", indexed.directory.read("moods.json"))
        #expect(try indexed.identity() != identity)
        let again = try IndexedSnapshot(Self.records(3))
        let bytesAgain = try again.imageBytes()
        #expect(try again.takes(bytesAgain))
        let snapshot = try File(again.directory.path("moods.json"), .readWrite, in: .system)
        let size = try snapshot.status().size
        try again.directory.read("moods.json").suffix(12).withUnsafeBytes { try snapshot.write($0, at: size - 12) }
        let touched = try again.identity()
        #expect(touched.closingLine == again.directory.read("moods.json").suffix(SnapshotIdentity.closingBytes))
        #expect(try !again.takes(bytesAgain))
    }

    /// Another program changes the snapshot under an open index, so that only the record itself can reveal it.
    @Test func aChangedByteOfARecordIsNoticed() throws {
        let records = Self.records(12)
        let indexed = try IndexedSnapshot(records)
        let snapshot = indexed.directory.read("moods.json")
        let index = try indexed.buildIndex()
        let file = try File(indexed.directory.path("moods.json"), .readWrite, in: .system)
        var buffer = ByteBuffer()
        let place = try #require(try index.row(of: records[5].id)).place
        for at in place.offset..<place.offset + place.byteCount {
            let changed = [snapshot[at] ^ 1]
            try changed.withUnsafeBytes { try file.write($0, at: at) }
            let found = IndexAnswer { try index.record(records[5].id, into: &buffer) }
            #expect(found == .snapshotCorrupt(offset: place.offset), "byte \(at)")
            #expect(IndexAnswer { try index.record(records[6].id, into: &buffer)?.row } == .value("6"))
            try [snapshot[at]].withUnsafeBytes { try file.write($0, at: at) }
        }
        try file.truncate(to: place.offset + 3)
        #expect(
            IndexAnswer { try index.record(records[5].id, into: &buffer) } == .snapshotCorrupt(offset: place.offset))
    }

    @Test func nothingIsBuiltFromASnapshotThatWasChangedOrCut() throws {
        let records = Self.records(3)
        let indexed = try IndexedSnapshot(records)
        let snapshot = indexed.directory.read("moods.json")
        for at in snapshot.indices {
            var changed = snapshot
            changed[at] ^= 1
            indexed.write(changed)
            #expect(throws: IndexBuildFault.self, "byte \(at)") { try indexed.imageBytes() }
            indexed.write(Array(snapshot[..<at]))
            #expect(throws: IndexBuildFault.self, "prefix \(at)") { try indexed.imageBytes() }
        }
        indexed.write(snapshot)
        #expect(try !indexed.imageBytes().isEmpty)
    }

    private static func fault(_ records: [TestRecord], count: Int? = nil) throws -> IndexBuildFault? {
        let indexed = try IndexedSnapshot([])
        indexed.write(IndexedSnapshot.bytes(of: records.map(\.json), count: count ?? records.count))
        do {
            _ = try indexed.imageBytes()
            return nil
        } catch let fault as IndexBuildFault {
            return fault
        }
    }

    @Test func tellsUnsortedFromEditedAndDamaged() throws {
        let records = Self.records(5)
        #expect(try Self.fault(records) == nil)
        var unsorted = records
        unsorted.swapAt(1, 2)
        guard case .unsorted(let offset) = try Self.fault(unsorted) else {
            Issue.record("no fault of order")
            return
        }
        #expect(offset > 0)
        guard case .unsorted = try Self.fault([records[0], records[0]]) else {
            Issue.record("a record twice in a row")
            return
        }
        var late = records[0]
        late.time = 100
        guard case .snapshot(.corrupt(_, let second, let reason)) = try Self.fault(records + [late]) else {
            Issue.record("an id twice")
            return
        }
        #expect(reason.contains("same id") && second > 0)
        guard case .snapshot(.corrupt) = try Self.fault(records, count: 6) else {
            Issue.record("a wrong count")
            return
        }
        let indexed = try IndexedSnapshot(unsorted)
        var edited = indexed.directory.read("moods.json")
        edited[edited.count - 5] ^= 1
        indexed.write(edited)
        do {
            _ = try indexed.imageBytes()
            Issue.record("an edited snapshot")
        } catch IndexBuildFault.edited {
        }
    }
}
