import JSONCodec
import Platform

/// The identity of a record.
public typealias RecordID = UUID

/// The facts of a record by which the store finds, sorts and counts it.
public struct RecordHead: Sendable {
    public let id: RecordID
    /// The first sort key, such as milliseconds since 1970.
    public let time: Int64
    /// The second sort key.
    public let updated: Int64
    /// A prefix of the third sort key, a text: texts with different prefixes have the order of the prefixes.
    public let textPrefix: Int64
    /// Whether the record is marked.
    public let isMarked: Bool
    /// Bits of the caller, for answers without reading the bytes.
    public let flags: UInt8

    @inlinable
    public init(id: RecordID, time: Int64, updated: Int64, textPrefix: Int64, isMarked: Bool, flags: UInt8 = 0) {
        self.id = id
        self.time = time
        self.updated = updated
        self.textPrefix = textPrefix
        self.isMarked = isMarked
        self.flags = flags
    }
}

/// Functions that interpret the bytes of records; the caller provides them, because this layer knows no record format.
public struct RecordExtractor: Sendable {
    /// The head of a record, or nil if the bytes are not a record.
    public let head: @Sendable (UnsafeRawBufferPointer) -> RecordHead?
    /// The head of bytes that were known to be a record.
    public let knownHead: @Sendable (UnsafeRawBufferPointer) -> RecordHead?
    /// The order of two records' texts: below, at or above zero.
    public let compareTexts: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    /// The order of a record's text against the text of a position.
    public let compareText: @Sendable (UnsafeRawBufferPointer, [UInt8]) -> Int
    /// The id of a record alone, or nil if the bytes are not a record.
    public let id: @Sendable (UnsafeRawBufferPointer) -> RecordID?
    /// The head of a record; appends its text in a form whose bytes have the order of the texts. Nil, after appending
    /// anything, if the bytes are not a record.
    public let headAndText: @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordHead?
    /// The revision in a record's bytes: that of the commit that last changed it.
    public let revision: @Sendable (UnsafeRawBufferPointer) -> Int?
    /// The columns of a record; the buffer holds values that the record does not contain literally.
    public let traits: @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordTraits
    /// Everything that the index stores, in one pass over the record; the first buffer is that of the text. True: its
    /// bytes were checked before, and are unchanged.
    let indexed: Indexing
    public typealias Indexing =
        @Sendable (UnsafeRawBufferPointer, Bool, inout ByteBuffer, inout ByteBuffer, inout SearchedTexts) -> Indexed?
    /// - `isSearched`: whether all that may be searched was appended; else the record is read.
    public typealias Indexed = (head: RecordHead, traits: RecordTraits, isSearched: Bool)

    /// - Parameter indexed: nil: by one look for the head and the text, and one for the traits; searches read each record.
    public init(
        head: @escaping @Sendable (UnsafeRawBufferPointer) -> RecordHead?,
        compareTexts: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int,
        compareText: @escaping @Sendable (UnsafeRawBufferPointer, [UInt8]) -> Int,
        id: @escaping @Sendable (UnsafeRawBufferPointer) -> RecordID?,
        headAndText: @escaping @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordHead?,
        revision: @escaping @Sendable (UnsafeRawBufferPointer) -> Int? = { _ in nil },
        knownHead: (@Sendable (UnsafeRawBufferPointer) -> RecordHead?)? = nil,
        traits: @escaping @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordTraits = { _, _ in
            RecordTraits(word: 0, texts: [nil, nil, nil, nil])
        },
        indexed: Indexing? = nil
    ) {
        self.head = head
        self.knownHead = knownHead ?? head
        self.compareTexts = compareTexts
        self.compareText = compareText
        self.revision = revision
        self.id = id
        self.headAndText = headAndText
        self.traits = traits
        self.indexed =
            indexed ?? { bytes, _, text, scratch, _ in
                headAndText(bytes, &text).map { ($0, traits(bytes, &scratch), false) }
            }
    }

    /// An extractor for records that are checked later: it takes heads without validation.
    var trusting: RecordExtractor {
        RecordExtractor(
            head: knownHead, compareTexts: compareTexts, compareText: compareText, id: id, headAndText: headAndText,
            revision: revision, knownHead: knownHead, traits: traits, indexed: indexed)
    }
}

/// The orders in which records can be walked; ties break by id.
public enum RecordOrder: Sendable { case time, updated, text }

/// A place between records in an order. It names no record, so it stays valid after any change or removal.
public struct RecordPosition: Sendable {
    /// The sort key, or the prefix of the text.
    public let key: Int64
    /// The whole text if the order is by text.
    public let text: [UInt8]
    public let id: RecordID

    public init(key: Int64, text: [UInt8], id: RecordID) {
        self.key = key
        self.text = text
        self.id = id
    }
}

/// A record as a view, valid until the next call to the store.
public struct StoredRecord {
    public let head: RecordHead
    public let bytes: UnsafeRawBufferPointer

    @inline(__always)
    init(_ slot: RecordSlot) { self.init(slot.head, slot.bytes) }

    @inline(__always)
    init(_ head: RecordHead, _ bytes: UnsafeRawBufferPointer) {
        self.head = head
        self.bytes = bytes
    }
}

/// One record in memory: its head and the place of its bytes.
///
/// The table owns the bytes of its slots; the undo log owns those of slots taken out.
struct RecordSlot {
    var head: RecordHead
    var body: UnsafeMutableRawPointer
    /// The number of the bytes; negative for a record in the draft of its commit.
    var count: Int

    /// The bytes in memory; none if the record is in a draft.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: body, count: max(count, 0)) }

    /// A record in a draft: `body` is the offset, and `count` has the sign, the checksum and 24 bits for the length.
    init(head: RecordHead, _ place: CommitDraft.Place) {
        self.head = head
        // No record begins where the file does.
        body = UnsafeMutableRawPointer(bitPattern: place.offset).unsafelyUnwrapped
        count = Int(bitPattern: 1 << 63 | UInt(place.checksum) << 24 | UInt(place.byteCount))
    }

    var isInDraft: Bool { count < 0 }

    var place: CommitDraft.Place {
        CommitDraft.Place(
            offset: Int(bitPattern: body), byteCount: byteCount,
            checksum: UInt32(truncatingIfNeeded: UInt(bitPattern: count) >> 24))
    }

    /// The number of the bytes, wherever they are.
    var byteCount: Int { isInDraft ? count & 0xFF_FFFF : count }

    init(head: RecordHead, copying bytes: UnsafeRawBufferPointer) {
        self.head = head
        count = bytes.count
        body = Self.allocate(bytes.count)
        if let start = bytes.baseAddress { body.copyMemory(from: start, byteCount: bytes.count) }
    }

    /// malloc itself: `allocate` with an alignment asks for aligned memory, which costs several times as much.
    @inline(__always)
    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        malloc(max(count, 1)) ?? .allocate(byteCount: max(count, 1), alignment: 1)
    }

    func deallocate() { if !isInDraft { free(body) } }

    func key(_ order: RecordOrder) -> Int64 { head.key(order) }
}
