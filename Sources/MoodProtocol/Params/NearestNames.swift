/// "Did you mean": the known names near a misspelled one.
public enum NearestNames {
    /// The longest name to compare: longer ones cost time and are not worth a guess.
    private static let lengthMax = 64

    /// Finds at most three names within a third of the length, the nearest first.
    public static func find(_ name: String, among names: [String]) -> [String] {
        let wanted = Array(name.utf8.prefix(lengthMax + 1))
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return [] }
        let lowered = wanted.map(lowercase)
        var ranked: [(String, Int)] = []
        for candidate in names {
            let bytes = candidate.utf8.map(lowercase)
            let isPart = bytes.count >= 3 && lowered.count >= 3 && endsAlike(lowered, bytes)
            let most = isPart ? 2 : max(2, bytes.count / 3)
            if let distance = distance(lowered, bytes, most: most) {
                ranked.append((candidate, distance))
            } else if isPart {
                ranked.append((candidate, most))
            }
        }
        return ranked.sorted { $0.1 != $1.1 ? $0.1 < $1.1 : $0.0 < $1.0 }.prefix(3).map(\.0)
    }

    /// Whether both names have equal parts after their last dots: `get` for `mood.get`.
    private static func endsAlike(_ a: [UInt8], _ b: [UInt8]) -> Bool { lastPart(a) == lastPart(b) }

    private static func lastPart(_ name: [UInt8]) -> ArraySlice<UInt8> {
        let dot = UInt8(ascii: ".")
        let end = (name.lastIndex { $0 != dot } ?? -1) + 1
        return name[((name[..<end].lastIndex(of: dot) ?? -1) + 1)..<end]
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }

    /// The number of insertions, deletions, replacements and swaps of neighbors (the optimal string alignment
    /// distance); nil if there are more than `most`, which ends the work early.
    private static func distance(_ a: [UInt8], _ b: [UInt8], most: Int) -> Int? {
        guard abs(a.count - b.count) <= most else { return nil }
        var before = Array(repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        var current = before
        var leastBefore = 0
        for (row, x) in a.enumerated() {
            current[0] = row + 1
            var least = row + 1
            for (column, y) in b.enumerated() {
                var best = min(previous[column] + (x == y ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, x == b[column - 1], a[row - 1] == y {
                    best = min(best, before[column - 1] + 1)
                }
                current[column + 1] = best
                least = min(least, best)
            }
            // The next rows build on these two, and no step makes them smaller.
            if least > most, leastBefore > most { return nil }
            leastBefore = least
            (before, previous, current) = (previous, current, before)
        }
        return previous[b.count] <= most ? previous[b.count] : nil
    }
}
