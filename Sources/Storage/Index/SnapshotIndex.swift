import JSONCodec
import Platform

/// A snapshot read through its index: by id, by position in an order, by place. Memory holds nothing of it. (A table
/// like SQLite's B-trees, but immutable.)
///
///     let identity = try SnapshotIdentity(of: snapshot, header)
///     guard let image = IndexImage.open(in: place, of: identity) else { … build one … }
///     var index = SnapshotIndex(image, of: snapshot, .moods)
///     if let place = try index.record(id, into: &buffer) { … }          // two reads
///
/// Everything is checked when it is read. A fault in the index throws `indexDamaged`, and the index is rebuilt; a fault
/// in the snapshot throws `corrupt`. Only checked data is returned.
///
/// Invariants
/// 1. The file `snapshot` is the one that the image's identity was compared with.
/// 2. `page` holds the order page `pageOffset`, checked, or `pageOffset` is -1.
package struct SnapshotIndex: ~Copyable {
    let image: IndexImage
    let snapshot: File
    let extractor: RecordExtractor
    let checksum: UnitChecksum
    private let hash: SipHash
    /// The order page read last: a walk reads each page once.
    var page: UnsafeMutableRawBufferPointer
    var pageOffset = -1
    /// Buffer for reading rows.
    private var rowBuffer = ByteBuffer(capacity: 16)
    /// Buffer for records that are only compared.
    var scratch = ByteBuffer(capacity: 16)

    /// - Parameter snapshot: the open file that the image's identity was taken from.
    package init(_ image: consuming IndexImage, of snapshot: consuming File, _ extractor: RecordExtractor) {
        checksum = UnitChecksum(image.header.key)
        hash = SipHash(image.header.key)
        self.image = image
        self.snapshot = snapshot
        self.extractor = extractor
        page = .allocate(byteCount: IndexFormat.pageBytes, alignment: 16)
    }

    deinit { page.deallocate() }

    package var count: Int { image.header.count }
    package var markedCount: Int { image.header.markedCount }
    /// The bytes of all records.
    package var recordBytes: Int { image.header.recordBytes }
    package var snapshotBytes: Int { image.header.identity.size }
}

// MARK: - By id

extension SnapshotIndex {
    /// The row of an id; nil if there is none. Two reads of the index, usually one if there is none.
    package func row(of id: RecordID) throws(IndexFault) -> IndexRow? {
        var found: IndexRow?
        try forEachCandidate(id) { (place) throws(IndexFault) in
            let row = try row(place.row)
            guard row.head.id == id else { return false }
            found = row
            return true
        }
        return found
    }

    /// Reads a record into `buffer`, in place of its content. Returns its place; nil if there is none, and then
    /// `buffer` is undefined. One read of the index and one of the snapshot, for a store of any size.
    package func record(_ id: RecordID, into buffer: inout ByteBuffer) throws(IndexFault) -> IndexPlace? {
        var found: IndexPlace?
        try forEachCandidate(id) { (place) throws(IndexFault) in
            try read(place, into: &buffer)
            guard let other = extractor.id(buffer.bytes) else { throw unlike(place) }
            // Two ids may share their fingerprint in the bucket; the record has the id itself.
            guard other == id else { return false }
            found = place
            return true
        }
        return found
    }

    /// Passes the places of ids with this fingerprint in their bucket to `body`, until it returns true.
    @inline(__always)
    private func forEachCandidate(
        _ id: RecordID, _ body: (IndexPlace) throws(IndexFault) -> Bool
    ) throws(IndexFault) {
        guard count > 0 else { return }
        let hash = hash(id)
        let bucketCount = image.header.bucketCount
        var bucket = IndexFormat.bucket(hash, of: bucketCount)
        let first = bucket
        repeat {
            // On the stack, because several readers of a store share one index.
            let isLast: Bool = try withBucket(bucket) { (entries) throws(IndexFault) in
                let used = IndexBucket.count(entries)
                for entry in 0..<used
                where IndexBucket.fingerprint(entries, entry) == IndexFormat.fingerprint(hash) {
                    let place = IndexBucket.place(entries, entry)
                    try check(place)
                    if try body(place) { return true }
                }
                return used < IndexFormat.bucketEntriesMax
            }
            if isLast { return }
            bucket = bucket + 1 == bucketCount ? 0 : bucket + 1
        } while bucket != first
    }

    @inline(__always)
    private func withBucket<Answer>(
        _ bucket: Int, _ body: (UnsafeRawBufferPointer) throws(IndexFault) -> Answer
    ) throws(IndexFault) -> Answer {
        let offset = image.header.sections.buckets.offset + bucket * IndexFormat.bucketBytes
        return try withTemporaryBytes(IndexFormat.bucketBytes) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: offset)
            let bytes = UnsafeRawBufferPointer(bytes)
            guard checksum.matches(bytes, at: offset) else { throw damaged(offset) }
            return try body(bytes)
        }
    }
}

// MARK: - By row

