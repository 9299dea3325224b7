import JSONCodec

/// Text without case, by Unicode simple case folding (CaseFolding.txt, status C and S).
///
/// One scalar folds to one scalar, in no locale: "STRASSE" is not "straße", and a Turkish İ stays itself. That keeps
/// folding cheap, and equal on every machine.
///
/// All text must be valid UTF-8. Other text gives wrong answers, but no read outside of it.
public enum CaseFolding {
    /// The folded scalar; the scalar itself if it does not fold.
    public static func fold(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        return withRuns {
            var hint = $0.count
            return foldAboveASCII(scalar, runs: $0, hint: &hint)
        }
    }

    /// Appends `utf8`, folded. Folded text can be longer or shorter.
    public static func appendFolded(utf8: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
        folded.reserveCapacity(folded.count + utf8.count)
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            if byte < 0x80 {
                folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
                index += 1
            } else {
                let scalar = fold(decode(utf8, at: &index))
                withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) {
                    let end = encode(scalar, into: $0, at: 0)
                    folded.append(contentsOf: $0[..<end])
                }
            }
        }
    }

    /// Appends `utf8`, folded. The bytes of two folded texts have the order of `compareFolded`.
    public static func appendFolded(utf8: UnsafeRawBufferPointer, to folded: inout ByteBuffer) {
        folded.append(upTo: capacity(utf8)) { fold(utf8, into: $0) }
    }

    /// The bytes that folding may need: no scalar grows by more than half, from two bytes to three; and the loop writes
    /// whole words.
    private static func capacity(_ utf8: UnsafeRawBufferPointer) -> Int {
        utf8.count + utf8.count / 2 + MemoryLayout<UInt64>.size
    }

    /// Whether `haystack`, folded, contains the needle, which is already folded. Every text contains the empty needle.
    ///
    /// - Complexity: linear in both, for all contents.
    public static func contains(foldedNeedle needle: UnsafeRawBufferPointer, in haystack: UnsafeRawBufferPointer)
        -> Bool
    {
        if needle.isEmpty { return true }
        let capacity = capacity(haystack)
        guard needle.count <= capacity else { return false }
        // Fold labels, tags and short notes on the stack.
        if capacity <= 1_024 {
            return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 16) {
                search(for: needle, in: UnsafeRawBufferPointer(rebasing: $0[..<fold(haystack, into: $0)]))
            }
        }
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) {
            search(for: needle, in: UnsafeRawBufferPointer(rebasing: $0[..<fold(haystack, into: $0)]))
        }
    }

    /// Negative, zero or positive as `a` comes before, with or after `b` in the order of folded scalars.
    public static func compareFolded(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var indexA = 0
        var indexB = 0
        while indexA < a.count, indexB < b.count {
            let scalarA = fold(next(a, at: &indexA))
            let scalarB = fold(next(b, at: &indexB))
            if scalarA != scalarB { return scalarA < scalarB ? -1 : 1 }
        }
        return indexA < a.count ? 1 : indexB < b.count ? -1 : 0
    }
}

// MARK: - Scalars

extension CaseFolding {
    /// `hint` is the run that the previous search found: neighbors in a text are mostly of one script, and fall into
    /// one run or gap.
    @inline(__always)
    private static func foldAboveASCII(_ scalar: UInt32, runs: UnsafeBufferPointer<Run>, hint: inout Int) -> UInt32 {
        if hint >= runs.count || scalar > runs[hint].last || (hint > 0 && scalar <= runs[hint - 1].last) {
            hint = firstRun(endingFrom: scalar, in: runs)
        }
        guard hint < runs.count, runs[hint].first <= scalar else { return scalar }
        let run = runs[hint]
        guard run.stride == 1 || (scalar &- run.first) & 1 == 0 else { return scalar }
        return UInt32(bitPattern: Int32(bitPattern: scalar) &+ run.delta)
    }

