import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Replication
import Testing

@testable import MoodSync

@Suite struct PluginTransportTests {
    private func id(_ number: Int) -> MoodID { MoodID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    private func stores(_ post: Post, filter: JSONValue? = nil) throws -> [SyncedStore] {
        var stores: [SyncedStore] = []
        for isNew in [true, false] {
            var store = try SyncedStore()
            store.peer = post.peer()
            var setup = StoreSync.Setup(url: "post://me:secret@there")
            (setup.isNew, setup.filter) = (isNew, filter)
            try store.sync.setUp(setup)
            try store.now()
            stores.append(store)
        }
        return stores
    }

    @Test func twoStoresComeToShowTheSame() throws {
        let post = Post()
        post.state.withLock { $0.takesOne = 2 }
        let stores = try stores(post)
        for number in 1...9 { try stores[number % 2].create(id(number), "Mood \(number)") }
        for store in [stores[0], stores[1], stores[0]] { try store.now() }
        #expect(try stores[0].moods().count == 9)
        #expect(try stores[0].moods() == stores[1].moods())
        #expect(try stores[1].now() == SyncCounts())
    }

    @Test func whatIsLongGoesInParts() throws {
        let post = Post()
        let stores = try stores(post)
        let text = String(repeating: "\\\"é", count: 300_000)
        try stores[0].create(id(1), "Long")
        try stores[0].update(id(1), JSONValue.object([.init("notes", .string(text))]).text)
        try stores[0].create(id(2), "Short")
        for store in stores { try store.now() }
        let (longest, parts) = post.state.withLock { state in
            (state.longest, state.elements.values.flatMap { $0 }.map(\.parts).max() ?? 0)
        }
        #expect(longest <= 2 << 20)
        #expect(parts > 2)
        #expect(try stores[1].moods() == stores[0].moods())
        #expect(try stores[1].member(id(2), "label") == #""Short""#)
    }

    @Test func anEngineThatBringsNothingNewIsNotAskedForEver() throws {
        let post = Post()
        let stores = try stores(post)
        try stores[0].create(id(1), "Long")
        let text = String(repeating: "é", count: 1_500_000)
        try stores[0].update(id(1), JSONValue.object([.init("notes", .string(text))]).text)
        try stores[0].now()
        post.state.withLock { ($0.isStuck, $0.asked) = (true, []) }
        _ = try? stores[1].now()
        #expect(post.state.withLock { $0.asked.filter { $0 == "transport.pull" }.count } < 10)
        // Once it brings the rest, the sync takes that.
        post.state.withLock { $0.isStuck = false }
        try stores[1].now()
        #expect(try stores[1].moods() == stores[0].moods())
    }

    @Test func aNewStoreBeginsWithASnapshot() throws {
        let post = Post()
        let stores = try stores(post)
        try stores[0].change { moods in
            var writer = JSONWriter()
            for number in 1...10_001 {
                let text = ByteBuffer(copying: Array(#"{"emoji":"😊","label":"Mood \#(number)"}"#.utf8))
                var mood = MoodMembers(change: ValidJSON(trusting: text.bytes))
                mood.id = id(number)
                try moods.create(&mood, id: id(number), at: moods.now, to: &writer)
                writer.rewind(to: 0)
            }
        }
        try stores[0].now()
        let snapshots = post.state.withLock { $0.snapshots.map { ($0.key, $0.value.parts.count) } }
        #expect(snapshots.count == 1)
        #expect(try #require(snapshots.first).1 > 2)
        // Its records are gone, except the last one.
        #expect(post.state.withLock { $0.elements.values.map(\.count).max() } == 1)
        try stores[1].now()
        #expect(try stores[1].moods() == stores[0].moods())
        try stores[0].create(id(20_000), "After")
        for store in stores { try store.now() }
        #expect(try stores[1].moods().count == 10_002)
    }

    @Test func whoCannotBeReachedIsAState() throws {
        let post = Post()
        let stores = try stores(post)
        try stores[0].create(id(1), "Kept")
        post.state.withLock { $0.isAway = true }
        #expect(try stores[0].now() == SyncCounts())
        let status = try SyncStatus.read(stores[0].path, in: .system) { _ in 0 }
        #expect(status.state == "offline")
        #expect(status.lastError == "post: away at post://me:***@there")
        #expect(status.url == "post://me:***@there")
        post.state.withLock { $0.isAway = false }
        #expect(try stores[0].now().pushed == 1)
    }

    @Test func keepsNoConfigThatCannotBeOpened() throws {
        let post = Post()
        let store = try stores(post)[0]
        let status = { try String(contentsOfFile: store.path + "/sync/replica.json", encoding: .utf8) }
        var setup = StoreSync.Setup(url: "post://me:secret@there")
        setup.config = ["stream": "Another"]
        post.state.withLock { $0.isAway = true }
        #expect(throws: SyncError.self) { try store.sync.setUp(setup) }
        #expect(try !status().contains("Another"))
        post.state.withLock { $0.isAway = false }
        try store.sync.setUp(setup)
        #expect(try status().contains("Another"))
    }

    @Test func whatIsThereIsSealedByAFilter() throws {
        let post = Post()
        let filter: JSONValue = ["push": ["tr", "a-zA-Z", "n-za-mN-ZA-M"], "pull": ["tr", "n-za-mN-ZA-M", "a-zA-Z"]]
        // The journal is not visible there.
        var setup = StoreSync.Setup(url: "post://there")
        (setup.isNew, setup.filter) = (true, filter)
        var phone = try SyncedStore()
        phone.peer = post.peer()
        try phone.sync.setUp(setup)
        try phone.create(id(1), "Nobody reads this")
        try phone.now()
        let all = post.state.withLock { $0.elements.values.flatMap { $0 }.map(\.text).joined() }
        #expect(!all.contains("Nobody") && all.contains("sealed"))

        let folder = "folder:" + (try SyncedStore.folder())
        let (laptop, desk) = (try SyncedStore(), try SyncedStore())
        for (store, isNew) in [(laptop, true), (desk, false)] {
            var setup = StoreSync.Setup(url: folder)
            (setup.isNew, setup.filter) = (isNew, filter)
            try store.sync.setUp(setup)
            try store.create(id(isNew ? 2 : 3), "Sealed")
            try store.now()
        }
        try laptop.now()
        #expect(try laptop.moods() == desk.moods())

        // A copy runs no program that its own user has not named.
        let copy = try desk.copied()
        #expect(throws: SyncError.self) { try copy.now() }
        var again = StoreSync.Setup(url: folder)
        again.filter = filter
        try copy.sync.setUp(again)
        #expect(try copy.now().conflicts == 0)
        // A failing filter sends nothing.
        again.filter = ["push": ["false"], "pull": ["false"]]
        try copy.sync.setUp(again)
        try copy.create(id(4), "Not sent")
        #expect(throws: SyncError.self) { try copy.now() }
    }

    @Test(arguments: [
        #"{"push":["cat"]}"#, #"{"push":[],"pull":["cat"]}"#, #"{"push":["-x"],"pull":["cat"]}"#,
        #"{"push":["A=1"],"pull":["cat"]}"#, #"{"push":"cat","pull":["cat"]}"#, "[]",
    ])
    func refusesFiltersThatAreNone(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(throws: SyncError.self) { try SyncFilter(value) }
    }

    @Test func takesTheSchemesThatPluginsBring() throws {
        #expect(try SyncURL("nats://x", schemes: ["nats"]).kind == .plugin(scheme: "nats"))
        for url in ["nats:x", "tls://x", "nats", "ext::sh"] {
            #expect(throws: SyncError.self) { try SyncURL(url, schemes: ["nats"]) }
        }
        #expect(SyncURL.shown("nats://token@host") == "nats://***@host")
        #expect(SyncURL.shown("nats://a:b@host,c?d=e@f") == "nats://a:***@host,c?d=e@f")
    }
}
