import JSONCodec
import Seeds
import Testing

@testable import Storage

/// A condition on text, time and update; it counts the records that it looked at.
final class TestCondition: RecordCondition {
    let needle: [UInt8]?
    let looksAtChanges: Bool
    let looksAtColumns: Bool
    let looksAtRecords: Bool
    let span: (from: Int64?, to: Int64?)
    private let text: String
    private(set) var looks = 0

    init(_ random: inout SeededRandom, _ example: TestRecord) {
        func chance() -> Bool { Bool.random(using: &random) }
        text = String(example.text.dropFirst(Int.random(in: 0...1, using: &random)))
        looksAtRecords = chance()
        looksAtChanges = chance()
        needle = chance() && !text.isEmpty ? Array(text.utf8) : nil
        looksAtColumns = chance()
        span = (
            chance() ? example.time - .random(in: 0...2, using: &random) : nil,
            chance() ? example.time + .random(in: 0...2, using: &random) : nil
        )
    }

    init(_ needle: String, looksAtChanges: Bool = false) {
        (self.looksAtChanges, text, self.needle) = (looksAtChanges, needle, Array(needle.utf8))
        (looksAtColumns, looksAtRecords, span) = (false, true, (nil, nil))
    }

    func isMeant(_ record: TestRecord) -> Bool {
        if let from = span.from, record.time < from { return false }
        if let to = span.to, record.time >= to { return false }
        if looksAtColumns, record.time & 1 == 1 { return false }
        return !looksAtRecords || isFound(record) || (looksAtColumns && record.updated == 5)
    }

    private func isFound(_ record: TestRecord) -> Bool {
        (text.isEmpty || record.text.contains(text)) && (!looksAtChanges || record.changes.first ?? 0 < 5)
    }

    func judge(by columns: [ColumnEntry], _ texts: ColumnTexts, in verdicts: inout [RowVerdict]) {
        for (place, entry) in columns.enumerated() {
            if entry.time & 1 == 1 {
                verdicts[place] = .no
            } else if verdicts[place] == .open, entry.word == 5 {
                verdicts[place] = .yes
            }
        }
    }

    func confirms(_ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer) -> Bool {
        String(decoding: text, as: UTF8.self).contains(self.text) && (!looksAtChanges || changes.first ?? 0 < 5)
    }

    func matches(besidesColumns record: UnsafeRawBufferPointer) -> Bool {
        looks += 1
        return TestRecord(record).map { isFound($0) } ?? false
    }
}

/// A walk with a condition equals one over all records without the others, in each order and from each place.
@Suite struct RowSelectionTests {
    let directory = TestDirectory()

    private func check(_ store: TestRecords, _ random: inout SeededRandom, _ what: Comment) throws {
        let all = store.contents
        for order in RecordOrder.all {
            for isDescending in [true, false] {
                guard let example = all.values.randomElement(using: &random) else { continue }
                let condition = TestCondition(&random, example)
                let markedOnly = Int.random(in: 0..<4, using: &random) == 0
                let meant = all.sorted(order, isDescending: isDescending).filter { condition.isMeant($0) }
                let expected = meant.filter { $0.isMarked || !markedOnly }
                let most = Int.random(in: 0..<3, using: &random) == 0 ? 3 : Int.max
                var found: [TestRecord] = []
                let count = try store.with {
                    try $0.walk(
                        order, isDescending: isDescending, after: nil, markedOnly: markedOnly, matching: condition,
                        isCounting: true
                    ) {
                        TestRecord($0.bytes).map { found.append($0) }
                        return found.count < most
                    }
                }
                #expect(found == Array(expected.prefix(most)), what)
                #expect(count == meant.count, what)
            }
        }
    }

    @Test(arguments: SeededRandom.seeds) func handsOverWhatIsMeant(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestRecords(settings(directory))
        for round in 0..<30 {
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                let id = RecordID(high: 1, low: .random(in: 0..<400, using: &random))
                if round < 10 || Bool.random(using: &random) {
                    try store.put(.random(id, &random))
                } else {
                    _ = try store.remove(id)
                }
            }
            try store.endCommit()
            try store.flush()
            switch Int.random(in: 0..<5, using: &random) {
            case 0: _ = try store.with { try $0.compact() }
            case 1:
                store.close()
                try store.open()
            default: break
            }
            try check(store, &random, "seed \(seed), round \(round)")
        }
    }

    /// More than one block of rows: none is looked at whose text is kept, and no other twice.
    @Test(arguments: [false, true]) func looksAtLittleElse(looksAtChanges: Bool) throws {
        var random = SeededRandom(seed: 5)
        let store = try TestRecords(settings(directory))
        let count = 5_000
        for number in 0..<count {
            var record = TestRecord.random(RecordID(high: 1, low: UInt64(number)), &random)
            record.time = Int64(number)
            try store.put(record)
        }
        try store.endCommit()
        try store.flush()
        _ = try store.with { try $0.compact() }
        let all = store.contents.values
        for needle in ["ab", "z", "bcd", "nowhere"] {
            let looks = all.count {
                !$0.isSearched || (looksAtChanges && $0.changes.count > 1 && $0.text.contains(needle))
            }
            for order in RecordOrder.all {
                let condition = TestCondition(needle, looksAtChanges: looksAtChanges)
                var found = 0
                let counted = try store.with {
                    try $0.walk(
                        order, isDescending: Bool.random(using: &random), after: nil, matching: condition,
                        isCounting: true
                    ) { _ in
                        found += 1
                        return true
                    }
                }
                let meant = all.count { condition.isMeant($0) }
                #expect(found == meant && counted == meant && condition.looks == looks, "\(needle) \(order)")
            }
        }
        for round in 0..<20 { try check(store, &random, "\(count) records, round \(round)") }
    }
}
