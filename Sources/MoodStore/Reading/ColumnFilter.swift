import JSONCodec
import MoodCore
import Storage

extension MoodFacts {
    /// The index's columns of a mood: its own valence, and raw texts of its feeling, tags, scales and zone. A feeling
    /// is emoji and label with the bytes between them.
    func traits(_ scratch: inout ByteBuffer) -> RecordTraits {
        var texts = InlineArray<4, UnsafeRawBufferPointer?>(repeating: nil)
        texts[0] = feelingText(&scratch)
        if let tags, tags.bytes.count > 2 { texts[1] = tags.bytes }
        if let scales, scales.bytes.count > 2 { texts[2] = scales.bytes }
        if let timeZone { texts[3] = timeZone.raw }
        return RecordTraits(word: (valence ?? .nan).bitPattern, texts: texts)
    }

    /// A view of the record if emoji and label are adjacent, as in the canonical layout.
    @inline(__always)
    private func feelingText(_ scratch: inout ByteBuffer) -> UnsafeRawBufferPointer? {
        let separator = FeelingText.separatorLength
        if let start = emoji.raw.baseAddress, let next = label.raw.baseAddress,
            start + emoji.raw.count + separator == next
        {
            return UnsafeRawBufferPointer(start: start, count: emoji.raw.count + separator + label.raw.count)
        }
        scratch.truncate(to: 0)
        scratch.append(emoji.raw)
        scratch.append(FeelingText.separator)
        scratch.append(label.raw)
        return scratch.bytes
    }
}

extension MoodTraits {
    @inline(__always)
    init(_ entry: ColumnEntry) {
        let valence = Double(bitPattern: entry.word)
        self.init(
            time: entry.time, isFavorite: entry.isMarked, valence: valence.isNaN ? nil : valence,
            feeling: Int(entry.texts[0]), tags: Int(entry.texts[1]), scales: Int(entry.texts[2]),
            timeZone: Int(entry.texts[3]))
    }
}

/// The part of a filter that needs no record. It decides about each text once, and about many moods by one condition
/// after the other.
struct ColumnFilter {
    private enum Verdict: UInt8 { case unknown, yes, no }

    private var filter: MoodFilter
    private var feelings: [Verdict] = []
    private var tags: [Verdict] = []
    /// Whether a label or a list of tags has the text that is searched, by number.
    private var labelsWithText: [Verdict] = []
    private var tagsWithText: [Verdict] = []
    /// The estimates by feeling; NaN if the palette has none.
    private var estimates: [Double] = []

    init(_ filter: MoodFilter) { self.filter = filter }

    /// Excludes moods, and says `yes` for open ones whose label or tags have the text that is searched.
    mutating func judge(_ moods: [ColumnEntry], _ texts: ColumnTexts, in verdicts: inout [RowVerdict]) {
        if let isFavorite = filter.isFavorite { Self.keep(moods, &verdicts) { $0.isMarked == isFavorite } }
        if let from = filter.from { Self.keep(moods, &verdicts) { $0.time >= from.milliseconds } }
        if let to = filter.to { Self.keep(moods, &verdicts) { $0.time < to.milliseconds } }
        if filter.looksAtTags {
            Self.grow(&tags, texts, .unknown)
            Self.keep(moods, &verdicts) { isMeant(tags: Int($0.texts[1]), texts) }
        }
        if filter.emoji != nil || filter.label != nil || filter.looksAtValence {
            Self.grow(&feelings, texts, .unknown)
            if filter.looksAtValence { Self.grow(&estimates, texts, .nan) }
            Self.keep(moods, &verdicts) { isMeant(feeling: Int($0.texts[0]), texts) }
        }
        if filter.looksAtValence {
            let (from, to) = (filter.valenceFrom ?? -1, filter.valenceTo ?? 1)
            Self.keep(moods, &verdicts) { mood in
                let own = Double(bitPattern: mood.word)
                let valence = own.isNaN ? estimates[Int(mood.texts[0])] : own
                // False for NaN too.
                return valence >= from && valence <= to
            }
        }
        if let (range, _) = filter.days { Self.keep(moods, &verdicts) { isMeant(range, $0, texts) } }
        guard let needle = filter.foldedText else { return }
        Self.grow(&labelsWithText, texts, .unknown)
        Self.grow(&tagsWithText, texts, .unknown)
        for place in moods.indices where verdicts[place] == .open {
            if hasText(moods[place], texts, needle) { verdicts[place] = .yes }
        }
    }

    @inline(__always)
    private static func keep(
        _ moods: [ColumnEntry], _ verdicts: inout [RowVerdict], where isMeant: (ColumnEntry) -> Bool
    ) {
        var verdicts = verdicts.mutableSpan
        for place in moods.indices where verdicts[place] != .no && !isMeant(moods[place]) { verdicts[place] = .no }
    }

    /// Makes room for each text's number.
    private static func grow<Value>(_ values: inout [Value], _ texts: ColumnTexts, _ unknown: Value) {
        values += repeatElement(unknown, count: max(texts.numbersEnd - values.count, 0))
    }

    @inline(__always)
    private mutating func isMeant(feeling number: Int, _ texts: ColumnTexts) -> Bool {
        if feelings[number] == .unknown { lookAtFeeling(number, texts) }
        return feelings[number] == .yes
    }

