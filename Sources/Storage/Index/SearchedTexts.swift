import CPlatform
import JSONCodec

/// Texts in which searches are made without reading records: of each record bytes that the caller folded, and beside them changes,
/// which say to the caller what else the text was.
///
///     (found.text, found.changes) is appended to                        // by `RecordExtractor.indexed`
///     searched.endRecord(isWhole: true)
///
/// The texts of 127 rows are a page, as long as it needs to be:
///
/// | bytes | |
/// | --- | --- |
/// | 2 a row | length of its text; 65,535: not kept, the record is read |
/// | 1 a row | length of its changes; 255: not kept, the record is read where the text alone does not say it |
/// | | the texts |
/// | | the changes |
/// | 4 | checksum |
public struct SearchedTexts: ~Copyable {
    /// Longer ones are not kept.
    private static let textMax = 4_096
    static let absentText = UInt16.max
    static let absentChanges = UInt8.max
    /// Bytes of a row before the texts.
    static let lengthBytes = 3

    /// The texts of the last page's rows, and of the present record.
    public var text = ByteBuffer()
    public var changes = ByteBuffer()
    /// The places where those of the present record begin.
    private var textStart = 0
    private var changesStart = 0
    private var lengths: [(text: UInt16, changes: UInt8)] = []

    public init() {}

    /// No index of so many records has more bytes of pages.
    static func bytesMax(_ count: Int) -> Int {
        count * (lengthBytes + textMax + Int(absentChanges)) + IndexFormat.columnPageCount(count) * 4
    }

    /// Forgets what was appended since the last record.
    mutating func discard() {
        text.truncate(to: textStart)
        changes.truncate(to: changesStart)
    }

    /// Takes what was appended since the last record as that of the next row.
    mutating func endRecord(isWhole: Bool) {
        if !isWhole || text.count - textStart > Self.textMax {
            discard()
            lengths.append((Self.absentText, 0))
        } else if changes.count - changesStart >= Int(Self.absentChanges) {
            changes.truncate(to: changesStart)
            lengths.append((UInt16(text.count - textStart), Self.absentChanges))
        } else {
            lengths.append((UInt16(text.count - textStart), UInt8(changes.count - changesStart)))
        }
        (textStart, changesStart) = (text.count, changes.count)
    }

    /// Number of rows since the last page.
    var rows: Int { lengths.count }

    /// Appends these rows as a page without its checksum.
    mutating func endPage(to pages: inout ByteBuffer) {
        for length in lengths {
            pages.append(UInt8(truncatingIfNeeded: length.text))
            pages.append(UInt8(truncatingIfNeeded: length.text >> 8))
        }
        for length in lengths { pages.append(length.changes) }
        pages.append(text.bytes)
        pages.append(changes.bytes)
        lengths.removeAll(keepingCapacity: true)
        text.truncate(to: 0)
        changes.truncate(to: 0)
        (textStart, changesStart) = (0, 0)
    }
}

/// One page of searched texts, as it is read.
struct SearchedPage {
    private let bytes: UnsafeRawBufferPointer
    private let rows: Int
    private let changesStart: Int

    /// - Parameter bytes: without the checksum; nil where they are no page of so many rows.
    init?(_ bytes: UnsafeRawBufferPointer, rows: Int) {
        guard rows > 0, bytes.count >= SearchedTexts.lengthBytes * rows else { return nil }
        self.bytes = bytes
        self.rows = rows
        var end = SearchedTexts.lengthBytes * rows
        for row in 0..<rows { end += Self.textLength(bytes, row) }
        changesStart = end
        for row in 0..<rows { end += Self.changesLength(bytes, rows, row) }
        guard end == bytes.count else { return nil }
    }

    @inline(__always)
    private static func textLength(_ bytes: UnsafeRawBufferPointer, _ row: Int) -> Int {
        let length = bytes.integer(at: 2 * row, UInt16.self)
        return length == SearchedTexts.absentText ? 0 : Int(length)
    }

    @inline(__always)
    private static func changesLength(_ bytes: UnsafeRawBufferPointer, _ rows: Int, _ row: Int) -> Int {
        let length = bytes[2 * rows + row]
        return length == SearchedTexts.absentChanges ? 0 : Int(length)
    }

