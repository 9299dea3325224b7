import JSONCodec
import MoodProtocol
import MoodStore
import Platform
import Storage
import Synchronization
import Testing

@testable import MoodHost

/// A session that a test drives with text: the host without its pipes.
final class TestSession {
    private var session: Session
    /// The time that requests see, in milliseconds since 1970.
    var now: Int64 = 1_767_323_045_678  // 2026-01-02T03:04:05.678Z
    /// Kept, so that it is removed after the session.
    private var directory: TestDirectory?

    init(
        _ options: HostOptions = HostOptions(place: .memory),
        _ location: MoodRecords.Location = .memory(isReadOnly: false)
    ) {
        session = Session(core: Core(options, location))
    }

    /// A session with some limits set.
    convenience init(limits: [(Limits.Name, Int)]) {
        var options = HostOptions(place: .memory)
        for (name, value) in limits {
            let refusal = options.limits.set(name, to: value)
            #expect(refusal == nil)
        }
        self.init(options)
    }

    /// A session on the files of a directory.
    convenience init(
        _ directory: TestDirectory, _ fileSystem: FileSystem = .system, isReadOnly: Bool = false
    ) {
        self.init(directory, HostOptions(place: .directory(directory.path)), fileSystem, isReadOnly: isReadOnly)
    }

    convenience init(
        _ directory: TestDirectory, _ options: HostOptions, _ fileSystem: FileSystem = .system, isReadOnly: Bool = false
    ) {
        var options = options
        options.logLevel = .error
        let settings = StoreSettings(
            directory: directory.path, durability: .sync, isReadOnly: isReadOnly, trustsDirectory: false,
            lockTimeoutMilliseconds: 2000, schemaVersion: MoodRecords.schemaVersion, fileSystem: fileSystem,
            log: { _ in }, makeIdentifier: TestDirectory.makeIdentifier, timestamp: { "2026-01-02T03:04:05.678Z" })
        self.init(options, .directory(settings))
        self.directory = directory
    }

    /// Adds a guard of routes.
    func add(_ one: NavigationGuard) { session.dispatcher.core.guards.append(one) }

    /// Adds a method that is not in the program.
    func add(_ method: Method, _ run: Handler.Run) {
        let isAdded = session.dispatcher.core.methods.add(method, run)
        #expect(isAdded)
    }

    func removeMethod(_ name: Name) {
        let isGone = session.dispatcher.core.methods.remove(name)
        #expect(isGone)
    }

    var hasPending: Bool { session.hasPending }

    /// Waits for the helper threads, and handles their results.
    func attendWork() {
        _ = session.dispatcher.core.store.helper.wait(milliseconds: 60_000)
        _ = session.dispatcher.core.reader.wait(milliseconds: 60_000)
        _ = session.dispatcher.core.sync.thread.wait(milliseconds: 60_000)
        session.attendWork(milliseconds: now)
    }

    /// Waits for the reader thread alone, and handles the results of all.
    func attendReader() {
        _ = session.dispatcher.core.reader.wait(milliseconds: 60_000)
        session.attendWork(milliseconds: now)
    }

    /// Makes every list that looks into moods a long one.
    func lookThroughNoneAtOnce() { session.dispatcher.core.store.countAtOnce = 0 }

    /// Lets the reader thread do this before its next work.
    func occupyReader(_ body: @escaping @Sendable () -> Void) { _ = session.dispatcher.core.reader.run(body) }

    /// Waits for the helper thread, without handling its results.
    func awaitHelper() { _ = session.dispatcher.core.store.helper.wait(milliseconds: 60_000) }

    /// Refuses work as at the end of the process.
    func refuseWork() { session.refuseWork() }

    /// Lets requests wait for the lock in the background, as in the loop.
    func waitBeside() { session.dispatcher.core.store.lockWait.mode = .beside }

    /// Whether a wait for the lock goes on in the background.
    var isLockAwaited: Bool { session.dispatcher.core.store.lockWait.descriptor >= 0 }