    private mutating func isMeant(_ range: ClosedRange<Int>, _ mood: ColumnEntry, _ texts: ColumnTexts) -> Bool {
        let zone = mood.texts[3] == 0 ? nil : JSONText(column: texts[mood.texts[3]])
        let reading =
            zone?.withDecoded { filter.days?.clocks.reading(mood.time, in: $0) }
            ?? filter.days?.clocks.reading(mood.time, in: nil)
        return reading.map { range.contains($0.day) } ?? false
    }

    @inline(never)
    private mutating func lookAtFeeling(_ number: Int, _ texts: ColumnTexts) {
        let feeling = FeelingText(texts[UInt32(number)])
        let isMeant = filter.matches(emoji: feeling.emoji) && filter.matches(label: feeling.label)
        feelings[number] = isMeant ? .yes : .no
        if filter.looksAtValence {
            estimates[number] =
                filter.palette.valence(label: feeling.label.string, emoji: feeling.emoji.string) ?? .nan
        }
    }

    @inline(__always)
    private mutating func isMeant(tags number: Int, _ texts: ColumnTexts) -> Bool {
        if tags[number] == .unknown { lookAtTags(number, texts) }
        return tags[number] == .yes
    }

    @inline(never)
    private mutating func lookAtTags(_ number: Int, _ texts: ColumnTexts) {
        let isMeant = filter.matches(tags: number == 0 ? nil : ValidJSON(trusting: texts[UInt32(number)]))
        tags[number] = isMeant ? .yes : .no
    }

    @inline(__always)
    private mutating func hasText(_ mood: ColumnEntry, _ texts: ColumnTexts, _ needle: [UInt8]) -> Bool {
        let (feeling, tags) = (Int(mood.texts[0]), Int(mood.texts[1]))
        if labelsWithText[feeling] == .unknown { lookAtLabel(feeling, texts, needle) }
        if tagsWithText[tags] == .unknown { lookAtTags(tags, texts, needle) }
        return labelsWithText[feeling] == .yes || tagsWithText[tags] == .yes
    }

    private mutating func lookAtLabel(_ number: Int, _ texts: ColumnTexts, _ needle: [UInt8]) {
        let isFound =
            number > 0
            && needle.withUnsafeBytes {
                let label = FeelingText(texts[UInt32(number)]).label
                return MoodFacts.contains(foldedNeedle: $0, isExact: filter.isExact, label)
            }
        labelsWithText[number] = isFound ? .yes : .no
    }

    private mutating func lookAtTags(_ number: Int, _ texts: ColumnTexts, _ needle: [UInt8]) {
        let isFound =
            number > 0
            && needle.withUnsafeBytes {
                let tags = ValidJSON(trusting: texts[UInt32(number)])
                return MoodFacts.contains(foldedNeedle: $0, isExact: filter.isExact, tags: tags)
            }
        tagsWithText[number] = isFound ? .yes : .no
    }
}

/// A filter in the store's form.
final class MoodCondition: RecordCondition {
    private let filter: MoodFilter
    /// A filter for each list of texts, whose numbers differ.
    private var columns: [(texts: ColumnTexts, filter: ColumnFilter)] = []
    private let foldedText: [UInt8]
    let looksAtChanges: Bool
    /// Whether notes that hold the needle and nothing with an accent hold what is searched.
    private let isNeedleExact: Bool
    let needle: [UInt8]?
    let looksAtColumns: Bool
    let looksAtRecords: Bool
    let span: (from: Int64?, to: Int64?)
    private let cancelled: (() -> Bool)?
    var isCancelled: Bool { cancelled?() ?? false }

    init(_ filter: MoodFilter, isCancelled: (() -> Bool)? = nil) {
        cancelled = isCancelled
        self.filter = filter
        let text = filter.foldedText ?? []
        var folded: [UInt8] = []
        text.withUnsafeBytes { SearchFolding.appendFolded(utf8: $0, to: &folded) }
        foldedText = text
        // Marks alone are nothing once they are folded.
        needle = folded.isEmpty ? nil : folded
        isNeedleExact = folded == text
        looksAtColumns = filter.isFavorite != nil || filter.looksInside
        looksAtChanges = filter.isExact
        looksAtRecords = filter.foldedText != nil
        span = filter.span
    }

    func judge(by entries: [ColumnEntry], _ texts: ColumnTexts, in verdicts: inout [RowVerdict]) {
        var place = 0
        while place < columns.count, columns[place].texts !== texts { place += 1 }
        if place == columns.count { columns.append((texts, ColumnFilter(filter))) }
        columns[place].filter.judge(entries, texts, in: &verdicts)
    }

    func confirms(_ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer) -> Bool {
        if !looksAtChanges { return true }
        if changes.isEmpty { return isNeedleExact }
        return foldedText.withUnsafeBytes { SearchText.contains(exactNeedle: $0, text, changes) }
    }

    func matches(besidesColumns record: UnsafeRawBufferPointer) -> Bool {
        // `filter` is a large value; this avoids a copy for each record.
        foldedText.withUnsafeBytes {
            MoodFacts.contains(foldedNeedle: $0, isExact: looksAtChanges, in: record)
        }
    }
}

extension MoodFilter {
    /// The store's condition; nil selects all moods.
    var condition: MoodCondition? { condition(nil) }

    func condition(_ isCancelled: (() -> Bool)?) -> MoodCondition? {
        isEmpty ? nil : MoodCondition(self, isCancelled: isCancelled)
    }
}