    /// Judges the rows that are open: no text of another row is compared, and none is after it has been found.
    /// - Parameter first: the place of the first row in `verdicts`.
    func search(
        _ needle: UnsafeRawBufferPointer, _ condition: any RecordCondition, in verdicts: inout [RowVerdict],
        from first: Int
    ) {
        guard let base = bytes.baseAddress, let start = needle.baseAddress else { return }
        var row = 0
        var textStart = SearchedTexts.lengthBytes * rows
        var textEnd = textStart + Self.textLength(bytes, 0)
        var changesStart = changesStart
        var at = textStart
        while true {
            let found = cplatform_find(base + at, self.changesStart - at, start, needle.count)
            let place = found < 0 ? Int.max : at + found
            while place >= textEnd {
                // The needle is not in what is left of this row's text.
                if verdicts[first + row] == .open, bytes.integer(at: 2 * row, UInt16.self) != SearchedTexts.absentText {
                    verdicts[first + row] = .no
                }
                changesStart += Self.changesLength(bytes, rows, row)
                row += 1
                guard row < rows else { return }
                textStart = textEnd
                textEnd += Self.textLength(bytes, row)
            }
            if place + needle.count > textEnd {
                // It goes on in the next text.
                at = place + 1
                continue
            }
            if verdicts[first + row] == .open {
                let text = UnsafeRawBufferPointer(rebasing: bytes[textStart..<textEnd])
                let length = Self.changesLength(bytes, rows, row)
                let changes = UnsafeRawBufferPointer(rebasing: bytes[changesStart..<changesStart + length])
                verdicts[first + row] = verdict(row, text, changes, condition)
            }
            at = textEnd
            // Whatever it is now, it stays.
            changesStart += Self.changesLength(bytes, rows, row)
            row += 1
            guard row < rows else { return }
            textStart = textEnd
            textEnd += Self.textLength(bytes, row)
        }
    }

    @inline(__always)
    private func verdict(
        _ row: Int, _ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer, _ condition: any RecordCondition
    ) -> RowVerdict {
        if bytes[2 * rows + row] == SearchedTexts.absentChanges {
            return condition.looksAtChanges ? .open : .yes
        }
        return condition.confirms(text, changes) ? .yes : .no
    }
}

extension SnapshotIndex {
    /// Reads the end of each page of searched texts, counted from the beginning of the first one.
    func searchedEnds() throws(IndexFault) -> [Int] {
        let section = image.header.sections.searchedEnds
        var buffer = ByteBuffer(capacity: section.byteCount)
        try buffer.append(upTo: section.byteCount) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: section.offset)
            return bytes.count
        }
        let ends: [Int]? = buffer.withBytes { bytes in
            guard bytes.count == section.byteCount, checksum.matches(bytes, at: section.offset) else { return nil }
            var ends: [Int] = []
            ends.reserveCapacity(bytes.count / 8)
            var last = 0
            for at in stride(from: 0, to: bytes.count - 4, by: 8) {
                let end = Int(truncatingIfNeeded: bytes.integer(at: at, UInt64.self))
                guard end >= last + 4, end <= image.header.searchedBytes else { return nil }
                last = end
                ends.append(end)
            }
            return last == image.header.searchedBytes ? ends : nil
        }
        guard let ends else { throw damaged(section.offset) }
        return ends
    }

    /// Judges the rows of pages that are open, by one read.
    /// - Parameter first: the place of the first row of the first page in `verdicts`.
    func search(
        _ needle: [UInt8], pages: Range<Int>, _ ends: [Int], _ buffer: inout ByteBuffer,
        _ condition: any RecordCondition, in verdicts: inout [RowVerdict], from first: Int
    ) throws(IndexFault) {
        var start = pages.lowerBound == 0 ? 0 : ends[pages.lowerBound - 1]
        let section = image.header.sections.searched.offset
        let origin = start
        buffer.truncate(to: 0)
        try buffer.append(upTo: ends[pages.upperBound - 1] - start) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: section + start)
            return bytes.count
        }
        for number in pages {
            let end = ends[number]
            let unit = UnsafeRawBufferPointer(rebasing: buffer.bytes[start - origin..<end - origin])
            let rows = min(IndexFormat.pageColumnsMax, count - number * IndexFormat.pageColumnsMax)
            guard checksum.matches(unit, at: section + start),
                let page = SearchedPage(UnsafeRawBufferPointer(rebasing: unit.dropLast(4)), rows: rows)
            else { throw damaged(section + start) }
            let place = first + (number - pages.lowerBound) * IndexFormat.pageColumnsMax
            needle.withUnsafeBytes { page.search($0, condition, in: &verdicts, from: place) }
            start = end
        }
    }
}
