import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

@Suite struct SnapshotIndexTests {
    private static let sizes = [0, 1, 2, 14, 15, 64, 300, 2_100]

    private static func table(_ records: [TestRecord]) -> RecordTable {
        var table = RecordTable(extractor: .test)
        for record in records {
            var json = record.json
            table.insert(json.withUTF8 { RecordSlot(head: record.head, copying: UnsafeRawBufferPointer($0)) })
        }
        return table
    }

    /// The ids that an index walks over, all of them or the next fifty from a position on.
    private static func walk(
        _ index: inout SnapshotIndex, _ order: IndexOrder, isDescending: Bool, after place: RecordPosition?
    ) throws -> [RecordID] {
        let count = index.count(order)
        guard let place else {
            let ids = try (0..<count).map { try index.row(try index.number(order, at: $0)).head.id }
            return isDescending ? ids.reversed() : ids
        }
        let position = try index.firstPosition(order, after: place, inclusive: isDescending)
        let positions = isDescending ? (0..<position).reversed().prefix(50) : (position..<count).reversed().suffix(50)
        let ids = try positions.map { try index.row(try index.number(order, at: $0)).head.id }
        return isDescending ? ids : ids.reversed()
    }

    @Test(arguments: sizes, SeededRandom.seeds)
    func walksAsTheTableDoes(size: Int, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = [TestRecord].random(size, &random)
        var table = Self.table(records)
        var index = try IndexedSnapshot(records).buildIndex(.random())
        #expect(index.count == table.count && index.markedCount == table.markedCount)
        #expect(index.recordBytes == table.byteCount)
        for order in RecordOrder.all {
            var places: [RecordPosition?] = [nil]
            for _ in 0..<6 {
                let id = RecordID(high: .random(in: 0...2, using: &random), low: random.next())
                places.append(TestRecord.random(id, &random).position(order))
                places.append(records.randomElement(using: &random)?.position(order))
            }
            let (least, most) = (RecordID(high: 0, low: 0), RecordID(high: .max, low: .max))
            for key in [Int64.min, .max] {
                for id in [least, most] { places.append(RecordPosition(key: key, text: [0xff], id: id)) }
            }
            for (place, isDescending) in places.flatMap({ [($0, false), ($0, true)] }) {
                var expected: [RecordID] = []
                table.walk(order, isDescending: isDescending, after: place) { slot in
                    expected.append(slot.head.id)
                    return place == nil || expected.count < 50
                }
                let walked = try Self.walk(&index, IndexOrder(order), isDescending: isDescending, after: place)
                let isSame = walked == expected
                try #require(isSame, "seed \(seed), \(size), \(order), \(isDescending), \(String(describing: place))")
            }
        }
    }

    @Test(arguments: sizes, SeededRandom.seeds)
    func walksTheMarkedOnes(size: Int, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = [TestRecord].random(size, &random)
        let marked = records.filter(\.isMarked)
        var index = try IndexedSnapshot(records).buildIndex()
        #expect(try Self.walk(&index, .marked, isDescending: false, after: nil) == marked.map(\.id))
        for _ in 0..<8 {
            let place = TestRecord.random(RecordID(high: 1, low: random.next()), &random)
            let before = marked.filter { $0.precedes(place, in: .time) }
            let walked = try Self.walk(&index, .marked, isDescending: true, after: place.position(.time))
            #expect(walked == before.reversed().prefix(50).map(\.id), "seed \(seed)")
        }
    }

