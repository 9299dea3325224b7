import JSONCodec
import MoodCore
import Storage

/// The history of moods.
extension MoodRecords {
    /// Writes a page of a mood's changes, newest first: `{items: [{revision, at, kind, mood?}], nextCursor?}`.
    ///
    /// A version that no journal contains gets the mood's own `updatedAt`, and the kind "created" if the mood was never
    /// updated.
    public mutating func history(
        _ id: MoodID, limit: Int, cursor: [UInt8]?, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        let end = try cursor.map { (text) throws(MoodStoreError) in try HistoryCursor.revision(text, of: id) }
        let room = writer.buffer.room - Self.bytesAfterItems
        let page: (items: [HistoryItem], next: Int?)
        do throws(StorageError) {
            // `history` reads the journals, so the group's commits must be in them.
            try flushEarly()
            page = try records.history(of: id, before: end ?? .max, limit: limit, bytesMax: room)
        } catch {
            throw .storage(error)
        }
        if page.items.isEmpty, page.next == nil, end == nil { throw .notFound(id) }
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for item in page.items { Self.write(item, to: &writer) }
        writer.endArray()
        if let next = page.next {
            writer.key("nextCursor")
            writer.string(HistoryCursor.text(next, of: id))
        }
        writer.endObject()
    }

    private static func write(_ item: HistoryItem, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("revision")
        writer.integer(item.revision)
        (item.record ?? []).withUnsafeBytes { bytes in
            let mood = item.kind == nil ? MoodMembers(trusting: ValidJSON(trusting: bytes)) : MoodMembers()
            writer.key("at")
            if item.at.isEmpty {
                writer.string((mood.updatedAt.value ?? .minimum).text)
            } else {
                item.at.withUnsafeBytes { writer.string(utf8: $0) }
            }
            let isNew = mood.createdAt.value == mood.updatedAt.value
            writer.key("kind")
            writer.string((item.kind ?? (isNew ? .created : .updated)).rawValue)
            if item.record != nil {
                writer.key("mood")
                writer.raw(bytes)
            }
        }
        if let origin = item.origin {
            writer.key("origin")
            writer.string(origin)
        }
        writer.endObject()
    }
}

/// A position in a mood's history as text: opaque, URL-safe, valid after any changes, because it names a revision.
///
///     version (2) | mood (16) | revision (8) | check (4)
enum HistoryCursor {
    private static let version: UInt8 = 2
    private static let length = 29

    static func text(_ revision: Int, of id: MoodID) -> String {
        var bytes: [UInt8] = [version]
        ListCursor.append(id.high, to: &bytes)
        ListCursor.append(id.low, to: &bytes)
        ListCursor.append(UInt64(bitPattern: Int64(revision)), to: &bytes)
        let check = ListCursor.hash(bytes)
        for shift in [24, 16, 8, 0] as [UInt64] { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
        return Base64URL.encode(bytes)
    }

    /// The revision of a cursor; the page has only older changes.
    static func revision(_ text: [UInt8], of id: MoodID) throws(MoodStoreError) -> Int {
        guard let bytes = Base64URL.decode(text), bytes.count == length, bytes[0] == version,
            ListCursor.word(bytes, 25, 4) == ListCursor.hash(Array(bytes[..<25])) & 0xffff_ffff,
            ListCursor.word(bytes, 1, 8) == id.high, ListCursor.word(bytes, 9, 8) == id.low
        else { throw .invalidCursor }
        // A client that computes the check can send any number.
        guard let revision = Int(exactly: ListCursor.word(bytes, 17, 8)), revision > 0 else { throw .invalidCursor }
        return revision
    }
}
