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

/// The part of a filter that needs no record. It decides about each text once. It ignores a search in texts.
struct ColumnFilter {
    private enum Verdict: UInt8 { case unknown, yes, no }

    private var filter: MoodFilter
    // Asked for each row: the filter itself is large.
    private let looksInside: Bool
    private let looksAtTags: Bool
    private let looksAtFeelings: Bool
    private let looksFurther: Bool
    private var feelings: [Verdict] = []
    private var tags: [Verdict] = []
    /// Whether a label or a list of tags has the text that is searched, by number.
    private var labelsWithText: [Verdict] = []
    private var tagsWithText: [Verdict] = []
    /// The estimates by feeling; NaN if the palette has none.
    private var estimates: [Double] = []

    init(_ filter: MoodFilter) {
        self.filter = filter
        looksInside = filter.looksInside
        looksAtTags = filter.looksAtTags
        looksAtFeelings = filter.emoji != nil || filter.label != nil || filter.looksAtValence
        looksFurther = filter.looksAtValence || filter.days != nil
    }

    @inline(__always)
    mutating func matches(_ mood: MoodTraits, _ texts: ColumnTexts) -> Bool {
        if let isFavorite = filter.isFavorite, mood.isFavorite != isFavorite { return false }
        if let from = filter.from, mood.time < from.milliseconds { return false }
        if let to = filter.to, mood.time >= to.milliseconds { return false }
        if !looksInside { return true }
        if looksAtTags, verdict(onTags: mood.tags, texts) != .yes { return false }
        if looksAtFeelings, verdict(onFeeling: mood.feeling, texts) != .yes { return false }
        return !looksFurther || matchesFurther(mood, texts)
    }

    private mutating func matchesFurther(_ mood: MoodTraits, _ texts: ColumnTexts) -> Bool {
        if filter.looksAtValence {
            let valence = mood.valence ?? estimates[mood.feeling]
            // False for NaN too.
            guard valence >= filter.valenceFrom ?? -1, valence <= filter.valenceTo ?? 1 else { return false }
        }
        guard let range = filter.days?.range else { return true }
        let zone = mood.timeZone == 0 ? nil : JSONText(column: texts[UInt32(mood.timeZone)])
        let reading =
            zone?.withDecoded { filter.days?.clocks.reading(mood.time, in: $0) }
            ?? filter.days?.clocks.reading(mood.time, in: nil)
        return reading.map { range.contains($0.day) } ?? false
    }

    @inline(__always)
    private mutating func verdict(onFeeling number: Int, _ texts: ColumnTexts) -> Verdict {
        if number >= feelings.count || feelings[number] == .unknown { lookAtFeeling(number, texts) }
        return feelings[number]
    }

    @inline(never)
    private mutating func lookAtFeeling(_ number: Int, _ texts: ColumnTexts) {
        if number >= feelings.count {
            let more = texts.numbersEnd - feelings.count
            feelings.append(contentsOf: repeatElement(.unknown, count: more))
            estimates.append(contentsOf: repeatElement(.nan, count: more))
        }
        let feeling = FeelingText(texts[UInt32(number)])
        let isMeant = filter.matches(emoji: feeling.emoji) && filter.matches(label: feeling.label)
        feelings[number] = isMeant ? .yes : .no
        if filter.looksAtValence {
            estimates[number] =
                filter.palette.valence(label: feeling.label.string, emoji: feeling.emoji.string) ?? .nan
        }
    }

    @inline(__always)
    private mutating func verdict(onTags number: Int, _ texts: ColumnTexts) -> Verdict {
        if number >= tags.count || tags[number] == .unknown { lookAtTags(number, texts) }
        return tags[number]
    }

    @inline(never)
    private mutating func lookAtTags(_ number: Int, _ texts: ColumnTexts) {
        if number >= tags.count {
            tags.append(contentsOf: repeatElement(.unknown, count: texts.numbersEnd - tags.count))
        }
        let isMeant = filter.matches(tags: number == 0 ? nil : ValidJSON(trusting: texts[UInt32(number)]))
        tags[number] = isMeant ? .yes : .no
    }
}

/// The label and tags in a search, which stand in columns.
extension ColumnFilter {
    fileprivate mutating func judge(_ entries: [ColumnEntry], _ texts: ColumnTexts, _ verdicts: inout [RowVerdict]) {
        let needle = filter.foldedText ?? []
        for place in entries.indices where verdicts[place] != .no {
            let entry = entries[place]
            if !matches(MoodTraits(entry), texts) {
                verdicts[place] = .no
            } else if verdicts[place] == .open, hasText(entry, texts, needle) {
                verdicts[place] = .yes
            }
        }
    }

    @inline(__always)
    private mutating func hasText(_ entry: ColumnEntry, _ texts: ColumnTexts, _ needle: [UInt8]) -> Bool {
        let (feeling, tags) = (Int(entry.texts[0]), Int(entry.texts[1]))
        if max(feeling, tags) >= labelsWithText.count {
            let more = texts.numbersEnd - labelsWithText.count
            labelsWithText.append(contentsOf: repeatElement(.unknown, count: more))
            tagsWithText.append(contentsOf: repeatElement(.unknown, count: more))
        }
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
        columns[place].filter.judge(entries, texts, &verdicts)
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
