import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

/// A commit with a file of its own is read in parts, and has the content of its line.
@Suite struct LongCommitTests {
    let directory = TestDirectory()

    /// The content of a line, with each record's number in the commit and whether it is new.
    private struct Told: Equatable {
        var seq = 0
        var time = ""
        var others: [String] = []
        var records: [String] = []
        var deletions: [String] = []

        init() {}

        init(_ line: JournalLine) {
            seq = line.seq
            time = String(decoding: line.time, as: UTF8.self)
            var created: Set<Int> = []
            _ = line.forEachPart { if case .created(let number) = $0 { created.insert(number) } }
            let isWhole = line.forEachPart { part in
                switch part {
                case .put(let record):
                    let isNew = created.contains(records.count)
                    records.append((isNew ? "new " : "") + String(decoding: record, as: UTF8.self))
                case .clear: others.append("clear")
                case .cleared(let count): others.append("cleared \(count)")
                case .clearedID(let id): others.append(String(decoding: id, as: UTF8.self))
                case .delete(let id): deletions.append(String(decoding: id, as: UTF8.self))
                case .undoes(let revisions), .redoes(let revisions): others.append("\(revisions)")
                case .marks(let marks): others.append(String(decoding: marks, as: UTF8.self))
                case .created, .operation: break
                }
            }
            #expect(isWhole)
        }
    }

    private func line(_ random: inout SeededRandom, records: Int, deletions: Int, length: Int) -> [UInt8] {
        var lines = CommitLines(after: 6)
        withBytes("2026-01-02T03:04:05.000Z") { lines.begin(seq: 7, at: $0, durable: 3, origin: "import") }
        if Bool.random(using: &random) { lines.clear(count: 9, first: [RecordID(high: 9, low: 9)]) }
        for number in 0..<records {
            var record = OperationTests.record(number + 1)
            record.text = String(repeating: "x", count: .random(in: 0...length, using: &random))
            let isNew = Int.random(in: 0..<4, using: &random) > 0
            withBytes(record.json) { lines.put($0, isNew: isNew) }
        }
        for number in 0..<deletions {
            withBytes(TestRecord.text(of: RecordID(high: 8, low: UInt64(number)))) { lines.delete(id: $0) }
        }
        if Bool.random(using: &random) { lines.reverse([2, 1], isRedo: false) }
        if Bool.random(using: &random) { withBytes(#","sawCrc":{"a":1}"#) { lines.markEnd($0) } }
        lines.end()
        let line = lines.takeLast()
        return line.withBytes { Array($0) }
    }

    @Test(arguments: SeededRandom.seeds) func partsSayWhatTheLineSays(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        mkdir(directory.path, 0o700)
        let place = try StoreDirectory(settings(directory))
        let sizes = [
            (0, 0, 0), (0, 1, 0), (0, 100_000, 0), (1, 2, 10), (7, 0, 2), (300, 3, 100), (40, 1, 200_000),
            (900, 50_000, 9),
        ]
        for (records, deletions, length) in sizes {
            let text = line(&random, records: records, deletions: deletions, length: length)
            try CommitFile.write(ByteBuffer(copying: text), 7, in: place, settings(directory))
            let whole = try text.withUnsafeBytes {
                Told(try #require(JournalLine(content: UnsafeRawBufferPointer(rebasing: $0.dropLast(Seal.byteCount)))))
            }
            let chosen = (0..<records).filter { _ in Bool.random(using: &random) }
            var expected = whole
            for (wanted, wantsDeletions) in [(Array(0..<records), true), ([], false), (chosen, true)] {
                var told = Told()
                try CommitFile.withLine(
                    7, in: place,
                    wanted: { number, _ in number < records ? wanted.contains(number) : wantsDeletions }
                ) { line, count in
                    told = Told(line)
                    #expect(count == records + deletions)
                }
                expected = whole
                expected.records = wanted.map { whole.records[$0] }
                if !wantsDeletions { expected.deletions = [] }
                #expect(told == expected, "seed \(seed), \(records) records")
            }
            var joined = Told()
            var (pieces, longest) = (0, 0)
            guard let commit = try LongCommit.open(7, in: place) else { throw TestFailure("it is gone") }
            try commit.forEachPiece { line in
                let piece = Told(line)
                (joined.seq, joined.time) = (piece.seq, piece.time)
                joined.others += piece.others
                joined.records += piece.records
                joined.deletions += piece.deletions
                pieces += 1
                longest = max(longest, piece.records.reduce(0) { $0 + $1.utf8.count })
            }
            #expect(joined == whole, "seed \(seed), \(records) records")
            #expect(longest < 2 << 20 && (pieces > 1) == (length > 100_000 || deletions > 30_000))
            var bare = Told()
            try commit.withBareLine { bare = Told($0) }
            expected = whole
            expected.records = []
            expected.deletions = []
            #expect(bare == expected, "seed \(seed), \(records) records")
        }
    }

    /// A file with one flipped bit gives no answer.
    @Test func aFlippedBitIsNoticed() throws {
        var random = SeededRandom(seed: 1)
        mkdir(directory.path, 0o700)
        let place = try StoreDirectory(settings(directory))
        try CommitFile.write(
            ByteBuffer(copying: line(&random, records: 5, deletions: 3, length: 30)), 7, in: place, settings(directory))
        let bytes = directory.read(CommitFile.name(7))
        for offset in bytes.indices {
            var flipped = bytes
            flipped[offset] ^= 1 << UInt8(offset % 8)
            directory.overwrite(CommitFile.name(7), flipped)
            for isWanted in [true, false] {
                #expect(throws: StorageError.self, "byte \(offset)") {
                    try CommitFile.withLine(7, in: place, wanted: { _, _ in isWanted }) { _, _ in
                        Issue.record("byte \(offset)")
                    }
                }
            }
        }
    }

    /// The beginning of a long commit has its first changes, and the number of all.
    @Test func theBeginningCountsAll() throws {
        let store = try TestRecords(settings(directory))
        let text = String(repeating: "y", count: 4_000)
        for number in 1...1_500 {
            var record = OperationTests.record(number)
            record.text = text
            try store.put(record)
        }
        try store.endCommit()
        try store.flush()
        var found: [(Int, Int, Int)] = []
        for extent in [LongCommits.whole, .beginning, .inPieces] {
            _ = try store.with {
                try $0.commits(after: 0, extent) {
                    found.append(($0.count, $0.changes.count, $0.changesBefore))
                    #expect($0.changes.allSatisfy { $0.kind == .created })
                    return true
                }
            }
        }
        #expect(found[0] == (1_500, 1_500, 0) && found[1] == (1_500, 1_000, 0))
        let pieces = found.dropFirst(2)
        #expect(pieces.count > 3 && pieces.reduce(0) { $0 + $1.1 } == 1_500)
        var before = 0
        for piece in pieces {
            #expect(piece.2 == before)
            before += piece.1
        }
    }
}
