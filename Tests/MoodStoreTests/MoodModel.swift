import JSONCodec
import MoodCore

@testable import MoodStore

/// The rules of a mood store in the simplest form: a dictionary of JSON, sorted and filtered on demand.
struct MoodModel {
    var moods: [String: JSONValue] = [:]
    var revision = 0

    mutating func create(_ given: JSONValue, id: MoodID, at now: String) {
        revision += 1
        let defaults: JSONValue = [
            "timestamp": .string(now), "isFavorite": false, "notes": "", "tags": [], "attachments": [],
        ]
        moods[id.text] = defaults.setting(Self.trimmed(given)).setting([
            "id": .string(id.text), "createdAt": .string(now), "updatedAt": .string(now),
            "revision": .number(String(revision)),
        ])
    }

    /// Whether anything changes.
    mutating func update(_ ids: [MoodID], _ set: JSONValue, at now: String) -> Bool {
        var isChanged = false
        for id in ids {
            guard let mood = moods[id.text] else { continue }
            let changed = mood.setting(Self.trimmed(set))
            if changed.isEqual(to: mood) { continue }
            if !isChanged { revision += 1 }
            isChanged = true
            moods[id.text] = changed.setting(["updatedAt": .string(now), "revision": .number(String(revision))])
        }
        return isChanged
    }

    mutating func delete(_ ids: [MoodID]) {
        revision += 1
        for id in ids { moods[id.text] = nil }
    }

    mutating func clear() {
        if moods.isEmpty { return }
        revision += 1
        moods = [:]
    }

    private static func trimmed(_ given: JSONValue) -> JSONValue {
        func trim(_ text: String) -> String {
            var scalars = Array(text.unicodeScalars)
            while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
            while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
            return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
        }
        var result = given
        if let label = given["label"]?.string { result = result.setting(["label": .string(trim(label))]) }
        if let tags = given["tags"]?.array {
            result = result.setting(["tags": .array(tags.map { .string(trim($0.string ?? "")) })])
        }
        return result
    }

    // MARK: Lists

    /// A mood's sort key. Times have a fixed width, so their texts sort as they do.
    static func key(_ mood: JSONValue, _ sort: MoodQuery.Sort) -> [UInt32] {
        switch sort {
        case .timestamp: (mood["timestamp"]?.string ?? "").unicodeScalars.map(\.value)
        case .updatedAt: (mood["updatedAt"]?.string ?? "").unicodeScalars.map(\.value)
        case .label: folded(mood["label"]?.string ?? "")
        }
    }

    /// Simple folding of the letters that these tests use.
    static func folded(_ text: String) -> [UInt32] {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "ς": return 0x3c3
            case "ẞ": return 0xdf
            default:
                let lower = scalar.properties.lowercaseMapping.unicodeScalars
                return lower.count == 1 ? lower.first?.value ?? scalar.value : scalar.value
            }
        }
    }

    /// A place in a list: the key and the id of a mood when it was shown.
    struct Place {
        let key: [UInt32]
        let id: String

        init(_ mood: JSONValue, _ sort: MoodQuery.Sort) {
            key = MoodModel.key(mood, sort)
            id = mood["id"]?.string ?? ""
        }

        func precedes(_ other: Place) -> Bool {
            key != other.key ? key.lexicographicallyPrecedes(other.key) : id < other.id
        }
    }

    /// All moods after a place, in order.
    func list(_ query: MoodQuery, _ filter: (JSONValue) -> Bool, after place: Place?) -> [JSONValue] {
        let all = moods.values.filter(filter).map { (place: Place($0, query.sort), mood: $0) }
        let sorted = all.sorted {
            query.isDescending ? $1.place.precedes($0.place) : $0.place.precedes($1.place)
        }
        guard let place else { return sorted.map(\.mood) }
        return sorted.filter { query.isDescending ? $0.place.precedes(place) : place.precedes($0.place) }.map(\.mood)
    }
}
