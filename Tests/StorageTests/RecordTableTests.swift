import JSONCodec
import Seeds
import Testing

@testable import Storage

@Suite struct RecordTableTests {
    private static func slot(_ record: TestRecord) -> RecordSlot {
        var json = record.json
        return json.withUTF8 { RecordSlot(head: record.head, copying: UnsafeRawBufferPointer($0)) }
    }

    private static func walk(
        _ table: inout RecordTable, _ order: RecordOrder, isDescending: Bool, after position: RecordPosition?
    ) -> [TestRecord] {
        var records: [TestRecord] = []
        table.walk(order, isDescending: isDescending, after: position) { slot in
            if let record = TestRecord(slot.bytes) { records.append(record) }
            return true
        }
        return records
    }

    /// Compares the table with a dictionary that is sorted on demand; the orders are built early or late.
    @Test(arguments: SeededRandom.seeds)
    func isADictionaryWithThreeOrders(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var table = RecordTable(extractor: .test)
        var model: [RecordID: TestRecord] = [:]
        for step in 0..<1_500 {
            let id = RecordID(high: 0, low: UInt64.random(in: 0..<300, using: &random))
            let record = TestRecord.random(id, &random)
            if let number = table.find(id) {
                if Bool.random(using: &random) {
                    let old = table.replace(number, with: Self.slot(record))
                    #expect(TestRecord(old.bytes) == model[id])
                    old.deallocate()
                    model[id] = record
                } else {
                    let old = table.remove(number)
                    #expect(TestRecord(old.bytes) == model[id])
                    old.deallocate()
                    model[id] = nil
                }
            } else {
                #expect(model[id] == nil)
                table.insert(Self.slot(record))
                model[id] = record
            }
            if Int.random(in: 0..<700, using: &random) == 0 {
                for slot in table.removeAll() { slot.deallocate() }
                model = [:]
            }
            if step % 83 == 0 { try Self.compare(&table, model, &random, "seed \(seed), step \(step)") }
        }
    }

    private static func compare(
        _ table: inout RecordTable, _ model: [RecordID: TestRecord], _ random: inout SeededRandom, _ place: String
    ) throws {
        #expect(table.count == model.count, "\(place)")
        #expect(table.markedCount == model.values.filter(\.isMarked).count, "\(place)")
        #expect(table.byteCount == model.values.reduce(0) { $0 + $1.json.utf8.count }, "\(place)")
        guard let order = RecordOrder.all.randomElement(using: &random) else { return }
        for isDescending in [false, true] {
            let sorted = model.sorted(order, isDescending: isDescending)
            let all = walk(&table, order, isDescending: isDescending, after: nil)
            try #require(all == sorted, "\(place)")
            // From the place of a record, present or not.
            let id = RecordID(high: 0, low: UInt64.random(in: 0..<300, using: &random))
            let place = TestRecord.random(id, &random)
            let rest = sorted.filter { isDescending ? $0.precedes(place, in: order) : place.precedes($0, in: order) }
            let shown = walk(&table, order, isDescending: isDescending, after: place.position(order))
            try #require(shown == rest, "\(order), descending \(isDescending), behind \(place)")
        }
    }

    @Test func ordersAlsoMoreRecordsThanItLeavesUnordered() {
        var random = SeededRandom(seed: 7)
        var table = RecordTable(extractor: .test)
        let count = RecordTable.unorderedMax + 300
        for number in 0..<count {
            let head = RecordHead(
                id: RecordID(high: 0, low: UInt64(number)), time: .random(in: 0...9_999, using: &random), updated: 0,
                textPrefix: 0, isMarked: false)
            table.insert(RecordSlot(head: head, copying: UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        if let number = table.find(RecordID(high: 0, low: 3)) { table.remove(number).deallocate() }
        var last: (Int64, RecordID)?
        var seen = 0
        table.walk(.time, isDescending: false, after: nil) { slot in
            let isBehind = last.map { $0 < (slot.head.time, slot.head.id) } ?? true
            last = (slot.head.time, slot.head.id)
            seen += isBehind ? 1 : 0
            return true
        }
        #expect(seen == count - 1)
    }

    @Test func walkingStopsWhenItIsTold() {
        var table = RecordTable(extractor: .test)
        for number in 0..<10 {
            let record = TestRecord(
                id: RecordID(high: 0, low: UInt64(number)), time: Int64(number), updated: 0, text: "", isMarked: false)
            table.insert(Self.slot(record))
        }
        var seen: [Int64] = []
        table.walk(.time, isDescending: true, after: nil) { slot in
            seen.append(slot.head.time)
            return seen.count < 3
        }
        #expect(seen == [9, 8, 7])
    }

    @Test(arguments: [
        "", "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5", "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5g",
        "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b0", "0190b5a07c5e-7000-8000-3f2a9c1d4e5b0",
    ])
    func refusesWhatIsNoID(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { RecordID($0) } == nil)
    }

    @Test func idsReadBackAndSortAsTheirText() throws {
        var random = SeededRandom(seed: 1)
        var previous = RecordID(high: 0, low: 0)
        for _ in 0..<1_000 {
            let id = RecordID(high: Bool.random(using: &random) ? previous.high : random.next(), low: random.next())
            let text = TestRecord.text(of: id)
            #expect(Array(text.utf8).withUnsafeBytes { RecordID($0) } == id)
            #expect((id < previous) == (text < TestRecord.text(of: previous)))
            previous = id
        }
    }
}