    @Test(arguments: sizes, SeededRandom.seeds)
    func findsEveryRecordAndNoOther(size: Int, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = [TestRecord].random(size, &random)
        let index = try IndexedSnapshot(records).buildIndex(.random())
        var buffer = ByteBuffer()
        for (number, record) in records.enumerated() {
            #expect(try index.row(of: record.id)?.place.row == number)
            #expect(try index.record(record.id, into: &buffer)?.row == number)
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == record.json)
        }
        for _ in 0..<100 {
            let id = RecordID(high: random.next() | 1 << 40, low: random.next())
            #expect(try index.row(of: id) == nil)
            #expect(try index.record(id, into: &buffer) == nil)
        }
    }

    @Test(arguments: sizes, SeededRandom.seeds)
    func readsRowsAndRecordsInRanges(size: Int, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = [TestRecord].random(size, &random)
        var index = try IndexedSnapshot(records).buildIndex()
        var rows: [IndexRow] = []
        var buffer = ByteBuffer()
        for _ in 0..<10 {
            let (a, b) = (Int.random(in: -3...size + 3, using: &random), Int.random(in: -3...size + 3, using: &random))
            let range = min(a, b)..<max(a, b)
            try index.rows(range, into: &rows)
            let expected = Array(records[range.clamped(to: 0..<size)])
            #expect(rows.map(\.head.id) == expected.map(\.id))
            #expect(rows.map(\.head.updated) == expected.map(\.updated))
            #expect(rows.map(\.head.isMarked) == expected.map(\.isMarked))
            var read: [TestRecord] = []
            while read.count < rows.count {
                let count = try index.records(rows[read.count...], bytesMax: 1_000, into: &buffer) { row, bytes in
                    #expect(row.head.id == TestRecord(bytes)?.id)
                    if let record = TestRecord(bytes) { read.append(record) }
                }
                try #require(count > 0)
                #expect(buffer.count <= 1_000)
            }
            #expect(read == expected, "seed \(seed)")
        }
    }

    /// The ids are chosen so that all fall into the first of three buckets: two overflow.
    @Test func aFullBucketGoesOnInTheNext() throws {
        let hash = SipHash(IndexedSnapshot.key)
        func isInFirst(_ low: UInt64) -> Bool { IndexFormat.bucket(hash(RecordID(high: 0, low: low)), of: 3) == 2 }
        let lows = (0...).lazy.map { UInt64($0) }.filter(isInFirst).prefix(102)
        let ids = lows.map { RecordID(high: 0, low: $0) }
        let records = ids.prefix(51).map { TestRecord(id: $0, time: 1, updated: 1, text: "", isMarked: false) }
        let index = try IndexedSnapshot(Array(records)).buildIndex()
        #expect(index.image.header.bucketCount == 3)
        for (number, id) in ids.enumerated() {
            #expect(try index.row(of: id)?.place.row == (number < 51 ? number : nil))
        }
    }

    /// Found by search: two ids whose hashes have equal lower four bytes.
    @Test func idsThatLookAlikeAreToldApart() throws {
        let hash = SipHash(IndexedSnapshot.key)
        var seen: [UInt32: UInt64] = [:]
        var low: UInt64 = 0
        var twins: [UInt64] = []
        while twins.isEmpty {
            let fingerprint = IndexFormat.fingerprint(hash(RecordID(high: 0, low: low)))
            if let other = seen.updateValue(low, forKey: fingerprint) { twins = [other, low] }
            low += 1
        }
        let records = twins.map {
            TestRecord(id: RecordID(high: 0, low: $0), time: 1, updated: 1, text: "\($0)", isMarked: false)
        }
        var buffer = ByteBuffer()
        let both = try IndexedSnapshot(records).buildIndex()
        for (number, record) in records.enumerated() {
            #expect(try both.row(of: record.id)?.place.row == number)
            #expect(try both.record(record.id, into: &buffer)?.row == number)
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == record.json)
        }
        let one = try IndexedSnapshot([records[0]]).buildIndex()
        #expect(try one.row(of: records[1].id) == nil)
        #expect(try one.record(records[1].id, into: &buffer) == nil)
    }

    /// The vectors of the reference implementation: the key 00…0f, the texts of 0, 1, 2, … bytes 00, 01, ….
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5), (16, 0x3f2a_cc7f_57c2_9bdb),
        ] as [(Int, UInt64)])
    func hashesAsTheReferenceDoes(length: Int, expected: UInt64) {
        let bytes = (0..<UInt8(length)).map { $0 }
        #expect(bytes.withUnsafeBytes { SipHash(IndexedSnapshot.key)($0) } == expected)
        let id = RecordID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
        if length == 16 { #expect(SipHash(IndexedSnapshot.key)(id) == expected) }
    }
}
