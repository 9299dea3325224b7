/// The known word that a person may have meant.
enum Suggestion {
    /// The longest word to compare: the cost is the product of both lengths.
    private static let lengthMax = 40

    /// The nearest known word, or nil if none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let letters = Array(word.lowercased().unicodeScalars)
        guard letters.count > 0, letters.count <= lengthMax else { return nil }
        let allowed = letters.count < 4 ? 1 : letters.count < 8 ? 2 : 3
        var best: (word: String, distance: Int)?
        for candidate in known {
            let other = Array(candidate.lowercased().unicodeScalars)
            let isBeginning = letters.count >= 2 && other.starts(with: letters)
            let isPart = other.split(separator: "-").contains { $0.elementsEqual(letters) }
            let distance = isBeginning || isPart ? 1 : distance(letters, other)
            if distance <= allowed, distance < other.count, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }

    /// The suggestion as the end of a sentence; empty without a word.
    static func question(_ word: String?) -> String { word.map { " Did you mean '\($0)'?" } ?? "" }

    /// The number of edits (insert, delete, replace, swap neighbors) between two words: optimal string alignment.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for (row, letter) in a.enumerated() {
            var current = [row + 1]
            for (column, other) in b.enumerated() {
                var edits = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == b[column - 1], a[row - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            beforeLast = last
            last = current
        }
        return last[b.count]
    }
}
