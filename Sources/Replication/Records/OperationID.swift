import JSONCodec

/// The id of an operation: the replica that made it, the number of its record, and its place in that, from 0. Written
/// `replica/n/i`. (In the literature: a dot.) If a replica has branches, the record's checksum identifies the record.
public struct OperationID: Sendable, Hashable {
    public let replica: UUID
    public let record: Int
    public let place: Int
    /// Its record's checksum; 0 if unknown.
    public let crc: UInt32

    public init(replica: UUID, record: Int, place: Int, crc: UInt32 = 0) {
        self.replica = replica
        self.record = record
        self.place = place
        self.crc = crc
    }

    func with(crc: UInt32) -> OperationID { OperationID(replica: replica, record: record, place: place, crc: crc) }

    /// Whether both may be one operation: if a checksum is unknown, the number alone decides.
    func isSame(as other: OperationID) -> Bool {
        record == other.record && place == other.place && replica == other.replica
            && (crc == other.crc || crc == 0 || other.crc == 0)
    }

    public var text: String { "\(replica.text)/\(record)/\(place)" }

    /// Reads the written form.
    public init?(_ text: JSONText) {
        guard let id = text.withDecoded({ OperationID(utf8: $0) }) else { return nil }
        self = id
    }

    public init?(utf8: UnsafeRawBufferPointer) {
        let slash = UInt8(ascii: "/")
        guard utf8.count > UUID.textLength + 1, utf8.count <= UUID.textLength + 40, utf8[UUID.textLength] == slash,
            let replica = UUID(UnsafeRawBufferPointer(rebasing: utf8[..<UUID.textLength]))
        else { return nil }
        let numbers = utf8[(UUID.textLength + 1)...].split(separator: slash, omittingEmptySubsequences: false)
        guard numbers.count == 2, let record = Self.number(numbers[0]), let place = Self.number(numbers[1]), record > 0
        else { return nil }
        self.init(replica: replica, record: record, place: place)
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...15).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard digit &- 48 < 10 else { return nil }
            number = number * 10 + Int(digit - 48)
        }
        return number
    }
}

extension OperationID: Comparable {
    public static func < (a: OperationID, b: OperationID) -> Bool {
        if a.replica != b.replica { return a.replica < b.replica }
        if a.record != b.record { return a.record < b.record }
        return a.place != b.place ? a.place < b.place : a.crc < b.crc
    }
}
