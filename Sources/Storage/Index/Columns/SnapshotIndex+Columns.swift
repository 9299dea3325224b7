import JSONCodec

/// Columns are read in pages of `IndexFormat.pageColumnsMax` entries, each with its checksum; the texts in one read.
extension SnapshotIndex {
    /// Replaces `entries` by the entries of at most `pages` pages, beginning with the page of row `first`.
    /// - Returns: the row of the first entry.
    func columns(from first: Int, pages: Int, into entries: inout [ColumnEntry]) throws(IndexFault) -> Int {
        entries.removeAll(keepingCapacity: true)
        entries.reserveCapacity(pages * IndexFormat.pageColumnsMax)
        let section = image.header.sections.columns
        let page = first / IndexFormat.pageColumnsMax
        let start = section.offset + page * IndexFormat.pageBytes
        let byteCount = min(pages * IndexFormat.pageBytes, section.end - start)
        guard first >= 0, byteCount > 0 else {
            throw .indexDamaged(reason: "The index has no columns for row \(first).")
        }
        var buffer = ByteBuffer(capacity: byteCount)
        try buffer.append(upTo: byteCount) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: start)
            return bytes.count
        }
        let firstRow = page * IndexFormat.pageColumnsMax
        var left = count - firstRow
        for offset in stride(from: 0, to: byteCount, by: IndexFormat.pageBytes) {
            let unit = UnsafeRawBufferPointer(rebasing: buffer.bytes[offset..<offset + IndexFormat.pageBytes])
            guard checksum.matches(unit, at: start + offset) else {
                throw .indexDamaged(reason: "The index is damaged at byte \(start + offset).")
            }
            let places = 0..<min(IndexFormat.pageColumnsMax, left)
            entries += places.lazy.map { ColumnEntry(unit, at: $0 * IndexFormat.columnsBytes) }
            left -= IndexFormat.pageColumnsMax
        }
        return firstRow
    }

    /// The texts that the columns name.
    func columnTexts() throws(IndexFault) -> ColumnTexts {
        let section = image.header.sections.texts
        var buffer = ByteBuffer(capacity: section.byteCount)
        try buffer.append(upTo: section.byteCount) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: section.offset)
            return bytes.count
        }
        guard buffer.count == section.byteCount, section.byteCount >= 4,
            checksum.matches(buffer.bytes, at: section.offset),
            let texts = ColumnTexts(
                UnsafeRawBufferPointer(rebasing: buffer.bytes.dropLast(4)), count: image.header.textCount)
        else { throw .indexDamaged(reason: "The index is damaged at byte \(section.offset).") }
        return texts
    }
}

extension LayeredRecords {
    /// Passes the column entries of all records, many at a time and in order of time, from a position on, until `body`
    /// returns false. Records of one moment come in the order of their ids.
    mutating func walkColumns(
        after position: RecordPosition?, _ body: ([ColumnEntry], ColumnTexts) -> Bool
    ) throws(IndexFault) {
        guard canSeeBase, var index = takeBase() else {
            var upper = table.cursor(.time, isDescending: false, after: position)
            return passRest(&upper, table.next(&upper), ColumnTexts(), body)
        }
        // Taken out and put back: the walk needs both layers at the same time.
        let result: Result<Void, IndexFault>
        do throws(IndexFault) {
            try mergeColumns(&index, position, body)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        putBack(index)
        try result.get()
    }

    /// Most pages to read together; the number grows from one.
    private static var pagesMax: Int { 16 }

    private mutating func mergeColumns(
        _ index: inout SnapshotIndex, _ position: RecordPosition?, _ body: ([ColumnEntry], ColumnTexts) -> Bool
    ) throws(IndexFault) {
        let texts = try index.columnTexts()
        var upper = table.cursor(.time, isDescending: false, after: position)
        var slot = table.next(&upper)
        var row = 0
        if let position { row = try index.firstPosition(.time, after: position, inclusive: false) }
        var entries: [ColumnEntry] = []
        var pages = 1
        while row < index.count {
            let first = try index.columns(from: row, pages: pages, into: &entries)
            pages = min(pages * 4, Self.pagesMax)
            let end = first + entries.count
            if first < row || slot != nil || hiddenCount > 0 {
                var merged: [ColumnEntry] = []
                merged.reserveCapacity(entries.count)
                for number in row..<end where !isHidden(row: number) {
                    let entry = entries[number - first]
                    while let next = slot, try comesFirst(next, entry, number, index) {
                        merged.append(texts.entry(next.head, next.bytes, table.extractor))
                        slot = table.next(&upper)
                    }
                    merged.append(entry)
                }
                entries = merged
            }
            guard body(entries, texts) else { return }
            row = end
        }
        passRest(&upper, slot, texts, body)
    }

    /// Passes the column entries of records in memory, from `slot` on.
    private func passRest(
        _ cursor: inout RecordTable.Cursor, _ slot: RecordSlot?, _ texts: ColumnTexts,
        _ body: ([ColumnEntry], ColumnTexts) -> Bool
    ) {
        var entries: [ColumnEntry] = []
        var slot = slot
        while let next = slot {
            entries.append(texts.entry(next.head, next.bytes, table.extractor))
            slot = table.next(&cursor)
            guard slot == nil || entries.count == IndexFormat.pageColumnsMax else { continue }
            guard body(entries, texts) else { return }
            entries.removeAll(keepingCapacity: true)
        }
    }

    /// Whether a record in memory comes before a row of the snapshot.
    @inline(__always)
    private func comesFirst(
        _ slot: RecordSlot, _ entry: ColumnEntry, _ row: Int, _ index: borrowing SnapshotIndex
    ) throws(IndexFault) -> Bool {
        if slot.head.time != entry.time { return slot.head.time < entry.time }
        return try slot.head.id < index.row(row).head.id
    }
}

extension RecordStore {
    /// Passes the column entries of all records, many at a time and in order of time, from a position on, until `body`
    /// returns false.
    /// - Throws: as `walk` does.
    public mutating func walkColumns(
        after position: RecordPosition?, _ body: ([ColumnEntry], ColumnTexts) -> Bool
    ) throws(StorageError) {
        try requireOpen()
        do throws(IndexFault) {
            try layers.walkColumns(after: position, body)
        } catch {
            try mend(error)
            throw .busy(reason: "The index of the store was damaged and has been made again. Try again.")
        }
    }
}
