import JSONCodec
import Platform

/// Builds the index of a snapshot: from the file, read once from beginning to end, or while the snapshot is written.
///
///     var builder = SnapshotIndexBuilder(count: header.count, .moods, key: .random())
///     for … { if let reason = builder.add(record, at: offset) { … } }   // in the order of the snapshot
///     let image = try builder.finish(of: SnapshotIdentity(of: snapshot, header))
///
/// Memory: about 250 bytes a record until the image is on disk, plus the texts, equal ones stored once.
package struct SnapshotIndexBuilder: ~Copyable {
    private let extractor: RecordExtractor
    private let key: IndexKey
    private let checksum: UnitChecksum
    /// The header page, still blank, and the rows.
    private var image: ByteBuffer
    private var texts: TextRanks
    /// The number of each row's text.
    private var textNumbers: [UInt32] = []
    private var marked: [UInt32] = []
    /// The entries of the columns, and their texts.
    private var columns: ByteBuffer
    private var columnTexts: TextRanks
    private var searched = SearchedTexts()
    private var hours = HourMarks()
    /// Numbers of recent texts, by place and checksum: most texts are found here.
    private var lateTexts = [UInt32](repeating: 0, count: RecordTraits.textCount << 8)
    private var scratch = ByteBuffer(capacity: 16)
    private var last: (time: Int64, id: RecordID)?
    private var count = 0
    private var recordBytes = 0
    /// The offset of the first record that is out of order; later records are not indexed.
    private(set) var unsortedOffset: Int?

    /// - Parameter count: the expected number of records; another number is no error, only slower.
    package init(count: Int, _ extractor: RecordExtractor, key: IndexKey) {
        self.extractor = extractor
        self.key = key
        checksum = UnitChecksum(key)
        texts = TextRanks(key)
        // The number may come from a damaged file: the memory reserved for it is bounded.
        let expected = min(max(count, 0), 1 << 24)
        image = ByteBuffer(
            capacity: IndexSections(
                count: expected, markedCount: expected / 2, textCount: 0, textBytes: 0, hoursCount: 0,
                searchedBytes: 0
            ).byteCount)
        image.appendZeros(IndexFormat.pageBytes)
        textNumbers.reserveCapacity(expected)
        columnTexts = TextRanks(key)
        columns = ByteBuffer(capacity: expected * IndexFormat.columnsBytes)
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
        guard let (head, traits, isSearched) = extractor.indexed(record, &texts.arena, &scratch, &searched) else {
            texts.discard()
            searched.discard()
            return "this line is not a record"
        }
        if let last,
            (last.time, last.id) >= (head.time, head.id) || count == IndexFormat.countMax
                || columnTexts.count >= Self.columnTextsMax, unsortedOffset == nil
        {
            unsortedOffset = offset
        }
        guard unsortedOffset == nil else {
            texts.discard()
            searched.discard()
            return nil
        }
        last = (head.time, head.id)
        let place = IndexPlace(
            row: count, offset: offset, byteCount: record.count, checksum: CRC32C.checksum(record))
        IndexRow(head: head, place: place).append(to: &image, checksum)
        textNumbers.append(texts.enter(prefix: head.textPrefix))
        addColumns(head, traits)
        searched.endRecord(isWhole: isSearched)
        if head.isMarked { marked.append(UInt32(truncatingIfNeeded: count)) }
        recordBytes += record.count
        count += 1
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
            columnTexts.arena.append(text)
            numbers[place] = columnTexts.enter(prefix: 0) + 1
            lateTexts[late] = numbers[place]
        }
        ColumnEntry(time: head.time, word: traits.word, isMarked: head.isMarked, texts: numbers).append(to: &columns)
        hours.add(head.time, numbers[RecordTraits.textCount - 1])
    }

    /// Builds the index of all added records.
    /// - Parameter identity: of the whole snapshot, as it is on the disk.
    package consuming func finish(of identity: SnapshotIdentity) throws(IndexBuildFault) -> IndexImage {
        if let unsortedOffset { throw .unsorted(offset: unsortedOffset) }
        guard identity.header.count == count else {
            throw .snapshot(
                .corrupt(
                    file: StoreDirectory.snapshotName, offset: 0,
                    reason: "The snapshot counts \(identity.header.count) records but \(count) were handed over."))
        }
        searched.endPage()
        let header = IndexHeader(
            key: key, identity: identity, markedCount: marked.count, recordBytes: recordBytes,
            textCount: columnTexts.count, textBytes: columnTexts.byteCount, hoursCount: hours.marks.count,
            searchedBytes: searched.byteCount)
        image.reserve(header.sections.searched.offset - image.count)
        var sort = IndexSort(count: count) { IndexRow.id(Self.row($0, image.bytes)).high }
        try sortByID(&sort)
        appendBuckets(header)
        appendOrders(header, &sort)
        appendColumns(header)
        appendHours(header)
        appendSearchedEnds(header)
        var taken = ByteBuffer()
        swap(&taken, &image)
        taken.withMutableBytes { image in
            header.write(to: UnsafeMutableRawBufferPointer(rebasing: image[..<IndexFormat.pageBytes]))
        }
        return IndexImage(taken, searched: searched.take(checksum, at: header.sections.searched.offset), header)
    }

    private static func row(_ number: Int, _ image: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = IndexRow.offset(number)
        return UnsafeRawBufferPointer(rebasing: image[start..<start + IndexFormat.rowBytes])
    }

    private func sortByID(_ sort: inout IndexSort) throws(IndexBuildFault) {
        sort.sort()
        sort.sortRuns { IndexRow.id(Self.row($0, image.bytes)).low }
        for place in 1..<max(count, 1) where sort.entries[place].key == sort.entries[place - 1].key {
            let (one, other) = (Self.row(sort.row(place - 1), image.bytes), Self.row(sort.row(place), image.bytes))
            guard IndexRow.id(one) == IndexRow.id(other) else { continue }
            let offset = max(one.integer(at: 40, Int.self), other.integer(at: 40, Int.self))
            let name = StoreDirectory.snapshotName
            throw .snapshot(
                .corrupt(
                    file: name, offset: offset,
                    reason: "A record in \(name) is not valid: a second record with the same id"))
        }
    }

    private mutating func appendBuckets(_ header: IndexHeader) {
        let section = header.sections.buckets
        image.appendZeros(section.end - image.count)
        let hash = SipHash(key)
        let (count, checksum) = (count, checksum)
        image.withMutableBytes { image in
            let rows = UnsafeRawBufferPointer(image)
            func bucket(_ number: Int) -> UnsafeMutableRawBufferPointer {
                let start = section.offset + number * IndexFormat.bucketBytes
                return UnsafeMutableRawBufferPointer(rebasing: image[start..<start + IndexFormat.bucketBytes])
            }
            for number in 0..<count {
                let row = Self.row(number, rows)
                let hash = hash(IndexRow.id(row))
                var place = IndexFormat.bucket(hash, of: header.bucketCount)
                while !IndexBucket.append(
                    to: bucket(place), fingerprint: IndexFormat.fingerprint(hash), row: number, row)
                {
                    place = place + 1 == header.bucketCount ? 0 : place + 1
                }
            }
            for number in 0..<header.bucketCount {
                bucket(number).seal(checksum, at: section.offset + number * IndexFormat.bucketBytes)
            }
        }
    }

    /// - Parameter sort: holds the rows in order of their ids, by which ties break.
    private mutating func appendOrders(_ header: IndexHeader, _ sort: inout IndexSort) {
        let byID = UnsafeMutablePointer<UInt32>.allocate(capacity: max(count, 1))
        defer { byID.deallocate() }
        for place in 0..<count { (byID + place).initialize(to: sort.entries[place].row) }
        // With the sign bit inverted, signed numbers have the order of unsigned ones.
        func updated(_ row: Int) -> UInt64 {
            UInt64(bitPattern: IndexRow.updated(Self.row(row, image.bytes))) ^ 1 << 63
        }
        sort.reset(to: byID) { updated($0) }
        sort.sort()
        append(header.sections.byUpdate, count, key: { $0.integer(at: 24, Int64.self) }, { sort.row($0) })
        let ranks = texts.ranks()
        sort.reset(to: byID) { UInt64(ranks[Int(textNumbers[$0])]) }
        sort.sort()
        append(header.sections.byText, count, key: { $0.integer(at: 32, Int64.self) }, { sort.row($0) })
        let marked = marked
        append(
            header.sections.marked, marked.count, key: { $0.integer(at: 16, Int64.self) },
            { Int(marked[$0]) })
    }

    private mutating func appendColumns(_ header: IndexHeader) {
        var columns = ByteBuffer()
        swap(&columns, &self.columns)
        let section = header.sections.columns
        image.appendZeros(section.offset - image.count)
        let pageBytes = IndexFormat.pageColumnsMax * IndexFormat.columnsBytes
        for (page, start) in stride(from: 0, to: columns.count, by: pageBytes).enumerated() {
            let offset = section.offset + page * IndexFormat.pageBytes
            image.append(UnsafeRawBufferPointer(rebasing: columns.bytes[start..<min(start + pageBytes, columns.count)]))
            image.appendZeros(offset + IndexFormat.pageBytes - image.count)
            seal(offset..<image.count)
        }
        let texts = header.sections.texts
        image.appendZeros(texts.offset - image.count)
        for number in 0..<columnTexts.count {
            let text = columnTexts.bytes(number)
            image.append(little: UInt32(truncatingIfNeeded: text.count))
            image.append(text)
        }
        image.appendZeros(4)
        seal(texts.offset..<image.count)
        image.appendZeros(texts.end - image.count)
    }

    private mutating func appendHours(_ header: IndexHeader) {
        let section = header.sections.hours
        image.appendZeros(section.offset - image.count)
        for mark in hours.marks { mark.append(to: &image) }
        image.appendZeros(4)
        seal(section.offset..<image.count)
        image.appendZeros(section.end - image.count)
    }

    private mutating func appendSearchedEnds(_ header: IndexHeader) {
        let ends = header.sections.searchedEnds
        image.appendZeros(ends.offset - image.count)
        for end in searched.ends { image.append(word: UInt64(truncatingIfNeeded: end).littleEndian) }
        image.appendZeros(4)
        seal(ends.offset..<image.count)
        image.appendZeros(header.sections.searched.offset - image.count)
    }

    private mutating func seal(_ unit: Range<Int>) {
        let checksum = checksum
        image.withMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[unit]).seal(checksum, at: unit.lowerBound)
        }
    }

    private mutating func append(
        _ section: IndexSection, _ entries: Int, key: (UnsafeRawBufferPointer) -> Int64, _ number: (Int) -> Int
    ) {
        image.appendZeros(section.end - image.count)
        let checksum = checksum
        image.withMutableBytes { image in
            for start in stride(from: 0, to: entries, by: IndexFormat.pageEntriesMax) {
                let offset = section.offset + start / IndexFormat.pageEntriesMax * IndexFormat.pageBytes
                let page = UnsafeMutableRawBufferPointer(rebasing: image[offset..<offset + IndexFormat.pageBytes])
                page.store(key(Self.row(number(start), UnsafeRawBufferPointer(image))), at: 0)
                for place in start..<min(start + IndexFormat.pageEntriesMax, entries) {
                    page.store(UInt32(truncatingIfNeeded: number(place)), at: 8 + (place - start) * 4)
                }
                page.seal(checksum, at: offset)
            }
        }
    }
}

// MARK: - From a file

extension SnapshotIndexBuilder {
    /// Reads a snapshot once, in bounded reads, checks it as `SnapshotReader` does, and builds its index.
    package static func build(
        of snapshot: borrowing File, schemaVersion: Int, in fileSystem: FileSystem, _ extractor: RecordExtractor,
        key: IndexKey = .random()
    ) throws(IndexBuildFault) -> IndexImage {
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: schemaVersion)
        let before = try explaining { () throws(StorageError) in
            try identity(snapshot, try reader.header(snapshot, in: fileSystem))
        }
        let header = before.header
        // Every record is longer than its id.
        var builder = SnapshotIndexBuilder(count: min(header.count, before.size / 36), extractor, key: key)
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
}
