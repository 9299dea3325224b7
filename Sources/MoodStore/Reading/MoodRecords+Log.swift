import JSONCodec
import MoodCore
import Storage

/// The log of commits, and deleted moods.
extension MoodRecords {
    /// Writes a page of commits, newest first: `{items: [{revision, at, kind, summary, ids, count?, origin?, isUndone}],
    /// nextCursor?}`.
    public mutating func log(
        limit: Int, cursor: [UInt8]?, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        let end = try cursor.map { (text) throws(MoodStoreError) in try PlaceCursor.log.words(text, count: 1)[0] }
        let page: (items: [CommitLogItem], next: Int?)
        do throws(StorageError) {
            try flushEarly()
            page = try records.log(before: end.flatMap { Int(exactly: $0) } ?? .max, limit: limit)
        } catch {
            throw .storage(error)
        }
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for item in page.items { Self.write(item, to: &writer) }
        writer.endArray()
        if let next = page.next {
            writer.key("nextCursor")
            writer.string(PlaceCursor.log.text([UInt64(next)]))
        }
        writer.endObject()
    }

    private static func write(_ item: CommitLogItem, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("revision")
        writer.integer(item.revision)
        if !item.at.isEmpty {
            writer.key("at")
            item.at.withUnsafeBytes { writer.string(utf8: $0) }
        }
        writer.key("kind")
        writer.string(item.kind.rawValue)
        writer.key("summary")
        writer.string(item.summary)
        writer.key("ids")
        writer.beginArray()
        for id in item.ids { writer.string(id.text) }
        writer.endArray()
        if item.count > item.ids.count {
            writer.key("count")
            writer.integer(item.count)
        }
        if let origin = item.origin {
            writer.key("origin")
            writer.string(origin)
        }
        writer.key("isUndone")
        writer.boolean(item.isUndone)
        writer.endObject()
    }

    /// Writes a page of deleted moods, the last one first: `{items: [{id, revision, at, origin?, mood?}],
    /// nextCursor?}`.
    /// - Parameter isCancelled: called now and then; true ends the work.
    public mutating func deleted(
        limit: Int, cursor: [UInt8]?, to writer: inout JSONWriter, isCancelled: () -> Bool = { false }
    ) throws(MoodStoreError) {
        var place: (Int, MoodID)?
        if let cursor {
            let words = try PlaceCursor.deleted.words(cursor, count: 3)
            guard let revision = Int(exactly: words[0]) else { throw .invalidCursor }
            place = (revision, MoodID(high: words[1], low: words[2]))
        }
        let page: (items: [DeletedRecord], hasMore: Bool)
        do throws(StorageError) {
            try flushEarly()
            page = try records.deletedRecords(
                after: place.map { ($0.0, $0.1) }, limit: limit, isCancelled: isCancelled)
        } catch {
            throw .storage(error)
        }
        let end = writer.count + min(Self.pageBytesMax, writer.buffer.room) - Self.bytesAfterItems
        var hasMore = page.hasMore
        var last: DeletedRecord?
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for item in page.items {
            if last != nil, writer.count + item.record.count + 256 > end {
                hasMore = true
                break
            }
            Self.write(item, to: &writer)
            last = item
        }
        writer.endArray()
        if hasMore, let last {
            writer.key("nextCursor")
            writer.string(PlaceCursor.deleted.text([UInt64(last.revision), last.id.high, last.id.low]))
        }
        writer.endObject()
    }

    /// Whether `deleted` takes long: it reads the history, and the snapshots of cleared stores.
    public func isDeletedLong() -> Bool { records.hasPast(over: Self.deletedAtOnceBytes) }

    /// Whether `log`, `history` and `undelete` may take long: they read journals and long commits.
    public func isPastLong() -> Bool { records.hasPast(over: Self.pastAtOnceBytes, besidesSnapshots: true) }

    private static let deletedAtOnceBytes = 1 << 20
    /// The bytes that take some 10 ms to read.
    private static let pastAtOnceBytes = 4 << 20

    private static func write(_ item: DeletedRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(item.id.text)
        writer.key("revision")
        writer.integer(item.revision)
        if !item.at.isEmpty {
            writer.key("at")
            item.at.withUnsafeBytes { writer.string(utf8: $0) }
        }
        if let origin = item.origin {
            writer.key("origin")
            writer.string(origin)
        }
        if !item.record.isEmpty {
            writer.key("mood")
            item.record.withUnsafeBytes { writer.raw($0) }
        }
        writer.endObject()
    }

