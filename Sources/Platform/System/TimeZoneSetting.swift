import CPlatform

/// The environment variable TZ, from which the C library takes the zone of this process. (POSIX.1-2024, 8.3)
public enum TimeZoneSetting {
    /// Sets the zone to UTC if TZ names something that cannot be read as a file, such as a FIFO without a writer:
    /// reading the zone would block forever. Call it before there are other threads.
    /// - Returns: the path that TZ named; nil if nothing had to be done.
    public static func replaceUnreadable() -> String? {
        guard let setting = ProcessFacts.environment("TZ") else { return nil }
        let name = setting.utf8.first == UInt8(ascii: ":") ? String(setting.dropFirst()) : setting
        let folder = ProcessFacts.environment("TZDIR") ?? "/usr/share/zoneinfo"
        let path = name.utf8.first == UInt8(ascii: "/") ? name : folder + "/" + name
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR else {
            return nil
        }
        setenv("TZ", "UTC", 1)
        return path
    }

    /// Whether this system has a zone of this IANA name.
    public static func isKnown(_ name: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isName, let first = name.utf8.first, first != UInt8(ascii: "/") else { return false }
        let folder = ProcessFacts.environment("TZDIR") ?? "/usr/share/zoneinfo"
        var status = stat()
        return stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The IANA name of this process's zone, from TZ, else from the target of /etc/localtime; nil if it has none, as
    /// for a rule such as `CET-1CEST`.
    public static func name() -> String? {
        if let setting = ProcessFacts.environment("TZ") {
            let name = setting.utf8.first == UInt8(ascii: ":") ? String(setting.dropFirst()) : setting
            return known(name.utf8.first == UInt8(ascii: "/") ? nameInFolder(name) : name)
        }
        var target = [CChar](repeating: 0, count: 4096)
        let count = readlink("/etc/localtime", &target, target.count)
        guard count > 0, count < target.count else { return nil }
        return known(nameInFolder(String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)))
    }

    private static func known(_ name: String?) -> String? { name.flatMap { isKnown($0) ? $0 : nil } }

    /// `Europe/Helsinki` of `/usr/share/zoneinfo/Europe/Helsinki`
    private static func nameInFolder(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let folder = parts.lastIndex(of: "zoneinfo") else { return nil }
        let rest = parts[(folder + 1)...]
        // Copies with and without leap seconds.
        return rest.drop { $0 == "posix" || $0 == "right" }.joined(separator: "/")
    }

    /// The name in TZ, if it is no zone of this system and no rule such as `CET-1CEST`: the C library then silently
    /// uses UTC. Nil if nothing is wrong.
    public static func unknown() -> String? {
        guard let setting = ProcessFacts.environment("TZ"), !setting.isEmpty else { return nil }
        let name = setting.utf8.first == UInt8(ascii: ":") ? String(setting.dropFirst()) : setting
        if name.utf8.first == UInt8(ascii: "/") { return access(name, R_OK) == 0 ? nil : setting }
        if isKnown(name) { return nil }
        // A rule: a name of three letters or more, or any in angle brackets, then an offset (POSIX.1-2024, 8.3).
        let letters = name.prefix { $0.isASCII && $0.isLetter }
        var rest = name.dropFirst(letters.count)
        if letters.isEmpty, rest.first == "<", let end = rest.firstIndex(of: ">") {
            rest = rest[rest.index(after: end)...]
        } else if letters.count < 3 {
            return setting
        }
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        return rest.first?.isNumber == true ? nil : setting
    }
}
