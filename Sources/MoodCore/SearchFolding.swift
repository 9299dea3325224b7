import JSONCodec

/// Text without regard to case and accents, as people search it: `cafe` finds `Café`, however that is written.
///
/// Canonical decomposition, nonspacing marks dropped, then simple case folding, in no locale: `İ` is searched as `i`, `ß` is
/// not `ss`, the ångström sign is `a`. (Unicode Standard, sections 3.11 and 3.13; UAX #15.)
///
/// All text is UTF-8 that was checked before.
public enum SearchFolding {
    /// Appends `utf8`, folded.
    public static func appendFolded(utf8: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
        withFolded(utf8) { folded.append(contentsOf: $0) }
    }

    /// Whether `haystack`, folded, contains the needle, which is already folded. Every text contains the empty needle.
    public static func contains(foldedNeedle needle: UnsafeRawBufferPointer, in haystack: UnsafeRawBufferPointer)
        -> Bool
    {
        withFolded(haystack) { CaseFolding.isPart(needle, of: $0) }
    }

    /// Hands `utf8`, folded, to `body`.
    @inline(__always)
    static func withFolded<Answer>(
        _ utf8: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Answer
    ) -> Answer {
        // A syllable of three bytes becomes three letters of three bytes; nothing grows more. And whole words are written.
        let capacity = 3 * utf8.count + MemoryLayout<UInt64>.size
        // Labels, tags and short notes are folded on the stack.
        if capacity <= 1_024 {
            return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 16) {
                body(UnsafeRawBufferPointer(rebasing: $0[..<fold(utf8, into: $0)]))
            }
        }
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) {
            body(UnsafeRawBufferPointer(rebasing: $0[..<fold(utf8, into: $0)]))
        }
    }

    private static func fold(_ utf8: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer) -> Int {
        CaseFolding.fold(utf8, into: folded) { fold($0, into: folded, at: $1) }
    }

    /// Writes what a scalar above ASCII folds to: the index after it.
    @inline(__always)
    private static func fold(_ scalar: UInt32, into folded: UnsafeMutableRawBufferPointer, at index: Int) -> Int {
        if scalar < nearEnd {
            let entry = near[Int(scalar)]
            folded.storeBytes(of: entry.littleEndian, toByteOffset: index, as: UInt64.self)
            return index + Int(entry >> 56)
        }
        if 0x3400..<0xA000 ~= scalar || 0x1F000..<0x2F800 ~= scalar {
            // Ideographs and pictures.
            return CaseFolding.encode(scalar, into: folded, at: index)
        }
        var end = index
        forEachPart(of: scalar) { end = CaseFolding.encode($0, into: folded, at: end) }
        return end
    }

    /// What the scalars below this one fold to is kept.
    private static let nearEnd: UInt32 = 0x3400
    /// By scalar: its UTF-8 from the lowest byte on, at most six bytes, and in the highest byte how many.
    private static let near: [UInt64] = (0..<nearEnd).map { scalar in
        var entry: UInt64 = 0
        withUnsafeMutableBytes(of: &entry) { bytes in
            var end = 0
            forEachPart(of: scalar) { end = CaseFolding.encode($0, into: bytes, at: end) }
            bytes[7] = UInt8(truncatingIfNeeded: end)
        }
        return UInt64(littleEndian: entry)
    }

    /// Hands over the scalars to which one folds.
    static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if isMark(scalar) { return }
        if 0xAC00...0xD7A3 ~= scalar {
            // The letters of a syllable. Unicode Standard, section 3.12.
            let number = scalar - 0xAC00
            body(0x1100 + number / 588)
            body(0x1161 + number % 588 / 28)
            if number % 28 > 0 { body(0x11A7 + number % 28) }
        } else if let place = place(of: scalar, in: singles, width: 2) {
            body(CaseFolding.fold(singles[place + 1]))
        } else if let place = place(of: scalar, in: doubles, width: 3) {
            body(CaseFolding.fold(doubles[place + 1]))
            body(CaseFolding.fold(doubles[place + 2]))
        } else {
            body(CaseFolding.fold(scalar))
        }
    }

    private static func isMark(_ scalar: UInt32) -> Bool {
        // The first run that does not end before it.
        var (low, high) = (0, marks.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if marks[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
        }
        return low < marks.count / 2 && marks[2 * low] <= scalar
    }

    /// Where an entry begins in a table.
    private static func place(of scalar: UInt32, in table: [UInt32], width: Int) -> Int? {
        var (low, high) = (0, table.count / width)
        while low < high {
            let middle = (low + high) / 2
            if table[width * middle] < scalar { low = middle + 1 } else { high = middle }
        }
        return low < table.count / width && table[width * low] == scalar ? width * low : nil
    }
}
