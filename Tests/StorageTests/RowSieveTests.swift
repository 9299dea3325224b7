import Seeds
import Testing

@testable import Storage

/// A walk that wants a signature leaves out nothing that has it, and of a snapshot hands over little else.
@Suite struct RowSieveTests {
    let directory = TestDirectory()

    /// - Returns: how many came that do not have the signature.
    private func check(_ store: TestRecords, _ random: inout SeededRandom, _ what: Comment) throws -> Int {
        var others = 0
        let all = store.contents
        for order in RecordOrder.all {
            for isDescending in [true, false] {
                let markedOnly = Int.random(in: 0..<4, using: &random) == 0
                var wanted = all.values.randomElement(using: &random)?.signature ?? .zero
                for place in wanted.indices where Bool.random(using: &random) { wanted[place] = 0 }
                let isWanted = { (record: TestRecord) in
                    record.signature & wanted == wanted && (record.isMarked || !markedOnly)
                }
                let expected = all.sorted(order, isDescending: isDescending).filter(isWanted)
                var found: [TestRecord] = []
                try store.with {
                    try $0.walk(
                        order, isDescending: isDescending, after: nil, markedOnly: markedOnly, wanted: wanted
                    ) {
                        guard let record = TestRecord($0.bytes) else { return false }
                        if isWanted(record) { found.append(record) } else { others += 1 }
                        return true
                    }
                }
                #expect(found == expected, what)
            }
        }
        return others
    }

    @Test(arguments: SeededRandom.seeds) func leavesOutNothingThatIsWanted(seed: UInt64) throws {
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
            _ = try check(store, &random, "seed \(seed), round \(round)")
        }
    }

    /// More than one block of signatures; few rows have the one that is wanted.
    @Test func readsLittleElse() throws {
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
        for order in RecordOrder.all {
            for isDescending in [true, false] {
                var (found, others) = (0, 0)
                let wanted = RecordSignature(1 << 7, 0, 0, 0)
                try store.with {
                    try $0.walk(order, isDescending: isDescending, after: nil, wanted: wanted) {
                        if TestRecord($0.bytes)?.signature[0] == 1 << 7 { found += 1 } else { others += 1 }
                        return true
                    }
                }
                #expect(found == count / 64 + 1 && others == 0, "\(order)")
            }
        }
        _ = try check(store, &random, "\(count) records")
    }
}
