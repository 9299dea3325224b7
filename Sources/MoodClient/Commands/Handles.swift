import JSONCodec
import Platform

/// What `@1`, `@2` … and `@added` mean in one terminal window for one store: the rows of its latest list, and the mood that
/// was added last. A file of each window and store under `$XDG_STATE_HOME/moodboard/handles`.
///
///     {"store":"/home/ada/.local/share/moodboard","listed":{"at":1767355200,"ids":["…"]},"added":{"at":…,"id":"…"}}
///
/// It is only a convenience: where it cannot be written, handles are unknown and everything else works.
struct Handles {
    /// Seconds after which a list is forgotten: nobody remembers what it showed.
    static let listedSecondsMax = 86_400
    private static let fileBytesMax = 1 << 20
    /// From this number of files on those of windows that are gone are removed.
    private static let filesMax = 50

    let store: String
    let console: Console

    /// - Returns: nil where the environment names no place for it.
    private var folder: String? {
        if let state = console.environment("XDG_STATE_HOME"), state.utf8.first == UInt8(ascii: "/") {
            return state + "/moodboard/handles"
        }
        guard let home = console.environment("HOME"), home.utf8.first == UInt8(ascii: "/") else { return nil }
        return home + "/.local/state/moodboard/handles"
    }

    /// The store's part of a file's name: FNV-1a of its path.
    private var storeName: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in store.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private var fileName: String { "\(storeName)-\(console.session()).json" }

    // MARK: Reading

    /// The ids of the latest list here.
    /// - Returns: nil where there is none; `isOld` if it is forgotten.
    func listed() -> (ids: [String], isOld: Bool)? {
        guard let folder, let listed = read(folder + "/" + fileName)?["listed"], let at = listed["at"]?.integer else {
            return nil
        }
        let ids = (listed["ids"]?.array ?? []).compactMap(\.string)
        let age = console.now() - at
        return (ids, age < 0 || age > Self.listedSecondsMax)
    }

    /// The mood that was added last: in this window, else anywhere here.
    func added() -> String? {
        guard let folder else { return nil }
        if let id = read(folder + "/" + fileName)?["added"]?["id"]?.string { return id }
        var latest: (at: Int, id: String)?
        for name in console.filesInFolder(folder) where name.hasPrefix(storeName + "-") {
            guard let added = read(folder + "/" + name)?["added"], let at = added["at"]?.integer,
                let id = added["id"]?.string, at > latest?.at ?? .min
            else { continue }
            latest = (at, id)
        }
        return latest?.id
    }

    /// What a file says, if it is of this store.
    private func read(_ path: String) -> JSONValue? {
        guard let bytes = (try? console.readFile(path, Self.fileBytesMax)) ?? nil,
            let value = try? JSONValue.parse(bytes), value["store"]?.string == store
        else { return nil }
        return value
    }

    // MARK: Writing

    func keep(listed ids: [String]) {
        keep(.init("listed", .object([.init("at", at), .init("ids", .array(ids.map { .string($0) }))])))
    }

    func keep(added id: String) { keep(.init("added", .object([.init("at", at), .init("id", .string(id))]))) }

    private var at: JSONValue { .number(String(console.now())) }

    private func keep(_ member: JSONValue.Member) {
        guard let folder else { return }
        let path = folder + "/" + fileName
        var members = read(path)?.object ?? [.init("store", .string(store))]
        members.removeAll { $0.name == member.name }
        members.append(member)
        try? console.writeFile(path, Array((JSONValue.object(members).text + "\n").utf8))
        removeOld(folder)
    }

    private func removeOld(_ folder: String) {
        let names = console.filesInFolder(folder)
        guard names.count > Self.filesMax else { return }
        for name in names where name != fileName {
            let path = folder + "/" + name
            guard let bytes = (try? console.readFile(path, Self.fileBytesMax)) ?? nil,
                let value = try? JSONValue.parse(bytes)
            else { continue }
            let latest = max(value["listed"]?["at"]?.integer ?? 0, value["added"]?["at"]?.integer ?? 0)
            if console.now() - latest > Self.listedSecondsMax { console.removeFile(path) }
        }
    }
}
