import JSONCodec
import MoodCore
import Platform
import RandomMoods
import Seeds
import Storage
import Synchronization
import Testing

@testable import MoodStore

/// The whole store against `MoodModel`, with random requests in groups, some of which are lost.
@Suite struct MoodStoreModelTests {
    private static let labels = [
        "Happy", "happy", " HAPPY ", "Calm", "Éclair", "éclair", "ΣΑΣ", "σας", "Straße", "STRAẞE", "a", "ab", "abc",
        "abcd",
        "日本", "😊", "line\u{2028}", "\"q\" \\",
    ]
    private static let tags = ["work", "Sun", "é", " trimmed "]

    private static func text(_ random: inout SeededRandom) -> JSONValue {
        .string(labels.randomElement(using: &random) ?? "a")
    }

    private static func members(_ random: inout SeededRandom, isSet: Bool) -> JSONValue {
        func chance() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
        var members: [JSONValue.Member] = []
        if !isSet || chance() { members.append(.init("emoji", Bool.random(using: &random) ? "😊" : "😢")) }
        if !isSet || chance() { members.append(.init("label", text(&random))) }
        if chance() { members.append(.init("notes", text(&random))) }
        if chance() { members.append(.init("isFavorite", .boolean(.random(using: &random)))) }
        if chance() {
            let count = Int.random(in: 0...tags.count, using: &random)
            members.append(.init("tags", .array(tags.shuffled(using: &random).prefix(count).map { .string($0) })))
        }
        if chance() { members.append(.init("timestamp", .string(time(&random).text))) }
        if chance() { members.append(.init("valence", .double(.random(in: -1...1, using: &random)))) }
        if isSet, chance() { members.append(.init("valence", .null)) }
        if chance() { members.append(.init("scales", isSet && chance() ? .null : scales(&random))) }
        if chance() { members.append(.init("timeZone", isSet && chance() ? .null : "Europe/Helsinki")) }
        if chance() { members.append(.init("attachments", [["kind": "link", "url": "https://a"]])) }
        for field in MoodField.ready where chance() {
            members.append(
                .init("\(field.name)", isSet && chance() ? .null : RandomMood.value(of: field, &random)))
        }
        // Each name once.
        var seen: Set<String> = []
        return .object(members.filter { seen.insert($0.name).inserted })
    }

    private static func scales(_ random: inout SeededRandom) -> JSONValue {
        let names = ["sleep", "energy", "pain"].prefix(.random(in: 1...3, using: &random))
        return .object(names.map { .init($0, .double(Double(Int.random(in: -4...4, using: &random)) / 2)) })
    }

    private static func time(_ random: inout SeededRandom) -> Timestamp {
        Timestamp(milliseconds: 1_767_323_000_000 + .random(in: 0..<40, using: &random) * 1000) ?? .minimum
    }

    private static func id(_ random: inout SeededRandom) -> MoodID { testID(.random(in: 0..<40, using: &random)) }

