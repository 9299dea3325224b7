import Synchronization
import Testing

@testable import Platform

@Suite struct FileLockTests {
    let path: String

    init() {
        path = "/tmp/lock-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    }

    private func acquire(_ milliseconds: Int) throws(FileLock.Failure) -> FileLock {
        try FileLock.acquire(path, timeoutMilliseconds: milliseconds, in: .system)
    }

    @Test func excludesAnotherOpenOfTheFile() throws {
        defer { unlink(path) }
        do {
            let first = try acquire(0)
            #expect(throws: FileLock.Failure.timedOut) { _ = try acquire(0) }
            #expect(throws: FileLock.Failure.timedOut) { _ = try acquire(20) }
            _ = first.file.descriptor
        }
        _ = try acquire(1000)
    }

    @Test func givesTheLockToAWaiter() throws {
        defer { unlink(path) }
        let opened = try FileSystem.system.open(path, .readWriteOrCreate)
        try FileSystem.system.lock(opened, .exclusive)
        // The lock becomes free when its waiter is about to block, on the waiter's own thread.
        let waits = Counter()
        var releasing = FileSystem.system
        releasing.lock = { descriptor, lock throws(SystemError) in
            if lock == .exclusive {
                waits.add()
                FileSystem.system.close(opened)
            }
            try FileSystem.system.lock(descriptor, lock)
        }
        let lock = try FileLock.acquire(path, timeoutMilliseconds: 60_000, in: releasing)
        #expect(try lock.file.status().kind == .regular)
        #expect(waits.value == 1)
    }

    @Test func letsGoOfALockThatNobodyWantsAnyMore() throws {
        defer { unlink(path) }
        do {
            let first = try acquire(0)
            for _ in 0..<3 { #expect(throws: FileLock.Failure.timedOut) { _ = try acquire(5) } }
            _ = first.file.descriptor
        }
        // The abandoned waiter gets the lock now, and releases it at once or passes it on.
        for _ in 0..<20 { _ = try acquire(10_000) }
    }

    @Test func startsOneWaiterPerFileHoweverOftenItTimesOut() throws {
        defer { unlink(path) }
        let waits = Counter()
        var counting = FileSystem.system
        counting.lock = { descriptor, lock throws(SystemError) in
            if lock == .exclusive { waits.add() }
            try FileSystem.system.lock(descriptor, lock)
        }
        let first = try acquire(0)
        for _ in 0..<5 {
            #expect(throws: FileLock.Failure.timedOut) {
                _ = try FileLock.acquire(path, timeoutMilliseconds: 5, in: counting)
            }
        }
        #expect(waits.value <= 1)
        _ = first.file.descriptor
    }

    @Test func noticesThatTheFileWasReplaced() throws {
        defer { unlink(path) }
        let stale = try FileSystem.system.open(path, .readWriteOrCreate)
        try FileSystem.system.lock(stale, .exclusive)
        unlink(path)
        let fresh = try acquire(0)
        #expect(try fresh.file.status().isSameFile(as: FileSystem.system.statusOfPath(path)))
        FileSystem.system.close(stale)
    }

    @Test func tellsWhatFailed() {
        #expect(
            throws: FileLock.Failure.system(SystemError(call: "open", subject: "/missing/lock", code: ENOENT))
        ) { _ = try FileLock.acquire("/missing/lock", timeoutMilliseconds: 0, in: .system) }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
