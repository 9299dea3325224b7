import JSONCodec

/// A snapshot as one text.
public enum SnapshotText {
    public static func text(_ fold: Fold, journal: UUID) -> [UInt8] {
        var bytes = ByteBuffer(capacity: 1 << 16)
        Snapshot.write(fold, journal: journal) { line in
            line.withUnsafeBytes { bytes.append($0) }
            bytes.append(UInt8(ascii: "\n"))
        }
        return Array(bytes.bytes)
    }

    /// - Returns: nil if a line is missing or not whole.
    public static func fold(_ text: [UInt8]) -> (fold: Fold, journal: UUID)? { text.withUnsafeBytes { fold($0) } }

    /// - Returns: nil if a line is missing or not whole.
    public static func fold(_ text: UnsafeRawBufferPointer) -> (fold: Fold, journal: UUID)? {
        var reading: Snapshot.Reading?
        var isWhole = true
        var validator = Snapshot.validator
        Lines.forEach(in: text) { line, _ in
            do throws(RecordFault) {
                if reading == nil {
                    reading = try Snapshot.Reading(first: line, &validator)
                } else {
                    try reading?.take(line, &validator)
                }
            } catch {
                isWhole = false
            }
            return isWhole
        }
        guard isWhole, let reading, let fold = reading.fold else { return nil }
        return (fold, reading.header.journal)
    }

    /// Whether two texts are equal.
    public static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.withUnsafeBytes { a in b.withUnsafeBytes { b in JSONText.sameBytes(a, b) } }
    }
}
