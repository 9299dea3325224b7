import JSONCodec
import Platform
import Replication

/// `sync/status.json`: what is told of the sync without looking anywhere else. It is written after each round, and is no more
/// than a note.
struct SyncState: Sendable {
    enum Name: String, Sendable { case idle, syncing, offline, diverged, off }

    var state = Name.idle
    /// When a round last came to its end, by this host's clock.
    var lastSync: String?
    /// Why the last one did not.
    var lastError: String?
    /// The last record of this replica that the transport has, and of its former ones.
    var pushed = Vector()
    /// The replicas that are known, and when something new of them last came.
    var known = Vector()
    var seen: [UUID: String] = [:]
    /// What they are called.
    var names: [UUID: String] = [:]
    /// The last commit that is among its records.
    var recorded = 0
    var forgotten: [UUID] = []

    init() {}

    static func read(_ place: SyncPlace) -> SyncState {
        guard let bytes = try? place.fileSystem.readWhole(place.status, bytesMax: 1 << 20),
            let value = try? JSONValue.parse(bytes)
        else { return SyncState() }
        var state = SyncState()
        state.state = value["state"]?.string.flatMap { Name(rawValue: $0) } ?? .idle
        state.lastSync = value["lastSync"]?.string
        state.lastError = value["lastError"]?.string
        state.recorded = value["recorded"]?.integer ?? 0
        for replica in value["replicas"]?.array ?? [] {
            guard let id = replica["id"]?.string.flatMap({ UUID($0) }) else { continue }
            state.known[id] = replica["last"]?.integer ?? 0
            state.pushed[id] = replica["pushed"]?.integer ?? 0
            if let seen = replica["seen"]?.string { state.seen[id] = seen }
            if let name = replica["name"]?.string { state.names[id] = name }
        }
        state.forgotten = (value["forgotten"]?.array ?? []).compactMap { $0.string.flatMap { UUID($0) } }
        return state
    }

    func write(_ place: SyncPlace) throws(SyncError) {
        var members: [JSONValue.Member] = [.init("state", .string(state.rawValue))]
        if let lastSync { members.append(.init("lastSync", .string(lastSync))) }
        if let lastError { members.append(.init("lastError", .string(lastError))) }
        members.append(.init("recorded", .number(String(recorded))))
        let replicas = known.joined(with: pushed).last.keys.sorted().map { id in
            var members: [JSONValue.Member] = [
                .init("id", .string(id.text)), .init("last", .number(String(known[id]))),
                .init("pushed", .number(String(pushed[id]))),
            ]
            if let seen = seen[id] { members.append(.init("seen", .string(seen))) }
            if let name = names[id] { members.append(.init("name", .string(name))) }
            return JSONValue.object(members)
        }
        members.append(.init("replicas", .array(replicas)))
        members.append(.init("forgotten", .array(forgotten.map { .string($0.text) })))
        let text = Array((JSONValue.object(members).prettyText + "\n").utf8)
        do throws(SystemError) {
            try place.fileSystem.replaceWhole(place.status, by: place.path + "/temporary-status") { _ in text }
        } catch {
            throw SyncPlace.error(error)
        }
    }
}
