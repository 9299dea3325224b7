import Synchronization
import Testing

@testable import Platform

@Suite struct FileSystemTests {
    let path = "/tmp/file-\(getpid())-\(UInt64.random(in: 0 ... .max))"

    private func bytes(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try Array(text.utf8).withUnsafeBytes(body)
    }

    @Test func readsWhatItWrote() throws {
        defer { unlink(path) }
        let file = try File(path, .create, in: .system)
        try bytes("hello") { try file.write($0, at: 3) }
        try file.truncate(to: 7)
        try file.syncData()
        try file.sync()
        var buffer = [UInt8](repeating: 1, count: 20)
        #expect(try buffer.withUnsafeMutableBytes { try file.read($0, at: 0) } == 7)
        #expect(String(decoding: buffer.prefix(7), as: UTF8.self) == "\0\0\0hell")
        #expect(try file.status().size == 7)
        #expect(try file.status().permissions == 0o600)
    }

    @Test func aPipeWithoutAWriterIsEmpty() throws {
        defer { unlink(path) }
        #expect(try mkfifo(path, 0o600) == 0 && SmallFile.read(path, bytesMax: 8) == [])
    }

    /// A file that claims to be longer than the limit takes no memory.
    @Test func readsNoTerabyte() throws {
        defer { unlink(path) }
        try File(path, .create, in: .system).truncate(to: 1 << 40)
        #expect(throws: SystemError(call: "read", subject: path, code: EFBIG)) { try FileSystem.system.readWhole(path) }
        #expect(try FileSystem.system.readWhole(path, bytesMax: 10)?.count == 11)
    }

    @Test func continuesShortWritesAndReads() throws {
        defer { unlink(path) }
        var slow = FileSystem.system
        slow.write = { descriptor, bytes, offset throws(SystemError) in
            try FileSystem.system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)), offset)
        }
        slow.read = { descriptor, into, offset throws(SystemError) in
            try FileSystem.system.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: into.prefix(2)), offset)
        }
        let file = try File(path, .create, in: slow)
        try bytes("a longer text") { try file.write($0, at: 0) }
        var buffer = [UInt8](repeating: 0, count: 13)
        #expect(try buffer.withUnsafeMutableBytes { try file.read($0, at: 0) } == 13)
        #expect(String(decoding: buffer, as: UTF8.self) == "a longer text")
    }

    @Test func namesCallAndFileInErrors() throws {
        #expect(throws: SystemError(call: "open", subject: path, code: ENOENT)) {
            _ = try FileSystem.system.open(path, .read)
        }
        #expect(throws: SystemError(call: "lstat", subject: path, code: ENOENT)) {
            try FileSystem.system.statusOfPath(path)
        }
        #expect(throws: SystemError(call: "opendir", subject: path, code: ENOENT)) { try FileSystem.system.list(path) }
        defer { unlink(path) }
        let file = try File(path, .create, in: .system)
        #expect(throws: SystemError(call: "ftruncate", subject: path, code: EINVAL)) { try file.truncate(to: -1) }
        #expect(throws: SystemError(call: "open", subject: path, code: EEXIST)) {
            _ = try FileSystem.system.open(path, .create)
        }
    }

    @Test func doesNotFollowLinks() throws {
        symlink("/tmp", path)
        defer { unlink(path) }
        for access in [FileSystem.Access.read, .readWrite, .readWriteOrCreate, .create, .directory] {
            #expect(throws: SystemError.self) { _ = try FileSystem.system.open(path, access) }
        }
        FileSystem.system.close(try FileSystem.system.open(path, .directoryThroughLink))
        #expect(try FileSystem.system.statusOfPath(path).kind == .symbolicLink)
    }

    @Test func makesDirectoriesForTheOwnerAndListsThem() throws {
        try FileSystem.system.makeDirectory(path)
        defer { rmdir(path) }
        #expect(try FileSystem.system.statusOfPath(path).permissions == 0o700)
        #expect(try FileSystem.system.list(path) == [])
        for name in ["a", "b"] { _ = try File(path + "/" + name, .create, in: .system) }
        try FileSystem.system.rename(path + "/a", path + "/c")
        try FileSystem.system.link(path + "/b", path + "/d")
        #expect(try FileSystem.system.list(path).sorted() == ["b", "c", "d"])
        #expect(try FileSystem.system.statusOfPath(path + "/b").links == 2)
        try File(path, .directory, in: .system).sync()
        for name in ["b", "c", "d"] { try FileSystem.system.unlink(path + "/" + name) }
    }
}
