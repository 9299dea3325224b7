import JSONCodec
import Platform

/// The identity of a record: 128 bits, compared as they are written (the high word first).
public struct RecordID: Sendable, Hashable, Comparable {
    public let high: UInt64
    public let low: UInt64

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable
    public static func < (a: RecordID, b: RecordID) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}

/// What the store knows of a record besides its bytes: what it is found, sorted and counted by.
public struct RecordHead: Sendable {
    public let id: RecordID
    /// The first sort key, such as milliseconds since 1970.
    public let time: Int64
    /// The second sort key.
    public let updated: Int64
    /// A prefix of the third sort key, a text: texts with different prefixes are ordered as the prefixes are.
    public let textPrefix: Int64
    /// Whether the record counts among the marked ones.
    public let isMarked: Bool
    /// Bits that the caller keeps with the record, to answer without reading its bytes.
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

/// How the bytes of records are understood; handed in, because this layer knows none.
public struct RecordExtractor: Sendable {
    /// The head of a record, or nil if the bytes are not a record.
    public let head: @Sendable (UnsafeRawBufferPointer) -> RecordHead?
    /// The same for bytes that were a record when they were last looked at.
    public let knownHead: @Sendable (UnsafeRawBufferPointer) -> RecordHead?
    /// The order of two records' texts: below, at or above zero.
    public let compareTexts: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    /// The order of a record's text against a text that was taken from a position.
    public let compareText: @Sendable (UnsafeRawBufferPointer, [UInt8]) -> Int
    /// The id of a record alone, or nil if the bytes are not a record.
    public let id: @Sendable (UnsafeRawBufferPointer) -> RecordID?
    /// The head of a record, its text being appended in a form whose bytes are ordered as the texts are; nil, and
    /// anything may be appended, if the bytes are not a record.
    public let headAndText: @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordHead?
    /// The revision that a record's bytes name: that of the commit that last changed it.
    public let revision: @Sendable (UnsafeRawBufferPointer) -> Int?

    public init(
        head: @escaping @Sendable (UnsafeRawBufferPointer) -> RecordHead?,
        compareTexts: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int,
        compareText: @escaping @Sendable (UnsafeRawBufferPointer, [UInt8]) -> Int,
        id: @escaping @Sendable (UnsafeRawBufferPointer) -> RecordID?,
        headAndText: @escaping @Sendable (UnsafeRawBufferPointer, inout ByteBuffer) -> RecordHead?,
        revision: @escaping @Sendable (UnsafeRawBufferPointer) -> Int? = { _ in nil },
        knownHead: (@Sendable (UnsafeRawBufferPointer) -> RecordHead?)? = nil
    ) {
        self.head = head
        self.knownHead = knownHead ?? head
        self.compareTexts = compareTexts
        self.compareText = compareText
        self.revision = revision
        self.id = id
        self.headAndText = headAndText
    }

    /// The same for records that are looked at closely later on: their heads are taken without a second look.
    var trusting: RecordExtractor {
        RecordExtractor(
            head: knownHead, compareTexts: compareTexts, compareText: compareText, id: id, headAndText: headAndText,
            revision: revision, knownHead: knownHead)
    }
}

/// The orders in which records can be walked; ties break by id.
public enum RecordOrder: Sendable { case time, updated, text }

/// A place between records in an order. It names no record, so it stays valid whatever is changed or removed.
public struct RecordPosition: Sendable {
    /// The sort key, or the prefix of the text.
    public let key: Int64
    /// The whole text, where the order is by text.
    public let text: [UInt8]
    public let id: RecordID

    public init(key: Int64, text: [UInt8], id: RecordID) {
        self.key = key
        self.text = text
        self.id = id
    }
}

/// A record as the store hands it out: a view, valid until the store is next called.
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

/// One record in memory: its head and where its bytes are.
///
/// The bytes are owned by the table while the slot is in it, and by the undo log when it has been taken out.
struct RecordSlot {
    var head: RecordHead
    var body: UnsafeMutableRawPointer
    var count: Int

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: body, count: count) }

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

    func deallocate() { free(body) }

    func key(_ order: RecordOrder) -> Int64 { head.key(order) }
}

extension RecordID {
    /// Reads the form 8-4-4-4-12. RFC 9562, section 4.
    init?(text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (at, byte) in text.enumerated() {
            if at == 8 || at == 13 || at == 18 || at == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 48
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 87
            default: return nil
            }
            if at < 18 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
        }
        self.init(high: words.0, low: words.1)
    }

    /// In the form of RFC 9562.
    var text: String {
        var buffer = ByteBuffer(capacity: 36)
        write(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    func write(to buffer: inout ByteBuffer) {
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { buffer.append(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
            buffer.append(digit < 10 ? digit &+ 48 : digit &+ 87)
        }
    }
}
