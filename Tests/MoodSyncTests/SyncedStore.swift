import Foundation
import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage
import Testing

@testable import MoodSync

/// A store in a temporary folder that takes part in a sync. `change` acts like a request in its own process.
struct SyncedStore {
    let path: String
    var peer = TransportPeer.none

    static func folder() throws -> String {
        let path = NSTemporaryDirectory() + "sync-" + Foundation.UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    init() throws { self.init(path: try Self.folder() + "/store") }

    init(path: String) {
        // Like the host: a filter may end before it has read all.
        Terminal.ignoreBrokenPipes()
        self.path = path
    }

    func copied() throws -> SyncedStore {
        let copy = SyncedStore(path: try Self.folder() + "/store")
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    var settings: StoreSettings {
        StoreSettings(
            directory: path, durability: .none, isReadOnly: false, trustsDirectory: false,
            lockTimeoutMilliseconds: 5000, schemaVersion: MoodRecords.schemaVersion, fileSystem: .system,
            log: { Issue.record("\($0)") },
            makeIdentifier: {
                var random = SystemRandomNumberGenerator()
                return MoodID(version7At: .minimum, random: (random.next(), random.next())).text
            },
            timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text })
    }

    /// The limit for uploading a snapshot; nil: the default.
    var operationsBeyondSnapshots: Int?

    var sync: StoreSync {
        var sync = StoreSync(settings, peer: peer, patienceMilliseconds: 5000, isCancelled: { false })
        if let operationsBeyondSnapshots { sync.operationsBeyondSnapshots = operationsBeyondSnapshots }
        return sync
    }

    @discardableResult
    func now() throws -> SyncCounts { try sync.now { _, _ in } }

    func setUp(_ url: String, isNew: Bool = false) throws {
        var setup = StoreSync.Setup(url: url)
        (setup.isNew, setup.isConfirmed) = (isNew, true)
        try sync.setUp(setup)
    }

    // MARK: User

    @discardableResult
    func change<Result>(_ body: (inout MoodRecords) throws -> Result) throws -> Result {
        var moods = MoodRecords(.directory(settings))
        moods.setTime(Timestamp(milliseconds: Clock.milliseconds) ?? .minimum)
        try moods.openForWriting()
        defer { moods.endGroup() }
        let result = try body(&moods)
        try moods.endCommit()
        try moods.flush()
        return result
    }

    func create(_ id: MoodID, _ label: String, tags: [String] = []) throws {
        let tags = JSONValue.array(tags.map { .string($0) }).text
        try change { moods in
            let text = ByteBuffer(
                copying: Array(#"{"emoji":"😊","label":"\#(label)","tags":\#(tags)}"#.utf8))
            var mood = MoodMembers(change: ValidJSON(trusting: text.bytes))
            mood.id = id
            var writer = JSONWriter()
            try moods.create(&mood, id: id, at: moods.now, to: &writer)
        }
    }

    func update(_ id: MoodID, _ set: String) throws {
        try change { moods in
            let text = ByteBuffer(copying: Array(set.utf8))
            var writer = JSONWriter()
            try moods.update(
                id, with: MoodMembers(change: ValidJSON(trusting: text.bytes)), ifRevision: nil, at: moods.now,
                to: &writer)
        }
    }

    func settle(_ conflict: String, takesOther: Bool) throws {
        let now = Timestamp(milliseconds: Clock.milliseconds) ?? .minimum
        let settlement = try sync.settlement(conflict, takesOther: takesOther, at: now)
        try change { try $0.settle(settlement) }
    }

    /// Replaces the moods by those of a backup; `sync/` stays.
    func putBack(_ backup: SyncedStore) throws {
        for (folder, isGone) in [(path, true), (backup.path, false)] {
            for name in try FileSystem.system.list(folder) where name != "sync" {
                if isGone {
                    try FileManager.default.removeItem(atPath: folder + "/" + name)
                } else {
                    try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: path + "/" + name)
                }
            }
        }
    }

    func compact() throws {
        var moods = MoodRecords(.directory(settings))
        try moods.open()
        _ = try moods.work(isCancelled: { false })?.compact { _, _ in }
    }

    /// Keeps no history, as `store.compact` with a `keepHistoryFrom` that is to come.
    func shortenHistory() throws {
        try compact()
        var moods = MoodRecords(.directory(settings))
        try moods.open()
        _ = try moods.shortenHistory(to: .max)
    }

    func delete(_ id: MoodID) throws { try change { try $0.delete(id, ifRevision: nil) } }

    /// Every mood without its revision.
    func moods() throws -> [MoodID: String] {
        var moods = MoodRecords(.directory(settings))
        try moods.open()
        var all: [MoodID: String] = [:]
        try moods.forEachMood { mood in
            guard let document = MoodDocument(mood), let id = document.id else { return }
            all[id] = String(decoding: mood.bytes, as: UTF8.self)
                .replacing(/,"revision":[0-9]+/, with: "", maxReplacements: 1)
        }
        return all
    }

    func member(_ id: MoodID, _ name: String) throws -> String? {
        let text = try #require(try moods()[id])
        return try JSONValue(parsing: text)[name].map(\.text)
    }
}