    /// Waits for the lock.
    func awaitLock() {
        var wanted = pollfd(fd: session.dispatcher.core.store.lockWait.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&wanted, 1, 60_000) > 0)
        session.wake(milliseconds: now)
    }

    /// Ends the wait for the lock.
    func endTime() { session.endLockTime(milliseconds: now) }

    var isOutputFull: Bool { session.isOutputFull }
    var isTooSlow: Bool { session.isTooSlow }
    func endSlowSubscriptions() { session.endSlowSubscriptions() }
    var hasSharedSync: Bool { session.hasSharedSync }
    var isShuttingDown: Bool { session.dispatcher.core.isShuttingDown }

    /// Appends input without handling it.
    func receive(_ bytes: [UInt8]) {
        let count = session.receive(upTo: bytes.count) { room in
            room.copyBytes(from: bytes)
            return bytes.count
        }
        #expect(count == bytes.count)
    }

    /// Handles as much as possible, and returns whether that was all.
    func process(isAtEnd: Bool = false) -> Bool {
        if isAtEnd { session.endInput() }
        session.process(milliseconds: now)
        return !session.hasWork
    }

    /// Takes all output.
    func takeOutput() -> String {
        let text = String(decoding: session.sendable, as: UTF8.self)
        session.didSend(session.sendable.count)
        return text
    }

    /// The memory for answers.
    var outputCapacity: Int { session.output.buffer.capacity }
    var waitingBytes: Int { session.sendable.count }

    /// The answers to one read of these bytes, with the later ones.
    func output(for text: String, isAtEnd: Bool = false) -> String {
        var output = outputNow(for: text, isAtEnd: isAtEnd)
        while session.hasPending || session.hasWork {
            attendWork()
            _ = process()
            output += takeOutput()
        }
        return output
    }

    /// The answers to one read of these bytes, without the later ones.
    func outputNow(for text: String, isAtEnd: Bool = false) -> String {
        receive(Array(text.utf8))
        var output = ""
        while !process(isAtEnd: isAtEnd), !session.isFull || session.isOutputFull { output += takeOutput() }
        return output + takeOutput()
    }

    /// The answers to lines that arrive together, each of them JSON on a line.
    func answers(_ lines: String...) throws -> [JSONValue] {
        try output(for: lines.joined(separator: "\n") + "\n").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
    }

    /// The immediate answers to lines that arrive together.
    func answersNow(_ lines: [String]) throws -> [JSONValue] {
        try outputNow(for: lines.joined(separator: "\n") + "\n").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
    }

    /// The answer to one request.
    func call(_ method: String, _ params: String = "{}") throws -> JSONValue {
        try #require(try answers(request(1, method, params)).first)
    }

    /// The result of one request that succeeds.
    func result(_ method: String, _ params: String = "{}") throws -> JSONValue {
        let answer = try call(method, params)
        return try #require(answer["result"], "\(answer.text)")
    }
}

func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
}

func notification(_ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#
}

func testID(_ number: Int) -> String {
    let digits = String(number)
    return "01890000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}

extension JSONValue {
    var id: Int? { self["id"]?.integer }
    var code: Int? { self["error"]?["code"]?.integer }
    var kind: String? { self["error"]?["data"]?["kind"]?.string }
    var path: String? { self["error"]?["data"]?["path"]?.string }
    /// A short form of an answer: `kind` of an error, or `ok`.
    var outcome: String { kind ?? (self["result"] == nil ? "?" : "ok") }
}

/// A directory for one test; removed with this value.
final class TestDirectory: Sendable {
    private static let counter = Atomic(0)
    let path: String

    init() {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ProcessFacts.environment("TMPDIR") ?? "/tmp"
        path = "\(base)/host-\(ProcessFacts.processID)-\(Clock.monotonicMilliseconds)-\(number)"
    }

    deinit { Self.remove(path) }

    static func remove(_ path: String) {
        let system = FileSystem.system
        for name in (try? system.list(path)) ?? [] {
            do throws(SystemError) { try system.unlink(path + "/" + name) } catch { remove(path + "/" + name) }
        }
        rmdir(path)
    }

    /// A unique identifier, which the store needs for names.
    static func makeIdentifier() -> String { testID(1_000_000 + counter.add(1, ordering: .relaxed).newValue) }

    var isThere: Bool { access(path, F_OK) == 0 }

    var names: [String] { ((try? FileSystem.system.list(path)) ?? []).sorted() }

    func write(_ name: String, _ text: String) {
        unlink(path + "/" + name)
        guard let file = try? File(path + "/" + name, .create, in: .system) else { return }
        Array(text.utf8).withUnsafeBytes { try? file.write($0, at: 0) }
    }

    func text(_ name: String) -> String {
        guard let file = try? File(path + "/" + name, .read, in: .system), let size = try? file.status().size else {
            return ""
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { (try? file.read($0, at: 0)) ?? 0 }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// Makes the next calls of one name fail.
final class Fault: Sendable {
    private let state = Mutex((call: "", code: Int32(0), count: 0))

    func set(_ call: String, _ code: Int32, count: Int = 1) { state.withLock { $0 = (call, code, count) } }

    private func check(_ call: String) throws(SystemError) {
        let code: Int32? = state.withLock { state in
            guard state.call == call, state.count > 0 else { return nil }
            state.count -= 1
            return state.code
        }
        if let code { throw SystemError(call: call, code: code) }
    }

    var fileSystem: FileSystem {
        let system = FileSystem.system
        var faulty = system
        faulty.syncData = { [self] descriptor throws(SystemError) in
            try check("fdatasync")
            try system.syncData(descriptor)
        }
        faulty.write = { [self] descriptor, bytes, offset throws(SystemError) in
            try check("pwrite")
            return try system.write(descriptor, bytes, offset)
        }
        faulty.rename = { [self] from, to throws(SystemError) in
            try check("rename")
            try system.rename(from, to)
        }
        faulty.sync = { [self] descriptor throws(SystemError) in
            try check("fsync")
            try system.sync(descriptor)
        }
        return faulty
    }
}
