import JSONCodec
import Platform
import Storage

/// A record for the index target: one line `{"id":"…","time":1,"updated":2,"text":"a","isMarked":true}` in exactly this
/// form, the id of 32 hexadecimal digits in four groups as a UUID's, the text of letters.
struct PlainRecord: Equatable {
    let id: RecordID
    let time: Int64
    let updated: Int64
    let text: [UInt8]
    let isMarked: Bool
    let bytes: [UInt8]
    /// The offset in its snapshot; -1 is none.
    var offset = -1

    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        func take(_ literal: String) -> Bool {
            guard rest.starts(with: literal.utf8) else { return false }
            rest = rest.dropFirst(literal.utf8.count)
            return true
        }
        func text() -> [UInt8] {
            let text = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
            rest = rest.dropFirst(text.count)
            return Array(text)
        }
        func number() -> Int64? {
            let digits = rest.prefix { $0 &- 48 < 10 || $0 == UInt8(ascii: "-") }
            rest = rest.dropFirst(digits.count)
            return digits.count <= 19 ? Int64(String(decoding: digits, as: UTF8.self)) : nil
        }
        guard take("{\"id\":\""), rest.count > 36, let id = Self.id(rest.prefix(36)) else { return nil }
        rest = rest.dropFirst(36)
        guard take("\",\"time\":"), let time = number(), take(",\"updated\":"), let updated = number(),
            take(",\"text\":\"")
        else { return nil }
        self.text = text()
        guard take("\",\"isMarked\":") else { return nil }
        isMarked = take("true")
        guard isMarked || take("false"), take("}"), rest.isEmpty else { return nil }
        self.id = id
        self.time = time
        self.updated = updated
        self.bytes = Array(bytes)
    }

    init?(_ bytes: [UInt8]) {
        guard let record = bytes.withUnsafeBytes({ PlainRecord($0) }) else { return nil }
        self = record
    }

    /// The id of 36 bytes of text.
    static func id(_ text: some Collection<UInt8>) -> RecordID? {
        var words: [UInt64] = [0, 0]
        var digits = 0
        for (at, byte) in text.enumerated() {
            if [8, 13, 18, 23].contains(at) {
                if byte != UInt8(ascii: "-") { return nil }
                continue
            }
            let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
            guard byte &- 48 < 10 || isLetter else { return nil }
            words[digits / 16] = words[digits / 16] << 4 | UInt64(isLetter ? byte - 87 : byte - 48)
            digits += 1
        }
        return RecordID(high: words[0], low: words[1])
    }

    /// Only the first letter, so that many texts share it.
    var prefix: Int64 { Int64(text.first ?? 0) }

    var head: RecordHead {
        RecordHead(id: id, time: time, updated: updated, textPrefix: prefix, isMarked: isMarked)
    }

    func position(_ order: IndexOrder) -> RecordPosition {
        switch order {
        case .time, .marked: RecordPosition(key: time, text: [], id: id)
        case .updated: RecordPosition(key: updated, text: [], id: id)
        case .text: RecordPosition(key: prefix, text: text, id: id)
        }
    }

    func precedes(_ other: PlainRecord, _ order: IndexOrder) -> Bool {
        switch order {
        case .time, .marked: time != other.time ? time < other.time : id < other.id
        case .updated: updated != other.updated ? updated < other.updated : id < other.id
        case .text: text != other.text ? text.lexicographicallyPrecedes(other.text) : id < other.id
        }
    }

    static func sorted(_ records: [PlainRecord], _ order: IndexOrder) -> [PlainRecord] {
        let all = records.sorted { $0.precedes($1, order) }
        if case .marked = order { return all.filter(\.isMarked) }
        return all
    }
}

/// Snapshots of such records, written and read simply.
enum PlainSnapshot {
    static let records: [String] = (0..<20).map { number in
        let text = ["", "a", "ab", "abc", "b", "happy", "happier"][number % 7]
        return record(number, time: number / 3, updated: number * 7 % 5, text: text, isMarked: number % 4 == 0)
    }

    static func record(_ number: Int, time: Int, updated: Int, text: String, isMarked: Bool) -> String {
        let digits = String(number, radix: 16)
        let id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
        return
            "{\"id\":\"\(id)\",\"time\":\(time),\"updated\":\(updated),\"text\":\"\(text)\",\"isMarked\":\(isMarked)}"
    }