extension SnapshotIndex {
    /// One row: the record at this position in the order by time.
    package func row(_ number: Int) throws(IndexFault) -> IndexRow {
        guard number >= 0, number < count else { throw .indexDamaged(reason: "The index has no row \(number).") }
        let offset = IndexRow.offset(number)
        return try withTemporaryBytes(IndexFormat.rowBytes) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: offset)
            return try checkedRow(number, UnsafeRawBufferPointer(bytes))
        }
    }

    /// Replaces `rows` by the rows of a range, in one read. Rows outside the index are left out.
    package mutating func rows(_ range: Range<Int>, into rows: inout [IndexRow]) throws(IndexFault) {
        rows.removeAll(keepingCapacity: true)
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty else { return }
        rowBuffer.truncate(to: 0)
        try rowBuffer.append(upTo: range.count * IndexFormat.rowBytes) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: IndexRow.offset(range.lowerBound))
            return bytes.count
        }
        rows.reserveCapacity(range.count)
        for (position, number) in range.enumerated() {
            let start = position * IndexFormat.rowBytes
            let bytes = UnsafeRawBufferPointer(rebasing: rowBuffer.bytes[start..<start + IndexFormat.rowBytes])
            rows.append(try checkedRow(number, bytes))
        }
        // A large range is rare, so its memory is freed.
        rowBuffer.truncate(to: 0)
        rowBuffer.shrink(toCapacity: 1024 * IndexFormat.rowBytes)
    }

    @inline(__always)
    private func checkedRow(_ number: Int, _ bytes: UnsafeRawBufferPointer) throws(IndexFault) -> IndexRow {
        guard checksum.matches(bytes, at: IndexRow.offset(number)) else { throw damaged(IndexRow.offset(number)) }
        let row = IndexRow(number: number, bytes)
        try check(row.place)
        return row
    }
}

// MARK: - Records

extension SnapshotIndex {
    /// Reads the bytes of a row's record into `buffer`, in place of its content.
    /// - Throws: `corrupt` if the bytes changed since the index was made, or are no record of that id.
    package func record(_ row: IndexRow, into buffer: inout ByteBuffer) throws(IndexFault) {
        try read(row.place, into: &buffer)
        guard extractor.id(buffer.bytes) == row.head.id else { throw unlike(row.place) }
    }

    /// Passes the records of adjacent rows to `body`, from one read of at most `bytesMax` bytes, but of at least one
    /// record. The bytes are valid in `body` only.
    /// - Parameter checksIDs: false if it suffices that the bytes are unchanged since the index was made.
    /// - Returns: number of rows that came, from the first on.
    package func records(
        _ rows: ArraySlice<IndexRow>, bytesMax: Int, into buffer: inout ByteBuffer, checksIDs: Bool = true,
        _ body: (IndexRow, UnsafeRawBufferPointer) throws(IndexFault) -> Void
    ) throws(IndexFault) -> Int {
        guard let first = rows.first?.place else { return 0 }
        var taken: ArraySlice<IndexRow> = rows.prefix(1)
        var end = first.offset + first.byteCount
        for row in rows.dropFirst() {
            // Records are in the order of their rows, separated by a comma and a line feed.
            guard row.place.offset == end + 2, row.place.offset + row.place.byteCount - first.offset <= bytesMax else {
                break
            }
            end = row.place.offset + row.place.byteCount
            taken = rows.prefix(taken.count + 1)
        }
        try readSnapshot(first.offset..<end, into: &buffer)
        for row in taken {
            let start = row.place.offset - first.offset
            let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + row.place.byteCount])
            guard CRC32C.checksum(bytes) == row.place.checksum, !checksIDs || extractor.id(bytes) == row.head.id else {
                throw unlike(row.place)
            }
            try body(row, bytes)
        }
        return taken.count
    }

    @inline(__always)
    func read(_ place: IndexPlace, into buffer: inout ByteBuffer) throws(IndexFault) {
        try readSnapshot(place.offset..<place.offset + place.byteCount, into: &buffer)
        guard CRC32C.checksum(buffer.bytes) == place.checksum else { throw unlike(place) }
    }

    @inline(__always)
    private func readSnapshot(_ range: Range<Int>, into buffer: inout ByteBuffer) throws(IndexFault) {
        buffer.truncate(to: 0)
        do throws(SystemError) {
            try buffer.append(upTo: range.count) { (bytes) throws(SystemError) in
                try snapshot.read(bytes, at: range.lowerBound)
            }
        } catch {
            throw .snapshot(.reading(error, StoreDirectory.snapshotName, at: range.lowerBound))
        }
        guard buffer.count == range.count else {
            throw corrupt(range.lowerBound, "was cut short after byte \(range.lowerBound + buffer.count)")
        }
    }

    /// Checks that a place is inside the snapshot and no longer than a line; any other was never written.
    @inline(__always)
    private func check(_ place: IndexPlace) throws(IndexFault) {
        guard place.offset >= 0, place.offset <= snapshotBytes, place.byteCount <= snapshotBytes - place.offset,
            place.byteCount <= StoreFiles.lineBytesMax, place.row < count
        else { throw .indexDamaged(reason: "The index names a place outside the snapshot.") }
    }

    func damaged(_ offset: Int) -> IndexFault {
        .indexDamaged(reason: "The index is damaged at byte \(offset).")
    }

    private func unlike(_ place: IndexPlace) -> IndexFault {
        corrupt(place.offset, "holds a record that is not the one that was written there")
    }

    private func corrupt(_ offset: Int, _ what: String) -> IndexFault {
        let name = StoreDirectory.snapshotName
        return .snapshot(
            .corrupt(
                file: name, offset: offset,
                reason: "The snapshot \(name) \(what). Put back what it was, or copy the newest backup over it."))
    }
}

/// Lends bytes on the stack to a closure that throws.
@inline(__always)
private func withTemporaryBytes<Answer>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(IndexFault) -> Answer
) throws(IndexFault) -> Answer {
    let result: Result<Answer, IndexFault> = withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { bytes in
        do throws(IndexFault) {
            return .success(try body(bytes))
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

/// The reason why the index could not answer.
package enum IndexFault: Error {
    /// The index itself is damaged or unreadable: it is dropped and rebuilt. No user data is affected.
    case indexDamaged(reason: String)
    /// The snapshot is unreadable, or a record in it has changed since the index was made.
    case snapshot(StorageError)
}
