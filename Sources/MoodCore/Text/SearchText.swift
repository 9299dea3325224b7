import JSONCodec

/// Notes as they are kept for searches, so that no mood is read for one: folded by `SearchFolding`, and beside that the changes
/// that make of it the notes folded by case alone, for searches in which accents count.
///
/// A change is the number of bytes that stay before it (in bytes of which each but the last is 255), one byte that says how many
/// bytes it replaces (the upper half) and by how many (the lower half), and those.
public enum SearchText {
    /// Longer notes are not kept.
    public static let notesMax = 2_048

    /// Appends what is kept of notes.
    /// - Returns: false where they are to be read instead, because they are long or cannot be told so; then anything may be appended.
    @inline(__always)
    public static func append(_ notes: JSONText, to text: inout ByteBuffer, changes: inout ByteBuffer) -> Bool {
        if notes.raw.isEmpty { return true }
        guard notes.raw.count <= 6 * notesMax else { return false }
        return notes.withDecoded { utf8 in
            guard utf8.count <= notesMax else { return false }
            var isTold = true
            text.append(upTo: SearchFolding.capacity(utf8)) {
                SearchFolding.fold(utf8, into: $0, changes: &changes, &isTold)
            }
            return isTold
        }
    }

    /// Whether notes that were kept hold a needle, all folded by case alone.
    public static func contains(
        exactNeedle needle: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: text.count + changes.count + 1, alignment: 16) {
            let exact = UnsafeRawBufferPointer(rebasing: $0[..<restore(text, changes, into: $0)])
            return CaseFolding.isPart(needle, of: exact)
        }
    }

    /// Makes the changes: how many bytes the text has then. Changes that do not fit end it.
    private static func restore(
        _ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer, into exact: UnsafeMutableRawBufferPointer
    ) -> Int {
        var (at, place, end) = (0, 0, 0)
        func copy(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            for index in range {
                exact[end] = bytes[index]
                end += 1
            }
        }
        while place < changes.count {
            var kept = 0
            while place < changes.count, changes[place] == .max {
                kept += 255
                place += 1
            }
            guard changes.count - place >= 2 else { break }
            kept += Int(changes[place])
            let (old, new) = (Int(changes[place + 1] >> 4), Int(changes[place + 1] & 15))
            place += 2
            guard kept + old <= text.count - at, new <= changes.count - place else { break }
            copy(text, at..<at + kept)
            copy(changes, place..<place + new)
            at += kept + old
            place += new
        }
        copy(text, at..<text.count)
        return end
    }
}
