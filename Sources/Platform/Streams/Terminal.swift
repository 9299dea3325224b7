import CPlatform

/// The environment of a command line program: terminals, variables, its own path, the clock.
public enum Terminal {
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The width in columns of a descriptor's terminal; nil without a terminal or an answer.
    public static func columns(_ descriptor: Int32) -> Int? {
        let columns = Int(cplatform_terminal_columns(descriptor))
        return columns > 0 ? columns : nil
    }

    /// The height in lines; nil without a terminal or an answer.
    public static func lines(_ descriptor: Int32) -> Int? {
        let lines = Int(cplatform_terminal_lines(descriptor))
        return lines > 0 ? lines : nil
    }

    /// The identity of one terminal window: the session's leader (POSIX.1-2024, 3.327) and, if the system tells it, its
    /// start time, because process ids recur.
    public static func session() -> String {
        let leader = String(getsid(0))
        let status = (try? SmallFile.read("/proc/\(leader)/stat", bytesMax: 4_096)) ?? nil
        // The second field is a name in brackets, which may contain anything; the start time is the twentieth after it.
        guard let status, let name = status.lastIndex(of: UInt8(ascii: ")")) else { return leader }
        let fields = status[(name + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > 19 ? "\(leader)-\(String(decoding: fields[19], as: UTF8.self))" : leader
    }

    /// Replaces this program by another one (execv), with the same streams and environment.
    /// - Throws: if that fails; else it does not return.
    public static func become(_ path: String, _ arguments: [String]) throws(SystemError) {
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        // The other program expects the default.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
        execv(path, words)
        let code = cplatform_errno()
        ignoreBrokenPipes()
        throw SystemError(call: "execv", subject: path, code: code)
    }

    /// Ignores Ctrl-C and Ctrl-\ while the body runs: they are for the program that it waits for.
    public static func ignoringInterrupts<Answer>(_ body: () -> Answer) -> Answer {
        let before = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in before { signal(number, handler) } }
        return body()
    }

    /// An environment variable; nil if it is unset or not UTF-8.
    public static func environment(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The directories of PATH, separated by colons, without those whose names are not UTF-8.
    public static func searchPath() -> String? {
        guard let value = getenv("PATH") else { return nil }
        let bytes = UnsafeRawBufferPointer(start: value, count: strlen(value))
        let folders = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return folders.compactMap { String(validating: $0, as: UTF8.self) }.joined(separator: ":")
    }

    /// The working directory; nil if it has vanished, or its name is not UTF-8.
    public static func workingDirectory() -> String? {
        var path = [CChar](repeating: 0, count: 4096)
        guard getcwd(&path, path.count) != nil else { return nil }
        return String(validating: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// An absolute path. A relative one stays relative if the working directory is unknown.
    public static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return workingDirectory().map { "\($0)/\(path)" } ?? path
    }

    /// The absolute path without links and dots; nil if there is no such file.
    public static func realPath(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(validatingCString: text)
    }

    /// Makes a write to a pipe without a reader fail with `EPIPE`, and one over the limit of a file's size with `EFBIG`,
    /// instead of ending the program.
    public static func ignoreBrokenPipes() { for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) } }

    /// The path of the running program, if the system tells it (Linux); else nil.
    public static func executablePath() -> String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0, count < path.count else { return nil }
        return String(validating: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a path names a regular executable file.
    public static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return access(path, X_OK) == 0
    }

    /// The directory that prevents making or writing a path: the path itself, or its first existing parent, if this
    /// process may not write in it. Nil if it may.
    public static func unwritableDirectory(_ path: String) -> String? {
        var place = path.isEmpty ? "." : path
        while access(place, F_OK) != 0, place != "/", place != "." {
            while place.utf8.last == UInt8(ascii: "/"), place != "/" { place = String(place.dropLast()) }
            guard let slash = place.lastIndex(of: "/") else {
                place = "."
                break
            }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        return access(place, W_OK | X_OK) == 0 ? nil : place
    }

    /// The program's arguments, its own name first.
    /// - Returns: nil in place of an argument that is not UTF-8, so that the caller can refuse it.
    public static func arguments() -> [String?] {
        (0..<CArguments.count).map { index in CArguments[index].flatMap { String(validatingCString: $0) } }
    }
}

/// Blocking input and output on a descriptor, in spite of interruptions.
public enum StandardStream {
    public static let input = STDIN_FILENO
    public static let output = STDOUT_FILENO
    public static let error = STDERR_FILENO

    /// Reads the available bytes, waiting for the first; 0 at the end.
    public static func read(
        from descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        while true {
            let count = retryingInterrupted { systemRead(descriptor, buffer) }
            if count >= 0 { return count }
            let code = cplatform_errno()
            guard code == EAGAIN else { throw SystemError(call: "read", code: code) }
            wait(for: POLLIN, on: descriptor)
        }
    }

    /// Writes everything.
    public static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = retryingInterrupted { systemWrite(descriptor, piece) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let code = cplatform_errno()
            guard code == EAGAIN else { throw SystemError(call: "write", code: code) }
            wait(for: POLLOUT, on: descriptor)
        }
    }

    /// Waits for a terminal or a pipe that another process made non-blocking.
    private static func wait(for events: Int32, on descriptor: Int32) {
        var wait = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = poll(&wait, 1, -1)
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}

/// A moment on the user's wall clock: the zone is `TZ`, else the system's.
public struct LocalTime: Sendable, Equatable {
    public let year: Int
    public let month: Int
    public let day: Int
    public let hour: Int
    public let minute: Int
    public let second: Int
    /// The C library's abbreviation of the zone at that moment, such as `CET`.
    public let zone: String

    public init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, zone: String) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.zone = zone
    }

    /// The local time of a moment, in seconds since 1970 in UTC; nil beyond the C library's range.
    public init?(secondsSince1970 seconds: Int) {
        var moment = time_t(seconds)
        var parts = tm()
        tzset()
        guard localtime_r(&moment, &parts) != nil else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        let count = strftime(&name, name.count, "%Z", &parts)
        self.init(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec),
            zone: String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// The local time in a zone, by its IANA name; nil if this system does not know it. Not for a process with threads:
    /// it changes the C library's zone for a moment.
    public init?(secondsSince1970 seconds: Int, zone: String) {
        guard TimeZoneSetting.isKnown(zone) else { return nil }
        let before = Terminal.environment("TZ")
        setenv("TZ", zone, 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        self.init(secondsSince1970: seconds)
    }

    /// The moment of this local time, in seconds since 1970 in UTC, ignoring `zone`; nil for an impossible date (31
    /// February) or beyond the C library's range.
    public var secondsSince1970: Int? {
        guard let year = Int32(exactly: year - 1900), let month = Int32(exactly: month - 1),
            let day = Int32(exactly: day), let hour = Int32(exactly: hour), let minute = Int32(exactly: minute),
            let second = Int32(exactly: second)
        else { return nil }
        var parts = tm()
        parts.tm_year = year
        parts.tm_mon = month
        parts.tm_mday = day
        parts.tm_hour = hour
        parts.tm_min = minute
        parts.tm_sec = second
        parts.tm_isdst = -1
        tzset()
        let seconds = mktime(&parts)
        // mktime turns 31 February into 3 March, which the comparison detects.
        guard parts.tm_mon == month, parts.tm_mday == day else { return nil }
        return Int(seconds)
    }
}
