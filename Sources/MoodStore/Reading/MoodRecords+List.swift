import JSONCodec
import MoodCore
import Storage

extension MoodRecords {
    /// Writes a page: `{items, total?, nextCursor?, empty?}`.
    ///
    /// - Parameter cursor: the text of an earlier page's `nextCursor`.
    /// - Parameter isCancelled: asked now and then; true ends it with `StorageError.cancelled`.
    /// - Complexity: the moods shown, plus those that the filter skips; all moods once for a total under a filter.
    public mutating func list(
        _ query: MoodQuery, cursor: [UInt8]?, to writer: inout JSONWriter, isCancelled: (() -> Bool)? = nil
    ) throws(MoodStoreError) {
        var position: RecordPosition?
        if let cursor { position = try ListCursor.position(cursor, of: query) }
        let mark = writer.count
        do throws(StorageError) {
            return try list(query, position, isFirst: cursor == nil, to: &writer, isCancelled)
        } catch {
            guard case .busy = error else { throw .storage(error) }
        }
        // The store rebuilt its index meanwhile.
        writer.rewind(to: mark)
        do throws(StorageError) {
            try list(query, position, isFirst: cursor == nil, to: &writer, isCancelled)
        } catch {
            throw .storage(error)
        }
    }

    /// Whether a list may look through so many moods that other requests should not wait for it.
    public mutating func isListLong(_ query: MoodQuery) -> Bool {
        guard records.cost(ofEachInMemory: Self.costInMemory) > countAtOnce else { return false }
        let looksAtAll = query.filter.looksInside || query.wantsTotal && query.filter.looksAtMarksInSpan
        return looksAtAll || records.hasToSort(query.order)
    }

    /// The first look at a mood since the snapshot reads the mood itself, which takes so many times longer.
    private static let costInMemory = 8

    private mutating func list(
        _ query: MoodQuery, _ position: RecordPosition?, isFirst: Bool, to writer: inout JSONWriter,
        _ isCancelled: (() -> Bool)?
    ) throws(StorageError) {
        let filter = query.filter
        let isFiltered = !filter.isEmpty
        // The index has a separate order and count for marked moods.
        let isByMark = filter.isFavorite == true && filter.isOnlyOfMark
        let isCounting = isFiltered && query.wantsTotal && !filter.isOnlyOfMark
        let start = position ?? startPosition(query)
        var end = writer.count + min(Self.pageBytesMax, writer.buffer.room) - Self.bytesAfterItems
        if query.offers != nil { end -= RowOffers.bytesMax }
        var shown = 0
        var last: RecordHead?
        var hasMore = false
        var lastText: [UInt8] = []
        var text: [UInt8] = []
        let isByText = query.sort == .label

        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        let found = try records.walk(
            query.order, isDescending: query.isDescending, after: start, markedOnly: filter.isFavorite == true,
            matching: isByMark ? nil : filter.condition(isCancelled), isCounting: isCounting
        ) { record in
            let head = record.head
            let bytes = record.bytes
            var wanted = bytes.count
            if isByText {
                text.removeAll(keepingCapacity: true)
                RecordExtractor.withLabel(bytes) { CaseFolding.appendFolded(utf8: $0, to: &text) }
                // The cursor after this mood would contain its label.
                wanted += 2 * text.count
            }
            if shown == query.limit || (shown > 0 && writer.count + wanted > end) {
                hasMore = true
                return false
            }
            if let offers = query.offers {
                offers.write(
                    bytes, head.id, isFavorite: head.isMarked, to: &writer)
            } else {
                writer.raw(bytes)
            }
            shown += 1
            last = head
            if isByText { swap(&text, &lastText) }
            return true
        }
        if isCancelled?() == true { throw .cancelled }
        writer.endArray()
        if !isFiltered || query.wantsTotal {
            writer.key("total")
            writer.integer(isCounting ? found : total(filter))
        }
        if hasMore, let last {
            let key: Int64 =
                switch query.sort {
                case .timestamp: last.time
                case .updatedAt: last.updated
                case .label: last.textPrefix
                }
            writer.key("nextCursor")
            writer.string(ListCursor.text(RecordPosition(key: key, text: lastText, id: last.id), of: query))
        }
        if shown == 0, isFirst { writeEmpty(locale: query.locale, to: &writer) }
        writer.endObject()
    }

    /// The first position in a list by time, which skips moods outside of the span.
    private func startPosition(_ query: MoodQuery) -> RecordPosition? {
        guard query.sort == .timestamp else { return nil }
        let span = query.filter.span
        if query.isDescending {
            // In descending order, the moods before `to` come after (to, lowest id).
            return span.to.map { RecordPosition(key: $0, text: [], id: RecordID(high: 0, low: 0)) }
        }
        return span.from.map { RecordPosition(key: $0 - 1, text: [], id: RecordID(high: .max, low: .max)) }
    }

    /// The number of moods, from the index's counts.
    private func total(_ filter: MoodFilter) -> Int {
        guard let isFavorite = filter.isFavorite else { return records.count }
        return isFavorite ? records.markedCount : records.count - records.markedCount
    }

    private func writeEmpty(locale: String, to writer: inout JSONWriter) {
        let empty: EmptyList
        if records.count == 0, case .corrupt(_, _, let reason)? = records.refusal {
            empty = .unreadable(reason: reason, locale: locale)
        } else if records.count == 0 {
            empty = .noMoods(locale: locale)
        } else {
            empty = .noMatch(of: records.count, locale: locale)
        }
        writer.key("empty")
        writer.beginObject()
        writer.key("title")
        writer.string(empty.title)
        writer.key("hint")
        writer.string(empty.hint)
        writer.endObject()
    }
}
