/// Where a journal is synced to: `folder:/path`, `git+ssh://…`, `git+https://…`, `git+file:///…`.
public struct SyncURL: Sendable {
    enum Kind { case folder, git }

    let kind: Kind
    /// The folder's path, or what git is told.
    let address: String

    /// - Throws: why it is none.
    public init(_ text: String) throws(SyncError) {
        let bytes = Array(text.utf8)
        func refused(_ reason: String) -> SyncError {
            .refused(
                reason: "\(reason) Give folder:/path, git+ssh://host/path, git+https://host/path or git+file:///path.")
        }
        guard !bytes.isEmpty, bytes.count <= 2048,
            bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) || text.hasPrefix("folder:/")
        else { throw refused("That is no url.") }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { throw refused("A url has no control characters.") }
        if text.hasPrefix("folder:") {
            var path = String(text.dropFirst("folder:".count))
            if path.hasPrefix("//") { path = String(path.dropFirst(2)) }
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            guard path.hasPrefix("/") else { throw refused("The path of a folder is absolute.") }
            (kind, address) = (.folder, path)
            return
        }
        guard text.hasPrefix("git+") else {
            throw refused("No transport has the scheme \(text.prefix { $0 != ":" }).")
        }
        let address = String(text.dropFirst(4))
        let known = ["ssh://", "https://", "file:///"].contains { address.hasPrefix($0) }
        guard known, !address.hasPrefix("-"), !address.contains("ext::"), !address.contains("://-") else {
            throw refused("git is not given such a url.")
        }
        (kind, self.address) = (.git, address)
    }

    /// A url as it may be shown: without its password.
    public static func shown(_ text: String) -> String {
        guard let scheme = text.range(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" } ?? rest.endIndex
        guard let at = rest[..<end].lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") else { return text }
        return text[..<colon] + ":***" + text[at...]
    }
}
