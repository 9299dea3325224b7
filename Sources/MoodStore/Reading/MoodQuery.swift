import JSONCodec
import MoodCore
import MoodText
import Storage

/// The params of `mood.list`.
public struct MoodQuery: Sendable {
    public enum Sort: UInt8, Sendable { case timestamp, label, updatedAt }

    public var sort = Sort.timestamp
    public var isDescending = true
    public var limit = 50
    public var filter = MoodFilter()
    public var wantsTotal = false
    /// The actions to show with each mood.
    public var offers: RowOffers?
    /// The language of texts for people.
    public var locale = "en_US"

    public init() {}

    var order: RecordOrder {
        switch sort {
        case .timestamp: .time
        case .label: .text
        case .updatedAt: .updated
        }
    }
}

/// The moods of a list: every condition that is set must hold. Texts are decoded UTF-8.
public struct MoodFilter: Sendable {
    public var isFavorite: Bool?
    /// The emoji, compared without variation selectors.
    public private(set) var emoji: Wanted?
    /// The label, compared by `NameFolding`, or by bytes if `isExact`.
    public private(set) var label: Wanted?
    /// The folded text to find in label, notes or tags, without case, and without accents unless `isExact`.
    public private(set) var foldedText: [UInt8]?
    public let isExact: Bool
    /// Tags of which a mood must have all. `NameFolding` compares tags, here and below.
    public private(set) var tags: [Wanted] = []
    /// Tags of which a mood must have one, if there are any.
    public private(set) var anyTags: [Wanted] = []
    /// Tags that a mood must not have.
    public private(set) var noTags: [Wanted] = []
    /// The lowest valence: the mood's own, else the palette's; both ends inclusive. A mood without one does not match.
    public var valenceFrom: Double?
    public var valenceTo: Double?
    /// The days, and the clocks that decide on which day a mood lies.
    public var days: (range: ClosedRange<Int>, clocks: ZoneClocks)?
    /// The palette for moods without their own valence.
    public var palette = Palette.standard
    /// The first moment, inclusive.
    public var from: Timestamp?
    /// The end, exclusive.
    public var to: Timestamp?

    /// A wanted text: the sent form for cursors, and the key for comparison.
    public struct Wanted: Sendable {
        let sent: [UInt8]
        let key: [UInt8]
    }

    /// - Parameter isExact: whether accents count in texts, and case too in a label.
    public init(isExact: Bool = false) { self.isExact = isExact }

    public mutating func select(emoji: UnsafeRawBufferPointer) {
        self.emoji = Wanted(sent: Array(emoji), key: NameFolding.emojiKey(emoji))
    }

    public mutating func select(label: UnsafeRawBufferPointer) {
        let label = TextRule.trimmed(label)
        self.label = Wanted(sent: Array(label), key: isExact ? Array(label) : NameFolding.key(label))
    }

    public mutating func search(_ text: UnsafeRawBufferPointer) {
        var folded: [UInt8] = []
        if isExact {
            CaseFolding.appendFolded(utf8: text, to: &folded)
        } else {
            SearchFolding.appendFolded(utf8: text, to: &folded)
        }
        foldedText = folded.isEmpty ? nil : folded
    }

    public enum TagCondition { case all, any, none }

    public mutating func add(tag: UnsafeRawBufferPointer, to condition: TagCondition) {
        let tag = TextRule.trimmed(tag)
        let wanted = Wanted(sent: Array(tag), key: NameFolding.key(tag))
        switch condition {
        case .all: tags.append(wanted)
        case .any: anyTags.append(wanted)
        case .none: noTags.append(wanted)
        }
    }

    public var isEmpty: Bool {
        isFavorite == nil && from == nil && to == nil && !looksInside
    }

    /// Whether the favorite mark is the only condition.
    var isOnlyOfMark: Bool { isFavorite != nil && !looksInside && from == nil && to == nil }

    /// Whether it asks for marks between two times, which only columns tell together.
    var looksAtMarksInSpan: Bool { isFavorite != nil && (from != nil || to != nil) }

    /// Whether the filter needs the bytes of a mood.
    var looksInside: Bool { foldedText != nil || looksAtColumns }
    /// Whether the filter needs columns of the index besides time and favorite.
    var looksAtColumns: Bool { emoji != nil || label != nil || looksAtTags || looksAtValence || days != nil }

    var looksAtTags: Bool { !tags.isEmpty || !anyTags.isEmpty || !noTags.isEmpty }
    var looksAtValence: Bool { valenceFrom != nil || valenceTo != nil }

    /// Milliseconds since 1970: from the first on, and before the second; nil is no bound.
    typealias Span = (from: Int64?, to: Int64?)

