import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Seeds
import Storage
import Synchronization
import Testing

@testable import MoodSync

@Suite struct SyncTests {
    private func id(_ number: Int) -> MoodID { MoodID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    /// A folder, and a bare repository.
    enum Carrier: String, CaseIterable {
        case folder, git

        func url() throws -> String {
            let folder = try SyncedStore.folder()
            guard self == .git else { return "folder:" + folder }
            var child = try ChildProcess.start(
                path: "/usr/bin/env", arguments: ["git", "init", "-q", "--bare", folder], output: .inherited)
            child.closeInput()
            #expect(child.wait() == .exited(0))
            return "git+file://" + folder
        }
    }

    @Test(arguments: Carrier.allCases)
    func twoStoresComeToShowTheSame(carrier: Carrier) throws {
        let url = try carrier.url()
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.create(id(1), "Before", tags: ["work", "sea"])
        try phone.setUp(url, isNew: true)
        #expect(try phone.now().pushed == 1)
        try laptop.create(id(2), "Mine")
        try laptop.setUp(url)
        try laptop.now()
        #expect(try laptop.moods().count == 2)
        try phone.now()
        #expect(try phone.moods() == laptop.moods())
        #expect(try phone.member(id(1), "tags") == #"["sea","work"]"#)

        // Changes of different members on both sides are both kept.
        try phone.update(id(1), #"{"label":"After"}"#)
        try laptop.update(id(1), #"{"notes":"by the sea","tags":["sea"]}"#)
        for store in [phone, laptop, phone] { try store.now() }
        #expect(try phone.moods() == laptop.moods())
        #expect(try phone.member(id(1), "label") == #""After""#)
        #expect(try phone.member(id(1), "notes") == #""by the sea""#)
        #expect(try phone.member(id(1), "tags") == #"["sea"]"#)
        #expect(try phone.sync.conflicts().isEmpty)

        // Nothing is echoed.
        let counts = try phone.now()
        #expect(counts == SyncCounts())
        try phone.delete(id(2))
        for store in [phone, laptop] { try store.now() }
        #expect(try laptop.moods().keys.sorted() == [id(1)])
        let name = try #require(ProcessFacts.hostName)
        for store in [phone, laptop] {
            let status = try SyncStatus.read(store.path, in: .system) { _ in 0 }
            #expect(status.replicas.map(\.name) == [name, name])
        }
    }

    @Test func aConflictIsKeptUntilItIsSettled() throws {
        let url = try Carrier.folder.url()
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.create(id(1), "Tea")
        try phone.setUp(url, isNew: true)
        try phone.now()
        try laptop.setUp(url)
        try laptop.now()
        try phone.update(id(1), #"{"label":"Green tea"}"#)
        Clock.sleep(milliseconds: 5)
        try laptop.update(id(1), #"{"label":"Black tea"}"#)
        for store in [phone, laptop, phone] { try store.now() }
        let conflict = try #require(try phone.sync.conflicts().first)
        #expect(conflict.shown == Array(#""Black tea""#.utf8))
        #expect(try laptop.now().conflicts == 1)
        try phone.settle(conflict.id.text, takesOther: true)
        #expect(try phone.sync.conflicts().isEmpty)
        #expect(try phone.member(id(1), "label") == #""Green tea""#)
        for store in [phone, laptop] { try store.now() }
        #expect(try laptop.sync.conflicts().isEmpty)
        #expect(try laptop.moods() == phone.moods())
        #expect(throws: SyncError.self) { try phone.settle(conflict.id.text, takesOther: true) }
    }

    @Test func aCopiedStoreIsAnotherReplica() throws {
        let url = try Carrier.folder.url()
        let phone = try SyncedStore()
        try phone.setUp(url, isNew: true)
        try phone.create(id(1), "Sent")
        try phone.now()
        try phone.create(id(2), "Not sent")
        let copy = try phone.copied()
        try phone.create(id(3), "Here")
        try copy.create(id(4), "There")
        try copy.update(id(2), #"{"label":"Changed"}"#)
        // Before it meets a record of the other one under its id.
        let files = try [phone, copy].map { try #require(try ReplicaFile.read($0.path, in: .system)).file }
        #expect(files[0].replica != files[1].replica)
        for store in [phone, copy, phone, copy] { try store.now() }
        #expect(try phone.moods() == copy.moods())
        #expect(try phone.moods().count == 4)
        #expect(try phone.member(id(2), "label") == #""Changed""#)
        #expect(try phone.sync.conflicts().isEmpty)
    }

    /// A restore in the same place, which is not visible as one.
    @Test func aStoreThatWasPutBackGoesOnAsAnother() throws {
        let url = try Carrier.folder.url()
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.setUp(url, isNew: true)
        try phone.create(id(1), "First")
        try phone.now()
        let saved = try FileManager.default.subpathsOfDirectory(atPath: phone.path).map { name in
            (name, FileManager.default.contents(atPath: phone.path + "/" + name))
        }
        try phone.create(id(2), "Second")
        try phone.now()
        try laptop.setUp(url)
        try laptop.now()
        let names = try FileManager.default.subpathsOfDirectory(atPath: phone.path)
        for name in names where !saved.contains(where: { $0.0 == name }) {
            try FileManager.default.removeItem(atPath: phone.path + "/" + name)
        }
        for (name, bytes) in saved {
            guard let bytes, let file = FileHandle(forWritingAtPath: phone.path + "/" + name) else { continue }
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: bytes)
        }
        try phone.create(id(3), "Third")
        for store in [phone, laptop, phone, laptop] { try store.now() }
        #expect(try phone.moods() == laptop.moods())
        #expect(try phone.moods().count == 3)
    }

    @Test func aFolderThatIsNotThereIsAState() throws {
        let url = try Carrier.folder.url()
        let phone = try SyncedStore()
        try phone.setUp(url, isNew: true)
        try phone.now()
        try FileManager.default.removeItem(atPath: String(url.dropFirst("folder:".count)))
        try phone.create(id(1), "Kept")
        #expect(try phone.now() == SyncCounts())
        let status = try SyncStatus.read(phone.path, in: .system) { _ in 0 }
        #expect(status.state == "offline")
        #expect(status.pending == 1)
    }

    /// The loop of a host begins a compaction while a round holds the lock. The loop would not handle a wait for the
    /// lock, and once it got the lock, the round would wait forever.
    @Test func aCompactionThatIsDueKeepsNobodyFromTheLock() throws {
        let store = try SyncedStore()
        let long = String(repeating: "x", count: 1_000_000)
        for number in 1...34 {
            try store.create(id(number), "Long")
            try store.update(id(number), #"{"notes":"\#(long)"}"#)
        }
        var host = MoodRecords(.directory(store.settings))
        host.lockWait.mode = .beside
        try host.open()
        // Its files have been replaced by now.
        let journal = store.path + "/journal-1.jsonl"
        try FileManager.default.copyItem(atPath: journal, toPath: journal + ".copy")
        try FileSystem.system.rename(journal + ".copy", journal)
        var round = MoodRecords(.directory(store.settings))
        try round.openForWriting()
        host.compactWhenDue()
        #expect(host.lockWait.descriptor < 0)
        round.endGroup()
        Clock.sleep(milliseconds: 50)
        try round.openForWriting()
        round.endGroup()
    }

    @Test(arguments: [
        "", "folder:relative", "git+ext::sh -c x", "git+ssh://-oProxyCommand=x/y", "ext::sh", "git+file://x/y",
        "http://x",
        "nats://x", "folder:/a\nb",
    ])
    func refusesUrlsThatAreNone(url: String) {
        #expect {
            try SyncURL(url)
        } throws: {
            ($0 as? SyncError)?.reason.hasPrefix("The url ") == true
        }
    }

    /// Two devices that each begin a journal never meet.
    @Test func aJournalBesideAnotherIsSaid() throws {
        let url = "folder:" + (try SyncedStore.folder())
        let said = Mutex<[String]>([])
        for _ in 1...2 {
            var settings = try SyncedStore().settings
            settings.log = { line in said.withLock { $0.append(line) } }
            var setup = StoreSync.Setup(url: url)
            setup.isNew = true
            let sync = StoreSync(settings, peer: .none, patienceMilliseconds: 5000, isCancelled: { false })
            try sync.setUp(setup)
            _ = try sync.now { _, _ in }
        }
        #expect(said.withLock { $0.map { $0.hasPrefix("\(url) had a journal already: ") } } == [true])
    }

    @Test func aPasswordIsNotShown() {
        #expect(SyncURL.shown("git+https://me:secret@host/x") == "git+https://me:***@host/x")
        #expect(SyncURL.shown("git+https://me@host/x") == "git+https://me@host/x")
        #expect(SyncURL.shown("folder:/a:b@c") == "folder:/a:b@c")
    }

    /// Stores with changes, copies, rounds and damage to copied files, in any order; then all of them sync.
    @Test(arguments: [1] + SeededRandom.further)
    func nothingIsLostAmongManyStores(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let url = try Carrier.folder.url()
        var stores = [try SyncedStore()]
        try stores[0].setUp(url, isNew: true)
        try stores[0].now()
        var made: Set<MoodID> = []
        var deleted: Set<MoodID> = []
        for step in 0..<80 {
            let store = random.pick(stores)
            let ids = try store.moods().keys.sorted()
            switch random.below(10) {
            case 0...2:
                try store.create(id(step), "Mood \(step)", tags: random.isOne(in: 2) ? ["b", "a"] : [])
                made.insert(id(step))
            case 3, 4:
                if let id = ids.randomElement(using: &random) {
                    try store.update(id, #"{"notes":"note \#(step)"}"#)
                    // An edit that did not know of a deletion brings the mood back.
                    deleted.remove(id)
                }
            case 5:
                if let id = ids.randomElement(using: &random) {
                    try store.delete(id)
                    deleted.insert(id)
                }
            case 6:
                if stores.count < 4 {
                    let another = random.isOne(in: 2) ? try store.copied() : try SyncedStore()
                    if another.path != store.path, try ReplicaFile.read(another.path, in: .system) == nil {
                        try another.setUp(url)
                    }
                    stores.append(another)
                }
            default: try store.now()
            }
        }
        for _ in 0..<3 { for store in stores { try store.now() } }
        let moods = try stores.map { try $0.moods() }
        for other in moods { #expect(other == moods[0], "seed \(seed)") }
        #expect(made.subtracting(deleted).isSubset(of: moods[0].keys), "seed \(seed)")
    }
}
