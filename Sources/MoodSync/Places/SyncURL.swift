/// The address of a sync: `folder:/path`, `git+ssh://…`, `git+https://…`, `git+file:///…`, or a scheme of a plugin.
public struct SyncURL: Sendable {
    enum Kind: Equatable {
        case folder, git
        case plugin(scheme: String)
    }

    let kind: Kind
    /// The folder's path, the url for git, or the whole url.
    let address: String

    /// - Parameter schemes: the schemes of plugins.
    /// - Throws: the reason why it is invalid, which begins with `The url `.
    public init(_ text: String, schemes: [String] = []) throws(SyncError) {
        let bytes = Array(text.utf8)
        func refused(_ reason: String) -> SyncError {
            .refused(
                reason:
                    "The url \(reason). Give folder:/path, git+ssh://host/path, git+https://host/path or git+file:///path"
                    + "\(schemes.map { ", or \($0)://…" }.joined()).")
        }
        guard !bytes.isEmpty, bytes.count <= 2048,
            bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) || text.hasPrefix("folder:/")
        else { throw refused("is none") }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { throw refused("has control characters") }
        if text.hasPrefix("folder:") {
            var path = String(text.dropFirst("folder:".count))
            if path.hasPrefix("//") { path = String(path.dropFirst(2)) }
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            guard path.hasPrefix("/") else { throw refused("has a path that is not absolute") }
            (kind, address) = (.folder, path)
            return
        }
        guard text.hasPrefix("git+") else {
            let scheme = String(text.prefix { $0 != ":" })
            guard text.hasPrefix(scheme + "://"), schemes.contains(where: { $0.utf8.elementsEqual(scheme.utf8) }) else {
                throw refused("has the scheme \(scheme.prefix(64)), which no transport that may run has")
            }
            (kind, address) = (.plugin(scheme: scheme), text)
            return
        }
        let address = String(text.dropFirst(4))
        let known = ["ssh://", "https://", "file:///"].contains { address.hasPrefix($0) }
        guard known, !address.hasPrefix("-"), !address.contains("ext::"), !address.contains("://-") else {
            throw refused("is of a form that git is not given")
        }
        (kind, self.address) = (.git, address)
    }

    /// A url for display: without its password.
    public static func shown(_ text: String) -> String {
        guard let secret = secretRange(text) else { return text }
        return text[..<secret.lowerBound] + "***" + text[secret.upperBound...]
    }

    /// Its password; nil if it has none.
    static func secret(_ text: String) -> String? { secretRange(text).map { String(text[$0]) } }

    private static func secretRange(_ text: String) -> Range<String.Index>? {
        guard let scheme = text.range(of: "://") else { return nil }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let at = rest[..<end].lastIndex(of: "@") else { return nil }
        guard let colon = rest[..<at].firstIndex(of: ":") else {
            // A single word before the @ may be a token, except in urls for git, where it is a user name.
            return text.hasPrefix("git+") ? nil : rest.startIndex..<at
        }
        return rest.index(after: colon)..<at
    }
}
