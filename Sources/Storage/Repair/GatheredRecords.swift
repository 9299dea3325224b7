import JSONCodec

/// The last version of each record, while they are gathered from damaged or edited files: by id, in memory.
///
/// Bytes of versions that were overtaken stay until the end, so it takes as much memory as there was to read.
struct GatheredRecords: ~Copyable {
    private struct Entry {
        let time: Int64
        let offset: Int
        let count: Int
    }

    private var bytes = ByteBuffer(capacity: 64 << 10)
    private var entries: [RecordID: Entry] = [:]

    var count: Int { entries.count }

    func contains(_ id: RecordID) -> Bool { entries[id] != nil }

    /// Adds a record, or puts it in the place of the one with its id.
    /// - Returns: whether there was one.
    @discardableResult
    mutating func put(_ record: UnsafeRawBufferPointer, id: RecordID, time: Int64) -> Bool {
        let entry = Entry(time: time, offset: bytes.count, count: record.count)
        bytes.append(record)
        return entries.updateValue(entry, forKey: id) != nil
    }

    /// - Returns: whether there was one.
    @discardableResult
    mutating func remove(_ id: RecordID) -> Bool { entries.removeValue(forKey: id) != nil }

    mutating func removeAll() { entries.removeAll() }

    func forEachID(_ body: (RecordID) -> Void) { entries.keys.forEach(body) }

    /// All of them in the order of a snapshot: by time, then by id.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        let ordered = entries.sorted { a, b in
            a.value.time != b.value.time ? a.value.time < b.value.time : a.key < b.key
        }
        for (_, entry) in ordered {
            body(UnsafeRawBufferPointer(rebasing: bytes.bytes[entry.offset..<entry.offset + entry.count]))
        }
    }
}
