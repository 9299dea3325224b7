import Platform

/// All that a command uses of the system, except the host. A value of closures, so that tests can replace it.
struct Console {
    let write: ([UInt8]) throws(SystemError) -> Void
    /// Writes to stderr. A failure cannot be reported anywhere.
    let writeError: (String) -> Void
    /// Reads stdin up to a number of bytes, and one byte more if there is more.
    let readInput: (_ bytesMax: Int) throws(SystemError) -> [UInt8]
    /// Copies a pipe to a file that the host can read; nil if the path is a file already. Without a path it copies
    /// stdin.
    let spool: (_ path: String?) throws(SystemError) -> SpooledInput?
    /// Reads a line typed at a terminal; nil at the end.
    let readLine: () -> String?
    let isInputTerminal: Bool
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool
    /// The width of the terminal on stdout.
    let columns: Int
    /// The height of the terminal on stdout.
    let lines: Int
    let environment: (String) -> String?
    /// The fault of a variable whose value is not text.
    var environmentFault: (String) -> NotText? = { _ in nil }
    /// The directory at which relative paths begin; nil if the system does not tell it.
    let workingDirectory: () -> String?
    /// The directory without write permission in which a path would have to be made; nil if there is none.
    let unwritableDirectory: (_ path: String) -> String?
    /// Reads a whole file; nil if there is none.
    let readFile: (_ path: String, _ bytesMax: Int) throws(SystemError) -> [UInt8]?
    /// Writes a file, and makes the folders above it.
    let writeFile: (_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Void
    /// The names in a folder; empty if there is no such folder.
    let filesInFolder: (_ path: String) -> [String]
    let removeFile: (_ path: String) -> Void
    /// Runs a shell command with more arguments and waits for it. Its stdin gets the bytes, or is ours without bytes.
    let runShell:
        (_ command: String, _ arguments: [String], _ input: [UInt8]?) throws(SystemError) -> ChildProcess.Status?
    let isExecutable: (_ path: String) -> Bool
    /// Replaces this process by another program; returns only to throw.
    let become: (_ path: String, _ arguments: [String]) throws(SystemError) -> Void
    /// An id that stays the same in one terminal window.
    let session: () -> String
    let now: () -> Int
    let nowMilliseconds: () -> Int
    var pause: (_ milliseconds: Int) -> Void = { Clock.sleep(milliseconds: $0) }
    var localTime: (Int) -> LocalTime?
    /// The local time in a zone; nil if this system does not know the zone.
    let localTimeInZone: (_ secondsSince1970: Int, _ zone: String) -> LocalTime?
    /// The value of TZ, if it names no zone.
    let unknownTimeZone: () -> String?
    /// The IANA name of this system's zone; nil if it has none.
    let timeZoneName: () -> String?

    /// The width of help texts.
    var helpColumns: Int { isOutputTerminal ? columns : 80 }

    static func ofThisProcess() -> Console {
        Console(
            write: { (bytes) throws(SystemError) in
                try bytes.withBytes { (raw) throws(SystemError) in
                    try StandardStream.writeAll(raw, to: StandardStream.output)
                }
            },
            writeError: writeErrorOutput,
            readInput: { (bytesMax) throws(SystemError) in try readStandardInput(bytesMax) },
            spool: { (path) throws(SystemError) in try SpooledInput.copy(of: path) },
            readLine: readTerminalLine,
            isInputTerminal: Terminal.isTerminal(StandardStream.input),
            isOutputTerminal: Terminal.isTerminal(StandardStream.output),
            isErrorTerminal: Terminal.isTerminal(StandardStream.error),
            columns: width, lines: Terminal.lines(StandardStream.output) ?? 24,
            environment: { $0 == "PATH" ? Terminal.searchPath() : Terminal.environment($0) },
            environmentFault: { name in
                do throws(NotText) { _ = try ProcessFacts.path(name) } catch { return error }
                return nil
            },
            workingDirectory: Terminal.workingDirectory, unwritableDirectory: Terminal.unwritableDirectory,
            readFile: { (path, bytesMax) throws(SystemError) in try SmallFile.read(path, bytesMax: bytesMax) },
            writeFile: { (path, bytes) throws(SystemError) in try SmallFile.write(bytes, to: path) },
            filesInFolder: { (try? FileSystem.system.list($0)) ?? [] },
            removeFile: { try? FileSystem.system.unlink($0) },
            runShell: { (command, arguments, input) throws(SystemError) in
                try runShell(command, arguments, input)
            },
            isExecutable: Terminal.isExecutable,
            become: { (path, arguments) throws(SystemError) in try Terminal.become(path, arguments) },
            session: Terminal.session, now: { Int(Clock.milliseconds / 1_000) },
            nowMilliseconds: { Int(Clock.milliseconds) }, localTime: { LocalTime(secondsSince1970: $0) },
            localTimeInZone: { LocalTime(secondsSince1970: $0, zone: $1) },
            unknownTimeZone: TimeZoneSetting.unknown, timeZoneName: TimeZoneSetting.name)
    }

    private static func runShell(
        _ command: String, _ arguments: [String], _ input: [UInt8]?
    ) throws(SystemError) -> ChildProcess.Status? {
        var child = try ChildProcess.start(
            path: "/bin/sh", arguments: ["-c", command + " \"$@\"", "sh"] + arguments,
            input: input == nil ? .inherited : .pipe, output: .inherited)
        let bytes = input ?? []
        return Terminal.ignoringInterrupts {
            // A person may leave the pager before its end: no error.
            bytes.withUnsafeBytes { raw in if !raw.isEmpty { try? child.write(raw) } }
            child.closeInput()
            return child.wait()
        }
    }

    /// The width of stdout. `COLUMNS` comes first: a person who exports it wants it.
    private static var width: Int {
        if let text = Terminal.environment("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        return Terminal.columns(StandardStream.output) ?? 80
    }

    private static func writeErrorOutput(_ text: String) {
        var text = text
        // If stderr cannot be written, there is no place to report that.
        text.withUTF8 { try? StandardStream.writeAll(UnsafeRawBufferPointer($0), to: StandardStream.error) }
    }

    private static func readStandardInput(_ bytesMax: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while bytes.count <= bytesMax {
            let count = try StandardStream.read(from: StandardStream.input, into: buffer)
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// Reads one line. A terminal that cannot be read counts as ended.
    private static func readTerminalLine() -> String? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 10, alignment: 16)
        defer { buffer.deallocate() }
        guard let count = try? StandardStream.read(from: StandardStream.input, into: buffer), count > 0 else {
            return nil
        }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
