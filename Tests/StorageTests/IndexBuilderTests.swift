import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

@Suite struct IndexBuilderTests {
    /// A compaction feeds the builder while it writes: the result equals that of reading the file.
    @Test(arguments: [0, 1, 40, 1_500])
    func besideTheWriterItIsTheSame(count: Int) throws {
        var random = SeededRandom(seed: 11)
        let records = [TestRecord].random(count, &random)
        let indexed = try IndexedSnapshot([])
        indexed.directory.remove("moods.json")
        let header = IndexedSnapshot.header(count)
        var builder = SnapshotIndexBuilder(count: count, .test, key: IndexedSnapshot.key)
        var writer = SnapshotWriter(try DraftFile(indexed.directory.path("draft"), in: .system), header)
        var reasons: [String?] = []
        for record in records {
            // A line feed between members becomes a space in the file.
            let loose = record.json.replacing(",\"time\"", with: ",\n\"time\"")
            withBytes(loose) { reasons.append(builder.add($0, at: writer.append($0))) }
        }
        #expect(reasons.allSatisfy { $0 == nil })
        _ = try writer.finish()
        try writer.draft.place(as: indexed.directory.path("moods.json"))
        let image = try builder.finish(of: try indexed.identity())
        let read = try indexed.imageBytes()
        let fed = image.bytes.map { Array($0) }
        #expect(fed == read)
    }

