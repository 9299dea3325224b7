/// Which names in a store's directory belong to the store.
extension StoreInventory {
    private static let unfinished = "-unfinished"

    /// The directory of a reset while files are still moved into it.
    static func unfinishedResetName(_ time: String) -> String { "set-aside-" + time + unfinished }

    /// The snapshot of an earlier schema version, from before its migration or upgrade: `moods.vN.json`, or where another file
    /// has that name `moods.vN-2.json` and so on.
    static func earlierName(_ version: Int, _ number: Int) -> String {
        "moods.v\(version)" + (number == 1 ? "" : "-\(number)") + ".json"
    }

    /// The name that it gets in the end.
    static func resetName(ofUnfinished name: String) -> String {
        String(decoding: name.utf8.dropLast(unfinished.utf8.count), as: UTF8.self)
    }

    static func isUnfinishedReset(_ name: String) -> Bool {
        name.utf8.starts(with: "set-aside-".utf8) && name.hasSuffix(unfinished)
    }

    /// Files of plugins and whatever else people put beside a store are none of its own.
    static func isOwn(_ name: String) -> Bool {
        let numbered: [(StaticString, StaticString)] = [
            ("journal-", ".jsonl"), ("backup-", ".json"), ("operations-", ".jsonl"), ("index-", ""),
            ("moods.v", ".json"),
        ]
        return [StoreDirectory.snapshotName, StoreDirectory.historyName, "navigation.json"].contains(name)
            || name.utf8.starts(with: "torn-".utf8) || name.utf8.starts(with: "temporary-".utf8)
            || numbered.contains { number(in: name, $0.0, $0.1) != nil }
    }
}