    /// Runs one request on both, and compares the store's answer.
    private static func request(
        _ moods: TestMoods, _ model: inout MoodModel, _ random: inout SeededRandom
    ) throws {
        let now = moods.now.text
        let id = id(&random)
        let isThere = model.moods[id.text] != nil
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<9 where !isThere:
            let given = members(&random, isSet: false)
            model.create(given, id: id, at: now)
            let answer = try moods.create(given, id: id)
            #expect(answer.isEqual(to: model.moods[id.text] ?? .null), "\(answer.text)")
        case 0..<13 where isThere:
            let set = members(&random, isSet: true)
            _ = model.update([id], set, at: now)
            #expect(try moods.update(id, set).isEqual(to: model.moods[id.text] ?? .null))
        case 13..<17 where isThere:
            let isFavorite = model.moods[id.text]?["isFavorite"]?.boolean ?? false
            let wanted: Bool? = Bool.random(using: &random) ? nil : Bool.random(using: &random)
            _ = model.update([id], ["isFavorite": .boolean(wanted ?? !isFavorite)], at: now)
            #expect(try moods.setFavorite(id, wanted).isEqual(to: model.moods[id.text] ?? .null))
        case 17..<19:
            let ids = (0..<3).map { _ in Self.id(&random) }
            let set = members(&random, isSet: true)
            if ids.allSatisfy({ model.moods[$0.text] != nil }) {
                _ = model.update(ids, set, at: now)
                #expect(try moods.updateMany(ids, set) == Set(ids).count)
            } else {
                #expect(throws: MoodStoreError.self) { try moods.updateMany(ids, set) }
            }
        case 19..<21 where isThere:
            try moods.delete(id)
            model.delete([id])
        case 21:
            let ids = [id, Self.id(&random), id]
            if ids.allSatisfy({ model.moods[$0.text] != nil }) {
                #expect(try moods.deleteMany(ids) == Set(ids).count)
                model.delete(ids)
            } else {
                #expect(throws: MoodStoreError.self) { try moods.deleteMany(ids) }
            }
        case 22 where Int.random(in: 0..<6, using: &random) == 0:
            #expect(try moods.clear() == model.moods.count)
            model.clear()
        case 23 where !(100..<105).contains(where: { model.moods[testID($0).text] != nil }):
            let ids = (100..<105).map(testID)
            #expect(try moods.insertSamples(ids) == 5)
            let before = model.revision
            for (sample, id) in zip(Samples.all, ids) {
                model.revision = before
                model.create(
                    [
                        "emoji": .string("\(sample.emoji)"), "label": .string("\(sample.label)"),
                        "isFavorite": .boolean(sample.isFavorite),
                        "timestamp": .string(moods.now.advanced(bySeconds: -sample.ageSeconds).text),
                    ], id: id, at: now)
            }
        default:
            #expect(throws: MoodStoreError.self) { try moods.get(testID(999)) }
        }
    }

    @Test(arguments: SeededRandom.seeds, [true, false])
    func isItsModelThroughGroupsAndFailures(seed: UInt64, isInMemory: Bool) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        let failures = Atomic(0)
        var fileSystem = FileSystem.system
        fileSystem.syncData = { descriptor throws(SystemError) in
            if failures.load(ordering: .relaxed) > 0 {
                failures.subtract(1, ordering: .relaxed)
                throw SystemError(call: "fdatasync", code: 5)
            }
            try FileSystem.system.syncData(descriptor)
        }
        let moods = TestMoods(isInMemory ? .memory(isReadOnly: false) : directory.location(fileSystem))
        var model = MoodModel()
        for step in 0..<100 {
            let durable = model
            moods.setTime(1_767_323_000_000 + Int64(step / 2) * 1000)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let before = model
                try Self.request(moods, &model, &random)
                if Int.random(in: 0..<6, using: &random) == 0 {
                    moods.abandonCommit()
                    model = before
                } else {
                    try moods.endCommit()
                }
                #expect(moods.info.revision == model.revision, "seed \(seed), step \(step)")
            }
            if !isInMemory, Int.random(in: 0..<8, using: &random) == 0, model.revision != durable.revision {
                failures.store(1, ordering: .relaxed)
                #expect(throws: StorageError.self) { try moods.flush() }
                model = durable
            } else {
                try moods.flush()
            }
            if !isInMemory, Int.random(in: 0..<10, using: &random) == 0 { try moods.reopen() }
            try Self.compare(moods, model, "seed \(seed), step \(step)")
        }
    }

    private static func compare(_ moods: TestMoods, _ model: MoodModel, _ place: String) throws {
        for (id, mood) in model.moods {
            let shown = try moods.get(try #require(MoodID(id)))
            try #require(shown.isEqual(to: mood), "\(place): \(shown.text) is not \(mood.text)")
        }
        let info = moods.info
        #expect(info.revision == model.revision && info.moods == model.moods.count, "\(place)")
        #expect(info.favorites == model.moods.values.count { $0["isFavorite"]?.boolean == true }, "\(place)")
    }

    // MARK: Lists

    private struct Filter {
        var filter = MoodFilter()
        var matches: (JSONValue) -> Bool = { _ in true }

        mutating func also(_ condition: @escaping (JSONValue) -> Bool) {
            let before = matches
            matches = { before($0) && condition($0) }
        }
    }

    private static func filter(_ random: inout SeededRandom) -> Filter {
        var result = Filter(filter: MoodFilter(isExact: true))
        func chance() -> Bool { Int.random(in: 0..<5, using: &random) == 0 }
        if chance() {
            let isFavorite = Bool.random(using: &random)
            result.filter.isFavorite = isFavorite
            result.also { $0["isFavorite"]?.boolean == isFavorite }
        }
        if chance() {
            Array("😊".utf8).withUnsafeBytes { result.filter.select(emoji: $0) }
            result.also { $0["emoji"]?.string == "😊" }
        }
        if chance() {
            Array("hAPPY".utf8).withUnsafeBytes { result.filter.select(label: $0) }
            result.also { $0["label"]?.string == (result.filter.isExact ? "hAPPY" : "Happy") }
        }
        if chance() {
            let text =
                ["ÉCL", "happ", "σα", "strasse", "straß", "work", "b", "nowhere"].randomElement(using: &random) ?? "b"
            Array(text.utf8).withUnsafeBytes { result.filter.search($0) }
            let needle = MoodModel.folded(text)
            result.also { mood in
                let texts = [mood["label"], mood["notes"]].compactMap { $0?.string }
                return (texts + (mood["tags"]?.array?.compactMap(\.string) ?? [])).contains { text in
                    let hay = MoodModel.folded(text)
                    guard hay.count >= needle.count else { return false }
                    return (0...hay.count - needle.count).contains { hay[$0...].starts(with: needle) }
                }
            }
        }
        if chance() {
            let wanted = ["work", "é"].prefix(Int.random(in: 1...2, using: &random))
            for tag in wanted { Array(tag.utf8).withUnsafeBytes { result.filter.add(tag: $0, to: .all) } }
            result.also { mood in
                let tags = (mood["tags"]?.array?.compactMap(\.string) ?? []).map(MoodModel.folded)
                return wanted.map(MoodModel.folded).allSatisfy(tags.contains)
            }
        }
        if chance() {
            let from = time(&random)
            result.filter.from = from
            result.also { $0["timestamp"]?.string ?? "" >= from.text }
        }
        if chance() {
            let to = time(&random)
            result.filter.to = to
            result.also { $0["timestamp"]?.string ?? "" < to.text }
        }
        return result
    }

    /// Every page has the next moods after the end of the page before, whatever changed. On disk, compactions run
    /// between pages too.
    @Test(arguments: SeededRandom.seeds, [true, false])
    func pagesAreThoseOfTheModelWhateverChangesBetweenThem(seed: UInt64, isInMemory: Bool) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        let moods = TestMoods(isInMemory ? .memory(isReadOnly: false) : directory.location(.system))
        func mayCompact() throws {
            guard !isInMemory, Int.random(in: 0..<4, using: &random) == 0 else { return }
            try moods.flush()
            try moods.with { try compact(&$0) }
            try moods.reopen()
        }
        var model = MoodModel()
        for _ in 0..<60 {
            try Self.request(moods, &model, &random)
            try moods.endCommit()
        }
        for round in 0..<(isInMemory ? 100 : 30) {
            var query = MoodQuery()
            query.sort = [.timestamp, .label, .updatedAt].randomElement(using: &random) ?? .timestamp
            query.isDescending = .random(using: &random)
            query.wantsTotal = .random(using: &random)
            let filter = Self.filter(&random)
            query.filter = filter.filter
            try mayCompact()
            var cursor: String?
            var place: MoodModel.Place?
            repeat {
                query.limit = .random(in: 1...12, using: &random)
                let expected = model.list(query, filter.matches, after: place)
                let page = try moods.list(query, cursor: cursor)
                let name = "seed \(seed), round \(round), \(query.sort), descending \(query.isDescending)"
                let rows = expected.prefix(query.limit)
                try #require(
                    page.items == rows.compactMap { $0["id"]?.string },
                    "\(name), expected \(rows.map { $0.text })")
                #expect((page.nextCursor != nil) == (expected.count > query.limit), "\(name)")
                if query.wantsTotal {
                    #expect(page["total"]?.integer == model.list(query, filter.matches, after: nil).count, "\(name)")
                }
                cursor = page.nextCursor
                if let last = expected.prefix(query.limit).last { place = MoodModel.Place(last, query.sort) }
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    moods.setTime(1_767_323_000_000 + .random(in: 0..<40, using: &random) * 1000)
                    try Self.request(moods, &model, &random)
                    try moods.endCommit()
                }
                try mayCompact()
            } while cursor != nil
        }
    }
}
