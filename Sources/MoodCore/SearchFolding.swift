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
        folded.reserveCapacity(folded.count + utf8.count)
        var decoder = Unicode.UTF8()
        var bytes = utf8.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&bytes) {
            if scalar.value < 0x80 {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
            } else {
                appendFolded(scalar.value, to: &folded)
            }
        }
    }

    /// Whether `haystack`, folded, contains the needle, which is already folded. Every text contains the empty needle.
    public static func contains(foldedNeedle needle: UnsafeRawBufferPointer, in haystack: UnsafeRawBufferPointer)
        -> Bool
    {
        // Nearly all text: nothing is decomposed there, and a needle that is not ASCII is not in it.
        if haystack.allSatisfy({ $0 < 0x80 }) { return CaseFolding.contains(foldedNeedle: needle, in: haystack) }
        var folded: [UInt8] = []
        appendFolded(utf8: haystack, to: &folded)
        return folded.withUnsafeBytes { CaseFolding.contains(foldedNeedle: needle, in: $0) }
    }

    private static func appendFolded(_ scalar: UInt32, to folded: inout [UInt8]) {
        if isMark(scalar) { return }
        if let parts = hangul(scalar) { return parts.forEach { append($0, to: &folded) } }
        if let place = place(of: scalar, in: singles, width: 2) {
            append(singles[place + 1], to: &folded)
        } else if let place = place(of: scalar, in: doubles, width: 3) {
            append(doubles[place + 1], to: &folded)
            append(doubles[place + 2], to: &folded)
        } else {
            append(scalar, to: &folded)
        }
    }

    private static func append(_ scalar: UInt32, to folded: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(CaseFolding.fold(scalar)) else { return }
        if let bytes = Unicode.UTF8.encode(scalar) { folded.append(contentsOf: bytes) }
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

    /// The letters of a syllable. Unicode Standard, section 3.12.
    private static func hangul(_ scalar: UInt32) -> [UInt32]? {
        guard 0xAC00...0xD7A3 ~= scalar else { return nil }
        let number = scalar - 0xAC00
        let letters = [0x1100 + number / 588, 0x1161 + number % 588 / 28]
        return number % 28 == 0 ? letters : letters + [0x11A7 + number % 28]
    }
}
