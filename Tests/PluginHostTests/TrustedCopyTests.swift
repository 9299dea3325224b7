import JSONCodec
import Platform
import Testing

@testable import PluginHost

@Suite struct TrustedCopyTests {
    private static func id() throws -> PluginID { try #require(PluginID("org.a.one")) }

    private static func make() throws -> (folder: TestFolder, digest: PluginDigest) {
        let folder = try TestFolder()
        try folder.add("org.a.one")
        try folder.write("data", to: "org.a.one/deep/er/data.txt")
        try folder.write("x", to: "org.a.one/deep/.git/HEAD")
        mkdir(folder.path + "/org.a.one/empty", 0o755)
        return (folder, try PluginFolder(folder.path + "/org.a.one", .system).digest())
    }

    private static func copy(
        _ folder: TestFolder, _ digest: PluginDigest, _ calls: FolderCalls = .unsynced
    ) throws -> TrustedCopy {
        try TrustedCopy.make(
            from: folder.path + "/org.a.one", of: try id(), into: folder.path + "/run", expecting: digest, calls: calls)
    }

    private static func names(_ folder: TestFolder) -> [String] {
        ((try? FileSystem.system.list(folder.path + "/run/org.a.one")) ?? []).sorted()
    }

    @Test func aCopyIsTheSameAndReadOnly() throws {
        let (folder, digest) = try Self.make()
        let path = try Self.copy(folder, digest, .system).path
        #expect(path == folder.path + "/run/org.a.one/" + digest.text && Self.names(folder) == [digest.text])
        #expect(TrustedCopy.isWhole(path, digest))
        #expect(try FileSystem.system.list(path).sorted() == ["deep", "main.sh", "plugin.json"])
        let modes = try [("", 0o500), ("/deep", 0o500), ("/main.sh", 0o500), ("/deep/er/data.txt", 0o400)].map {
            name, mode in
            try FileSystem.system.statusOfPath(path + name).permissions == UInt16(mode)
        }
        #expect(modes == [true, true, true, true])
        // The copy exists already, whatever the folder contains by now.
        try folder.write("other", to: "org.a.one/main.sh", mode: 0o755)
        #expect(try Self.copy(folder, digest).path == path && TrustedCopy.isWhole(path, digest))
    }

    @Test func anotherFolderThanExpectedIsRefused() throws {
        let (folder, digest) = try Self.make()
        try folder.write("other", to: "org.a.one/main.sh", mode: 0o755)
        let problem = #expect(throws: PluginFolderProblem.self) { try Self.copy(folder, digest) }
        #expect(problem?.description.contains("which was to be trusted") == true && Self.names(folder) == [])
    }

    @Test func aDamagedCopyIsMadeAnew() throws {
        let (folder, digest) = try Self.make()
        let path = try Self.copy(folder, digest).path
        chmod(path, 0o700)
        chmod(path + "/plugin.json", 0o600)
        unlink(path + "/plugin.json")
        #expect(!TrustedCopy.isWhole(path, digest))
        #expect(try Self.copy(folder, digest).path == path && TrustedCopy.isWhole(path, digest))
    }

    @Test func whatACrashLeftIsRemovedAndWhatIsBeingMadeIsNot() throws {
        let (folder, digest) = try Self.make()
        try folder.write("x", to: "run/org.a.one/.unfinished-1-2/deep/x")
        try folder.write("x", to: "run/org.a.one/.unfinished-3-4/x")
        let held = try File(folder.path + "/run/org.a.one/.unfinished-3-4", .directory, in: .system)
        try FileSystem.system.lock(held.descriptor, .exclusiveNow)
        _ = try Self.copy(folder, digest)
        #expect(Self.names(folder) == [".unfinished-3-4", digest.text])
        #expect(TrustedCopy.removeOthers(of: try Self.id(), in: folder.path + "/run") { digest })
        #expect(Self.names(folder) == [".unfinished-3-4", digest.text])
        #expect(TrustedCopy.removeOthers(of: try Self.id(), in: folder.path + "/run") { nil })
        #expect(Self.names(folder) == [".unfinished-3-4"])
    }

    /// Another host removes what its record does not name, between the copying and the record of this one.
    @Test func aCopyStaysUntilARecordMayNameIt() throws {
        let (folder, digest) = try Self.make()
        let (id, run) = (try Self.id(), folder.path + "/run")
        var copy: TrustedCopy? = try Self.copy(folder, digest)
        #expect(!TrustedCopy.removeOthers(of: id, in: run) { nil })
        #expect(Self.names(folder) == [digest.text])
        extendLifetime(copy)
        copy = nil
        // The record was written before the lock is free, so it is read after that.
        let isDone = TrustedCopy.removeOthers(of: id, in: run) {
            let place = try File(run + "/" + id.text, .directory, in: .system)
            #expect(throws: SystemError.self) { try FileSystem.system.lock(place.descriptor, .sharedNow) }
            return digest
        }
        #expect(isDone && Self.names(folder) == [digest.text])
        #expect(TrustedCopy.removeOthers(of: id, in: run) { throw SystemError(call: "read", code: EIO) })
        #expect(Self.names(folder) == [digest.text], "a record that cannot be read may name it")
        #expect(TrustedCopy.removeOthers(of: id, in: run) { nil } && Self.names(folder) == [])
    }

    /// A folder that changes at any moment of the copying gives the expected copy, or none.
    @Test func aFolderThatChangesMeanwhileLeavesNoHalfCopy() throws {
        let changes: [@Sendable (String) -> Void] = [
            { unlink($0 + "/main.sh") },
            { truncate($0 + "/plugin.json", 3) },
            { path in
                rename(path + "/deep", path + "/moved")
                symlink("/etc", path + "/deep")
            },
            { close(open($0 + "/deep/new", O_CREAT | O_WRONLY, 0o600)) },
            { chmod($0 + "/main.sh", 0o644) },
        ]
        var (copies, refusals) = (0, 0)
        for change in changes {
            for moment in 0..<40 {
                let (folder, digest) = try Self.make()
                let path = folder.path + "/org.a.one"
                let counter = CallCounter(moment) { change(path) }
                do {
                    let copy = try Self.copy(folder, digest, counter.calls)
                    #expect(TrustedCopy.isWhole(copy.path, digest))
                    copies += 1
                } catch {
                    #expect(Self.names(folder) == [], "moment \(moment): \(error)")
                    refusals += 1
                }
            }
        }
        #expect(copies > 0 && refusals > 0)
    }

    /// Each call fails once.
    @Test func aCallThatFailsLeavesNoCopy() throws {
        var failed = 0
        for moment in 0..<200 {
            let (folder, digest) = try Self.make()
            let counter = CallCounter(moment, failing: true) {}
            do {
                _ = try Self.copy(folder, digest, counter.calls)
            } catch {
                failed += 1
                #expect(!Self.names(folder).contains(digest.text) || counter.lastCall == "sync")
            }
            // A second attempt succeeds.
            #expect(TrustedCopy.isWhole(try Self.copy(folder, digest).path, digest))
            #expect(Self.names(folder).filter { !$0.hasPrefix(".") } == [digest.text])
        }
        #expect(failed > 20)
    }
}

extension FolderCalls {
    /// No syncs, because these tests would wait for the disk hundreds of times.
    fileprivate static let unsynced: FolderCalls = {
        var calls = system
        calls.syncAll = { _ in }
        return calls
    }()
}

/// System calls, one of which has a side effect.
private final class CallCounter: @unchecked Sendable {
    // Only the test's thread uses it.
    private var left: Int
    private let isFailing: Bool
    private let change: () -> Void
    private(set) var lastCall = ""

