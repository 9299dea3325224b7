import Testing

@testable import Platform

#if os(Linux)
    /// A watch as a class, for the macros of the tests.
    private final class Watcher {
        private let watch: FileWatch

        init?(_ path: String, for interest: FileWatch.Interest = .writes) {
            guard let watch = FileWatch(directory: path, name: "lock", for: interest) else { return nil }
            self.watch = watch
        }

        func take() -> FileWatch.News { watch.take() }
    }

    @Suite struct FileWatchTests {
        private let path: String

        init() throws {
            path = "/tmp/watch-\(ProcessFacts.processID)-\(UInt32.random(in: 0 ... .max))"
            try FileSystem.system.makeDirectory(path)
        }

        private func write(_ name: String) throws {
            unlink(path + "/" + name)
            let file = try File(path + "/" + name, .create, in: .system)
            [UInt8](repeating: 1, count: 3).withUnsafeBytes { try? file.write($0, at: 0) }
        }

        private func remove() {
            for name in (try? FileSystem.system.list(path)) ?? [] { unlink(path + "/" + name) }
            rmdir(path)
        }

        @Test func tellsOfWritesToTheFileAndToNoOther() throws {
            defer { remove() }
            let watch = try #require(Watcher(path))
            #expect(watch.take() == .none)
            try write("other")
            #expect(watch.take() == .none)
            try write("lock")
            #expect(watch.take() == .written)
            #expect(watch.take() == .none)
            for _ in 0..<1000 { try write("other") }
            try write("lock")
            #expect(watch.take() == .written)
        }

        @Test func tellsThatTheFileComesAndGoes() throws {
            defer { remove() }
            let watch = try #require(Watcher(path, for: .presence))
            try write("other")
            #expect(watch.take() == .none)
            for name in ["lock", "other"] {
                try FileSystem.system.replaceWhole(path + "/" + name, by: path + "/temporary") { _ in [1] }
                #expect(watch.take() == (name == "lock" ? .written : .none))
            }
            unlink(path + "/lock")
            #expect(watch.take() == .written)
            try FileSystem.system.makeDirectory(path + "/lock")
            #expect(watch.take() == .written)
            rmdir(path + "/lock")
        }

        @Test func saysThatTheDirectoryIsGone() throws {
            let watch = try #require(Watcher(path))
            remove()
            #expect(watch.take() == .lost)
            #expect(Watcher(path) == nil)
        }
    }
#endif