    /// An index that goes to a file while it is made equals one that is made in memory.
    @Test(arguments: [1, 60, 3_000])
    func aFileIsTheSame(count: Int) throws {
        var random = SeededRandom(seed: 12)
        let records = [TestRecord].random(count, &random)
        let indexed = try IndexedSnapshot(records)
        let image = try indexed.buildFile()
        #expect(image.bytes == nil)
        #expect(indexed.directory.names == ["index-4.v5", "moods.json"])
        #expect(try indexed.directory.read("index-4.v5") == indexed.imageBytes())
        let index = try indexed.openIndex()
        for (number, record) in records.enumerated() { #expect(try index.row(of: record.id)?.place.row == number) }
    }

    /// Texts of any length, so that the parts are written in pieces.
    @Test func aLongFileIsTheSame() throws {
        var random = SeededRandom(seed: 19)
        let records = [TestRecord].random(300, &random).map { record in
            var record = record
            record.text = String(repeating: record.text + "x", count: .random(in: 0...2_000, using: &random))
            return record
        }
        let indexed = try IndexedSnapshot(records)
        _ = try indexed.buildFile()
        let bytes = try indexed.imageBytes()
        #expect(bytes.count > 256 << 10 && indexed.directory.read("index-4.v5") == bytes)
    }

    @Test(arguments: ["open", "pwrite", "pread", "rename"])
    func whatCannotBeWrittenGoesOnWithoutAName(call: String) throws {
        var random = SeededRandom(seed: 13)
        let records = [TestRecord].random(9, &random)
        let indexed = try IndexedSnapshot(records)
        let files = FaultyFiles()
        let place = try indexed.place(files.fileSystem)
        let header = try indexed.identity().header
        let settings = settings(indexed.directory, files.fileSystem)
        // The first of these calls that is for the draft.
        files.set(.none)
        _ = SnapshotIndex.of(header, nil, in: place, settings, .test, isUsed: false)
        let calls = files.trace.filter { $0.hasPrefix(call + " ") }
        indexed.directory.remove("index-4.v5")
        files.set(.namedOnce(call, (calls.firstIndex { $0.contains("temporary") } ?? 0) + 1, ENOSPC))
        guard let index = SnapshotIndex.of(header, nil, in: place, settings, .test, isUsed: false) else {
            Issue.record("no index")
            return
        }
        #expect(indexed.directory.names == ["moods.json"])
        for (number, record) in records.enumerated() { #expect(try index.row(of: record.id)?.place.row == number) }
    }

    /// A snapshot of which no index can be made leaves no file.
    @Test func whatIsNotFinishedLeavesNothing() throws {
        var random = SeededRandom(seed: 15)
        var records = [TestRecord].random(9, &random)
        records.swapAt(2, 3)
        let indexed = try IndexedSnapshot(records)
        #expect(throws: IndexBuildFault.self) { _ = try indexed.buildFile() }
        #expect(indexed.directory.names == ["moods.json"])
    }

    /// Reads that fail: the index reports its own fault, and the snapshot's fault as such.
    @Test func failedReadsAreNoAnswers() throws {
        var random = SeededRandom(seed: 14)
        let records = [TestRecord].random(9, &random)
        let indexed = try IndexedSnapshot(records)
        _ = try indexed.buildFile()
        let files = FaultyFiles()
        let place = try indexed.place(files.fileSystem)
        let identity = try indexed.identity()
        let index = try indexed.openIndex(files.fileSystem)
        func isThere() -> Bool {
            switch IndexImage.open(in: place, of: identity) {
            case .some: true
            case .none: false
            }
        }
        #expect(isThere())
        var buffer = ByteBuffer()
        files.set(.namedOnce("pread", 1, EIO))
        #expect(IndexAnswer { try index.record(records[2].id, into: &buffer) } == .indexDamaged)
        files.set(.namedOnce("pread", 2, EIO))
        let place2 = try #require(try indexed.buildIndex().row(of: records[2].id)).place
        #expect(
            IndexAnswer { try index.record(records[2].id, into: &buffer) }
                == .snapshotCorrupt(offset: place2.offset))
        files.set(.named("pread", EIO))
        #expect(!isThere())
        files.set(.named("open", EACCES))
        #expect(!isThere())
    }

    /// Texts that differ late, are prefixes of each other, or contain zero bytes; many, so that every kind of sorting
    /// is used.
    @Test(arguments: SeededRandom.seeds)
    func ranksAreTheOrderOfTheTexts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var ranks = TextRanks(.random())
        var texts: [(prefix: Int64, bytes: [UInt8])] = []
        var numbers: [UInt32] = []
        for _ in 0..<3_000 {
            let shared = [UInt8](repeating: 7, count: [0, 0, 3, 8, 16, 70].randomElement(using: &random) ?? 0)
            let rest = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...3, using: &random) &* 85
            }
            let text = (prefix: Int64.random(in: -1...1, using: &random), bytes: shared + rest)
            texts.append(text)
            text.bytes.withUnsafeBytes { ranks.arena.append($0) }
            numbers.append(ranks.enter(prefix: text.prefix))
        }
        let rank = ranks.ranks()
        #expect(rank.sorted() == (0..<UInt32(ranks.count)).map { $0 })
        for _ in 0..<30_000 {
            let (a, b) = (Int.random(in: 0..<3_000, using: &random), Int.random(in: 0..<3_000, using: &random))
            let isBefore =
                texts[a].prefix != texts[b].prefix
                ? texts[a].prefix < texts[b].prefix : texts[a].bytes.lexicographicallyPrecedes(texts[b].bytes)
            #expect((rank[Int(numbers[a])] < rank[Int(numbers[b])]) == isBefore, "seed \(seed)")
        }
    }

    /// If most texts are new, the search for equal ones ends; repeated texts then keep their rank.
    @Test func ranksAreTheSameWhereNothingIsShared() {
        var random = SeededRandom(seed: 21)
        var ranks = TextRanks(.random())
        let texts = (0..<70_000).map { number -> [UInt8] in
            number % 9 == 8 ? Array("again \(number % 7)\0".utf8) : Array("text \(random.next() >> 20)".utf8)
        }
        let numbers = texts.map { text in
            text.withUnsafeBytes { ranks.arena.append($0) }
            return ranks.enter(prefix: Int64(text.count % 2))
        }
        #expect(ranks.count > Set(texts).count)
        let rank = ranks.ranks()
        let order = Set(texts).sorted {
            $0.count % 2 != $1.count % 2 ? $0.count % 2 < $1.count % 2 : $0.lexicographicallyPrecedes($1)
        }
        let expected = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, UInt32($0)) })
        let isSame = zip(texts, numbers).allSatisfy { expected[$0] == rank[Int($1)] }
        #expect(isSame)
    }

    /// Keys in which few or all bytes differ, also keys with equal highest bytes; equal keys keep their order.
    @Test(arguments: [UInt64.max, 0xff, 0x00ff_ffff_ffff, 0x0300_0000_0000_ffff, 0x0101_0101_0101_0101, 0, 7 << 61])
    func sortsByAnyKey(mask: UInt64) {
        var random = SeededRandom(seed: mask)
        for count in [0, 1, 2, 64, 65, 5_000] {
            let keys = (0..<count).map { _ in random.next() & mask }
            var sort = IndexSort(count: count) { keys[$0] }
            sort.sort()
            let rows = (0..<count).map { sort.row($0) }
            #expect(rows == (0..<count).sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : $0 < $1 })
            // A part of the entries, by other keys.
            let part = count / 4..<count / 4 * 3
            sort.sort(part) { keys[$0].byteSwapped }
            let expected = rows[part].sorted {
                let (a, b) = (keys[$0].byteSwapped, keys[$1].byteSwapped)
                return a < b
            }
            #expect(part.map { keys[sort.row($0)].byteSwapped } == expected.map { keys[$0].byteSwapped })
        }
    }
}
