import CPlatform

/// The environment variable TZ, from which the C library takes the zone of this process. (POSIX.1-2024, 8.3)
public enum TimeZoneSetting {
    /// Where TZ names something that cannot be read as a file, such as a FIFO that nobody writes to, the zone becomes UTC: who
    /// asked for the zone would wait for ever. To be called before there are other threads.
    /// - Returns: what TZ named; nil where nothing had to be done.
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
}
