/// The names in a store's directory, sorted by kind.
struct StoreInventory {
    private(set) var hasSnapshot = false
    /// Generations, ascending.
    private(set) var journals: [Int] = []
    /// Generations, ascending.
    private(set) var backups: [Int] = []
    /// Generations, ascending.
    private(set) var operations: [Int] = []
    /// Revisions of commits that have files of their own, ascending; in `history/` only.
    private(set) var commits: [Int] = []
    /// In no order; those of other versions of the program too.
    private(set) var indexes: [(name: String, generation: Int)] = []
    private(set) var temporaries: [String] = []
    /// Directories of interrupted resets.
    private(set) var unfinishedResets: [String] = []
    /// All names that belong to the store, except its lock and the directories of resets; ascending.
    private(set) var ownNames: [String] = []

    init(_ names: [String]) {
        ownNames = names.filter(Self.isOwn).sorted()
        unfinishedResets = names.filter(Self.isUnfinishedReset).sorted()
        for name in names {
            if name == StoreDirectory.snapshotName {
                hasSnapshot = true
            } else if let generation = Self.number(in: name, "journal-", ".jsonl") {
                journals.append(generation)
            } else if let revision = Self.number(in: name, "commit-", ".jsonl") {
                commits.append(revision)
            } else if let generation = Self.number(in: name, "backup-", ".json") {
                backups.append(generation)
            } else if let generation = Self.number(in: name, "operations-", ".jsonl") {
                operations.append(generation)
            } else if let generation = Self.generation(ofIndex: name) {
                indexes.append((name, generation))
            } else if name.utf8.starts(with: "temporary-".utf8) {
                temporaries.append(name)
            }
        }
        journals.sort()
        commits.sort()
        backups.sort()
        operations.sort()
    }

    static func journalName(_ generation: Int) -> String { "journal-\(generation).jsonl" }
    /// A journal that a snapshot has overtaken.
    static func pastName(_ generation: Int) -> String { StoreDirectory.historyName + "/" + journalName(generation) }
    static func backupName(_ generation: Int) -> String { "backup-\(generation).json" }
    /// The file for bytes after the last whole line of a journal.
    static func tornName(_ generation: Int, _ settings: StoreSettings) -> String {
        tornPrefix(generation) + settings.compactTime() + "-" + settings.makeIdentifier()
    }
    private static func tornPrefix(_ generation: Int) -> String { "torn-journal-\(generation)-" }

    /// Whether a file keeps bytes after the last whole line of a journal.
    func hasTornEnd(_ generation: Int) -> Bool {
        ownNames.contains { $0.utf8.starts(with: Self.tornPrefix(generation).utf8) }
    }

    /// Each version of the format has a name of its own, so that two versions of the program at work on one store do not make
    /// their indexes in turns.
    static func indexName(_ generation: Int) -> String { "index-\(generation).v\(IndexFormat.version)" }

    /// The generation in the name of an index: `index-G` up to version 4, since then `index-G.vN`.
    private static func generation(ofIndex name: String) -> Int? {
        var name = name
        return name.withUTF8 { utf8 in
            var matcher = ByteMatcher(UnsafeRawBufferPointer(utf8))
            guard matcher.take("index-"), let generation = matcher.takeInteger() else { return nil }
            return matcher.isAtEnd || (matcher.take(".v") && matcher.takeInteger() != nil && matcher.isAtEnd)
                ? generation : nil
        }
    }

    static func operationsName(_ generation: Int) -> String { "operations-\(generation).jsonl" }

    /// The name of a path within the directory.
    static func name(ofPath path: String) -> String {
        let parts = path.split(separator: "/").suffix(2)
        return parts.first.map { $0 == StoreDirectory.historyName } == true
            ? parts.joined(separator: "/") : String(parts.last ?? "")
    }

    static func number(in name: String, _ prefix: StaticString, _ suffix: StaticString) -> Int? {
        var name = name
        return name.withUTF8 { utf8 in
            var matcher = ByteMatcher(UnsafeRawBufferPointer(utf8))
            guard matcher.take(prefix), let number = matcher.takeInteger(), matcher.take(suffix), matcher.isAtEnd
            else { return nil }
            return number
        }
    }
}

/// Names that belong to a store.
extension StoreInventory {
    private static let unfinished = "-unfinished"

    /// The directory of a reset while files are still moved into it.
    static func unfinishedResetName(_ time: String) -> String { "set-aside-" + time + unfinished }

    /// The snapshot of an earlier schema version, from before its migration or upgrade: `moods.vN.json`; if that name
    /// is taken, `moods.vN-2.json` and so on.
    static func earlierName(_ version: Int, _ number: Int) -> String {
        "moods.v\(version)" + (number == 1 ? "" : "-\(number)") + ".json"
    }

    /// The final name of that directory.
    static func resetName(ofUnfinished name: String) -> String {
        String(decoding: name.utf8.dropLast(unfinished.utf8.count), as: UTF8.self)
    }

    static func isUnfinishedReset(_ name: String) -> Bool {
        name.utf8.starts(with: "set-aside-".utf8) && name.hasSuffix(unfinished)
    }

    /// Files of plugins, and other files that people put beside a store, are not its own.
    static func isOwn(_ name: String) -> Bool {
        let numbered: [(StaticString, StaticString)] = [
            ("journal-", ".jsonl"), ("backup-", ".json"), ("operations-", ".jsonl"),
            ("moods.v", ".json"),
        ]
        return [StoreDirectory.snapshotName, StoreDirectory.historyName, "navigation.json"].contains(name)
            || name.utf8.starts(with: "torn-".utf8) || name.utf8.starts(with: "temporary-".utf8)
            || generation(ofIndex: name) != nil
            || numbered.contains { number(in: name, $0.0, $0.1) != nil }
    }
}
