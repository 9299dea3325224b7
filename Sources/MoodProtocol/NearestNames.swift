/// "Did you mean": the names that a misspelt one was probably meant to be.
public enum NearestNames {
    /// Longer names are not worth a guess, and would cost time.
    private static let lengthMax = 64

    /// At most three names within a third of the length, the nearest first.
    public static func find(_ name: String, among names: [String]) -> [String] {
        let wanted = Array(name.utf8.prefix(lengthMax + 1))
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return [] }
        let lowered = wanted.map(lowercase)
        let ranked = names.compactMap { candidate -> (String, Int)? in
            let bytes = candidate.utf8.map(lowercase)
            let distance = distance(lowered, bytes)
            let isPart = candidate.utf8.count >= 3 && lowered.count >= 3 && endsAlike(lowered, bytes)
            return distance <= max(2, bytes.count / 3) || isPart
                ? (candidate, isPart ? min(distance, 2) : distance) : nil
        }
        return ranked.sorted { $0.1 != $1.1 ? $0.1 < $1.1 : $0.0 < $1.0 }.prefix(3).map(\.0)
    }

    /// Whether one is the other after its last dot: `get` for `mood.get`.
    private static func endsAlike(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        return b.split(separator: dot).last.map(Array.init) == a.split(separator: dot).last.map(Array.init)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }

    /// Insertions, deletions, replacements and swaps of neighbours (the optimal string alignment distance).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...b.count)
        for (row, x) in a.enumerated() {
            var current = [row + 1]
            for (column, y) in b.enumerated() {
                var best = min(previous[column] + (x == y ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, x == b[column - 1], a[row - 1] == y {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[b.count]
    }
}