    /// Restores the last version of a deleted mood and writes it. If the mood exists, writes the existing one.
    public mutating func undelete(
        _ id: MoodID, at now: Timestamp, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        do throws(StorageError) {
            try flushEarly()
            if let bytes = try records.bytes(id) { return writer.raw(bytes) }
        } catch {
            throw .storage(error)
        }
        guard let last = try lastVersion(of: id) else { throw .notFound(id) }
        var scratch = JSONWriter(capacity: last.count + 256)
        try restore(last, at: now, &scratch)
        writer.raw(scratch.buffer.bytes)
    }

    /// The last version of a deleted mood; nil if it is not known.
    private mutating func lastVersion(of id: MoodID) throws(MoodStoreError) -> [UInt8]? {
        do throws(StorageError) {
            var end = Int.max
            while true {
                let page = try records.history(of: id, before: end, limit: 2, bytesMax: Self.pageBytesMax)
                for item in page.items { if let record = item.record { return record } }
                guard let next = page.next else { return nil }
                end = next
            }
        } catch {
            throw .storage(error)
        }
    }

    /// The moods whose ids end in each of the texts, which are lower-case hexadecimal digits.
    public mutating func resolve(_ endings: [[UInt8]]) throws(MoodStoreError) -> [[MoodID]] {
        let wanted = endings.map { IDEnding($0) }
        var found: [[MoodID]] = endings.map { _ in [] }
        do throws(StorageError) {
            try records.forEachID { id in
                for (place, ending) in wanted.enumerated() where ending.matches(id) { found[place].append(id) }
            }
        } catch {
            throw .storage(error)
        }
        return found.map { $0.sorted() }
    }
}

/// The last digits of an id.
private struct IDEnding {
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    private var highMask: UInt64 = 0
    private var lowMask: UInt64 = 0

    init(_ digits: [UInt8]) {
        for digit in digits.suffix(32) {
            let value = UInt64(digit <= UInt8(ascii: "9") ? digit &- 48 : digit &- 87) & 15
            high = high << 4 | low >> 60
            low = low << 4 | value
            highMask = highMask << 4 | lowMask >> 60
            lowMask = lowMask << 4 | 15
        }
    }

    func matches(_ id: MoodID) -> Bool { id.low & lowMask == low && id.high & highMask == high }
}

extension CommitLogItem {
    /// The commit's changes in words.
    var summary: String {
        if !reversed.isEmpty {
            let names = reversed.prefix(5).map(String.init).joined(separator: ", ")
            let rest = reversed.count > 5 ? " and \(reversed.count - 5) more" : ""
            return "\(isRedo ? "Made" : "Took back") commit\(reversed.count == 1 ? "" : "s") \(names)\(rest)"
                + (isRedo ? " again" : "")
        }
        let verb =
            switch kind {
            case .created: "Recorded"
            case .updated: "Changed"
            case .deleted: "Deleted"
            }
        if isClear { return count == 1 ? "Deleted the only mood" : "Deleted all \(count) moods" }
        if count != 1 { return "\(verb) \(count) moods" }
        return record.withUnsafeBytes { bytes in
            guard !bytes.isEmpty else { return "\(verb) a mood" }
            let mood = MoodMembers(trusting: ValidJSON(trusting: bytes))
            return "\(verb) \(mood.emoji?.string ?? "") \(mood.label?.string ?? "")"
        }
    }
}

/// A position as text for clients: opaque, URL-safe, valid after any changes.
///
///     version | words (8 each) | check (4)
enum PlaceCursor: UInt8 {
    case log = 3
    case deleted = 4
    case export = 5

    func text(_ words: [UInt64]) -> String {
        var bytes: [UInt8] = [rawValue]
        for word in words { ListCursor.append(word, to: &bytes) }
        let check = ListCursor.hash(bytes)
        for shift in [24, 16, 8, 0] as [UInt64] { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
        return Base64URL.encode(bytes)
    }

    func words(_ text: [UInt8], count: Int) throws(MoodStoreError) -> [UInt64] {
        let length = 1 + 8 * count
        guard let bytes = Base64URL.decode(text), bytes.count == length + 4, bytes[0] == rawValue,
            ListCursor.word(bytes, length, 4) == ListCursor.hash(Array(bytes[..<length])) & 0xffff_ffff
        else { throw .invalidCursor }
        return (0..<count).map { ListCursor.word(bytes, 1 + 8 * $0, 8) }
    }
}
