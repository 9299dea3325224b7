import Foundation
import JSONCodec
import Platform

extension Replay {
    /// A file's mode and content, to be compared later.
    struct FileState: Equatable {
        let mode: Int
        let content: Data
    }

    /// Carries out one line.
    func step(_ line: String) throws {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let marker = String(parts[0])
        let rest = parts.count > 1 ? String(parts[1]) : ""
        if marker == "-->hex" { return try send(Self.bytes(hex: rest)) }
        let text = try expand(rest)
        switch marker {
        case "-->":
            isHeaderFramed = false
            try send(Array((text + "\n").utf8))
        case "-->part": try send(Array(text.utf8))
        case "-->crlf": try send(Array((text + "\r\n").utf8))
        case "-->header": try sendHeaderFramed(text)
        case "<--": try expect(text, isHeaderFramed: false)
        case "<--header": try expect(text, isHeaderFramed: true)
        case "<--none": try expectNothing()
        default:
            if try !control(marker, text), try !changeFile(marker, text), try !checkFile(marker, text) {
                throw Failure("unknown step \(marker)")
            }
        }
    }

    private static func bytes(hex: String) throws -> [UInt8] {
        let digits = hex.filter { $0 != " " }
        guard digits.count % 2 == 0 else { throw Failure("an odd number of digits") }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw Failure("no hex digits") }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private func control(_ marker: String, _ text: String) throws -> Bool {
        switch marker {
        case "@start":
            try finish()
            arguments = text.split(separator: " ").map(String.init)
            _ = try running()
        case "@restart":
            try finish()
            _ = try running()
        case "@eof":
            try running().closeInput()
            try expectEnd(code: 0, milliseconds: 1_000)
        case "@signal":
            let signals = ["TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP]
            guard let signal = signals[text] else { throw Failure("unknown signal \(text)") }
            try running().signal(signal)
            try expectEnd(code: 0, milliseconds: 1_000)
        case "@exit":
            guard let code = Int32(text) else { throw Failure("\(text) is no exit code") }
            try expectEnd(code: code, milliseconds: 1_000)
        case "@kill":
            try running().kill()
            run = nil
            ended = nil
        case "@wait": usleep((UInt32(text) ?? 0) * 1000)
        case "@env":
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            environment[parts[0]] = parts.count > 1 ? parts[1] : nil
        case "@filesize": fileSizeKiB = Int(text)
        case "@stderr-contains":
            let deadline = Clock.monotonicMilliseconds + 2_000
            while FileManager.default.contents(atPath: stderrPath)?.range(of: Data(text.utf8)) == nil {
                guard Clock.monotonicMilliseconds < deadline else { throw Failure("stderr does not hold it") }
                usleep(5_000)
            }
        case "@stdout-contains":
            guard let source = run ?? ended, Data(source.all).range(of: Data(text.utf8)) != nil else {
                throw Failure("stdout does not hold it")
            }
            _ = source.takeUnread()
        default: return false
        }
        return true
    }

    // MARK: Files

    /// The one path in the scratch directory that matches.
    private func path(_ pattern: String) throws -> String {
        guard pattern.contains("*") else { return scratch + "/" + pattern }
        let found = paths(pattern)
        guard found.count == 1 else { throw Failure("\(pattern) names \(found.count) files") }
        return found[0]
    }

    private func paths(_ pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(scratch + "/" + pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { index in result.gl_pathv[index].map { String(cString: $0) } }
    }

    private static func split(_ text: String) -> (String, String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    private func read(_ path: String) throws -> Data {
        guard let content = FileManager.default.contents(atPath: path) else { throw Failure("\(path) cannot be read") }
        return content
    }

    /// Writes in place, so that the file keeps its inode.
    private func write(_ content: Data, to path: String, isAppending: Bool = false) throws {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isAppending ? O_APPEND : O_TRUNC)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be written") }
        defer { close(descriptor) }
        try content.withUnsafeBytes { try StandardStream.writeAll($0, to: descriptor) }
    }

    private func changeFile(_ marker: String, _ text: String) throws -> Bool {
        let (name, rest) = Self.split(text)
        switch marker {
        case "@write":
            let target = scratch + "/" + name
            try makeDirectories((target as NSString).deletingLastPathComponent)
            try write(Data((rest.isEmpty ? "" : rest + "\n").utf8), to: target)
            chmod(target, 0o600)
        case "@append": try write(Data(rest.utf8), to: path(name), isAppending: true)
        case "@replace":
            let change = rest.components(separatedBy: " => ")
            guard change.count == 2 else { throw Failure("@replace wants PATH OLD => NEW") }
            var content = try read(path(name))
            let old = Data(change[0].utf8)
            guard let place = content.range(of: old), content[place.upperBound...].range(of: old) == nil else {
                throw Failure("\(change[0]) does not stand once in \(name)")
            }
            content.replaceSubrange(place, with: Data(change[1].utf8))
            try write(content, to: path(name))
        case "@remove": if try unlink(path(text)) != 0 { throw Failure("\(text) cannot be removed") }
        case "@mkdir": try makeDirectories(path(text))
        case "@chmod":
            guard let mode = mode_t(rest, radix: 8), try chmod(path(name), mode) == 0 else {
                throw Failure("\(name) cannot get this mode")
            }
        case "@link": if try symlink(rest, path(name)) != 0 { throw Failure("\(name) cannot be made") }
        case "@lock":
            let descriptor = open(try path(text), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw Failure("\(text) cannot be locked") }
            locks[text] = descriptor
        case "@unlock": if let descriptor = locks.removeValue(forKey: text) { close(descriptor) }
        default: return false
        }
        return true
    }

    private func makeDirectories(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func checkFile(_ marker: String, _ text: String) throws -> Bool {
        let (name, rest) = Self.split(text)
        switch marker {
        case "@exists": if paths(text).isEmpty { throw Failure("\(text) is not there") }
        case "@missing": if !paths(text).isEmpty { throw Failure("\(paths(text)) must not be there") }
        case "@mode":
            let mode = try state(path(name)).mode
            if mode != Int(rest, radix: 8) { throw Failure("\(name) has mode \(String(mode, radix: 8))") }
        case "@json":
            let content = try JSONValue.parse(Array(read(path(name))))
            try Pattern(JSONValue(parsing: rest)).match(content, &captures)
        case "@remember": remembered[text] = try tree(text)
        case "@same":
            let before = remembered[text] ?? [:]
            let now = try tree(text)
            let changed = Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }.sorted()
            if !changed.isEmpty { throw Failure("changed since @remember: \(changed.joined(separator: ", "))") }
        default: return false
        }
        return true
    }

    private func state(_ path: String) throws -> FileState {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure("\(path) is not there") }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        return FileState(mode: Int(status.st_mode & 0o7777), content: isFile ? try read(path) : Data())
    }

    /// A file, or every file in a directory, by name.
    private func tree(_ pattern: String) throws -> [String: FileState] {
        let top = try path(pattern)
        var files: [String: FileState] = [:]
        var isDirectory = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: top, isDirectory: &isDirectory) else { return files }
        guard isDirectory.boolValue else { return [pattern: try state(top)] }
        for name in FileManager.default.subpaths(atPath: top) ?? [] {
            var isFolder = ObjCBool(false)
            if FileManager.default.fileExists(atPath: top + "/" + name, isDirectory: &isFolder), !isFolder.boolValue {
                files[name] = try state(top + "/" + name)
            }
        }
        return files
    }
}