    private static func firstRun(endingFrom scalar: UInt32, in runs: UnsafeBufferPointer<Run>) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last < scalar { low = middle + 1 } else { high = middle }
        }
        return low
    }

    @inline(__always)
    static func withRuns<Result>(_ body: (UnsafeBufferPointer<Run>) -> Result) -> Result {
        table.withUnsafeBytes { body($0.assumingMemoryBound(to: Run.self)) }
    }

    @inline(__always)
    private static func next(_ utf8: UnsafeRawBufferPointer, at index: inout Int) -> UInt32 {
        let byte = utf8[index]
        if byte < 0x80 {
            index += 1
            return UInt32(byte)
        }
        return decode(utf8, at: &index)
    }

    /// Decodes the scalar above ASCII at `index` and moves past it; U+FFFD if the sequence is cut off.
    @inline(__always)
    static func decode(_ utf8: UnsafeRawBufferPointer, at index: inout Int) -> UInt32 {
        let lead = UInt32(utf8[index])
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard utf8.count - index >= length else {
            index = utf8.count
            return 0xFFFD
        }
        func tail(_ offset: Int) -> UInt32 { UInt32(utf8[index + offset] & 0x3F) }
        defer { index += length }
        switch length {
        case 2: return (lead & 0x1F) << 6 | tail(1)
        case 3: return (lead & 0x0F) << 12 | tail(1) << 6 | tail(2)
        default: return (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)
        }
    }

    /// Writes a scalar above ASCII, or one that folded to ASCII, and returns the index after it.
    @inline(__always)
    static func encode(_ scalar: UInt32, into utf8: UnsafeMutableRawBufferPointer, at index: Int) -> Int {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F) }
        if scalar < 0x80 {
            utf8[index] = UInt8(truncatingIfNeeded: scalar)
            return index + 1
        }
        if scalar < 0x800 {
            utf8[index] = UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6)
            utf8[index + 1] = tail(0)
            return index + 2
        }
        if scalar < 0x10000 {
            utf8[index] = UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12)
            utf8[index + 1] = tail(6)
            utf8[index + 2] = tail(0)
            return index + 3
        }
        utf8[index] = UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18)
        utf8[index + 1] = tail(12)
        utf8[index + 2] = tail(6)
        utf8[index + 3] = tail(0)
        return index + 4
    }

    private static func fold(_ utf8: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer) -> Int {
        withRuns { runs in
            var hint = 0
            return fold(utf8, into: folded) {
                encode(foldAboveASCII($0, runs: runs, hint: &hint), into: folded, at: $1)
            }
        }
    }

    /// Folds all of `utf8` into `folded` and returns the number of bytes. The capacity must have room for a whole word.
    /// - Parameter foldScalar: writes the folding of a scalar above ASCII and returns the index after it.
    @inline(__always)
    static func fold(
        _ utf8: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer,
        _ foldScalar: (_ scalar: UInt32, _ index: Int) -> Int
    ) -> Int {
        let width = MemoryLayout<UInt64>.size
        var index = 0
        var end = 0
        while index < utf8.count {
            // Eight bytes of ASCII at a time.
            while utf8.count - index >= width {
                let word = utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard word & Word.highBits == 0 else { break }
                folded.storeBytes(of: Word.lowercased(word), toByteOffset: end, as: UInt64.self)
                index += width
                end += width
            }
            // Then scalar by scalar to the next ASCII block, or for one block.
            let pause = min(index + width, utf8.count)
            while index < pause {
                let byte = utf8[index]
                if byte < 0x80 {
                    folded[end] = byte &- 0x41 < 26 ? byte | 0x20 : byte
                    index += 1
                    end += 1
                } else {
                    end = foldScalar(decode(utf8, at: &index), end)
                }
            }
        }
        return end
    }
}

