/// The ids of all moods, sorted: what makes short ones possible.
///
/// Ids are UUIDs of version 7. Their first digits are the time, so moods of the same minute share eight digits. Only
/// the whole list tells how many digits are enough.
struct IDDirectory {
    /// Ids are never shown shorter, so that they stay usable for a while as moods are added.
    static let shownMin = 8

    private let sorted: [String]

    init(_ ids: [String]) { sorted = ids.sorted() }

    /// The ids with this beginning.
    func matches(_ prefix: String) -> [String] {
        let start = position(of: prefix)
        return Array(sorted[start...].prefix { $0.hasPrefix(prefix) })
    }

    /// The shortest beginning that no other id has, not shorter than `shownMin`.
    func shortened(_ id: String) -> String {
        let at = position(of: id)
        var shared = 0
        if at > 0 { shared = Self.commonPrefix(sorted[at - 1], id) }
        let next = at < sorted.count && sorted[at] == id ? at + 1 : at
        if next < sorted.count { shared = max(shared, Self.commonPrefix(sorted[next], id)) }
        let bytes = Array(id.utf8)
        var count = max(shared + 1, Self.shownMin)
        // A beginning that ends in a dash looks unfinished.
        if count < bytes.count, bytes[count - 1] == UInt8(ascii: "-") { count += 1 }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func position(of text: String) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < text { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func commonPrefix(_ a: String, _ b: String) -> Int {
        zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
    }
}
