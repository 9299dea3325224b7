import Platform
import SimulatedDisk
import Testing

/// Calls fail with the kernel's errors, and with the planned faults.
@Suite struct DiskCallTests {
    let disk = makeDisk()

    @Test func failsAsTheKernelDoes() throws {
        let files = disk.startProcess().fileSystem
        try files.make("/file", "text", isSynced: true, isNameSynced: true)
        try files.makeDirectory("/folder")
        #expect(code { _ = try files.open("/none", .read) } == ENOENT)
        #expect(code { _ = try files.open("/none/file", .readWriteOrCreate) } == ENOENT)
        #expect(code { _ = try files.open("/file/file", .read) } == ENOTDIR)
        #expect(code { _ = try files.open("/file", .directory) } == ENOTDIR)
        #expect(code { _ = try files.open("/file", .create) } == EEXIST)
        #expect(code { _ = try files.open("/folder", .readWrite) } == EISDIR)
        #expect(code { _ = try files.open("/" + String(repeating: "n", count: 256), .create) } == ENAMETOOLONG)
        #expect(code { try files.rename("/none", "/other") } == ENOENT)
        #expect(code { try files.rename("/file", "/folder") } == EISDIR)
        #expect(code { try files.link("/file", "/folder") } == EEXIST)
        #expect(code { try files.link("/folder", "/other") } == EPERM)
        #expect(code { try files.unlink("/folder") } == EISDIR)
        #expect(code { try files.makeDirectory("/file") } == EEXIST)
        #expect(code { _ = try files.list("/file") } == ENOTDIR)
        #expect(code { _ = try files.status(99) } == EBADF)
        let descriptor = try files.open("/file", .read)
        #expect(code { try files.truncate(descriptor, 0) } == EINVAL)
        files.close(descriptor)
        #expect(code { _ = try files.status(descriptor) } == EBADF)
        #expect(files.text(of: "/file") == "text")
    }

    @Test func countsLinks() throws {
        let files = disk.startProcess().fileSystem
        try files.make("/a", "text", isSynced: true, isNameSynced: true)
        try files.link("/a", "/b")
        #expect(try files.statusOfPath("/a").links == 2)
        #expect(try files.statusOfPath("/a").isSameFile(as: files.statusOfPath("/b")))
        let file = try File("/b", .read, in: files)
        try files.unlink("/a")
        try files.unlink("/b")
        #expect(try file.status().links == 0)
        #expect(try file.status().size == 4)
    }

    @Test func twoOpensExcludeEachOther() throws {
        let process = disk.startProcess()
        let first = try process.fileSystem.open("/lock", .readWriteOrCreate)
        let second = try disk.startProcess().fileSystem.open("/lock", .readWriteOrCreate)
        let other = disk.startProcess()
        let third = try other.fileSystem.open("/lock", .readWriteOrCreate)
        #expect(second >= 3)
        try process.fileSystem.lock(first, .exclusiveNow)
        try process.fileSystem.lock(first, .exclusiveNow)
        #expect(code { try other.fileSystem.lock(third, .exclusiveNow) } == EWOULDBLOCK)
        process.kill()
        try other.fileSystem.lock(third, .exclusiveNow)
        try other.fileSystem.lock(third, .none)
        let fourth = try other.fileSystem.open("/lock", .read)
        try other.fileSystem.lock(fourth, .exclusiveNow)
    }

    /// The clock of a file system advances in steps: two writes may bear one time, and many do not.
    @Test func stampsWhatIsChanged() throws {
        let files = disk.startProcess().fileSystem
        try files.make("/a", "1", isSynced: true, isNameSynced: true)
        let file = try File("/a", .readWrite, in: files)
        var times: [Int64] = [try file.status().modified]
        for _ in 0..<40 {
            try files.write("2", to: file)
            times.append(try file.status().modified)
        }
        #expect(times == times.sorted() && Set(times).count > 3 && Set(times).count < 30)
    }

    /// The waiting thread gets the lock when the other process ends.
    @Test func waitsForALock() async throws {
        let disk = disk
        let holder = disk.startProcess()
        let descriptor = try holder.fileSystem.open("/lock", .readWriteOrCreate)
        try holder.fileSystem.lock(descriptor, .exclusive)
        let waiter = disk.startProcess()
        let waiting = try waiter.fileSystem.open("/lock", .readWriteOrCreate)
        async let outcome = code { try waiter.fileSystem.lock(waiting, .exclusive) }
        holder.fileSystem.close(descriptor)
        let code = await outcome
        #expect(code == 0)
        let another = try holder.fileSystem.open("/lock", .read)
        #expect(SimulatedDiskTests.code { try holder.fileSystem.lock(another, .exclusiveNow) } == EWOULDBLOCK)
    }

    @Test func failsOnceForEverAndByKind() throws {
        let process = disk.startProcess()
        let files = process.fileSystem
        process.plan([
            Fault(.call(2), .fails(EACCES)), Fault(.kind(.mkdir, 2), .failsForever(EDQUOT)),
            Fault(.call(7), .killed(.after)),
        ])
        #expect(code { try files.makeDirectory("/1") } == 0)
        #expect(code { _ = try files.list("/") } == EACCES)
        #expect(code { _ = try files.list("/") } == 0)
        #expect(code { try files.makeDirectory("/2") } == EDQUOT)
        #expect(code { try files.makeDirectory("/3") } == EDQUOT)
        #expect(code { _ = try files.list("/") } == 0)
        #expect(process.failures == 3 && process.isAlive)
        #expect(code { try files.rename("/1", "/4") } == EIO)
        #expect(!process.isAlive)
        #expect(try disk.startProcess().fileSystem.list("/") == ["4"])
    }

    @Test func hasRoomForSoMuch() throws {
        let files = disk.startProcess().fileSystem
        try files.make("/a", "1234", isSynced: false, isNameSynced: false)
        let file = try File("/a", .readWrite, in: files)
        disk.setFreeBytes(3)
        try files.write("abcd", to: file)
        #expect(code { try files.write("abcdef", at: 2, to: file) } == ENOSPC)
        #expect(files.text(of: "/a") == "ababcde")
        try file.truncate(to: 4)
        try files.write("cd", at: 4, to: file)
        #expect(files.text(of: "/a") == "ababcd")
    }

    @Test func hasSoManyDescriptors() throws {
        let files = disk.startProcess().fileSystem
        for _ in 0..<64 { _ = try files.open("/", .directory) }
        #expect(code { _ = try files.open("/", .directory) } == EMFILE)
    }
}
