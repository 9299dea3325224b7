import JSONCodec
import Seeds
import Testing

@testable import Storage

extension ColumnEntry {
    func described(_ texts: ColumnTexts) -> String {
        let words = (0..<RecordTraits.textCount).map { place in
            self.texts[place] == 0 ? "none" : String(decoding: texts[self.texts[place]], as: UTF8.self)
        }
        return "\(time) \(word) \(isMarked) \(words)"
    }
}

extension StoredRecord {
    /// The expected columns of the record.
    fileprivate var columns: String {
        let texts = ColumnTexts()
        return texts.entry(head, bytes, .test).described(texts)
    }
}

/// The columns equal a reading of all records, in the same order.
@Suite struct ColumnTests {
    let directory = TestDirectory()

    private func check(_ store: TestRecords, _ what: Comment) throws {
        let starts: [RecordPosition?] =
            [nil] + (-1...6).map { RecordPosition(key: $0, text: [], id: RecordID(high: 1, low: 7)) }
        for start in starts {
            let (expected, found) = try store.with { store in
                var (expected, found): ([String], [String]) = ([], [])
                try store.walk(.time, isDescending: false, after: start) { record in
                    expected.append(record.columns)
                    return true
                }
                try store.walkColumns(after: start) { entries, texts in
                    found += entries.map { $0.described(texts) }
                    return true
                }
                return (expected, found)
            }
            #expect(found == expected, what)
        }
        try checkHours(store, what)
    }

    /// The marks name every hour and text of a record, and no other except for doubted ones.
    private func checkHours(_ store: TestRecords, _ what: Comment) throws {
        let (expected, found, doubted) = try store.with { store in
            var (expected, found): (Set<String>, Set<String>) = ([], [])
            try store.walkColumns(after: nil) { entries, texts in
                for entry in entries {
                    let text = entry.texts[RecordTraits.textCount - 1]
                    let zone = text == 0 ? "" : String(decoding: texts[text], as: UTF8.self)
                    expected.insert("\(HourMark.hour(of: entry.time)) \(zone)")
                }
                return true
            }
            let hours = try store.hours()
            for mark in hours.marks {
                let text = mark.text == 0 ? "" : String(decoding: hours.texts[mark.text], as: UTF8.self)
                for bit in 0..<64 where mark.bits >> UInt64(bit) & 1 == 1 {
                    found.insert("\(mark.firstHour + Int64(bit)) \(text)")
                }
            }
            return (expected, found, hours.doubted)
        }
        #expect(expected.isSubset(of: found), what)
        let others = found.subtracting(expected)
        #expect(others.allSatisfy { doubted.contains(Int64($0.split(separator: " ")[0]) ?? 0) }, what)
    }

    /// Random changes, with compactions and restarts between them.
    @Test(arguments: SeededRandom.seeds) func agreeWithTheRecords(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestRecords(settings(directory))
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                let id = RecordID(high: 1, low: .random(in: 0..<400, using: &random))
                if Bool.random(using: &random) || round < 10 {
                    try store.put(.random(id, &random))
                } else {
                    _ = try store.remove(id)
                }
            }
            if Int.random(in: 0..<20, using: &random) == 0 { try store.removeAll() }
            try store.endCommit()
            try store.flush()
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = try store.with { try $0.compact() }
            case 1:
                store.close()
                try store.open()
            default: break
            }
            try check(store, "seed \(seed), round \(round)")
        }
    }

    /// More than a page of entries, and more texts than the search keeps.
    @Test func agreeWhereThereAreMany() throws {
        var random = SeededRandom(seed: 3)
        let store = try TestRecords(settings(directory))
        for number in 0..<2_000 { try store.put(.random(RecordID(high: 1, low: UInt64(number)), &random)) }
        try store.endCommit()
        try store.flush()
        _ = try store.with { try $0.compact() }
        try check(store, "2,000 records")
        for number in stride(from: 0, to: 2_000, by: 7) {
            try store.put(.random(RecordID(high: 1, low: UInt64(number)), &random))
        }
        try store.endCommit()
        try store.flush()
        try check(store, "and changes")
    }

    @Test func endWhenTheyAreToldTo() throws {
        var random = SeededRandom(seed: 4)
        let store = try TestRecords(settings(directory))
        for number in 0..<300 { try store.put(.random(RecordID(high: 1, low: UInt64(number)), &random)) }
        try store.endCommit()
        try store.flush()
        _ = try store.with { try $0.compact() }
        var count = 0
        try store.with { store in
            try store.walkColumns(after: nil) { entries, _ in
                count += entries.count
                return false
            }
        }
        #expect(count == IndexFormat.pageColumnsMax)
    }
}
