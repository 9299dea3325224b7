import Foundation
import JSONCodec
import MoodCore
import MoodText
import Seeds
import Storage
import Testing

@testable import MoodStore

/// Lists with any filter, order, page and count equal those of a plain loop over the moods: on disk, in memory, and
/// with half of the moods committed since the snapshot; also where moods change between the pages.
@Suite struct FilteredListTests {
    enum Place: CaseIterable { case memory, disk, half }

    private struct Mood {
        let id: MoodID
        let time: Int64
        let emoji: String
        let label: String
        let notes: String
        let tags: [String]
        let isFavorite: Bool
        let valence: Double?
        let zone: String?
        let updated: Int64
        /// The texts that a search reads, folded as it asks: once each, because every round reads all moods.
        let folded: [[UInt8]]
        let exactlyFolded: [[UInt8]]

        var json: JSONValue {
            var members: [JSONValue.Member] = [
                .init("emoji", .string(emoji)), .init("label", .string(label)),
                .init("timestamp", .string(Timestamp(milliseconds: time)?.text ?? "")),
                .init("isFavorite", .boolean(isFavorite)), .init("notes", .string(notes)),
                .init("tags", .array(tags.map { .string($0) })),
            ]
            if let valence { members.append(.init("valence", .double(valence))) }
            if let zone { members.append(.init("timeZone", .string(zone))) }
            return .object(members)
        }

        /// The day in its zone, which begins so many minutes after midnight.
        func day(startingAt minutes: Int) -> Int {
            let zone = TimeZone(identifier: zone ?? "UTC") ?? .gmt
            let moment = Date(timeIntervalSince1970: Double(time) / 1000)
            let seconds = time / 1000 + Int64(zone.secondsFromGMT(for: moment) - 60 * minutes)
            return Int(seconds / 86_400)
        }

        /// Whether it comes before another one in a list.
        func precedes(_ other: Mood, _ query: MoodQuery) -> Bool {
            let (a, b) = query.isDescending ? (other, self) : (self, other)
            switch query.sort {
            case .timestamp: return (a.time, a.id) < (b.time, b.id)
            case .updatedAt: return (a.updated, a.id) < (b.updated, b.id)
            case .label:
                let (first, second) = (a.exactlyFolded[0], b.exactlyFolded[0])
                return first == second ? a.id < b.id : first.lexicographicallyPrecedes(second)
            }
        }
    }

    private static let words = [
        "walk", "Café", "cafe\u{301}", "STRASSE", "Straße", "ΣΊΣΥΦΟΣ", "σίσυφος", "東京", "한국", "हिन्दी", "i\u{307}stanbul",
        "İzmir", "ᾳ\u{345}",
        "a\"b\\c", "tab\tnew\nline", "Å", "ﬁn", "garden", "🌧️", "e", "1:30",
    ]
    private static let emojis = ["😊", "😢", "☀️", "☀"]
    private static let tags = ["work", "Work ", "été", "e\u{301}te\u{301}", "a,b", "\"", "海"]

    private static let zones = ["Asia/Kolkata", "America/Denver", "Pacific/Auckland"]

    private static func text(_ random: inout SeededRandom, _ most: Int) -> String {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
            .joined(separator: " ")
    }

    private static func mood(_ number: Int, _ random: inout SeededRandom) -> Mood {
        func chance() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
        let count = Int.random(in: 0...2, using: &random)
        // Some are longer than what the index keeps of notes.
        let notes = text(&random, 4)
        let isLong = chance() && chance()
        let time = moment(&random)
        let (emoji, label) = (emojis.randomElement(using: &random) ?? "", "x" + text(&random, 1))
        let own = Array(Set(tags.shuffled(using: &random).prefix(count)))
        let texts = [label, isLong ? String(repeating: notes + " ", count: 100) : notes] + own
        return Mood(
            id: testID(number), time: time, emoji: emoji, label: label, notes: texts[1], tags: own,
            isFavorite: chance(), valence: chance() ? Double(Int.random(in: -4...4, using: &random)) / 4 : nil,
            zone: chance() ? zones.randomElement(using: &random) : nil,
            updated: 1_767_323_045_678 + .random(in: 0..<50, using: &random),
            folded: texts.map { folded($0, isExact: false) }, exactlyFolded: texts.map { folded($0, isExact: true) })
    }

    /// One of two days; the clocks go back in Denver meanwhile.
    private static func moment(_ random: inout SeededRandom) -> Int64 {
        1_699_100_000_000 + .random(in: 0..<900, using: &random) * 192_000
    }

