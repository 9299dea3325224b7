import JSONCodec
import Platform
import Storage

/// The state of a store after a commit: its records by id.
typealias PlainState = [RecordID: [UInt8]]

/// A journal, read simply: its header, its lines one by one, and whether only blanks follow the header.
struct PlainJournal {
    struct Header {
        var storeId: [UInt8]
        var schemaVersion: Int
        var generation: Int
        var base: Int
    }

    enum Line {
        /// `changes` is nil if they have no known form.
        case commit(seq: Int, durable: Int, changes: [Change]?)
        /// A line with a valid checksum that is no commit.
        case unknown
        case bad
        case blank
    }

    enum Change {
        case clear
        case put(PlainRecord)
        case delete(RecordID)
    }

    private(set) var header: Header?
    private(set) var lines: [Line] = []
    var isBlank: Bool {
        header != nil
            && lines.allSatisfy {
                if case .blank = $0 { true } else { false }
            }
    }

    init(_ bytes: ArraySlice<UInt8>) {
        var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // After the last line feed there is a line only if there are bytes.
        if parts.last?.isEmpty == true { parts.removeLast() }
        let isFirstEnded = bytes.contains(UInt8(ascii: "\n"))
        if let first = parts.first, isFirstEnded, let content = PlainSeal.content(of: first) {
            header = Self.header(content)
        }
        for part in parts.dropFirst() { lines.append(part.isEmpty ? .blank : Self.line(part)) }
    }

    private static func header(_ content: ArraySlice<UInt8>) -> Header? {
        var cursor = PlainCursor(content)
        guard cursor.take("{\"format\":\"moodboard-journal\",\"schemaVersion\":"), let version = cursor.integer(),
            cursor.take(",\"storeId\":\""), let storeId = cursor.text(36), cursor.take("\",\"generation\":"),
            let generation = cursor.integer(), cursor.take(",\"baseRevision\":"), let base = cursor.integer(),
            cursor.take(",\"at\":\""), cursor.text(24) != nil, cursor.take("\","), cursor.isAtEnd
        else { return nil }
        return Header(storeId: storeId, schemaVersion: version, generation: generation, base: base)
    }

    private static func line(_ line: ArraySlice<UInt8>) -> Line {
        guard let content = PlainSeal.content(of: line) else { return .bad }
        var cursor = PlainCursor(content)
        guard cursor.take("{\"seq\":"), let seq = cursor.integer(), cursor.take(",\"at\":\""), cursor.text(24) != nil,
            cursor.take("\",\"durable\":"), let durable = cursor.integer(), durable < seq
        else { return .unknown }
        if cursor.take(",\"origin\":\""), !cursor.string() { return .unknown }
        return .commit(seq: seq, durable: durable, changes: changes(&cursor))
    }

    private static func changes(_ cursor: inout PlainCursor) -> [Change]? {
        var changes: [Change] = []
        if cursor.take(",\"clear\":true") {
            changes.append(.clear)
            if cursor.take(",\"cleared\":{\"count\":") {
                guard cursor.integer() != nil, cursor.take(",\"ids\":["), cursor.list({ $0.quoted(36) }) != nil,
                    cursor.take("}")
                else { return nil }
            }
        }
        if cursor.take(",\"put\":[") {
            guard let records = cursor.list({ $0.object().flatMap { PlainRecord(Array($0)) } }) else { return nil }
            changes += records.map { .put($0) }
        }
        if cursor.take(",\"created\":["), cursor.list({ $0.integer() }) == nil { return nil }
        if cursor.take(",\"delete\":[") {
            // An id is equal in upper case.
            let ids = cursor.list { $0.quoted(36).flatMap { PlainRecord.id($0.map { 65...70 ~= $0 ? $0 + 32 : $0 }) } }
            guard let ids else { return nil }
            changes += ids.map { .delete($0) }
        }
        if cursor.take(",\"opId\":\"") {
            guard cursor.string(), cursor.take(",\"method\":\""), cursor.string(), cursor.take(",\"params\":\""),
                cursor.hexDigits(16), cursor.take("\"")
            else { return nil }
            if cursor.take(",\"answer\":"), cursor.object() == nil { return nil }
        }
        return cursor.isUnknownRest() ? changes : nil
    }
}