    /// Records that are in no snapshot.
    static let absent: [PlainRecord] = [90, 91].compactMap { number in
        let text = record(number, time: 2, updated: 2, text: "a", isMarked: false)
        return Array(text.utf8).withUnsafeBytes { PlainRecord($0) }
    }

    static func header(_ count: Int) -> String {
        "{\"format\":\"moodboard\",\"schemaVersion\":3,\"storeId\":\"00000000-0000-4000-8000-00000000002a\","
            + "\"generation\":1,\"revision\":5,\"count\":\(count),\"moods\":["
    }

    static func bytes(of records: [String], count: Int) -> [UInt8] {
        sealed(Array((header(count) + "\n" + records.joined(separator: ",\n") + (records.isEmpty ? "" : "\n")).utf8))
    }

    /// Replaces the last line by a right closing line.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        if lines.last?.first == UInt8(ascii: "]") { lines.removeLast() }
        let content = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        let sum = String(content.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.utf8.count) + sum
        return content + Array("],\"crc\":\"\(digits)\"}\n".utf8)
    }

    /// The records of a snapshot that is whole and in order; nil if anything is wrong with it.
    static func read(_ bytes: [UInt8]) -> [PlainRecord]? {
        guard bytes == sealed(bytes), bytes.last == UInt8(ascii: "\n") else { return nil }
        let lines = bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 2 else { return nil }
        var offset = lines[0].count + 1
        var records: [PlainRecord] = []
        for (number, line) in lines[1..<(lines.count - 1)].enumerated() {
            let hasComma = line.last == UInt8(ascii: ",")
            guard hasComma == (number < lines.count - 3) else { return nil }
            let text = hasComma ? Array(line.dropLast()) : Array(line)
            guard var record = text.withUnsafeBytes({ PlainRecord($0) }) else { return nil }
            record.offset = offset
            offset += line.count + 1
            records.append(record)
        }
        let isSorted = zip(records, records.dropFirst()).allSatisfy { $0.precedes($1, .time) }
        guard isSorted, Set(records.map(\.id)).count == records.count else { return nil }
        return records
    }

    /// The inputs at the beginning of the search.
    static var seeds: [[UInt8]] {
        let snapshots = [
            bytes(of: [], count: 0), bytes(of: Array(records[..<1]), count: 1),
            bytes(of: Array(records[..<4]), count: 4),
        ]
        var seeds: [[UInt8]] = [[0], [1], [0, 0x10, 0x03, 1], [1, 0x10, 0x28, 1], [1, 0, 0x90, 1, 0, 0x98, 1]]
        for snapshot in snapshots { seeds += [[128] + snapshot, [129] + snapshot] }
        return seeds
    }

    static var tokens: [[UInt8]] {
        var tokens = ["],", ",\n", "\n", "{", "}", "\"", "\"count\":", "\"crc\":\"", "true", "false", "-", "0", "9"]
        tokens += [records[2] + ",\n", records[9] + ",\n", records[0] + "\n"]
        // Places of the index: fields of the header, rows, buckets, pages.
        let places: [[UInt8]] = [
            [0, 8, 1], [0, 16, 1], [0, 0x90, 1], [0, 0xa8, 1], [0, 0xb0, 1], [0x10, 0, 1], [0x10, 0x28, 1],
            [0x10, 0x30, 1], [0x20, 4, 1], [0x20, 8, 1], [0x21, 0xf8, 0xff], [0x30, 0, 1], [0x30, 8, 1],
            [0x40, 0, 0xff], [0x40, 8, 0xff], [0x50, 8, 3],
        ]
        return tokens.map { Array($0.utf8) } + places
    }
}

extension RecordExtractor {
    static let plain = RecordExtractor(
        head: { PlainRecord($0)?.head },
        compareTexts: { a, b in order(PlainRecord(a)?.text ?? [], PlainRecord(b)?.text ?? []) },
        compareText: { record, text in order(PlainRecord(record)?.text ?? [], text) },
        id: { PlainRecord($0)?.id },
        headAndText: { bytes, text in
            let record = PlainRecord(bytes)
            record?.text.withUnsafeBytes { text.append($0) }
            return record?.head
        })

    private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
}