    private static func folded(_ text: String, isExact: Bool) -> [UInt8] {
        var folded: [UInt8] = []
        Array(text.utf8).withUnsafeBytes {
            if isExact {
                CaseFolding.appendFolded(utf8: $0, to: &folded)
            } else {
                SearchFolding.appendFolded(utf8: $0, to: &folded)
            }
        }
        return folded
    }

    /// By the C library, because a loop in a debug build takes most of the test.
    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return text.withUnsafeBytes { text in
            guard var rest = text.baseAddress else { return false }
            let end = rest + text.count
            while end - rest >= part.count,
                let found = memchr(rest, Int32(first), end - rest - part.count + 1)
            {
                if memcmp(found, part, part.count) == 0 { return true }
                rest = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }

    /// A filter, and an equal condition on one mood.
    private static func filter(_ random: inout SeededRandom) throws -> (MoodFilter, (Mood) -> Bool) {
        var filter = MoodFilter(isExact: Bool.random(using: &random))
        var conditions: [(Mood) -> Bool] = []
        func chance() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
        let isExact = filter.isExact
        if chance() {
            let wanted = Bool.random(using: &random)
            filter.isFavorite = wanted
            conditions.append { $0.isFavorite == wanted }
        }
        if chance() {
            let emoji = emojis.randomElement(using: &random) ?? ""
            Array(emoji.utf8).withUnsafeBytes { filter.select(emoji: $0) }
            let bare = emoji.unicodeScalars.first
            conditions.append { $0.emoji.unicodeScalars.first == bare }
        }
        if Bool.random(using: &random) {
            let word = words.randomElement(using: &random) ?? ""
            let needle =
                [word, String(word.prefix(1)), word.uppercased(), "nowhere", "e t", "o", "a\"", "work", "\u{301}", "ι"]
                .randomElement(using: &random) ?? word
            let bytes = folded(needle, isExact: isExact)
            Array(needle.utf8).withUnsafeBytes { filter.search($0) }
            if !bytes.isEmpty {
                conditions.append { mood in
                    (isExact ? mood.exactlyFolded : mood.folded).contains { contains($0, bytes) }
                }
            }
        }
        for condition in [MoodFilter.TagCondition.all, .any, .none] where chance() {
            let wanted = (0..<Int.random(in: 1...2, using: &random)).map { _ in tags.randomElement(using: &random) ?? ""
            }
            for tag in wanted { Array(tag.utf8).withUnsafeBytes { filter.add(tag: $0, to: condition) } }
            func key(_ text: String) -> [UInt8] {
                Array(text.utf8).withUnsafeBytes { NameFolding.key(TextRule.trimmed($0)) }
            }
            let keys = wanted.map(key)
            conditions.append { mood in
                let own = mood.tags.map(key)
                return switch condition {
                case .all: keys.allSatisfy(own.contains)
                case .any: keys.contains(where: own.contains)
                case .none: !keys.contains(where: own.contains)
                }
            }
        }
        if chance() {
            let from = Double(Int.random(in: -4...2, using: &random)) / 4
            filter.valenceFrom = from
            let palette = filter.palette
            conditions.append { ($0.valence ?? palette.valence(label: $0.label, emoji: $0.emoji) ?? -9) >= from }
        }
        if chance() {
            let from = Timestamp(milliseconds: moment(&random))
            filter.from = from
            conditions.append { $0.time >= from?.milliseconds ?? 0 }
        }
        if chance() {
            let to = Timestamp(milliseconds: moment(&random))
            filter.to = to
            conditions.append { $0.time < to?.milliseconds ?? 0 }
        }
        if chance() {
            let first = Int(moment(&random) / 86_400_000) + .random(in: -1...1, using: &random)
            let days = first...first + .random(in: 0...1, using: &random)
            let start = [0, 240].randomElement(using: &random) ?? 0
            filter.days = (days, try ZoneClocks(usual: "UTC", dayStartsAt: start))
            conditions.append { days.contains($0.day(startingAt: start)) }
        }
        return (filter, { mood in conditions.allSatisfy { $0(mood) } })
    }

    private static func commit(_ moods: TestMoods, _ all: some Sequence<Mood>) throws {
        for mood in all {
            moods.setTime(mood.updated)
            _ = try moods.create(mood.json, id: mood.id)
        }
        try moods.endCommit()
        try moods.flush()
    }

    @Test(arguments: SeededRandom.seeds, Place.allCases)
    func areThoseOfAPlainLoop(seed: UInt64, place: Place) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        let moods = TestMoods(place == .memory ? .memory(isReadOnly: false) : directory.location())
        // On disk more than one block of the index.
        let count = place == .disk ? 4_300 : 600
        var all: [MoodID: Mood] = [:]
        for number in 1...count { all[testID(number)] = Self.mood(number, &random) }
        let order = all.values.sorted { $0.id < $1.id }
        let first = place == .half ? count / 2 : count
        try Self.commit(moods, order.prefix(first))
        if place != .memory {
            try moods.with { try compact(&$0) }
            try moods.reopen()
        }
        try Self.commit(moods, order.dropFirst(first))
        if place == .half {
            // Some moods of the snapshot are hidden.
            for number in stride(from: 1, to: first, by: 7) {
                try moods.delete(testID(number))
                all[testID(number)] = nil
            }
            try moods.endCommit()
            try moods.flush()
        }
        for round in 0..<60 {
            let (filter, isMeant) = try Self.filter(&random)
            var query = MoodQuery()
            query.filter = filter
            query.sort = [.timestamp, .label, .updatedAt].randomElement(using: &random) ?? .timestamp
            query.isDescending = .random(using: &random)
            query.wantsTotal = .random(using: &random)
            var meant = all.values.filter(isMeant).sorted { $0.precedes($1, query) }
            var (shown, last): (Int, Mood?) = (0, nil)
            var cursor: String?
            repeat {
                query.limit = .random(in: 1...max(meant.count / 2, 3), using: &random)
                let page = try moods.list(query, cursor: cursor)
                let rest = meant.filter { mood in last.map { $0.precedes(mood, query) } ?? true }
                let what: Comment = "seed \(seed), round \(round), \(place), \(query.sort)"
                #expect(page.items == rest.prefix(page.items.count).map(\.id.text), what)
                #expect(page.items.count <= query.limit && page.items.isEmpty == rest.isEmpty, what)
                #expect((page.nextCursor == nil) == (page.items.count == rest.count), what)
                if query.wantsTotal { #expect(page["total"]?.integer == meant.count, what) }
                cursor = page.nextCursor
                shown += page.items.count
                if !page.items.isEmpty { last = rest[page.items.count - 1] }
                // Only the last rounds change what the first ones read from the snapshot alone.
                guard round >= 45 else { continue }
                let changed = (0..<5).map { _ in Self.mood(.random(in: 1...count + 20, using: &random), &random) }
                for mood in changed {
                    if all.removeValue(forKey: mood.id) != nil { try moods.delete(mood.id) }
                    if Bool.random(using: &random) {
                        all[mood.id] = mood
                        try Self.commit(moods, [mood])
                    }
                }
                try moods.endCommit()
                try moods.flush()
                let ids = Set(changed.map(\.id))
                meant.removeAll { ids.contains($0.id) }
                meant += ids.compactMap { all[$0] }.filter(isMeant)
                meant.sort { $0.precedes($1, query) }
            } while cursor != nil && shown < 200
        }
    }

    /// The index has notes without their accents.
    @Test func anExactTextHasItsAccents() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        for (number, notes) in ["a cafe", "a café"].enumerated() {
            _ = try moods.create(["emoji": "😊", "label": "a", "notes": .string(notes)], id: testID(number))
        }
        try moods.endCommit()
        try moods.flush()
        try moods.with { try compact(&$0) }
        try moods.reopen()
        for (number, text) in ["cafe", "café"].enumerated() {
            var query = MoodQuery()
            query.filter = MoodFilter(isExact: true)
            Array(text.utf8).withUnsafeBytes { query.filter.search($0) }
            #expect(try moods.list(query).items == [testID(number).text])
        }
    }
}

/// Long work is known before it begins.
@Suite struct LongWorkTests {
    @Test func aRedoIsLongWhereTheCommitWas() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        let notes = JSONValue.string(String(repeating: "n", count: 5 << 20))
        _ = try moods.create(["emoji": "😊", "label": "a", "notes": notes], id: testID(1))
        try moods.endCommit()
        try moods.flush()
        try moods.delete(testID(1))
        try moods.endCommit()
        try moods.flush()
        try moods.with { try compact(&$0) }
        try moods.reopen()
        #expect(moods.info.moods == 0)
        #expect(try moods.with { $0.isUndoLong(ofStore: true) })
        #expect(try moods.with { $0.isPastLong() })
    }
}
