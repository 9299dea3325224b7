import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Testing

@testable import MoodSync

/// Missing or damaged files in `sync/` come again from the other side, or the sync reports them; the moods stay in any
/// case.
@Suite struct LostFilesTests {
    private func id(_ number: Int) -> MoodID { MoodID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    /// Two stores whose records follow each other's, and an unsent change of the first.
    private struct Trial {
        let carrier = (try? SyncedStore.folder()) ?? ""
        let (phone, laptop): (SyncedStore, SyncedStore)

        init(_ id: (Int) -> MoodID) throws {
            (phone, laptop) = (try SyncedStore(), try SyncedStore())
            try phone.setUp("folder:" + carrier, isNew: true)
            try phone.now()
            try laptop.setUp("folder:" + carrier)
            for number in 0..<4 {
                try phone.create(id(number), "Phone's")
                try phone.now()
                try laptop.now()
                try laptop.update(id(number), #"{"label":"Laptop's"}"#)
                try laptop.now()
                try phone.now()
            }
            try phone.create(id(10), "Not sent")
        }

        func file(_ name: String) throws -> String {
            let names = try FileSystem.system.list(phone.path + "/sync")
            return phone.path + "/sync/" + (try #require(names.first { $0.hasPrefix(name) }))
        }

        /// Cuts a file of the phone's after so many lines.
        func cut(_ name: String, after lines: Int) throws {
            let path = try file(name)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let kept = text.split(separator: "\n").prefix(lines).map { $0 + "\n" }.joined()
            try (kept + "{").write(toFile: path, atomically: false, encoding: .utf8)
        }
    }

    @Test(arguments: ["others", "own", "both"], [0, 2])
    func recordsComeAgain(name: String, lines: Int) throws {
        let trial = try Trial(id)
        let (phone, laptop) = (trial.phone, trial.laptop)
        for name in name == "both" ? ["others", "own"] : [name] { try trial.cut(name, after: lines) }
        try phone.delete(id(3))
        let shown = try phone.moods()

        // While the other side is away nothing is recorded, and the shown moods stay.
        try FileManager.default.moveItem(atPath: trial.carrier, toPath: trial.carrier + ".away")
        let own = try Data(contentsOf: URL(filePath: trial.file("own")))
        #expect(try phone.now() == SyncCounts())
        #expect(try phone.moods() == shown)
        #expect(try Data(contentsOf: URL(filePath: trial.file("own"))) == own)
        try FileManager.default.moveItem(atPath: trial.carrier + ".away", toPath: trial.carrier)

        for store in [phone, laptop, phone] { try store.now() }
        #expect(try phone.moods() == shown)
        #expect(try laptop.moods() == shown)
        #expect(try laptop.sync.conflicts().isEmpty && phone.sync.conflicts().isEmpty)
    }

    /// A stick is pulled out between two steps of a round.
    @Test func aPlaceThatGoesInARoundIsNotMadeAgain() throws {
        let root = try SyncedStore.folder()
        let own = JSONCodec.UUID(high: 1, low: 2)
        let place = FolderTransport(root, journal: JSONCodec.UUID(high: 3, low: 4), in: .system)
        #expect(try place.open().isEmpty)
        try FileManager.default.removeItem(atPath: root)
        #expect(throws: SyncError.self) {
            try place.push([TransportLine(replica: own, number: 1, text: Array("{}".utf8))], of: own)
        }
        #expect(throws: SyncError.self) {
            try place.put([], as: TransportSnapshot(id: own.text + "-1", vector: Vector()))
        }
        #expect(!FileManager.default.fileExists(atPath: root))
    }

    /// A deletion did not know an edit that is applied after it, so the mood lives. If it were made again, it would
    /// know it.
    @Test func aDeletionIsNotMadeAgainAfterWhatItDidNotKnow() throws {
        let trial = try Trial(id)
        let (phone, laptop) = (trial.phone, trial.laptop)
        for store in [phone, laptop] { try store.now() }
        try laptop.update(id(0), #"{"notes":"Not yet seen"}"#)
        try laptop.now()
        try phone.delete(id(0))
        for store in [phone, laptop, phone] { try store.now() }
        let shown = try phone.moods()
        #expect(shown[id(0)] != nil)
        let lines = try String(contentsOfFile: trial.file("own"), encoding: .utf8).split(separator: "\n").count
        try trial.cut("own", after: lines - 1)
        for store in [phone, laptop, phone] { try store.now() }
        #expect(try phone.moods() == shown)
        #expect(try laptop.moods() == shown)
    }

    /// A device that has them brings them; or the way out is to leave and to set up again: both sides then have all
    /// moods.
    @Test(arguments: [false, true])
    func whatCannotComeAgainIsSaid(leaves: Bool) throws {
        let trial = try Trial(id)
        let (phone, laptop) = (trial.phone, trial.laptop)
        try trial.cut("others", after: 0)
        let shown = try phone.moods()
        let journal = try #require(FileSystem.system.list(trial.carrier).first { $0.contains("-") })
        let replica = try #require(try ReplicaFile.read(laptop.path, in: .system)).file.replica
        try FileManager.default.removeItem(atPath: "\(trial.carrier)/\(journal)/\(replica.text)")
        #expect(try phone.now() == SyncCounts())
        let status = try SyncStatus.read(phone.path, in: .system) { _ in 0 }
        #expect(status.state == "incomplete")
        #expect(status.missing.map(\.replica) == [replica])
        #expect(status.lastError?.contains("missing") == true)
        #expect(throws: SyncError.self) { try phone.sync.conflicts() }
        #expect(try phone.moods() == shown)
        if leaves {
            try phone.sync.leave()
            try phone.setUp("folder:" + trial.carrier)
        }
        for store in [laptop, laptop, phone, laptop, phone] { try store.now() }
        #expect(try SyncStatus.read(phone.path, in: .system) { _ in 0 }.state == "idle")
        #expect(try phone.moods() == shown)
        #expect(try laptop.moods() == shown)
    }

    /// The records are lost but for the one that began the journal, and each store's commits make those that the other
    /// one waits for.
    @Test func twoStoresThatWaitForEachOtherGoOn() throws {
        let trial = try Trial(id)
        let stores = [trial.phone, trial.laptop]
        for store in stores {
            for name in try FileSystem.system.list(store.path + "/sync") where name.hasSuffix(".jsonl") {
                let isFirst = store.path == trial.phone.path && name.hasPrefix("own")
                if isFirst { try trial.cut("own", after: 1) }
                if !isFirst { try FileManager.default.removeItem(atPath: store.path + "/sync/" + name) }
            }
        }
        let journal = try #require(FileSystem.system.list(trial.carrier).first { $0.contains("-") })
        for name in try FileSystem.system.list("\(trial.carrier)/\(journal)") where name != "journal.json" {
            try FileManager.default.removeItem(atPath: "\(trial.carrier)/\(journal)/\(name)")
        }
        let shown = try trial.phone.moods()
        for _ in 0..<10 { for store in stores { try store.now() } }
        for store in stores {
            #expect(try store.moods() == shown)
            #expect(try SyncStatus.read(store.path, in: .system) { _ in 0 }.state == "idle")
            #expect(try store.sync.conflicts().isEmpty)
        }
    }

    /// One record is nowhere any more, and another one waits for it, round after round.
    @Test func aRecordThatWaitsIsKeptOnce() throws {
        let folder = try SyncedStore.folder()
        let (phone, laptop, tablet) = (try SyncedStore(), try SyncedStore(), try SyncedStore())
        try phone.setUp("folder:" + folder, isNew: true)
        try phone.now()
        for store in [laptop, tablet] { try store.setUp("folder:" + folder) }
        try tablet.create(id(1), "Tablet's")
        for store in [tablet, laptop] { try store.now() }
        try laptop.update(id(1), #"{"label":"Laptop's"}"#)
        for store in [laptop, phone] { try store.now() }
        let others = phone.path + "/sync/others.jsonl"
        try Data().write(to: URL(filePath: others))
        let journal = try #require(FileSystem.system.list(folder).first { $0.contains("-") })
        let gone = try #require(try ReplicaFile.read(tablet.path, in: .system)).file.replica
        try FileManager.default.removeItem(atPath: "\(folder)/\(journal)/\(gone.text)")
        try phone.now()
        #expect(try SyncStatus.read(phone.path, in: .system) { _ in 0 }.state == "incomplete")
        let kept = try Data(contentsOf: URL(filePath: others))
        #expect(!kept.isEmpty)
        for _ in 0..<2 { try phone.now() }
        #expect(try Data(contentsOf: URL(filePath: others)) == kept)
    }

    /// A base holds the contents of records that no longer exist. One with a flipped bit is ignored, and a snapshot of
    /// the other side replaces it.
    @Test func aSpoiledBaseComesAgain() throws {
        let trial = try Trial(id)
        var (phone, laptop) = (trial.phone, trial.laptop)
        (phone.operationsBeyondSnapshots, laptop.operationsBeyondSnapshots) = (1, 1)
        for store in [phone, laptop, phone] { try store.now() }
        let path = try trial.file("base.jsonl")
        let whole = try #require(FileManager.default.contents(atPath: path))
        let feed = try #require(whole.firstIndex(of: UInt8(ascii: "\n")))
        for (place, bit) in zip([feed - 30, feed - 20, feed / 2, feed + 40, whole.count - 20], [0, 1, 2, 3, 0]) {
            var spoiled = whole
            spoiled[place] ^= 1 << bit
            try spoiled.write(to: URL(filePath: path))
            #expect(try BaseFile.read(path, in: .system) == nil, "byte \(place)")
        }
        try phone.create(id(11), "Not sent either")
        let shown = try phone.moods()
        for store in [phone, laptop, phone] { try store.now() }
        #expect(try phone.moods() == shown)
        #expect(try laptop.moods() == shown)
        #expect(try phone.sync.conflicts().isEmpty)
    }

    @Test func theWayOutOfADamagedReplicaFileIsToLeave() throws {
        let trial = try Trial(id)
        let (phone, laptop) = (trial.phone, trial.laptop)
        let shown = try phone.moods()
        let path = try trial.file("replica.json")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("\"from\":", with: "\"fron\":").write(toFile: path, atomically: false, encoding: .utf8)
        expectCorrupt { try phone.now() }
        try phone.sync.leave()
        try phone.setUp("folder:" + trial.carrier)
        for store in [phone, laptop, phone] { try store.now() }
        #expect(try phone.moods() == shown)
        #expect(try laptop.moods() == shown)
    }

    private func expectCorrupt(_ body: () throws -> Void, at place: SourceLocation = #_sourceLocation) {
        #expect(sourceLocation: place) {
            try body()
        } throws: { error in
            if case SyncError.store(.storage(.corrupt)) = error { true } else { false }
        }
    }
}
