/// Routes as URLs, both ways: `moodboard://moods` ⇄ `crudList`, `moodboard://mood/<id>` ⇄ `moodDetail`.
///
/// The reader is exact: no query, fragment, port, user or trailing slash. It compares scheme and host without case (RFC
/// 3986, sections 3.1 and 3.2.2), and ids as UUIDs.
public enum DeepLink {
    private static let scheme = "moodboard://"
    private static let hosts: [(host: String, route: Route)] = [
        ("menu", .menu), ("intro-state", .introState), ("observation", .observation),
        ("architecture", .architecture), ("moods", .crudList),
    ]

    public static func url(of route: Route) -> String {
        if case .moodDetail(let id) = route { return "\(scheme)mood/\(id.text)" }
        return scheme + (hosts.first { $0.route == route }?.host ?? "menu")
    }

    /// The route of a URL; nil if it has none.
    public static func route(of url: String) -> Route? {
        let bytes = Array(url.utf8)
        guard bytes.count > scheme.utf8.count, bytes.count <= 64 else { return nil }
        let lowered = bytes.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
        guard lowered.starts(with: scheme.utf8) else { return nil }
        let rest = lowered.dropFirst(scheme.utf8.count)
        if let match = hosts.first(where: { rest.elementsEqual($0.host.utf8) }) { return match.route }
        guard rest.starts(with: "mood/".utf8) else { return nil }
        return Array(rest.dropFirst(5)).withUnsafeBytes { MoodID($0) }.map { .moodDetail($0) }
    }
}
