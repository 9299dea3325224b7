import JSONCodec

/// The facts of records in memory that the index stores of others: columns and searched texts, by slot.
///
/// A walk with a condition makes those that it looks at. They are kept until their slot changes.
final class RecordFacets {
    /// Slots of a page, which is made again when one of them has changed.
    static let pageSlots = 32
    /// Texts of former records that are kept, for each slot and besides.
    private static let (textsOfSlot, textsBesides) = (4 * RecordTraits.textCount, 1 << 16)

    private var entries: [ColumnEntry] = []
    /// The searched texts of each page; empty where the page is to be made.
    private var pages: [[UInt8]] = []
    private var texts = ColumnTexts()
    /// The texts by which records are sorted, and the number of each slot's.
    private(set) var sortedTexts = TextRanks(.random())
    private var sortedNumbers: [UInt32] = []
    private var searched = SearchedTexts()
    private var scratch = ByteBuffer(capacity: 256)
    private var buffer = ByteBuffer()
    /// The entries of the slots that are judged.
    private var judged: [ColumnEntry] = []

    /// Forgets a slot that changes.
    @inline(__always)
    func forget(_ slot: Int32) {
        let page = Int(slot) / Self.pageSlots
        if page < pages.count { pages[page] = [] }
    }

    /// Makes room for so many slots, and begins anew where most texts are of records that are gone.
    func prepare(slotCount: Int) {
        if max(texts.numbersEnd, sortedTexts.count) > Self.textsOfSlot * slotCount + Self.textsBesides {
            texts = ColumnTexts()
            sortedTexts = TextRanks(.random())
            pages = []
        }
        let count = (slotCount + Self.pageSlots - 1) / Self.pageSlots
        if pages.count < count { pages += Array(repeating: [], count: count - pages.count) }
        let more = count * Self.pageSlots - entries.count
        guard more > 0 else { return }
        entries += Array(repeating: Self.noEntry, count: more)
        sortedNumbers += Array(repeating: 0, count: more)
    }

    private static var noEntry: ColumnEntry { ColumnEntry(time: 0, word: 0, isMarked: false, texts: [0, 0, 0, 0]) }

    /// Judges slots, of which the first begins a page: each without a record as `no`.
    func judge(
        _ slots: Range<Int>, _ condition: any RecordCondition, _ table: borrowing RecordTable,
        in verdicts: inout [RowVerdict]
    ) {
        let unjudged: RowVerdict = condition.looksAtRecords ? .open : .yes
        let (from, to) = condition.span
        verdicts.removeAll(keepingCapacity: true)
        for slot in slots {
            let time = table[Int32(truncatingIfNeeded: slot)].head.time
            let isPossible = table.isUsed(slot) && from.map { time >= $0 } ?? true && to.map { time < $0 } ?? true
            verdicts.append(isPossible ? unjudged : .no)
        }
        guard condition.looksAtColumns || condition.looksAtRecords else { return }
        let pages = slots.lowerBound / Self.pageSlots..<(slots.upperBound + Self.pageSlots - 1) / Self.pageSlots
        for page in pages where self.pages[page].isEmpty { make(page, slots.upperBound, table) }
        if condition.looksAtColumns {
            judged.removeAll(keepingCapacity: true)
            judged.append(contentsOf: entries[slots])
            condition.judge(by: judged, texts, in: &verdicts)
        }
        guard condition.looksAtRecords else { return }
        if let needle = condition.needle {
            for page in pages { search(needle, page, slots, condition, in: &verdicts) }
        }
        for slot in slots where verdicts[slot - slots.lowerBound] == .open {
            let isMeant = table.record(Int32(truncatingIfNeeded: slot)).map {
                condition.matches(besidesColumns: $0.bytes)
            }
            verdicts[slot - slots.lowerBound] = isMeant == true ? .yes : .no
        }
    }

    /// The number in `sortedTexts` of the text by which a slot's record is sorted.
    func sortedText(of slot: Int, _ table: borrowing RecordTable) -> UInt32 {
        if !pages[slot / Self.pageSlots].isEmpty { return sortedNumbers[slot] }
        guard let record = table.record(Int32(truncatingIfNeeded: slot)) else { return sortedTexts.enter(prefix: 0) }
        _ = table.extractor.headAndText(record.bytes, &sortedTexts.arena)
        return sortedTexts.enter(prefix: record.head.textPrefix)
    }

    private func search(
        _ needle: [UInt8], _ page: Int, _ slots: Range<Int>, _ condition: any RecordCondition,
        in verdicts: inout [RowVerdict]
    ) {
        let first = page * Self.pageSlots - slots.lowerBound
        let rows = min(Self.pageSlots, slots.count - first)
        guard verdicts[first..<first + rows].contains(.open) else { return }
        pages[page].withUnsafeBytes { bytes in
            needle.withUnsafeBytes {
                SearchedPage(bytes, rows: rows)?.search($0, condition, in: &verdicts, from: first)
            }
        }
    }

    private func make(_ page: Int, _ slotsEnd: Int, _ table: borrowing RecordTable) {
        let first = page * Self.pageSlots
        for slot in first..<min(first + Self.pageSlots, slotsEnd) {
            var isSearched = false
            if table.isUsed(slot), let record = table.record(Int32(truncatingIfNeeded: slot)),
                let found = table.extractor.indexed(record.bytes, true, &sortedTexts.arena, &scratch, &searched)
            {
                sortedNumbers[slot] = sortedTexts.enter(prefix: record.head.textPrefix)
                entries[slot] = texts.entry(record.head, found.traits)
                isSearched = found.isSearched
            }
            sortedTexts.discard()
            searched.endRecord(isWhole: isSearched)
        }
        searched.endPage(to: &buffer)
        pages[page] = Array(buffer.bytes)
        buffer.truncate(to: 0)
    }
}

/// The slots of a table that meet a condition, determined for a block of them on first use, as `RowSelection` does it
/// for a snapshot.
struct SlotSelection: ~Copyable {
    private static let blockSlots = 8 * RecordFacets.pageSlots

    private let condition: any RecordCondition
    private let facets: RecordFacets
    private let slotCount: Int
    private var kept: RowBits
    /// Whether a block has been checked.
    private var isKnown: [Bool]
    private var verdicts: [RowVerdict] = []

    init(_ condition: any RecordCondition, _ table: inout RecordTable) {
        self.condition = condition
        (facets, slotCount) = table.preparedFacets()
        kept = RowBits(count: slotCount)
        isKnown = [Bool](repeating: false, count: (slotCount + Self.blockSlots - 1) / Self.blockSlots)
    }

    @inline(__always)
    mutating func contains(_ slot: Int32, _ table: borrowing RecordTable) -> Bool {
        if !isKnown[Int(slot) / Self.blockSlots] { look(at: Int(slot) / Self.blockSlots, table) }
        return kept.contains(Int(slot))
    }

    /// Number of slots that meet the condition.
    mutating func count(_ table: borrowing RecordTable) -> Int {
        for block in isKnown.indices where !isKnown[block] { look(at: block, table) }
        return kept.count(besides: RowBits(count: 0))
    }

    private mutating func look(at block: Int, _ table: borrowing RecordTable) {
        isKnown[block] = true
        if condition.isCancelled { return }
        let first = block * Self.blockSlots
        facets.judge(first..<min(first + Self.blockSlots, slotCount), condition, table, in: &verdicts)
        kept.insert(verdicts, from: first)
    }
}
