import JSONCodec
import Platform

/// The meanings of `@1`, `@2` … and `@added` in one terminal window for one store: the rows of its latest list, and the
/// mood added last. Each window and store has a file under `$XDG_STATE_HOME/moodboard/handles`.
///
///     {"store":"/home/ada/.local/share/moodboard","listed":{"at":1767355200,"ids":["…"]},"added":{"at":…,"id":"…"}}
///
/// It is only a convenience: if a file cannot be written, handles are unknown and everything else works.
struct ListReferences {
    /// The age in seconds at which a list expires: people do not remember what it showed.
    static let listedSecondsMax = 86_400
    private static let fileBytesMax = 1 << 20
    /// The number of files above which expired ones are removed.
    private static let filesMax = 50

    let store: String
    let console: Console

    /// - Returns: nil if the environment gives no place for it.
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
    /// - Returns: nil if there is none; `isOld` if it has expired.
    func listed() -> (ids: [String], isOld: Bool)? {
        guard let folder, let listed = read(folder + "/" + fileName)?["listed"], let at = listed["at"]?.integer else {
            return nil
        }
        let ids = listed.texts(of: "ids")
        let age = console.now() - at
        return (ids, age < 0 || age > Self.listedSecondsMax)
    }

    /// The mood added last in this window, else in any window.
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

    /// The content of a file, if it is of this store.
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
