import JSONCodec
import Platform

/// Builds the index of a snapshot: from the file, read once from beginning to end, or while the snapshot is written.
///
///     var builder = SnapshotIndexBuilder(count: header.count, .moods, key: .random())
///     for … { if let reason = builder.add(record, at: offset) { … } }   // in the order of the snapshot
///     let image = try builder.finish(of: SnapshotIdentity(of: snapshot, header))
///
/// Rows, columns and searched texts go to the draft as they come; the rest is made of what is kept of each record.
///
/// Memory: about 65 bytes a record, plus the texts, equal ones stored once.
package struct SnapshotIndexBuilder: ~Copyable {
    private let extractor: RecordExtractor
    private let key: IndexKey
    private let checksum: UnitChecksum
    private let draft: IndexDraft
    private var rows = IndexPart(at: IndexFormat.pageBytes)
    private var columns: IndexPart
    private var searched: IndexPart
    /// Id and update of each row.
    private var orderKeys: ByteBuffer
    private static let orderKeyBytes = 24
    private var texts: TextRanks
    /// The number of each row's text.
    private var textNumbers: [UInt32] = []
    private var marked: [UInt32] = []
    /// The time of the first marked record of each page.
    private var markedTimes: [Int64] = []
    private var columnTexts: TextRanks
    private var searchedTexts = SearchedTexts()
    private var searchedEnds: [Int] = []
    private let searchedStart: Int
    private var hours = HourMarks()
    /// Numbers of recent texts, by place and checksum: most texts are found here.
    private var lateTexts = [UInt32](repeating: 0, count: RecordTraits.textCount << 8)
    private var scratch = ByteBuffer(capacity: 16)
    private var last: (time: Int64, id: RecordID)?
    private var count = 0
    private let expected: Int
    private var recordBytes = 0
    /// The offset of the first record that is out of order; later records are not indexed.
    private(set) var unsortedOffset: Int?

    /// - Parameter count: the number of records to come. If others come, no index is made.
    package init(count: Int, _ extractor: RecordExtractor, key: IndexKey, _ draft: IndexDraft = IndexDraft()) {
        self.extractor = extractor
        self.key = key
        self.draft = draft
        expected = max(count, 0)
        checksum = UnitChecksum(key)
        texts = TextRanks(key)
        columnTexts = TextRanks(key)
        let sections = IndexSections(
            count: expected, markedCount: 0, textCount: 0, textBytes: 0, hoursCount: 0, searchedBytes: 0)
        columns = IndexPart(at: sections.columns.offset)
        searched = IndexPart(at: sections.searched.offset)
        searchedStart = sections.searched.offset
        // The number may come from a damaged file: the memory reserved for it is bounded.
        let reserved = min(expected, 1 << 24)
        orderKeys = ByteBuffer(capacity: reserved * Self.orderKeyBytes)
        textNumbers.reserveCapacity(reserved)
    }

    /// Takes the next record, at `offset` of the snapshot. Returns nil, or its fault. (A line feed in it counts as the
    /// space that is written for it.)
    package mutating func add(_ record: UnsafeRawBufferPointer, at offset: Int) -> String? {
        if record.firstOffset(of: UInt8(ascii: "\n")) != nil {
            var line = ByteBuffer(capacity: record.count)
            line.append(record: record)
            return add(line: line.bytes, at: offset)
        }
        return add(line: record, at: offset)
    }

    /// Takes the next record, which has no line feed.
    @inline(__always)
    mutating func add(line record: UnsafeRawBufferPointer, at offset: Int) -> String? {
        guard
            let (head, traits, isSearched) = extractor.indexed(
                record, false, &texts.arena, &scratch, &searchedTexts)
        else {
            texts.discard()
            searchedTexts.discard()
            return "this line is not a record"
        }
        if let last,
            (last.time, last.id) >= (head.time, head.id) || count == IndexFormat.countMax
                || columnTexts.count >= Self.columnTextsMax || !IndexBucket.hasRoom(offset, record.count),
            unsortedOffset == nil
        {
            unsortedOffset = offset
        }
        guard unsortedOffset == nil, count < expected else {
            texts.discard()
            searchedTexts.discard()
            count += 1
            return nil
        }
        last = (head.time, head.id)
        let place = IndexPlace(
            row: count, offset: offset, byteCount: record.count, checksum: CRC32C.checksum(record))
        IndexRow(head: head, place: place).append(to: &rows.bytes, checksum)
        rows.writeMany(to: draft)
        orderKeys.append(word: head.id.high)
        orderKeys.append(word: head.id.low)
        orderKeys.append(word: UInt64(bitPattern: head.updated))
        textNumbers.append(texts.enter(prefix: head.textPrefix))
        addColumns(head, traits)
        searchedTexts.endRecord(isWhole: isSearched)
        if head.isMarked {
            if marked.count % IndexFormat.pageEntriesMax == 0 { markedTimes.append(head.time) }
            marked.append(UInt32(truncatingIfNeeded: count))
        }
        recordBytes += record.count
        count += 1
        if count % IndexFormat.pageColumnsMax == 0 { endPages() }
        return nil
    }

    /// The numbers of texts have 31 bits.
    private static let columnTextsMax = 1 << 31 - 1 - RecordTraits.textCount

    @inline(__always)
    private mutating func addColumns(_ head: RecordHead, _ traits: RecordTraits) {
        var numbers = InlineArray<4, UInt32>(repeating: 0)
        for place in 0..<RecordTraits.textCount {
            guard let text = traits.texts[place] else { continue }
            let late = place << 8 | Int(CRC32C.checksum(text) & 0xFF)
            let known = lateTexts[late]
            if known > 0, JSONText.sameBytes(columnTexts.bytes(Int(known) - 1), text) {
                numbers[place] = known
                continue
            }
            numbers[place] = columnTexts.enter(text) + 1
            lateTexts[late] = numbers[place]
        }
        ColumnEntry(time: head.time, word: traits.word, isMarked: head.isMarked, texts: numbers)
            .append(to: &columns.bytes)
        hours.add(head.time, numbers[RecordTraits.textCount - 1])
    }

    /// Ends a page of columns and one of searched texts, which have the same rows.
    private mutating func endPages() {
        guard searchedTexts.rows > 0 else { return }
        columns.endPage(from: columns.end - searchedTexts.rows * IndexFormat.columnsBytes, checksum)
        columns.writeMany(to: draft)
        let start = searched.end
        searchedTexts.endPage(to: &searched.bytes)
        searched.seal(from: start, checksum)
        searchedEnds.append(searched.end - searchedStart)
        searched.writeMany(to: draft)
    }

    /// Builds the index of all added records.
    /// - Parameter identity: of the whole snapshot, as it is on the disk.
    package consuming func finish(of identity: SnapshotIdentity) throws(IndexBuildFault) -> IndexImage {
        if let unsortedOffset { throw .unsorted(offset: unsortedOffset) }
        guard identity.header.count == count, count == expected else {
            throw .snapshot(
                .corrupt(
                    file: StoreDirectory.snapshotName, offset: 0,
                    reason: "The snapshot counts \(identity.header.count) records but \(count) were handed over."))
        }
        endPages()
        rows.writeAll(to: draft)
        columns.writeAll(to: draft)
        searched.writeAll(to: draft)
        let header = IndexHeader(
            key: key, identity: identity, markedCount: marked.count, recordBytes: recordBytes,
            textCount: columnTexts.count, textBytes: columnTexts.byteCount, hoursCount: hours.marks.count,
            searchedBytes: searched.end - searchedStart)
        try writeOrders(header)
        try writeBuckets(header)
        writeTexts(header.sections.texts)
        writeHours(header.sections.hours)
        writeSearchedEnds(header.sections.searchedEnds)
        do throws(SystemError) { return try draft.finish(header) } catch { throw .unwritable(error) }
    }

    private func orderKey(_ row: Int, _ word: Int) -> UInt64 {
        orderKeys.bytes.integer(at: row * Self.orderKeyBytes + word * 8, UInt64.self)
    }

    /// With the sign bit inverted, signed numbers have the order of unsigned ones.
    private func updated(_ row: Int) -> UInt64 { orderKey(row, 2) ^ 1 << 63 }

    /// Reads rows back.
    private func read(_ rows: Range<Int>, into buffer: inout ByteBuffer) throws(IndexBuildFault) {
        buffer.truncate(to: 0)
        do throws(SystemError) {
            try buffer.append(upTo: rows.count * IndexFormat.rowBytes) { (bytes) throws(SystemError) in
                try draft.read(bytes, at: IndexRow.offset(rows.lowerBound))
                return bytes.count
            }
        } catch {
            throw .unwritable(error)
        }
    }

    private func forEachRow(_ body: (Int, UnsafeRawBufferPointer) -> Void) throws(IndexBuildFault) {
        let atOnce = 1_024
        var buffer = ByteBuffer(capacity: min(atOnce, count) * IndexFormat.rowBytes)
        for first in stride(from: 0, to: count, by: atOnce) {
            let rows = first..<min(first + atOnce, count)
            try read(rows, into: &buffer)
            for row in rows {
                let start = (row - first) * IndexFormat.rowBytes
                body(row, UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + IndexFormat.rowBytes]))
            }
        }
    }

    private func sortByID(_ sort: inout IndexSort) throws(IndexBuildFault) {
        sort.sort()
        sort.sortRuns { orderKey($0, 1) }
        for place in 1..<max(count, 1) where sort.entries[place].key == sort.entries[place - 1].key {
            let (one, other) = (sort.row(place - 1), sort.row(place))
            guard orderKey(one, 1) == orderKey(other, 1) else { continue }
            let later = max(one, other)
            var row = ByteBuffer(capacity: IndexFormat.rowBytes)
            try read(later..<later + 1, into: &row)
            let offset = row.withBytes { $0.integer(at: 40, Int.self) }
            let name = StoreDirectory.snapshotName
            throw .snapshot(
                .corrupt(
                    file: name, offset: offset,
                    reason: "A record in \(name) is not valid: a second record with the same id"))
        }
    }

    private mutating func writeOrders(_ header: IndexHeader) throws(IndexBuildFault) {
        var sort = IndexSort(count: count) { orderKey($0, 0) }
        try sortByID(&sort)
        // The rows in order of their ids, by which ties break.
        let byID = UnsafeMutablePointer<UInt32>.allocate(capacity: max(count, 1))
        defer { byID.deallocate() }
        for place in 0..<count { (byID + place).initialize(to: sort.entries[place].row) }
        sort.reset(to: byID) { updated($0) }
        sort.sort()
        write(
            header.sections.byUpdate, count, key: { Int64(bitPattern: orderKey(sort.row($0), 2)) }, { sort.row($0) })
        let ranks = texts.ranks()
        sort.reset(to: byID) { UInt64(ranks[Int(textNumbers[$0])]) }
        sort.sort()
        write(
            header.sections.byText, count, key: { texts.prefix(Int(textNumbers[sort.row($0)])) }, { sort.row($0) })
        write(
            header.sections.marked, marked.count, key: { markedTimes[$0 / IndexFormat.pageEntriesMax] },
            { Int(marked[$0]) })
        orderKeys = ByteBuffer(capacity: 16)
        textNumbers = []
    }

    private func writeBuckets(_ header: IndexHeader) throws(IndexBuildFault) {
        let section = header.sections.buckets
        var buckets = ByteBuffer(capacity: section.byteCount)
        buckets.appendZeros(section.byteCount)
        let hash = SipHash(key)
        let (count, checksum) = (header.bucketCount, checksum)
        let filled: Result<Void, IndexBuildFault> = buckets.withMutableBytes { bytes in
            func bucket(_ number: Int) -> UnsafeMutableRawBufferPointer {
                let start = number * IndexFormat.bucketBytes
                return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + IndexFormat.bucketBytes])
            }
            do throws(IndexBuildFault) {
                try forEachRow { (number, row) in
                    let hash = hash(IndexRow.id(row))
                    var place = IndexFormat.bucket(hash, of: count)
                    while !IndexBucket.append(
                        to: bucket(place), fingerprint: IndexFormat.fingerprint(hash), row: number, row)
                    {
                        place = place + 1 == count ? 0 : place + 1
                    }
                }
            } catch {
                return .failure(error)
            }
            for number in 0..<count {
                bucket(number).seal(checksum, at: section.offset + number * IndexFormat.bucketBytes)
            }
            return .success(())
        }
        try filled.get()
        buckets.withBytes { draft.write($0, at: section.offset) }
    }

    private func writeTexts(_ section: IndexSection) {
        var part = IndexPart(at: section.offset)
        for number in 0..<columnTexts.count {
            let text = columnTexts.bytes(number)
            part.bytes.append(little: UInt32(truncatingIfNeeded: text.count))
            part.bytes.append(text)
        }
        part.seal(from: section.offset, checksum)
        part.writeAll(to: draft)
    }

    private func writeHours(_ section: IndexSection) {
        var part = IndexPart(at: section.offset)
        for mark in hours.marks { mark.append(to: &part.bytes) }
        part.seal(from: section.offset, checksum)
        part.writeAll(to: draft)
    }

    private func writeSearchedEnds(_ section: IndexSection) {
        var part = IndexPart(at: section.offset)
        for end in searchedEnds { part.bytes.append(word: UInt64(truncatingIfNeeded: end).littleEndian) }
        part.seal(from: section.offset, checksum)
        part.writeAll(to: draft)
    }

    /// Writes an order: pages of row numbers, each after the key of its first one.
    private func write(_ section: IndexSection, _ entries: Int, key: (Int) -> Int64, _ row: (Int) -> Int) {
        var part = IndexPart(at: section.offset)
        for start in stride(from: 0, to: entries, by: IndexFormat.pageEntriesMax) {
            let offset = part.end
            part.bytes.append(word: UInt64(bitPattern: key(start)))
            for place in start..<min(start + IndexFormat.pageEntriesMax, entries) {
                part.bytes.append(little: UInt32(truncatingIfNeeded: row(place)))
            }
            part.endPage(from: offset, checksum)
            part.writeMany(to: draft)
        }
        part.writeAll(to: draft)
    }
}

