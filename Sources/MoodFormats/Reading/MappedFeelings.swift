import JSONCodec

/// The values of labels in `map`: a number, or a known feeling (`meh=-0.4`, `Super=rad`).
struct MappedFeelings {
    private struct Entry {
        var name: String
        var target: Target
        var isUsed = false
    }

    private enum Target {
        case valence(String)
        case feeling(KnownFeeling)
        case group(DaylioWords.Group)
    }

    private var entries: [String: Entry] = [:]
    private var names: [String] = []

    /// - Throws: if the map has a column in a format without columns, or a target that is neither a number nor a
    ///   feeling.
    init(_ options: ImportOptions, of format: ImportFormat) throws(UnreadableFile) {
        for (name, target) in options.map {
            let found: Target
            if JSONNumberText.isNumber(target) {
                found = .valence(target)
            } else if format == .csv {
                // A column, which the header must have.
                continue
            } else if let group = DaylioWords.english[Folded.text(target)],
                format == .daylio || options.feeling(target) == nil
            {
                found = .group(group)
            } else if let feeling = options.feeling(target) {
                found = .feeling(feeling)
            } else {
                throw UnreadableFile(
                    "gives \(name) the value \(target), which is neither a number nor a feeling; in \(format.rawValue) it says"
                        + " what a label is worth (meh=-0.4, Super=rad)", param: "map")
            }
            names.append(Folded.text(name))
            entries[Folded.text(name)] = Entry(name: name, target: found)
        }
    }

    var isEmpty: Bool { names.isEmpty }

    /// The first name that no mood had.
    var unused: String? { names.lazy.compactMap { entries[$0] }.first { !$0.isUsed }?.name }

    /// Applies the map to a mood's label.
    /// - Returns: whether the map has the label.
    @discardableResult
    mutating func apply(to draft: inout MoodDraft) -> Bool {
        if names.isEmpty { return false }
        let name = Folded.text(draft.label)
        guard let entry = entries[name] else { return false }
        entries[name]?.isUsed = true
        switch entry.target {
        case .valence(let value):
            if draft.valence == nil { draft.valence = value }
        case .feeling(let feeling): (draft.emoji, draft.label) = (feeling.emoji, feeling.label)
        case .group(let group):
            draft.emoji = group.emoji
            if draft.valence == nil { draft.valence = group.valence }
        }
        return true
    }
}

/// The work of all readers on their rows: ids, times, and the values of labels in `map`.
struct RowReading {
    let options: ImportOptions
    var ids: RowIDs
    var times: ImportTimeParser
    var mapped: MappedFeelings

    /// - Parameters:
    ///   - ids: the name of the format in ids; nil is that of the format itself.
    ///   - expected: the likely number of rows.
    init(
        _ options: ImportOptions, of format: ImportFormat, ids: String? = nil, expected: Int = 0
    ) throws(UnreadableFile) {
        self.options = options
        self.ids = RowIDs(ids ?? format.rawValue, expected: expected)
        times = ImportTimeParser(options)
        mapped = try MappedFeelings(options, of: format)
    }

    /// Completes an entry of a journal.
    /// - Parameter content: the texts of its id.
    mutating func complete(_ draft: inout MoodDraft, id content: [String]) {
        mapped.apply(to: &draft)
        draft.id = ids.next(content.map { Array($0.utf8) })
        draft.complete(options)
    }
}
