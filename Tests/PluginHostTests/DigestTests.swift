import JSONCodec
import Platform
import Synchronization
import Testing

@testable import PluginHost

@Suite struct DigestTests {
    /// The examples of FIPS 180-4 (NIST, "SHA256.pdf" and the long messages of SHAVS).
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func hashesAsThePublishedExamples(text: String, digest: String) {
        var hash = SHA256()
        hash.update(text)
        #expect(hash.hex() == digest)
    }

    @Test func howTheBytesComeMakesNoDifference() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var whole = SHA256()
        whole.update(bytes)
        for size in [1, 3, 63, 64, 65, 127, 128, 200] {
            var pieces = SHA256()
            var at = 0
            while at < bytes.count {
                pieces.update(Array(bytes[at..<min(at + size, bytes.count)]))
                at += size
            }
            #expect(pieces.digest() == whole.digest(), "\(size)")
        }
    }

    /// The value was made with Python: hashlib.sha256 over the same bytes, the paths sorted as bytes.
    @Test func aFolderHasTheDigestOfTheContract() throws {
        let folder = try TestFolder()
        try folder.write("{}\n", to: "plugin.json")
        try folder.write("print(1)\n", to: "main.py", mode: 0o755)
        try folder.write("", to: "a/b")
        try folder.write([0, 0xff], to: "a.b")
        try folder.write("e", to: "a/é", mode: 0o700)
        let expected = "sha256:31755b134f1867bbbb804a4d257963435abf77d65a3e3407617f3eee6068ee2e"
        #expect(try PluginFolder(folder.path, .system).digest().text == expected)
        // Ignored entries make no difference, wherever and whatever they are.
        try folder.write("x", to: ".git/HEAD", mode: 0o666)
        try folder.write("x", to: "a/__pycache__/b.pyc")
        #expect(symlink("/", folder.path + "/__pycache__") == 0)
        mkdir(folder.path + "/empty", 0o755)
        #expect(try PluginFolder(folder.path, .system).digest().text == expected)
        for change in [0o744, 0o600] as [mode_t] {
            chmod(folder.path + "/main.py", change)
            let digest = try PluginFolder(folder.path, .system).digest().text
            #expect((digest == expected) == (change == 0o744))
        }
    }

    @Test func namesThatAreNoTextAreHashedAsTheyAre() throws {
        let folder = try TestFolder()
        let name: [UInt8] = [0xff, 0xfe]
        let place = try File(folder.path, .directory, in: .system)
        let calls = FolderCalls.system
        _ = File(descriptor: try calls.makeFile(place.descriptor, name), path: "", in: .system)
        var hash = SHA256()
        hash.update("moodboard-plugin-1\n")
        hash.update([0xff, 0xfe, 0] + Array("-\u{0}0\u{0}".utf8))
        #expect(try PluginFolder(folder.path, .system).digest().text == "sha256:" + hash.hex())
        try calls.remove(place.descriptor, name, false)
    }

    @Test(arguments: [0, DigestCache.settlingMilliseconds])
    func aFolderIsReadAgainWhereItMayHaveChanged(settling: Int) throws {
        let folder = try TestFolder()
        try folder.write("one", to: "main.py")
        // The time in which it may change unseen is over.
        usleep(20_000)
        let opened = Mutex(0)
        var calls = FolderCalls.system
        calls.openFile = { place, name throws(SystemError) in
            opened.withLock { $0 += 1 }
            return try FolderCalls.system.openFile(place, name)
        }
        var digests = DigestCache(settlingMilliseconds: settling)
        func digest() throws -> PluginDigest {
            let place = try PluginFolder(folder.path, calls)
            return try #require(try digests.digest(of: place, at: folder.path, place.entries()))
        }
        let first = try digest()
        #expect(try digest() == first)
        #expect(opened.withLock { $0 } == (settling == 0 ? 1 : 2))
        // The new text has the length of the old one.
        try folder.write("two", to: "main.py")
        let second = try digest()
        #expect(second != first)
        #expect(try second == PluginFolder(folder.path, .system).digest())
        try folder.write("one", to: "main.py", mode: 0o755)
        #expect(try digest() != first)
    }

    @Test func aLargeFolderIsReadByAnotherThread() throws {
        let folder = try TestFolder()
        try folder.write(String(repeating: "x", count: 300 << 10), to: "main.py")
        let expected = try PluginFolder(folder.path, .system).digest()
        let opened = Mutex(0)
        var calls = FolderCalls.system
        calls.openFile = { place, name throws(SystemError) in
            opened.withLock { $0 += 1 }
            return try FolderCalls.system.openFile(place, name)
        }
        var digests = DigestCache()
        func digest() throws -> PluginDigest? {
            let place = try PluginFolder(folder.path, calls)
            return try digests.digest(of: place, at: folder.path, place.entries())
        }
        digests.leaveLarge()
        #expect(try digest() == nil)
        #expect(digests.takeUnread() == [folder.path])
        digests.take(DigestCache.read([folder.path]))
        digests.leaveLarge()
        #expect(try digest() == expected)
        #expect(digests.takeUnread() == [] && opened.withLock { $0 } == 0)
        // A folder that has changed since is read at once.
        try folder.write(String(repeating: "y", count: 300 << 10), to: "main.py")
        #expect(try digest() == PluginFolder(folder.path, .system).digest())
    }

    @Test func toolsAreHashedSortedAndAsTheirNumbersAreWritten() throws {
        let tools = try JSONValue(parsing: #" [ {"b" : "\u00e9", "a":1.0} ] "#)
        #expect(
            PluginDigest.ofTools(tools).text
                == "sha256:abf34757888f651a3cfa9e9e0bb65f87dafe9816b844fa8b19eefb5833a2b8ce")
    }

    @Test func aToolHasAShortNameWithoutDots() throws {
        let id = try #require(PluginID("org.example.daily-poem"))
        #expect(ToolName.of(id, "write") == "x_daily_poem_write_7940e7")
        let long = ToolName.of(id, String(repeating: "w", count: 40))
        #expect(long.utf8.count == 48 && long.hasPrefix("x_daily_poem_www") && long.utf8.count { $0 == 0x5f } == 4)
    }

    @Test(arguments: [
        "", "sha256:", "sha1:" + String(repeating: "0", count: 66), "sha256:" + String(repeating: "A", count: 64),
    ])
    func otherTextsAreNoDigest(text: String) { #expect(PluginDigest(text) == nil) }
}
