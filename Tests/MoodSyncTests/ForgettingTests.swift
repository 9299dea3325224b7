import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Seeds
import Testing

@testable import MoodSync

/// A replica that will not come back: its files go once a snapshot covers them, and nothing is lost.
@Suite struct ForgettingTests {
    private func id(_ number: Int) -> MoodID { MoodID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    enum Carrier: String, CaseIterable {
        case folder, git, plugin
    }

    private struct Trial {
        let url: String
        let post = Post()
        let folder: String

        init(_ carrier: Carrier) throws {
            folder = try SyncedStore.folder()
            switch carrier {
            case .folder: url = "folder:" + folder
            case .plugin: url = "post://there"
            case .git:
                var child = try ChildProcess.start(
                    path: "/usr/bin/env", arguments: ["git", "init", "-q", "--bare", folder], output: .inherited)
                child.closeInput()
                #expect(child.wait() == .exited(0))
                url = "git+file://" + folder
            }
        }

        func store(isNew: Bool = false) throws -> SyncedStore {
            var store = try SyncedStore()
            store.peer = post.peer()
            store.operationsBeyondSnapshots = 1000
            try store.setUp(url, isNew: isNew)
            try store.now()
            return store
        }

        /// The remains of a replica there: the number of its records, and whether it has a snapshot.
        func left(_ store: SyncedStore, of replica: MoodID) throws -> (records: Int, hasSnapshot: Bool) {
            if url.hasPrefix("post") {
                return post.state.withLock { state in
                    let isIts = state.snapshots.keys.contains { $0.hasPrefix(replica.text) }
                    return (state.elements[replica.text]?.count ?? 0, isIts)
                }
            }
            let file = try #require(try ReplicaFile.read(store.path, in: .system)).file
            let root = url.hasPrefix("git") ? store.path + "/sync/git" : folder
            let path = "\(root)/\(file.journal.text)/\(replica.text)"
            var records = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where Int(name.dropLast(6)) != nil {
                let bytes = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
                records += bytes.count { $0 == UInt8(ascii: "\n") }
            }
            return (records, FileManager.default.fileExists(atPath: path + "/snapshot.jsonl"))
        }
    }

    private func replica(_ store: SyncedStore) throws -> MoodID {
        let found = try #require(try ReplicaFile.read(store.path, in: .system))
        return found.file.replica
    }

    private func fill(_ store: SyncedStore, _ numbers: ClosedRange<Int>, notes: String = "") throws {
        try store.change { moods in
            var writer = JSONWriter()
            for number in numbers {
                let text = ByteBuffer(
                    copying: Array(#"{"emoji":"😊","label":"Mood \#(number)","notes":"\#(notes)"}"#.utf8))
                var mood = MoodMembers(change: ValidJSON(trusting: text.bytes))
                mood.id = id(number)
                try moods.create(&mood, id: id(number), at: moods.now, to: &writer)
                writer.rewind(to: 0)
            }
        }
    }

    @Test(arguments: Carrier.allCases.prefix(SeededRandom.some(1, of: Carrier.allCases.count)))
    func whatItLeftGoesOnceASnapshotHasIt(carrier: Carrier) throws {
        let trial = try Trial(carrier)
        let home = try trial.store(isNew: true)
        let lost = try trial.store()
        let gone = try replica(lost)
        // It has its own snapshot, and records in more than one file.
        try fill(lost, 1...1001)
        try lost.now()
        let long = String(repeating: "long ", count: 1000)
        for start in stride(from: 20_000, to: 20_600, by: 300) {
            try fill(lost, start...(start + 299), notes: long)
            try lost.now()
        }
        try home.now()
        #expect(try trial.left(home, of: gone).hasSnapshot)
        let before = try trial.left(home, of: gone).records
        #expect(before > 2)

        try home.sync.forget(gone)
        try home.now()
        // No other snapshot has its latest changes.
        let kept = try trial.left(home, of: gone)
        #expect(kept.records == before && kept.hasSnapshot)
        var status = try SyncStatus.read(home.path, in: .system) { _ in 0 }
        #expect(!status.replicas.contains { $0.id == gone })

        try fill(home, 30_001...31_001)
        for _ in 0..<2 { try home.now() }
        let left = try trial.left(home, of: gone)
        #expect(!left.hasSnapshot)
        #expect(left.records < before)
        let mine = try replica(home)
        #expect(try trial.left(home, of: mine).hasSnapshot)
        // A new store gets all moods, and the lost one continues.
        let new = try trial.store()
        #expect(try new.moods().count == 2602)
        #expect(try new.moods() == home.moods())
        try lost.create(id(50_000), "Found again")
        for store in [lost, home, new] { try store.now() }
        #expect(try new.member(id(50_000), "label") == #""Found again""#)
        #expect(try lost.moods() == home.moods())
        status = try SyncStatus.read(home.path, in: .system) { _ in 0 }
        #expect(status.replicas.contains { $0.id == gone })
    }

    /// The end of a round does not undo it.
    @Test func waitsForNoRound() throws {
        let trial = try Trial(.plugin)
        var home = try trial.store(isNew: true)
        let lost = try trial.store()
        let gone = try replica(lost)
        try lost.create(id(1), "Lost")
        try lost.now()
        try home.now()
        let (sync, peer) = (
            StoreSync(home.settings, patienceMilliseconds: 0, isCancelled: { false }), trial.post.peer()
        )
        home.peer = TransportPeer(schemes: ["post"]) { (scheme, method, params) throws(SyncError) in
            if method == "transport.pull" { try sync.forget(gone) }
            return try peer.ask(scheme, method, params)
        }
        try home.create(id(2), "Home")
        #expect(try home.now().pushed == 1)
        let status = try SyncStatus.read(home.path, in: .system) { _ in 0 }
        #expect(!status.replicas.contains { $0.id == gone })
    }

    @Test func forgetsNoneThatIsNotKnown() throws {
        let trial = try Trial(.folder)
        let home = try trial.store(isNew: true)
        #expect(throws: SyncError.self) { try home.sync.forget(id(1)) }
        #expect(throws: SyncError.self) { try home.sync.forget(try replica(home)) }
    }

    @Test func anotherPlaceOfTheSameJournalNeedsNoLeaving() throws {
        let (first, second) = (try SyncedStore.folder(), try SyncedStore.folder())
        let (phone, new) = (try SyncedStore(), try SyncedStore())
        try phone.setUp("folder:" + first, isNew: true)
        try phone.create(id(1), "Tea")
        try phone.now()
        try phone.setUp("folder:" + second)
        try phone.now()
        try new.setUp("folder:" + second)
        try new.now()
        #expect(try new.moods() == phone.moods())
        #expect(throws: SyncError.self) { try phone.setUp("folder:/proc/none/there") }
        #expect(try SyncStatus.read(phone.path, in: .system) { _ in 0 }.url == "folder:" + second)
    }

    /// A setup keeps the checksums of the commits that the history still has.
    @Test func aStoreThatKeptNoHistoryBeforeItsSetupIsPutBack() throws {
        let url = "folder:" + (try SyncedStore.folder())
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        for number in 1...3 { try phone.create(id(number), "Before") }
        try phone.shortenHistory()
        try phone.create(id(4), "Kept")
        try phone.setUp(url, isNew: true)
        let backup = try phone.copied()
        try phone.update(id(1), #"{"label":"Changed"}"#)
        try phone.now()
        try laptop.setUp(url)
        try phone.putBack(backup)
        try phone.create(id(5), "New")
        for store in [phone, laptop, phone, laptop] { try store.now() }
        #expect(try phone.moods() == laptop.moods() && phone.moods().count == 5)
        #expect(try phone.member(id(1), "label") == #""Changed""#)
        #expect(try phone.sync.conflicts().isEmpty)
    }
}