/// Operations on eight bytes at once.
enum Word {
    static let lowBits: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Folds a word of ASCII. Adding 0x3F to a byte sets its high bit from "A" on, 0x25 after "Z".
    static func lowercased(_ word: UInt64) -> UInt64 {
        let fromA = word &+ lowBits &* 0x3F
        let afterZ = word &+ lowBits &* 0x25
        return word | (fromA & ~afterZ & highBits) >> 2
    }

    /// Marks the high bit of every zero byte. In little-endian order the first mark is exact; later ones may be wrong.
    static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- lowBits) & ~word & highBits
    }
}

// MARK: - Search

extension CaseFolding {
    /// Whether a text in JSON may contain the folded needle. False is certain for every folding: all is ASCII without
    /// escapes, and the needle's first and last byte are nowhere at their distance in the needle.
    public static func mayContain(
        foldedNeedle needle: UnsafeRawBufferPointer, in json: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = needle.first, let last = needle.last else { return true }
        // This maps letters of both cases to one byte, and some other bytes too.
        let (start, end) = (first | 0x20, last | 0x20)
        let offset = needle.count - 1
        let blockBytes = 64
        var at = 0
        while json.count - at >= offset + blockBytes {
            // No branches, and only basic instructions of x86-64, so that compilers use vectors.
            var high: UInt8 = 0
            var escape = UInt8.max
            var match = UInt8.max
            for index in at..<at &+ blockBytes {
                let byte = json[index]
                high |= byte
                escape = min(escape, byte ^ UInt8(ascii: "\\"))
                match = min(match, ((byte | 0x20) ^ start) | ((json[index &+ offset] | 0x20) ^ end))
            }
            if high >= 0x80 || escape == 0 || match == 0 { return true }
            at += blockBytes
        }
        while at < json.count {
            let byte = json[at]
            if byte >= 0x80 || byte == UInt8(ascii: "\\") { return true }
            if at + offset < json.count, byte | 0x20 == start, json[at + offset] | 0x20 == end { return true }
            at += 1
        }
        return false
    }

    /// Whether a text contains another; both are folded.
    static func isPart(_ needle: UnsafeRawBufferPointer, of text: UnsafeRawBufferPointer) -> Bool {
        needle.isEmpty || search(for: needle, in: text)
    }

    /// Finds places where the needle's first and last byte match, eight at a time, and compares there. Comparisons use
    /// up a credit, so that text made to match almost everywhere leads to a linear search.
    private static func search(for needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        guard needle.count <= text.count, let first = needle.first, let last = needle.last else { return false }
        let width = MemoryLayout<UInt64>.size
        let firsts = Word.lowBits &* UInt64(first)
        let lasts = Word.lowBits &* UInt64(last)
        let starts = text.count - needle.count + 1
        var credit = 2 * text.count + 64
        var index = 0
        while starts - index >= width {
            let heads = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let tails = text.loadUnaligned(fromByteOffset: index + needle.count - 1, as: UInt64.self)
            var fits = Word.zeroBytes(UInt64(littleEndian: (heads ^ firsts) | (tails ^ lasts)))
            while fits != 0 {
                let length = matchLength(of: needle, in: text, at: index + fits.trailingZeroBitCount / 8)
                if length == needle.count { return true }
                credit -= length + 1
                fits &= fits &- 1
            }
            if credit < 0 { return linearSearch(for: needle, in: UnsafeRawBufferPointer(rebasing: text[index...])) }
            index += width
        }
        while index < starts {
            if matchLength(of: needle, in: text, at: index) == needle.count { return true }
            index += 1
        }
        return false
    }

    private static func matchLength(of needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, at start: Int)
        -> Int
    {
        var length = 0
        while length < needle.count, text[start + length] == needle[length] { length += 1 }
        return length
    }

    /// Knuth, Morris and Pratt: after a mismatch, continues with the longest beginning of the needle that just ended.
    private static func linearSearch(for needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in 1..<max(needle.count, 1) {
            while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = length
        }
        length = 0
        for byte in text {
            while length > 0, byte != needle[length] { length = borders[length - 1] }
            if byte == needle[length] { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }
}