// MARK: - From a file

extension SnapshotIndexBuilder {
    /// Reads a snapshot once, in bounded reads, checks it as `SnapshotReader` does, and builds its index.
    package static func build(
        of snapshot: borrowing File, schemaVersion: Int, in fileSystem: FileSystem, _ extractor: RecordExtractor,
        key: IndexKey = .random(), _ draft: IndexDraft = IndexDraft()
    ) throws(IndexBuildFault) -> IndexImage {
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: schemaVersion)
        let before = try explaining { () throws(StorageError) in
            try identity(snapshot, try reader.header(snapshot, in: fileSystem))
        }
        let header = before.header
        // Every record is longer than its id.
        var builder = SnapshotIndexBuilder(count: min(header.count, before.size / 36), extractor, key: key, draft)
        let content = try explaining { () throws(StorageError) in
            try reader.read(snapshot, in: fileSystem) { builder.add(line: $0, at: $1) }
        }
        if let edit = content.edit { throw .edited(reason: edit) }
        let after = try explaining { () throws(StorageError) in try identity(snapshot, header) }
        guard before == after, content.bytes == after.size else {
            throw .edited(reason: "It was changed while it was read.")
        }
        return try builder.finish(of: after)
    }

    private static func explaining<Answer>(
        _ body: () throws(StorageError) -> Answer
    ) throws(IndexBuildFault) -> Answer {
        do {
            return try body()
        } catch {
            throw .snapshot(error)
        }
    }

    private static func identity(
        _ snapshot: borrowing File, _ header: SnapshotHeader
    ) throws(StorageError) -> SnapshotIdentity {
        do {
            return try SnapshotIdentity(of: snapshot, header)
        } catch {
            throw .reading(error, StoreDirectory.snapshotName)
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Ends a unit with its checksum.
    @inline(__always)
    func seal(_ checksum: UnitChecksum, at offset: Int) {
        store(checksum(UnsafeRawBufferPointer(self), at: offset), at: count - 4)
    }
}

extension ByteBuffer {
    fileprivate mutating func append(little value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { append($0) }
    }
}

/// The reason why no index could be made of a snapshot.
package enum IndexBuildFault: Error {
    /// The snapshot is unreadable or damaged, as `SnapshotReader` says.
    case snapshot(StorageError)
    /// The snapshot's checksum is wrong: another program edited it. It can only be read, and as a whole.
    case edited(reason: String)
    /// The record at `offset` is out of order, or there are more records than an index holds.
    case unsorted(offset: Int)
    /// The draft could not be written or read back.
    case unwritable(SystemError)
}
