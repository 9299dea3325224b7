import JSONCodec
import MoodCore
import Storage

/// What `mood.list` is asked for.
public struct MoodQuery: Sendable {
    public enum Sort: UInt8, Sendable { case timestamp, label, updatedAt }

    public var sort = Sort.timestamp
    public var isDescending = true
    public var limit = 50
    public var filter = MoodFilter()
    public var wantsTotal = false
    /// What each mood is shown with, if anything.
    public var offers: RowOffers?
    /// The language of what people read.
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

/// Which moods a list holds; every condition that is set must hold. Texts are decoded UTF-8.
public struct MoodFilter: Sendable {
    public var isFavorite: Bool?
    public var emoji: [UInt8]?
    public var label: [UInt8]?
    /// In label, notes or tags, ignoring case; kept folded.
    public private(set) var foldedText: [UInt8]?
    /// All of them.
    public var tags: [[UInt8]] = []
    /// Inclusive.
    public var from: Timestamp?
    /// Exclusive.
    public var to: Timestamp?

    public init() {}

    public mutating func search(_ text: UnsafeRawBufferPointer) {
        var folded: [UInt8] = []
        CaseFolding.appendFolded(utf8: text, to: &folded)
        foldedText = folded.isEmpty ? nil : folded
    }

    var isEmpty: Bool {
        isFavorite == nil && from == nil && to == nil && !looksInside
    }

    /// Whether the bytes of a mood are needed to decide.
    var looksInside: Bool { emoji != nil || label != nil || foldedText != nil || !tags.isEmpty }

    func matches(_ head: RecordHead, _ record: UnsafeRawBufferPointer) -> Bool {
        if let isFavorite, head.isMarked != isFavorite { return false }
        if let from, head.time < from.milliseconds { return false }
        if let to, head.time >= to.milliseconds { return false }
        return !looksInside || matchesInside(record)
    }

    private func matchesInside(_ record: UnsafeRawBufferPointer) -> Bool {
        var isTextFound = foldedText == nil
        var missing = tags
        var reader = JSONReader(ValidJSON(trusting: record))
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            if key.equals("emoji"), let text = reader.text() {
                if let emoji, !Self.isEqual(text, emoji) { return false }
            } else if key.equals("label"), let text = reader.text() {
                if let label, !Self.isEqual(text, label) { return false }
                isTextFound = isTextFound || contains(text)
            } else if key.equals("notes"), let text = reader.text() {
                isTextFound = isTextFound || contains(text)
            } else if key.equals("tags"), reader.enterArray() {
                while reader.nextElement() {
                    guard let tag = reader.text() else {
                        reader.skip()
                        continue
                    }
                    missing.removeAll { Self.isEqual(tag, $0) }
                    isTextFound = isTextFound || contains(tag)
                }
                if !missing.isEmpty { return false }
            } else {
                reader.skip()
            }
        }
        return isTextFound
    }

    private static func isEqual(_ text: JSONText, _ bytes: [UInt8]) -> Bool {
        text.withDecoded { $0.elementsEqual(bytes) }
    }

    private func contains(_ text: JSONText) -> Bool {
        guard let foldedText else { return true }
        return foldedText.withUnsafeBytes { needle in
            text.withDecoded { CaseFolding.contains(foldedNeedle: needle, in: $0) }
        }
    }
}
