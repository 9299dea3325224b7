import Platform
import Storage
import Testing

/// Permission to open a store.
@Suite struct AccessTests {
    let directory = TestDirectory()

    private func refused(_ settings: StoreSettings, _ words: String) {
        switch reopened(settings) {
        case .failure(.unavailable(let reason, let advice)):
            #expect(reason.contains(words) && !advice.isEmpty, "\(reason)")
        case let other: Issue.record("\(other)")
        }
    }

    @Test func isReadButNotChangedWhileAnotherHasTheLock() throws {
        let first = try TestStore(settings(directory))
        let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
        let second = try reopened(settings(directory, timeout: 30)).get()
        #expect(second.revision == first.files.revision)
        #expect(try reopened(settings(directory, isReadOnly: true)).get().revision == first.files.revision)
        var store = try TestStore(settings(directory, timeout: 30))
        #expect(throws: StorageError.busy(reason: Self.busy(directory.path))) { try store.commit(.put(1, "a")) }
        _ = consume lock
        let third = try TestRecords(settings(directory))
        #expect(throws: Never.self) { try third.with { try $0.lock() } }
    }

    private static func busy(_ path: String) -> String {
        "Another process is changing the store in \(path); it held the lock for 30 ms. Try again."
    }

    @Test func waitsForTheLockWhereThereIsNoStoreYet() throws {
        directory.restore([:])
        let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
        guard case .failure(.busy(let reason)) = reopened(settings(directory, timeout: 30)) else {
            throw TestFailure("not busy")
        }
        #expect(reason.contains(directory.path))
        _ = consume lock
        #expect(throws: Never.self) { _ = try TestStore(settings(directory)) }
    }

    @Test func refusesASymbolicLinkForADirectory() throws {
        _ = try TestStore(settings(directory))
        let link = TestDirectory()
        symlink(directory.path, link.path)
        defer { unlink(link.path) }
        refused(settings(link), "symbolic link")
        var slashed = settings(link)
        slashed.directory += "/"
        refused(slashed, "symbolic link")
        #expect(throws: Never.self) { _ = try TestStore(settings(link, trust: true)) }
    }

    @Test func refusesADirectoryThatOthersMayWrite() throws {
        _ = try TestStore(settings(directory))
        chmod(directory.path, 0o770)
        refused(settings(directory), "written by other users")
        refused(settings(directory, isReadOnly: true), "written by other users")
        #expect(throws: Never.self) { _ = try TestStore(settings(directory, trust: true)) }
    }

    @Test func refusesADirectoryOfAnotherUser() throws {
        _ = try TestStore(settings(directory))
        var foreign = FileSystem.system
        foreign.effectiveUser = { 4_000_000 }
        refused(settings(directory, foreign), "another user")
        #expect(throws: Never.self) { _ = try TestStore(settings(directory, foreign, trust: true)) }
    }

    @Test func refusesAFileForADirectory() throws {
        let files = TestDirectory()
        files.restore(["plain": [1]])
        var path = settings(directory)
        path.directory = files.path("plain")
        refused(path, "not a directory")
    }

    @Test func refusesASnapshotThatIsALink() throws {
        _ = try TestStore(settings(directory))
        rename(directory.path("moods.json"), directory.path("elsewhere.json"))
        symlink("elsewhere.json", directory.path("moods.json"))
        refused(settings(directory), "symbolic link")
    }

    @Test func doesNotWaitForAFifo() throws {
        directory.restore([:])
        mkfifo(directory.path("moods.json"), 0o600)
        refused(settings(directory), "not a regular file")
    }

    @Test func doesNotMakeAStoreWhenItIsToBeRead() throws {
        refused(settings(directory, isReadOnly: true), "no store")
        directory.restore([:])
        refused(settings(directory, isReadOnly: true), "no moods.json")
        #expect(directory.names == [])
    }

    @Test(arguments: [EROFS, EACCES])
    func readsWhereTheLockCannotBeWritten(code: Int32) throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        var sealed = FileSystem.system
        let open = sealed.open
        sealed.open = { path, access throws(SystemError) in
            guard access == .read || access == .directory else {
                throw SystemError(call: "open", subject: path, code: code)
            }
            return try open(path, access)
        }
        var store = try TestStore(settings(directory, sealed))
        #expect(store.table.records.count == 1)
        guard case .readOnly = store.files.refusal else { throw TestFailure("may be written") }
        #expect(throws: StorageError.self) { try store.commit(.put(2, "b")) }
    }

    @Test func readersShowNothingAboveThePublishedSeq() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        let published = directory.read("lock")
        try store.commit(.put(2, "b"))
        let current = directory.read("lock")
        directory.write("lock", published)
        do {
            let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
            let early = try reopened(settings(directory, isReadOnly: true)).get()
            #expect(early.revision == 1 && early.table.records.count == 1)
            _ = lock.file.descriptor
        }
        // If no process holds the lock, the publication may be from before a power cut: the journal decides.
        #expect(try reopened(settings(directory, isReadOnly: true)).get().revision == 2)
        directory.write("lock", current)
        #expect(try reopened(settings(directory, isReadOnly: true)).get().revision == 2)
    }

    @Test func readersFollowTheWriterToTheNextGeneration() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        // The reader opens the old snapshot; before it looks for the journal the writer begins the next generation.
        let replaced = TestDirectory()
        replaced.restore(directory.contents())
        try store.rewrite()
        try store.commit(.put(2, "b"))
        let new = directory.contents()
        var racing = FileSystem.system
        let list = racing.list
        racing.list = { path throws(SystemError) in
            if (try? FileSystem.system.statusOfPath(path + "/journal-1.jsonl")) != nil { replaced.restore(new) }
            return try list(path)
        }
        let found = try reopened(settings(replaced, racing, isReadOnly: true)).get()
        #expect(found.revision == 2 && found.table.records.count == 2)
    }

    @Test func recoversInMemoryWhenItIsToBeRead() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        var bytes = directory.read("journal-1.jsonl")
        while bytes.last == 0x0A { bytes.removeLast() }
        directory.write("journal-1.jsonl", bytes + Array("\n{\"seq\":2,".utf8))
        let before = directory.contents()
        let found = try reopened(settings(directory, isReadOnly: true)).get()
        #expect(found.revision == 1 && found.table.records.count == 1)
        #expect(directory.contents() == before)
    }

    @Test func clearsWhatADeadWriterLeft() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        directory.write("temporary-x", "half a snapshot")
        directory.write("notes.txt", "not ours")
        _ = try TestStore(settings(directory))
        #expect(directory.names == ["journal-1.jsonl", "lock", "moods.json", "notes.txt"])
    }

    @Test func keepsEveryDescriptorFromChildrenAndAboveTheStandardOnes() throws {
        let faulty = FaultyFiles()
        var watching = faulty.fileSystem
        let open = watching.open
        watching.open = { path, access throws(SystemError) in
            let descriptor = try open(path, access)
            #expect(descriptor > 2 && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(path)")
            return descriptor
        }
        var store = try TestStore(settings(directory, watching))
        try store.commit(.put(1, "a"))
        try store.rewrite()
    }
}
