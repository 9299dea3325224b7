import JSONCodec
import Platform
import Replication

/// `sync/status.json`: the status of the sync, so that it can be shown without other reads. Each round writes it; it is
/// only a note.
struct SyncState: Sendable {
    enum Name: String, Sendable { case idle, syncing, offline, incomplete, off }

    var state = Name.idle
    /// The end of the last successful round, by this host's clock.
    var lastSync: String?
    /// The error or problem of the last round; nil without any.
    var lastError: String?
    /// The last records of this replica, and of its former ids, that the transport has.
    var pushed = Vector()
    /// The known replicas, and the times of their latest news.
    var known = Vector()
    var seen: [UUID: String] = [:]
    /// Names of replicas.
    var names: [UUID: String] = [:]
    /// The last commit with a record.
    var recorded = 0
    var forgotten: [UUID] = []
    /// The number of records made here that are not there.
    var unsent: Int?
    /// Records that are known of and could not be fetched.
    var missing: [(replica: UUID, numbers: ClosedRange<Int>)] = []
    /// Lines that did not pass the filter.
    var refused: [String] = []
    /// Entries on the other side with names of ours that are no such files.
    var passedOver: [String] = []
    /// The message about missing records; nil if none are missing.
    var problem: String?
    /// The vectors of the snapshots there that were read, by their note ids.
    var snapshots: [String: Vector] = [:]
    /// The files of records that were there.
    var files: [String] = []
    /// The time of the last search for holes.
    var checked: Int64 = 0
    /// The beginning and the number of rounds in which the other side lacked known records.
    var lacking: (since: Int64, rounds: Int)?
    /// Whether to upload a snapshot in any case, because the filter has changed.
    var wantsSnapshot = false

    /// The time for which the other side must lack records before it counts: a folder may still be copying. A user's
    /// request does not wait for it.
    static let lackMilliseconds: Int64 = 600_000

    /// Forgets notes on the previous place.
    mutating func leavePlace() {
        pushed = Vector()
        (snapshots, files, checked, lacking) = ([:], [], 0, nil)
        (missing, refused, passedOver, problem) = ([], [], [], nil)
    }

    /// Notes one more round in which the other side lacks records.
    /// - Returns: whether to send them again now.
    mutating func lacks(asked: Bool) -> Bool {
        let now = Clock.milliseconds
        let (since, rounds) = lacking ?? (now, 0)
        lacking = (since, rounds + 1)
        return rounds > 0 && (asked || now - since >= Self.lackMilliseconds || now < since)
    }

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
        state.unsent = value["unsent"]?.integer
        for one in value["missing"]?.array ?? [] {
            guard let id = one["replica"]?.string.flatMap({ UUID($0) }), let from = one["from"]?.integer,
                let to = one["to"]?.integer, from <= to
            else { continue }
            state.missing.append((id, from...to))
        }
        state.refused = (value["refused"]?.array ?? []).compactMap(\.string)
        state.passedOver = (value["passedOver"]?.array ?? []).compactMap(\.string)
        for one in value["snapshots"]?.object ?? [] {
            var vector = Vector()
            for member in one.value.object ?? [] {
                guard let id = UUID(member.name) else { continue }
                for text in member.value.array ?? [] {
                    let parts = (text.string ?? "").split(separator: "/")
                    guard parts.count == 2, let number = Int(parts[0]), let crc = Seal.crc(String(parts[1])) else {
                        continue
                    }
                    vector.add(.init(number: number, crc: crc), of: id)
                }
            }
            state.snapshots[one.name] = vector
        }
        state.files = (value["files"]?.array ?? []).compactMap(\.string)
        state.checked = Int64(value["checked"]?.integer ?? 0)
        if let since = value["lacking"]?["since"]?.integer, let rounds = value["lacking"]?["rounds"]?.integer {
            state.lacking = (Int64(since), rounds)
        }
        state.wantsSnapshot = value["wantsSnapshot"]?.boolean ?? false
        state.forgotten = (value["forgotten"]?.array ?? []).compactMap { $0.string.flatMap { UUID($0) } }
        return state
    }

    /// Changes the file under its own lock, so that no writer waits for a round or undoes the change of another writer.
    /// - Parameter body: the change of the file's contents.
    static func change(_ place: SyncPlace, _ body: (inout SyncState) throws(SyncError) -> Void) throws(SyncError) {
        let lock = try place.acquireLock(place.statusLock, timeoutMilliseconds: lockMilliseconds)
        defer { extendLifetime(lock) }
        var state = read(place)
        try body(&state)
        try state.write(place)
    }

    /// The time to wait for another writer.
    private static let lockMilliseconds = 5000

    private func write(_ place: SyncPlace) throws(SyncError) {
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
        if let unsent { members.append(.init("unsent", .number(String(unsent)))) }
        func texts(_ name: String, _ all: [String]) {
            if !all.isEmpty { members.append(.init(name, .array(all.map { .string($0) }))) }
        }
        if !missing.isEmpty { members.append(.init("missing", Self.value(missing))) }
        texts("refused", refused)
        texts("passedOver", passedOver)
        let notes = snapshots.sorted { $0.key < $1.key }.map { id, vector in
            let heads = vector.last.keys.sorted().map { replica in
                let all = vector.heads(of: replica).map { JSONValue.string("\($0.number)/\(Seal.text($0.crc))") }
                return JSONValue.Member(replica.text, .array(all))
            }
            return JSONValue.Member(id, .object(heads))
        }
        if !notes.isEmpty { members.append(.init("snapshots", .object(notes))) }
        texts("files", files)
        members.append(.init("checked", .number(String(checked))))
        if let lacking {
            let value = JSONValue.object([
                .init("since", .number(String(lacking.since))), .init("rounds", .number(String(lacking.rounds))),
            ])
            members.append(.init("lacking", value))
        }
        if wantsSnapshot { members.append(.init("wantsSnapshot", .boolean(true))) }
        let text = Array((JSONValue.object(members).prettyText + "\n").utf8)
        do throws(SystemError) {
            try place.fileSystem.replaceWhole(place.status, by: place.path + "/temporary-status") { _ in text }
        } catch {
            throw SyncPlace.error(error)
        }
    }

    /// `[{replica, from, to}]`
    static func value(_ missing: [(replica: UUID, numbers: ClosedRange<Int>)]) -> JSONValue {
        .array(
            missing.map { id, numbers in
                .object([
                    .init("replica", .string(id.text)), .init("from", .number(String(numbers.lowerBound))),
                    .init("to", .number(String(numbers.upperBound))),
                ])
            })
    }
}
