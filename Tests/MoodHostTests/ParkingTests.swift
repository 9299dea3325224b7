import JSONCodec
import Platform
import Synchronization
import Testing

@testable import MoodHost

/// A request that waits for the lock blocks later ones, except the few that may overtake it.
@Suite struct ParkingTests {
    private let directory = TestDirectory()
    private let session: TestSession

    init() throws {
        session = TestSession(directory)
        _ = session.outputNow(for: Self.create(1) + "\n")
        session.waitBeside()
    }

    private static func create(_ number: Int) -> String {
        request(number, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
    }

    /// Another process on the store.
    private func other() throws -> FileLock {
        try FileLock.acquire(directory.path + "/lock", timeoutMilliseconds: 0, in: .system)
    }

    private func now(_ lines: String...) throws -> [JSONValue] { try parse(lines.joined(separator: "\n") + "\n") }

    private func parse(_ input: String) throws -> [JSONValue] {
        try session.outputNow(for: input).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    @Test func theFewOvertakeItAndTheRestKeepsItsOrder() throws {
        do {
            let lock = try other()
            let answers = try now(
                request(2, "nav.menu"), Self.create(3), request(4, "host.ping"), request(5, "mood.list"),
                request(6, "host.info"), Self.create(7), request(8, "rpc.discover"))
            #expect(answers.map(\.id) == [2, 4, 6, 8])
            #expect(try now(request(9, "host.ping"), request(10, "nav.menu")).map(\.id) == [9])
            #expect(session.hasPending)
            _ = lock.file.descriptor
        }
        session.awaitLock()
        let answers = try now(request(11, "host.ping"))
        #expect(answers.map(\.id) == [3, 5, 7, 10, 11])
        #expect(answers.map(\.outcome) == ["ok", "ok", "ok", "ok", "ok"])
        #expect(answers[1]["result"]?["items"]?.array?.count == 2)
        #expect(!session.hasPending)
    }

    /// A look for changes finds the lock file empty, and another process has the lock. No wait begins then, because the
    /// loop would not handle it; a request that needs the lock begins one.
    @Test func lookingAroundBeginsNoWait() throws {
        #expect(try now(request(2, "events.subscribe", #"{"topics":["mood"]}"#)).map(\.outcome) == ["ok"])
        do {
            let lock = try other()
            #expect(truncate(directory.path + "/lock", 0) == 0)
            #expect(try now(request(3, "host.ping")).map(\.outcome) == ["ok"])
            #expect(!session.isLockAwaited)
            #expect(try now(Self.create(4)).isEmpty)
            #expect(session.isLockAwaited && session.hasPending)
            _ = lock.file.descriptor
        }
        session.awaitLock()
        let answers = try now(request(5, "mood.list"))
        #expect(answers.compactMap(\.id) == [4, 5] && answers.allSatisfy { $0.kind == nil })
        #expect(!session.isLockAwaited)
    }

    @Test func whenItsTimeIsOverItIsAnswered() throws {
        let lock = try other()
        #expect(try now(Self.create(2), Self.create(3), request(4, "mood.list")).isEmpty)
        session.endTime()
        #expect(try now(request(5, "host.ping")).map(\.outcome) == ["storeBusy", "storeBusy", "ok", "ok"])
        // The next one waits for its own time.
        #expect(try now(Self.create(6)).isEmpty && session.hasPending)
        session.refuseWork()
        #expect(try now(Self.create(7)).map(\.outcome) == ["storeBusy", "storeBusy"])
        _ = lock.file.descriptor
    }

    @Test func itCanBeCancelledAndThenNobodyWaits() throws {
        do {
            let lock = try other()
            #expect(try now(Self.create(2), request(3, "host.ping")).map(\.id) == [3])
            let answers = try now(notification("$/cancelRequest", #"{"id":2}"#), request(4, "mood.list"))
            #expect(answers.map(\.id) == [2, 4] && answers[0].code == -32800)
            #expect(!session.hasPending)
            _ = lock.file.descriptor
        }
        // The waiting thread releases the lock as soon as it gets it.
        _ = try FileLock.acquire(directory.path + "/lock", timeoutMilliseconds: 20_000, in: .system)
    }

    @Test func aLaterOneCanBeCancelledWhileItWaits() throws {
        let lock = try other()
        #expect(try now(Self.create(2), Self.create(3)).isEmpty)
        #expect(try now(notification("$/cancelRequest", #"{"id":3}"#), request(4, "host.ping")).map(\.id) == [4])
        session.endTime()
        let answers = try now(request(5, "host.ping"))
        #expect(answers.map(\.id) == [2, 3, 5] && answers[1].code == -32800)
        _ = lock.file.descriptor
    }

    @Test func aBatchIsDoneOnce() throws {
        do {
            let lock = try other()
            let move = request(2, "nav.navigate", #"{"route":{"name":"crudList"}}"#)
            #expect(try now("[\(move),\(Self.create(3)),\(move)]", request(4, "host.ping")).map(\.id) == [4])
            _ = lock.file.descriptor
        }
        session.awaitLock()
        let batch = try #require(try now(request(5, "nav.state")).first?.array)
        #expect(batch.map(\.outcome) == ["ok", "ok", "ok"])
        #expect(batch[2]["result"]?["depth"]?.integer == 2)
    }

    @Test func requestsOfTheSameIdAreToldApart() throws {
        let lock = try other()
        #expect(try now(Self.create(2), request(2, "host.ping"), request(2, "nav.menu")).count == 1)
        session.endTime()
        #expect(try now(request(2, "host.ping")).map(\.outcome) == ["storeBusy", "ok", "ok"])
        _ = lock.file.descriptor
    }

    @Test func anEarlierRequestKeepsItsAnswer() throws {
        let empty = TestDirectory()
        let others = Mutex<FileLock?>(nil)
        var fileSystem = FileSystem.system
        fileSystem.makeDirectory = { path throws(SystemError) in
            // Another process is faster: it makes the store, and works on it.
            _ = TestSession(empty).outputNow(for: Self.create(9) + "\n")
            others.withLock { $0 = try? FileLock.acquire(path + "/lock", timeoutMilliseconds: 0, in: .system) }
            try FileSystem.system.makeDirectory(path)
        }
        let session = TestSession(empty, fileSystem)
        session.waitBeside()
        let toggle = request(1, "mood.toggleFavorite", #"{"id":"\#(testID(9))"}"#)
        // Its answer was right on arrival, and stays so.
        let first = session.outputNow(for: toggle + "\n" + Self.create(2) + "\n")
        #expect(first.contains(#""id":1,"error""#) && first.contains("notFound") && !first.contains(#""id":2"#))
        others.withLock { $0 = nil }
        session.awaitLock()
        let answers = try session.outputNow(for: "\n").split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(answers.map(\.id) == [2] && answers.map(\.outcome) == ["ok"])
    }

    /// Two requests of one group need the lock. The first has it for nothing, and then another process has it.
    @Test func whoHasItInVainDoesNotWaitForItAgain() throws {
        let directory = TestDirectory()
        let others = Mutex<FileLock?>(nil)
        let isCut = Atomic(false)
        let path = directory.path + "/lock"
        var fileSystem = FileSystem.system
        fileSystem.lock = { descriptor, lock throws(SystemError) in
            try FileSystem.system.lock(descriptor, lock)
            guard case .none = lock, isCut.load(ordering: .relaxed) else { return }
            others.withLock { $0 = $0 ?? (try? FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)) }
        }
        let session = TestSession(directory, fileSystem)
        _ = session.outputNow(for: Self.create(1) + "\n" + request(2, "store.compact") + "\n")
        session.attendWork()
        session.waitBeside()
        truncate(directory.path + "/moods.json", 0)
        isCut.store(true, ordering: .relaxed)
        let input = [Self.create(3), Self.create(4), request(5, "host.ping")].joined(separator: "\n") + "\n"
        let output = session.outputNow(for: input).split(separator: "\n")
        let answers = try output.map { try JSONValue(parsing: String($0)) }
        #expect(answers.suffix(3).map(\.outcome) == ["storeCorrupt", "storeCorrupt", "ok"])
        #expect(!session.hasPending && others.withLock { $0 != nil })
    }

    /// Later requests that read check the store again.
    @Test func whoReadsAfterItLooksAgain() throws {
        try FileSystem.system.rename(directory.path, directory.path + "-away")
        defer { TestDirectory.remove(directory.path + "-away") }
        let answers = try now(Self.create(2), Self.create(3), request(4, "mood.list"))
        #expect(answers.map(\.outcome) == ["storeUnavailable", "storeUnavailable", "storeUnavailable"])
    }

    @Test func settingsAreChosenOnceTheLockIsThere() throws {
        do {
            let lock = try other()
            let answers = try now(
                request(2, "settings.set", #"{"dayStartsAt":"01:00"}"#), request(3, "host.ping"),
                request(4, "settings.get"))
            #expect(answers.map(\.id) == [3])
            _ = lock.file.descriptor
        }
        session.awaitLock()
        let answers = try now(request(5, "host.ping"))
        #expect(answers.map(\.id) == [2, 4, 5])
        #expect(answers[1]["result"]?["dayStartsAt"]?.string == "01:00")
    }

    /// A choice that changes nothing needs no lock, and makes no store.
    @Test func settingsThatAreAsChosenWaitForNobody() throws {
        let lock = try other()
        #expect(try now(request(2, "settings.set", #"{"dayStartsAt":null}"#)).map(\.outcome) == ["ok"])
        _ = lock.file.descriptor
        let empty = TestDirectory()
        _ = try TestSession(empty).result("settings.set", #"{"dayStartsAt":null}"#)
        #expect(empty.names.isEmpty)
    }

    @Test func aStoreIsMadeOnceTheLockIsThere() throws {
        let empty = TestDirectory()
        let session = TestSession(empty)
        session.waitBeside()
        mkdir(empty.path, 0o700)
        do {
            let lock = try FileLock.acquire(empty.path + "/lock", timeoutMilliseconds: 0, in: .system)
            #expect(session.outputNow(for: Self.create(2) + "\n").isEmpty)
            _ = lock.file.descriptor
        }
        session.awaitLock()
        #expect(try JSONValue(parsing: session.outputNow(for: "\n")).outcome == "ok")
    }
}