/// The checksum at the end of a line, checked and made simply.
enum PlainSeal {
    private static func digits(_ bytes: ArraySlice<UInt8>) -> String {
        let sum = String(bytes.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        return String(repeating: "0", count: 8 - sum.utf8.count) + sum
    }

    static func seal(of content: ArraySlice<UInt8>) -> [UInt8] { Array("\"crc\":\"\(digits(content))\"}".utf8) }

    /// The bytes before the checksum, if that is right.
    static func content(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let content = line.dropLast(17)
        guard !content.isEmpty, line.suffix(17).elementsEqual(seal(of: content)) else { return nil }
        return content
    }

    /// The lines, each with a right checksum, which replaces one of its form.
    static func sealed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sealed: [UInt8] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if number > 0 { sealed.append(UInt8(ascii: "\n")) }
            let end = line.suffix(17)
            let hasSeal = end.starts(with: "\"crc\":\"".utf8) && end.suffix(2).elementsEqual("\"}".utf8)
            guard hasSeal || line.last == UInt8(ascii: ",") else {
                sealed += line
                continue
            }
            let content = hasSeal ? line.dropLast(17) : line
            sealed += content + seal(of: content)
        }
        return sealed
    }
}

/// Takes bytes from the left, one kind of item after the other.
struct PlainCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Whether only a comma, or unknown members and a comma, come next.
    func isUnknownRest() -> Bool {
        if rest.elementsEqual([UInt8(ascii: ",")]) { return true }
        guard rest.count > 2, rest.first == UInt8(ascii: ","), rest.last == UInt8(ascii: ",") else { return false }
        let text = [UInt8(ascii: "{")] + rest.dropFirst().dropLast() + [UInt8(ascii: "}")]
        guard let members = (try? JSONValue.parse(text))?.object else { return false }
        let known = [
            "clear", "cleared", "put", "created", "delete", "opId", "method", "params", "answer", "origin",
        ]
        let names = members.map(\.name)
        return Set(names).count == names.count && !names.contains { known.contains($0) }
    }

    mutating func take(_ literal: String) -> Bool {
        guard rest.starts(with: literal.utf8) else { return false }
        rest = rest.dropFirst(literal.utf8.count)
        return true
    }

    /// One to eighteen digits, without a leading zero.
    mutating func integer() -> Int? {
        let digits = rest.prefix { $0 >= 48 && $0 <= 57 }
        guard (1...18).contains(digits.count), digits.count == 1 || digits.first != 48 else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Printable ASCII that is neither a quote nor a backslash.
    mutating func text(_ count: Int) -> [UInt8]? {
        let text = rest.prefix(count)
        guard text.count == count, text.allSatisfy({ $0 >= 32 && $0 < 127 && $0 != 34 && $0 != 92 }) else { return nil }
        rest = rest.dropFirst(count)
        return Array(text)
    }

    mutating func quoted(_ count: Int) -> [UInt8]? {
        guard take("\""), let text = text(count), take("\"") else { return nil }
        return text
    }

    mutating func hexDigits(_ count: Int) -> Bool {
        let digits = rest.prefix(count)
        let areDigits = digits.allSatisfy { $0 >= 48 && $0 <= 57 || $0 >= 97 && $0 <= 102 }
        guard digits.count == count, areDigits else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// All bytes up to the final literal; nil if that is missing.
    mutating func takeAll(before end: String) -> ArraySlice<UInt8>? {
        guard rest.count >= end.utf8.count, rest.suffix(end.utf8.count).elementsEqual(end.utf8) else { return nil }
        defer { rest = [] }
        return rest.dropLast(end.utf8.count)
    }

    /// Items with commas between them, and the bracket at the end.
    mutating func list<Thing>(_ thing: (inout PlainCursor) -> Thing?) -> [Thing]? {
        var things: [Thing] = []
        repeat {
            guard let one = thing(&self) else { return nil }
            things.append(one)
        } while take(",")
        return take("]") ? things : nil
    }

    /// The inside of a string and its last quote.
    mutating func string() -> Bool {
        while let byte = rest.popFirst() {
            if byte == 34 { return true }
            if byte == 92 { rest = rest.dropFirst() }
        }
        return false
    }

    /// Balanced brackets of either kind, without those in strings.
    mutating func object() -> ArraySlice<UInt8>? {
        guard rest.first == UInt8(ascii: "{") else { return nil }
        let all = rest
        var depth = 0
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return all[all.startIndex..<rest.startIndex] }
            case 34: if !string() { return nil }
            default: break
            }
        }
        return nil
    }
}
