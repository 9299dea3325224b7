import JSONCodec

/// Text without case and accents, for searches: `cafe` finds `Café`, in every spelling of Unicode.
///
/// Canonical decomposition, nonspacing marks dropped, then simple case folding, in no locale: `İ` becomes `i`, `ß` is
/// not `ss`, the ångström sign becomes `a`. (Unicode Standard, sections 3.11 and 3.13; UAX #15.)
///
/// All text must be valid UTF-8.
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

    /// Calls `body` with `utf8`, folded.
    @inline(__always)
    static func withFolded<Answer>(
        _ utf8: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Answer
    ) -> Answer {
        let capacity = capacity(utf8)
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

    /// A syllable of three bytes becomes three letters of three bytes; nothing grows more. And whole words are written.
    static func capacity(_ utf8: UnsafeRawBufferPointer) -> Int { 3 * utf8.count + MemoryLayout<UInt64>.size }

    private static func fold(_ utf8: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer) -> Int {
        CaseFolding.fold(utf8, into: folded) { fold($0, into: folded, at: $1) }
    }

    /// Folds, and appends the changes that make of it the text folded by case alone, as `SearchText` says.
    /// - Parameter isTold: becomes false where a text that is found by case alone would not be found folded.
    @inline(__always)
    static func fold(
        _ utf8: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer, changes: inout ByteBuffer,
        _ isTold: inout Bool
    ) -> Int {
        var last = 0
        return CaseFolding.fold(utf8, into: folded) { scalar, index in
            let end = fold(scalar, into: folded, at: index)
            switch difference(scalar) {
            case .none: return end
            case .some: break
            case .lost: isTold = false
            }
            append(CaseFolding.fold(scalar), after: index - last, instead: end - index, to: &changes)
            last = end
            return end
        }
    }

    @inline(never)
    private static func append(_ exact: UInt32, after kept: Int, instead old: Int, to changes: inout ByteBuffer) {
        var kept = kept
        while kept >= 255 {
            changes.append(.max)
            kept -= 255
        }
        withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) {
            let new = CaseFolding.encode(exact, into: $0, at: 0)
            changes.append(UInt8(truncatingIfNeeded: kept))
            changes.append(UInt8(truncatingIfNeeded: old << 4 | new))
            changes.append(UnsafeRawBufferPointer(rebasing: $0[..<new]))
        }
    }

    /// How a scalar folded here stands to one that is folded by case alone: it is the same; it is another; it cannot be had from
    /// that one by folding on.
    enum Difference: UInt64 { case none, some, lost }

    @inline(__always)
    static func difference(_ scalar: UInt32) -> Difference {
        if scalar < nearEnd { return Difference(rawValue: near[Int(scalar)] >> 48 & 0xFF) ?? .lost }
        return 0x3400..<0xA000 ~= scalar || 0x1F000..<0x2F800 ~= scalar ? .none : computedDifference(scalar)
    }

    private static func computedDifference(_ scalar: UInt32) -> Difference {
        func parts(_ scalar: UInt32) -> [UInt32] {
            var parts: [UInt32] = []
            forEachPart(of: scalar) { parts.append($0) }
            return parts
        }
        let (exact, own) = (CaseFolding.fold(scalar), parts(scalar))
        return own == [exact] ? .none : own == parts(exact) ? .some : .lost
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
            // Ideographs and pictures do not fold.
            return CaseFolding.encode(scalar, into: folded, at: index)
        }
        var end = index
        forEachPart(of: scalar) { end = CaseFolding.encode($0, into: folded, at: end) }
        return end
    }

    /// The end of the scalars in the table `near`.
    private static let nearEnd: UInt32 = 0x3400
    /// By scalar: its UTF-8 from the lowest byte on, at most six bytes, its `Difference`, and in the highest byte how many.
    private static let near: [UInt64] = (0..<nearEnd).map { scalar in
        var entry: UInt64 = 0
        withUnsafeMutableBytes(of: &entry) { bytes in
            var end = 0
            forEachPart(of: scalar) { end = CaseFolding.encode($0, into: bytes, at: end) }
            bytes[6] = UInt8(truncatingIfNeeded: computedDifference(scalar).rawValue)
            bytes[7] = UInt8(truncatingIfNeeded: end)
        }
        return UInt64(littleEndian: entry)
    }

    /// Calls `body` with each scalar of a folding.
    static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if isMark(scalar) { return }
        if 0xAC00...0xD7A3 ~= scalar {
            // Splits a syllable into its letters. Unicode Standard, section 3.12.
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
        // Find the first run that does not end before the scalar.
        var (low, high) = (0, marks.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if marks[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
        }
        return low < marks.count / 2 && marks[2 * low] <= scalar
    }

    /// The index of an entry in a table.
    private static func place(of scalar: UInt32, in table: [UInt32], width: Int) -> Int? {
        var (low, high) = (0, table.count / width)
        while low < high {
            let middle = (low + high) / 2
            if table[width * middle] < scalar { low = middle + 1 } else { high = middle }
        }
        return low < table.count / width && table[width * low] == scalar ? width * low : nil
    }
}
