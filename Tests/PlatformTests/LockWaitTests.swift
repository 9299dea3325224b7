import Testing

@testable import Platform

@Suite struct LockWaitTests {
    let path = "/tmp/lock-wait-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let wait = LockWait()

    init() { wait.mode = .beside }

    private func attempt(_ milliseconds: Int = 20_000) throws(FileLock.Failure) -> FileLock {
        try FileLock.acquire(path, timeoutMilliseconds: milliseconds, wait, in: .system)
    }

    private func isReadable(_ milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: wait.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) > 0
    }

    @Test func anAttemptDoesNotBlockAndTheNextOneGetsTheLock() throws {
        defer { unlink(path) }
        do {
            let held = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
            #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
            #expect(wait.isUnderWay)
            #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
            #expect(wait.isUnderWay && !wait.isOver && !isReadable(20))
            _ = held.file.descriptor
        }
        #expect(isReadable(20_000) && wait.isOver)
        let lock = try attempt()
        #expect(wait.descriptor == -1 && wait.isOver)
        #expect(throws: FileLock.Failure.timedOut) {
            _ = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
        }
        _ = lock.file.descriptor
    }

    @Test func aWaitThatHasEndedLeavesTheLockToOthers() throws {
        defer { unlink(path) }
        do {
            let held = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
            #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
            wait.end()
            #expect(wait.descriptor == -1)
            _ = held.file.descriptor
        }
        _ = try FileLock.acquire(path, timeoutMilliseconds: 20_000, in: .system)
    }

    @Test func alsoOneThatHasTheLockAlready() throws {
        defer { unlink(path) }
        do {
            let held = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
            #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
            _ = held.file.descriptor
        }
        #expect(isReadable(20_000))
        wait.end()
        _ = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
    }

    /// Two processes that took the lock from each other once waited forever, each time with a new deadline.
    @Test func whoLosesTheLockAgainWaitsUntilTheFirstDeadline() throws {
        defer { unlink(path) }
        func lose(_ milliseconds: Int) throws {
            let held = try FileLock.acquire(path, timeoutMilliseconds: 20_000, in: .system)
            #expect(throws: FileLock.Failure.timedOut) { _ = try attempt(milliseconds) }
            _ = held.file.descriptor
        }
        try lose(5_000)
        let first = wait.deadline
        #expect(isReadable(20_000))
        _ = try attempt()
        try lose(60_000)
        #expect(wait.deadline == first)
        wait.end()
        try lose(60_000)
        #expect(wait.deadline > first)
        wait.end()
    }

    @Test func whereNothingIsWaitedForNoThreadIsLeft() throws {
        defer { unlink(path) }
        wait.mode = .nowhere
        let held = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
        #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
        #expect(!wait.isUnderWay && wait.descriptor == -1)
        _ = held.file.descriptor
    }

    @Test func anAttemptThatWaitsItselfGoesOnWithTheWait() throws {
        defer { unlink(path) }
        let held = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
        #expect(throws: FileLock.Failure.timedOut) { _ = try attempt() }
        wait.mode = .here
        #expect(throws: FileLock.Failure.timedOut) { _ = try attempt(30) }
        _ = held.file.descriptor
    }
}
