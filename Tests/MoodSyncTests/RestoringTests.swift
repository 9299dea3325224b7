import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Testing

@testable import MoodSync

/// Restores and clones: moods are put back, machines are cloned with all ids, and places are emptied.
@Suite struct RestoringTests {
    private func id(_ number: Int) -> MoodID { MoodID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    private func status(_ store: SyncedStore) throws -> SyncStatus {
        try SyncStatus.read(store.path, in: .system) { _ in 0 }
    }

    private func replica(_ store: SyncedStore) throws -> MoodID {
        let found = try #require(try ReplicaFile.read(store.path, in: .system))
        return found.file.replica
    }

    /// A backup of a store in use has the moods of one time and `sync/` of another. Fewer commits follow than were
    /// lost, as many, or more.
    @Test(arguments: [1, 3], [1, 2, 3, 5])
    func moodsThatWerePutBackAloneLoseNothing(lost: Int, more: Int) throws {
        let url = "folder:" + (try SyncedStore.folder())
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.setUp(url, isNew: true)
        try phone.create(id(1), "Tea")
        try phone.now()
        try laptop.setUp(url)
        try laptop.now()
        let before = try phone.copied()
        for number in 0..<lost { try phone.create(id(10 + number), "After") }
        try phone.update(id(1), #"{"label":"Green tea"}"#)
        for store in [phone, laptop] { try store.now() }
        try phone.putBack(before)
        let old = try replica(phone)
        for number in 0..<more { try phone.create(id(20 + number), "New") }
        try phone.update(id(1), #"{"notes":"put back"}"#)
        for store in [phone, laptop, phone, laptop] { try store.now() }
        let moods = try phone.moods()
        #expect(moods.count == 1 + lost + more)
        #expect(try laptop.moods() == moods)
        #expect(try phone.member(id(1), "label") == #""Green tea""#)
        #expect(try phone.member(id(1), "notes") == #""put back""#)
        #expect(try phone.sync.conflicts().isEmpty)
        #expect(try replica(phone) != old)
        // And it continues.
        try phone.create(id(30), "Later")
        for store in [phone, laptop] { try store.now() }
        #expect(try laptop.moods()[id(30)] != nil)
        #expect(try status(phone).state == "idle" && status(phone).pending == 0)
    }

    /// The backup is older than the setup, whose record tells of no single commit.
    @Test(arguments: [0, 4], [1, 5])
    func moodsThatWerePutBackToATimeBeforeTheSetupLoseNothing(lost: Int, more: Int) throws {
        let url = "folder:" + (try SyncedStore.folder())
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        for number in 1...3 { try phone.create(id(number), "Before") }
        let before = try phone.copied()
        for number in 0..<lost { try phone.create(id(10 + number), "Lost") }
        try phone.delete(id(2))
        try phone.update(id(3), #"{"label":"Changed"}"#)
        try phone.setUp(url, isNew: true)
        try phone.now()
        try laptop.setUp(url)
        try laptop.now()
        try laptop.update(id(1), #"{"label":"Laptop's"}"#)
        for store in [laptop, phone] { try store.now() }
        for _ in 0..<2 {
            try phone.putBack(before)
            for number in 0..<more { try phone.create(id(20 + number), "New") }
            try phone.update(id(3), #"{"tags":["put back"]}"#)
            try expectEqual(2 + lost + more, [phone, laptop])
            #expect(try phone.member(id(1), "label") == #""Laptop's""#)
            #expect(try phone.member(id(3), "tags") == #"["put back"]"#)
            #expect(try phone.member(id(3), "label") == #""Changed""#)
            for number in 0..<more { try laptop.delete(id(20 + number)) }
            try expectEqual(2 + lost, [laptop, phone])
        }
    }

    /// A phone and a laptop that have both of the phone's moods.
    private func pair() throws -> (phone: SyncedStore, laptop: SyncedStore, url: String) {
        let url = "folder:" + (try SyncedStore.folder())
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.create(id(1), "First")
        try phone.setUp(url, isNew: true)
        try phone.now()
        try laptop.setUp(url)
        try phone.create(id(2), "Second")
        for store in [phone, laptop] { try store.now() }
        #expect(try laptop.moods().count == 2)
        return (phone, laptop, url)
    }

    private func expectEqual(_ count: Int, _ stores: [SyncedStore]) throws {
        for _ in 0..<3 { for store in stores { try store.now() } }
        for store in stores {
            #expect(try store.moods() == stores[0].moods())
            #expect(try store.moods().count == count)
            #expect(try store.sync.conflicts().isEmpty)
        }
    }

    /// The record of the second setup and the last commit's own record have one commit, and tell of different moods.
    @Test(arguments: [false, true]) func aStoreThatIsSetUpAgainLosesNothing(leaves: Bool) throws {
        let (phone, laptop, url) = try pair()
        if leaves { try phone.sync.leave() } else { try FileManager.default.removeItem(atPath: phone.path + "/sync") }
        try phone.setUp(url)
        try expectEqual(2, [laptop, phone])
        try phone.delete(id(1))
        try expectEqual(1, [phone, laptop])
        try laptop.delete(id(2))
        try expectEqual(0, [phone, laptop])
    }

    /// A kill came after the setup's file, before its records.
    @Test(arguments: [0, 1]) func aSetupThatWasCutOffIsBegunAgain(more: Int) throws {
        let (phone, laptop, url) = try pair()
        let tablet = try SyncedStore()
        try tablet.create(id(3), "Third")
        let identity = try #require(try tablet.change { $0.identity?.id })
        let journal = try #require(try ReplicaFile.read(phone.path, in: .system)).file.journal
        var file = ReplicaFile(
            journal: journal, replica: UUID(high: 0x4000, low: 0x8000_0000_0000_0001), storeID: identity, from: 1,
            url: url)
        try file.write(tablet.path, in: .system)
        for number in 0..<more { try tablet.create(id(4 + number), "After") }
        try expectEqual(3 + more, [tablet, phone, laptop])
        try tablet.delete(id(1))
        try laptop.delete(id(3))
        try expectEqual(1 + more, [tablet, phone, laptop])
    }

    /// The history has a gap, and the store becomes another replica.
    @Test(arguments: [false, true]) func aStoreWithoutItsHistoryKnowsItsOwnRecords(isCopied: Bool) throws {
        let (phone, laptop, _) = try pair()
        try phone.shortenHistory()
        let same = isCopied ? try phone.copied() : phone
        try same.delete(id(1))
        try expectEqual(1, [same, laptop])
        try same.create(id(3), "Third")
        try same.change { _ = try $0.clear() }
        try expectEqual(0, [same, laptop])
    }

    /// The marks of the history say which records of others are in the store: the base has them before they go.
    @Test func aStoreMayForgetItsHistory() throws {
        let (phone, laptop, _) = try pair()
        #expect(try laptop.sync.keepBase() != nil)
        try laptop.shortenHistory()
        try phone.delete(id(1))
        try phone.now()
        try laptop.update(id(2), #"{"label":"Laptop's"}"#)
        try expectEqual(1, [laptop, phone])
        #expect(try phone.member(id(2), "label") == #""Laptop's""#)
    }

    /// A line of an older journal is damaged whose commit has no record yet.
    @Test func aDamagedLineOfTheHistoryIsAGap() throws {
        let (phone, laptop, _) = try pair()
        try phone.create(id(3), "Rotten")
        try phone.delete(id(1))
        try phone.compact()
        try phone.create(id(4), "Fourth")
        let journal = phone.path + "/history/journal-1.jsonl"
        let text = try String(contentsOfFile: journal, encoding: .utf8)
        try text.replacing("Rotten", with: "Rotted").write(toFile: journal, atomically: false, encoding: .utf8)
        try expectEqual(3, [phone, laptop])
    }

    /// A clone whose file records the device and inode there, as on a disk that was copied block by block.
    private func cloned(_ store: SyncedStore) throws -> SyncedStore {
        let clone = try store.copied()
        let path = clone.path + "/sync/replica.json"
        let status = try FileSystem.system.statusOfPath(path)
        var text = try String(contentsOfFile: path, encoding: .utf8)
        text = text.replacing(/"inode": "[0-9]+"/, with: "\"inode\": \"\(status.inode)\"")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        return clone
    }

    @Test func aMachineThatWasClonedWithAllIDsLosesNothing() throws {
        let url = "folder:" + (try SyncedStore.folder())
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.setUp(url, isNew: true)
        try phone.create(id(1), "First")
        for store in [phone] { try store.now() }
        try laptop.setUp(url)
        try laptop.now()
        let clone = try cloned(phone)
        #expect(try replica(clone) == replica(phone))
        try phone.create(id(2), "Phone's")
        for store in [phone, laptop] { try store.now() }
        try clone.create(id(3), "Clone's")
        try clone.update(id(1), #"{"label":"Clone's"}"#)
        for _ in 0..<3 { for store in [clone, phone, laptop] { try store.now() } }
        try phone.create(id(4), "Phone's too")
        try clone.create(id(5), "Clone's too")
        for _ in 0..<3 { for store in [clone, phone, laptop] { try store.now() } }
        for store in [phone, clone, laptop] {
            #expect(try store.moods() == laptop.moods())
            #expect(try store.moods().count == 5)
            #expect(try status(store).state == "idle" && status(store).pending == 0)
        }
        #expect(try replica(clone) != replica(phone))
    }

    /// The phone has a clone's records under its own id and loses them, and the place was emptied.
    @Test func aBranchThatOnlyTheCloneHasIsWaitedFor() throws {
        let folder = try SyncedStore.folder()
        let phone = try SyncedStore()
        try phone.setUp("folder:" + folder, isNew: true)
        try phone.create(id(1), "First")
        try phone.now()
        let clone = try cloned(phone)
        try phone.create(id(2), "Phone's")
        try phone.now()
        try clone.create(id(3), "Clone's")
        for _ in 0..<3 { for store in [clone, phone] { try store.now() } }
        let shown = try phone.moods()
        #expect(shown.count == 3)
        for name in ["others", "base"] {
            try? FileManager.default.removeItem(atPath: "\(phone.path)/sync/\(name).jsonl")
        }
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        for name in try FileSystem.system.list("\(folder)/\(journal)") where name != "journal.json" {
            try FileManager.default.removeItem(atPath: "\(folder)/\(journal)/\(name)")
        }
        for _ in 0..<2 { try phone.now() }
        #expect(try phone.moods() == shown)
        #expect(try status(phone).state == "incomplete" && !status(phone).missing.isEmpty)
        for _ in 0..<3 { for store in [clone, phone] { try store.now() } }
        for store in [clone, phone] {
            #expect(try store.moods() == shown)
            #expect(try status(store).state == "idle")
        }
    }

    /// The round ends between what it brought in and its end, and the next change replaces a value of that.
    @Test func aChangeAfterABrokenRoundKnowsWhatThatBroughtIn() throws {
        let post = Post()
        var phone = try SyncedStore()
        phone.peer = post.peer()
        try phone.setUp("post://there", isNew: true)
        try phone.create(id(1), "First")
        try phone.now()
        var clone = try cloned(phone)
        clone.peer = post.peer()
        try phone.update(id(1), #"{"label":"Phone's"}"#)
        try phone.now()
        try clone.create(id(2), "Clone's")
        post.state.withLock { $0.pullsUntilAway = 2 }
        try clone.now()
        #expect(try status(clone).state == "offline")
        #expect(try clone.member(id(1), "label") == #""Phone's""#)
        try clone.update(id(1), #"{"label":"Clone's"}"#)
        post.state.withLock { $0.isAway = false }
        for _ in 0..<3 { for store in [clone, phone] { try store.now() } }
        #expect(try phone.moods() == clone.moods())
        #expect(try phone.moods().count == 2)
        #expect(try phone.member(id(1), "label") == #""Clone's""#)
        #expect(try phone.sync.conflicts().isEmpty && clone.sync.conflicts().isEmpty)
    }

    /// A record is on the disk, the process dies before its commit, and no other place has the record any more.
    @Test func aRecordThatCameIsNotLeftBehind() throws {
        let folder = try SyncedStore.folder()
        let (phone, laptop, new) = (try SyncedStore(), try SyncedStore(), try SyncedStore())
        try phone.setUp("folder:" + folder, isNew: true)
        try phone.create(id(1), "First")
        try phone.now()
        try laptop.setUp("folder:" + folder)
        try laptop.now()
        try phone.create(id(2), "Second")
        try phone.now()
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        let path = try "\(folder)/\(journal)/\(replica(phone).text)/1.jsonl"
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { $0 + "\n" }
        let last = lines.removeLast()
        let others = laptop.path + "/sync/others.jsonl"
        let there = (try? String(contentsOfFile: others, encoding: .utf8)) ?? ""
        try (there + last).write(toFile: others, atomically: false, encoding: .utf8)
        try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
        for _ in 0..<2 { try laptop.now() }
        #expect(try laptop.moods() == phone.moods())
        try new.setUp("folder:" + folder)
        try new.now()
        #expect(try new.moods() == phone.moods())
    }

    /// After a snapshot the records exist nowhere; their contents are in every store.
    @Test(arguments: ["emptied", "no snapshot", "a spoiled snapshot", "a newer snapshot"])
    func aPlaceThatHasLessIsFilledAgain(trouble: String) throws {
        let folder = try SyncedStore.folder()
        var (phone, laptop) = (try SyncedStore(), try SyncedStore())
        phone.operationsBeyondSnapshots = 5
        laptop.operationsBeyondSnapshots = 1_000
        try phone.setUp("folder:" + folder, isNew: true)
        for number in 0..<8 { try phone.create(id(number), "Mood") }
        for store in [phone, phone] { try store.now() }
        try laptop.setUp("folder:" + folder)
        try laptop.create(id(20), "Laptop's")
        for store in [laptop, phone] { try store.now() }
        phone.operationsBeyondSnapshots = 1_000
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        let snapshot = "\(folder)/\(journal)/\(try replica(phone).text)/snapshot.jsonl"
        switch trouble {
        case "emptied":
            for name in try FileSystem.system.list(folder) {
                try FileManager.default.removeItem(atPath: folder + "/" + name)
            }
        case "no snapshot": try FileManager.default.removeItem(atPath: snapshot)
        default:
            let text = try String(contentsOfFile: snapshot, encoding: .utf8)
            var lines = text.split(separator: "\n").map(String.init)
            if trouble.hasPrefix("a newer") {
                var head = ByteBuffer(capacity: 256)
                head.append(
                    utf8: String(lines[1].replacing("{\"v\":1", with: "{\"v\":2").prefix(lines[1].utf8.count - 18)))
                lines[1] = String(decoding: Seal.sealed(&head), as: UTF8.self)
            } else {
                lines[2] = String(lines[2].dropLast(30))
            }
            try (lines.joined(separator: "\n") + "\n").write(toFile: snapshot, atomically: true, encoding: .utf8)
        }
        for store in [phone, laptop, phone, laptop] { try store.now() }
        let new = try SyncedStore()
        try new.setUp("folder:" + folder)
        for _ in 0..<2 { for store in [new, phone, laptop] { try store.now() } }
        #expect(try new.moods() == phone.moods())
        #expect(try new.moods().count == 9)
        #expect(try status(new).state == "idle")
        try phone.create(id(30), "Later")
        for store in [phone, new] { try store.now() }
        #expect(try new.moods()[id(30)] != nil)
    }

    /// A user removes a device's folder: others send its known records again.
    @Test func aDevicesFolderThatWasRemovedComesAgain() throws {
        let folder = try SyncedStore.folder()
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.setUp("folder:" + folder, isNew: true)
        try phone.now()
        try laptop.setUp("folder:" + folder)
        try laptop.create(id(1), "Laptop's")
        for store in [laptop, phone] { try store.now() }
        try phone.create(id(2), "Phone's")
        try phone.now()
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        try FileManager.default.removeItem(atPath: "\(folder)/\(journal)/\(try replica(laptop).text)")
        for _ in 0..<2 { try phone.now() }
        let new = try SyncedStore()
        try new.setUp("folder:" + folder)
        try new.now()
        #expect(try new.moods() == phone.moods())
        #expect(try new.moods().count == 2)
    }

    @Test(arguments: ["fifo", "folder", "link", "file for a folder", "copied folder"])
    func anOddEntryStopsNobody(kind: String) throws {
        let folder = try SyncedStore.folder()
        let (phone, laptop) = (try SyncedStore(), try SyncedStore())
        try phone.setUp("folder:" + folder, isNew: true)
        try phone.now()
        try laptop.setUp("folder:" + folder)
        try phone.create(id(1), "Seen")
        try phone.now()
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        let there = "\(folder)/\(journal)/\(try replica(phone).text)"
        var odd = there + "/900000.jsonl"
        switch kind {
        case "fifo": #expect(mkfifo(odd, 0o600) == 0)
        case "folder": try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: false)
        case "link": try FileManager.default.createSymbolicLink(atPath: odd, withDestinationPath: "/etc/passwd")
        case "file for a folder":
            odd = "\(folder)/\(journal)/\(id(9).text)"
            try "odd".write(toFile: odd, atomically: false, encoding: .utf8)
        default:
            odd = "\(folder)/\(journal)/\(id(9).text)"
            try FileManager.default.copyItem(atPath: there, toPath: odd)
        }
        try laptop.now()
        #expect(try laptop.moods().keys.sorted() == [id(1)])
        #expect(try status(laptop).passedOver.contains { $0.hasPrefix(odd) })
    }
}