    init(_ moment: Int, failing isFailing: Bool = false, _ change: @escaping () -> Void) {
        left = moment
        self.isFailing = isFailing
        self.change = change
    }

    private func count(_ call: String) throws(SystemError) {
        left -= 1
        guard left == -1 else { return }
        lastCall = call
        change()
        if isFailing { throw SystemError(call: call, code: EIO) }
    }

    var calls: FolderCalls {
        let system = FolderCalls.system
        var calls = system
        calls.status = { [self] folder, name throws(SystemError) in
            try count("status")
            return try system.status(folder, name)
        }
        calls.openFile = { [self] folder, name throws(SystemError) in
            try count("open")
            return try system.openFile(folder, name)
        }
        calls.openFolder = { [self] folder, name throws(SystemError) in
            try count("open")
            return try system.openFolder(folder, name)
        }
        calls.makeFile = { [self] folder, name throws(SystemError) in
            try count("make")
            return try system.makeFile(folder, name)
        }
        calls.makeFolder = { [self] folder, name throws(SystemError) in
            try count("make")
            return try system.makeFolder(folder, name)
        }
        calls.names = { [self] folder throws(SystemError) in
            try count("names")
            return try system.names(folder)
        }
        calls.setPermissions = { [self] descriptor, permissions throws(SystemError) in
            try count("permissions")
            try system.setPermissions(descriptor, permissions)
        }
        calls.rename = { [self] folder, from, to throws(SystemError) in
            try count("rename")
            try system.rename(folder, from, to)
        }
        calls.syncAll = { [self] descriptor throws(SystemError) in
            try count("sync")
        }
        return calls
    }
}
