import JSONCodec
import Platform

/// Records that will be asked for soon: where they stand, and the memory they lie in.
///
/// To find a record in a large snapshot means to wait for memory twice, for its bucket and for itself. For a dozen ids at
/// once this is done in two steps, in which the waits happen side by side: the buckets are asked for, then each is read,
/// and the record that it names is asked for. Who asks for such a record later need not read the bucket again.
struct NearRecords: ~Copyable {
    private struct Entry {
        let id: RecordID
        let hash: UInt64
        /// Nil until the bucket was read, and where it does not say for certain.
        var answer: Answer?
    }

    /// What a bucket says of an id.
    enum Answer {
        /// The one place where it may stand.
        case place(IndexPlace)
        case absent
    }

    /// How many ids there may be at once.
    static let idsMax = 16
    /// Files are mapped for those who ask often.
    private static let callsMin = 64
    /// Of longer records the processor asks for more by itself once they are read.
    private static let recordBytesMax = 512

    private let entries: UnsafeMutablePointer<Entry>
    private var count = 0
    private var calls = 0
    private var buckets: NearFile?
    private var snapshot: NearFile?

    init() { entries = .allocate(capacity: Self.idsMax) }

    deinit { entries.deallocate() }

    /// What is known of an id, nil where nothing is.
    @inline(__always)
    func answer(_ id: RecordID) -> Answer? {
        for number in 0..<count where entries[number].id == id { return entries[number].answer }
        return nil
    }

    /// Forgets the ids before. False while it is not worth the while.
    fileprivate mutating func begin(_ image: borrowing IndexImage, _ file: borrowing File) -> Bool {
        count = 0
        calls += 1
        if calls == Self.callsMin {
            buckets = image.near()
            snapshot = NearFile(file, byteCount: image.header.identity.size)
        }
        return buckets != nil && snapshot != nil
    }

    fileprivate mutating func add(_ id: RecordID, _ hash: UInt64, bucketAt offset: Int) {
        guard count < Self.idsMax else { return }
        (entries + count).initialize(to: Entry(id: id, hash: hash, answer: nil))
        count += 1
        buckets?.bringNear(offset, count: IndexFormat.bucketBytes)
    }

    fileprivate var numbers: Range<Int> { 0..<count }

    fileprivate func hash(_ number: Int) -> UInt64 { entries[number].hash }

    fileprivate mutating func note(_ number: Int, _ answer: Answer?, bucketAt offset: Int) {
        entries[number].answer = answer
        buckets?.connect(offset)
        guard case .place(let place) = answer else { return }
        snapshot?.connect(place.offset)
        snapshot?.bringNear(place.offset, count: min(place.byteCount, Self.recordBytesMax))
    }
}

extension SnapshotIndex {
    /// Asks for the memory of records that will be needed soon, all at once; those beyond `NearRecords.idsMax` are left out.
    mutating func bringNear(count: Int, _ id: (Int) -> RecordID?) {
        guard near.begin(image, snapshot) else { return }
        for number in 0..<count {
            guard let id = id(number) else { continue }
            let hash = hash(id)
            near.add(id, hash, bucketAt: bucketOffset(hash))
        }
        for number in near.numbers {
            let hash = near.hash(number)
            near.note(number, lookUp(hash), bucketAt: bucketOffset(hash))
        }
    }

    private func bucketOffset(_ hash: UInt64) -> Int {
        image.header.sections.buckets.offset
            + IndexFormat.bucket(hash, of: image.header.bucketCount) * IndexFormat.bucketBytes
    }

    /// Nil where more than this bucket has to be looked at. What is wrong is told to whoever asks for the record.
    private func lookUp(_ hash: UInt64) -> NearRecords.Answer? {
        let answer = try? withBucket(IndexFormat.bucket(hash, of: image.header.bucketCount)) {
            (entries) throws(IndexFault) -> NearRecords.Answer? in
            let used = IndexBucket.count(entries)
            var answer: NearRecords.Answer? = used < IndexFormat.bucketEntriesMax ? .absent : nil
            for entry in 0..<used
            where IndexBucket.fingerprint(entries, entry) == IndexFormat.fingerprint(hash) {
                if case .place = answer { return nil }
                answer = .place(IndexBucket.place(entries, entry))
            }
            return answer
        }
        return answer ?? nil
    }
}