    /// The span of all matching moods: the days, widened by the largest zone offset and the latest start of a day.
    var span: Span {
        var span: Span = (from?.milliseconds, to?.milliseconds)
        guard let range = days?.range else { return span }
        if range.lowerBound > .min {
            let first = Int64(range.lowerBound - 2) * Self.millisecondsOfDay
            span.from = max(first, span.from ?? first)
        }
        if range.upperBound < .max {
            let end = Int64(range.upperBound + 3) * Self.millisecondsOfDay
            span.to = min(end, span.to ?? end)
        }
        return span
    }
    private static let millisecondsOfDay: Int64 = 86_400_000

    mutating func matches(_ head: RecordHead, _ record: UnsafeRawBufferPointer) -> Bool {
        if let isFavorite, head.isMarked != isFavorite { return false }
        if let from, head.time < from.milliseconds { return false }
        if let to, head.time >= to.milliseconds { return false }
        return !looksInside || matchesInside(record)
    }

    private mutating func matchesInside(_ record: UnsafeRawBufferPointer) -> Bool {
        guard matchesTexts(record) else { return false }
        guard looksAtValence || days != nil else { return true }
        let facts = MoodFacts(record)
        if looksAtValence {
            let valence = facts.valence ?? palette.valence(label: facts.label.string, emoji: facts.emoji.string)
            guard let valence, valence >= valenceFrom ?? -1, valence <= valenceTo ?? 1 else { return false }
        }
        guard let range = days?.range else { return true }
        let reading =
            facts.timeZone?.withDecoded { days?.clocks.reading(facts.time, in: $0) }
            ?? days?.clocks.reading(facts.time, in: nil)
        return reading.map { range.contains($0.day) } ?? false
    }

    private func matchesTexts(_ record: UnsafeRawBufferPointer) -> Bool {
        guard finds(in: record) else { return false }
        guard emoji != nil || label != nil || looksAtTags else { return true }
        var tagsSeen = TagsSeen(self)
        var reader = JSONReader(ValidJSON(trusting: record))
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            if key.equals("emoji"), let text = reader.text() {
                guard matches(emoji: text) else { return false }
            } else if key.equals("label"), let text = reader.text() {
                guard matches(label: text) else { return false }
            } else if key.equals("tags"), reader.enterArray() {
                while reader.nextElement() {
                    guard let tag = reader.text() else {
                        reader.skip()
                        continue
                    }
                    guard !looksAtTags || tagsSeen.take(tag, self) else { return false }
                }
                guard tagsSeen.isEnough else { return false }
            } else {
                reader.skip()
            }
        }
        return true
    }

    /// Whether a record contains the text of the search, if there is one.
    func finds(in record: UnsafeRawBufferPointer) -> Bool {
        guard let foldedText else { return true }
        return foldedText.withUnsafeBytes { MoodFacts.contains(foldedNeedle: $0, isExact: isExact, in: record) }
    }

    /// Whether tags match; nil is no tags.
    func matches(tags given: ValidJSON?) -> Bool {
        var seen = TagsSeen(self)
        if let given {
            var reader = JSONReader(given)
            guard reader.enterArray() else { return false }
            while reader.nextElement() {
                guard let tag = reader.text() else {
                    reader.skip()
                    continue
                }
                guard seen.take(tag, self) else { return false }
            }
        }
        return seen.isEnough
    }

    /// The conditions on tags during the check of one mood.
    private struct TagsSeen {
        /// A bit for each wanted tag: a filter has fewer than 64.
        private var missing: UInt64
        private var hasAny: Bool

        init(_ filter: borrowing MoodFilter) {
            missing = 1 << UInt64(filter.tags.count) &- 1
            hasAny = filter.anyTags.isEmpty
        }

        var isEnough: Bool { missing == 0 && hasAny }

        /// - Returns: false for a forbidden tag.
        @inline(__always)
        mutating func take(_ tag: JSONText, _ filter: borrowing MoodFilter) -> Bool {
            tag.withDecoded { tag in
                for wanted in filter.noTags where NameFolding.has(wanted.key, tag) { return false }
                if !hasAny { for wanted in filter.anyTags where NameFolding.has(wanted.key, tag) { hasAny = true } }
                var bit: UInt64 = 1
                for wanted in filter.tags {
                    if missing & bit != 0, NameFolding.has(wanted.key, tag) { missing &= ~bit }
                    bit <<= 1
                }
                return true
            }
        }
    }

    func matches(emoji text: JSONText) -> Bool {
        guard let emoji else { return true }
        return text.withDecoded { NameFolding.has(emojiKey: emoji.key, $0) }
    }

    func matches(label text: JSONText) -> Bool {
        guard let label else { return true }
        return text.withDecoded { isExact ? $0.elementsEqual(label.key) : NameFolding.has(label.key, $0) }
    }
}
