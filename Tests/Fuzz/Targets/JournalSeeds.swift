/// A fixed snapshot of four records, journals after it, and pieces for insertion.
enum JournalSeeds {
    static let snapshot: [UInt8] = {
        let records = Array(PlainSnapshot.records[..<4])
        let header = PlainSnapshot.header(records.count).replacing("\"generation\":1", with: "\"generation\":2")
        return PlainSnapshot.sealed(Array((header + "\n" + records.joined(separator: ",\n") + "\n").utf8))
    }()

    static let state: PlainState = {
        var state: PlainState = [:]
        for record in PlainSnapshot.records[..<4].compactMap({ PlainRecord(Array($0.utf8)) }) {
            state[record.id] = record.bytes
        }
        return state
    }()

    private static let time = "2026-01-02T03:04:05.678Z"

    private static func sealed(_ lines: [String]) -> [UInt8] {
        PlainSeal.sealed(Array(lines.joined(separator: "\n").utf8)[...]) + [10]
    }

    private static func header(_ generation: Int, base: Int) -> String {
        "{\"format\":\"moodboard-journal\",\"schemaVersion\":3,\"storeId\":\"\(PlainRecovery.storeId)\","
            + "\"generation\":\(generation),\"baseRevision\":\(base),\"at\":\"\(time)\","
    }

    static let blank = sealed([header(2, base: 5)])

    private static func line(_ seq: Int, durable: Int, _ changes: String) -> String {
        "{\"seq\":\(seq),\"at\":\"\(time)\",\"durable\":\(durable)\(changes),"
    }

    private static func put(_ number: Int, _ text: String) -> String {
        PlainSnapshot.record(number, time: number / 2, updated: number, text: text, isMarked: number % 2 == 0)
    }

    private static func id(_ number: Int) -> String {
        "\"00000000-0000-4000-8000-00000000000\(number)\""
    }

    private static let lines = [
        line(6, durable: 5, ",\"put\":[\(put(7, "new"))],\"created\":[0]"),
        line(7, durable: 6, ",\"put\":[\(put(1, "changed")),\(put(7, "too"))],\"delete\":[\(id(2))]"),
        line(8, durable: 7, ",\"clear\":true,\"cleared\":{\"count\":4,\"ids\":[\(id(7))]},\"put\":[\(put(8, "a"))]"),
        line(
            9, durable: 8,
            ",\"delete\":[\(id(8))],\"opId\":\"a\\\"b\",\"method\":\"m\",\"params\":\"0123456789abcdef\","
                + "\"answer\":{\"a\":[\"}\"]}"),
    ]

    /// The content of `lock`.
    static func lock(_ published: PlainRecovery.Published) -> [UInt8] {
        let content =
            "{\"format\":\"moodboard-lock\",\"storeId\":\"\(PlainRecovery.storeId)\",\"generation\":"
            + "\(published.generation),\"durable\":\(published.durable),\"synced\":\(published.isSynced),"
        let line = PlainSeal.sealed(Array(content.utf8)[...])
        return line + [UInt8](repeating: 32, count: 191 - line.count) + [10]
    }

    /// The first byte is for `JournalTarget`.
    static var all: [[UInt8]] {
        let whole = sealed([header(2, base: 5)] + lines)
        let two = sealed([header(2, base: 5)] + lines[..<2])
        let journals: [[UInt8]] = [
            blank, sealed([header(2, base: 5), lines[0]]), two, whole, whole + [10, 10, 10],
            two + Array("{\"seq\":8,\"at\":\"20".utf8), whole.dropLast(),
            two + [0] + sealed([header(3, base: 6), line(7, durable: 6, ",\"put\":[\(put(9, "b"))]")]),
            two + [0] + sealed([header(3, base: 7)]),
            two + [0] + sealed([header(3, base: 7), lines[2]]) + [0] + sealed([header(4, base: 8), lines[3]]),
        ]
        var seeds: [[UInt8]] = []
        // Nothing, commits 5 to 9 with and without sync, an earlier generation's; with and without corrected checksums.
        for journal in journals {
            for first: UInt8 in [0, 1, 0x02, 0x13, 0x22, 0x23, 0x14, 0x15, 0x26] { seeds.append([first] + journal) }
        }
        return seeds
    }

    static var tokens: [[UInt8]] {
        let texts = [
            "\n", "\n\n", ",", "{", "}", "[", "]", "\"", "\\", "0", "5", "6", "7", "8", "9", "18446744073709551615",
            "\"seq\":", "\"durable\":", ",\"clear\":true", ",\"put\":[", ",\"created\":[0]", ",\"delete\":[",
            ",\"opId\":\"x\",\"method\":\"m\",\"params\":\"0000000000000000\"", "\"crc\":\"", "\"baseRevision\":5",
            "\"generation\":3", put(1, "z"), id(1), id(3),
        ]
        let sealedLines = lines.map { sealed([$0]) } + [sealed([header(3, base: 6)]), sealed([header(3, base: 7)])]
        return texts.map { Array($0.utf8) } + sealedLines + [[0], [0, 10]]
    }
}
