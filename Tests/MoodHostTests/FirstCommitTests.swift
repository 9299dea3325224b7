import JSONCodec
import Platform
import Synchronization
import Testing

@testable import MoodHost

/// The first change of a store that is not there yet.
@Suite struct FirstCommitTests {
    /// Before the first directory is made, another host makes the store.
    private func overtaken(_ directory: TestDirectory, _ count: Counted) -> FileSystem {
        var files = FileSystem.system
        files.makeDirectory = { path throws(SystemError) in
            if path == directory.path,
                count.number.withLock({
                    $0 += 1
                    return $0 == 1
                })
            {
                let other = TestSession(directory)
                _ = try? other.result("mood.create", #"{"emoji":"🚀","label":"Faster"}"#)
            }
            try FileSystem.system.makeDirectory(path)
        }
        return files
    }

    @Test func isCarriedOutOnTheStoreThatAnotherHostMadeMeanwhile() throws {
        let (directory, count) = (TestDirectory(), Counted())
        let session = TestSession(directory, overtaken(directory, count))
        let mood = try session.result("mood.create", #"{"emoji":"🐢","label":"Slower"}"#)
        #expect(mood["revision"]?.integer == 2)
        #expect(count.number.withLock { $0 } == 1)
        let labels = try session.result("mood.list")["items"]?.array?.compactMap { $0["label"]?.string }
        #expect(Set(labels ?? []) == ["Faster", "Slower"])
        #expect(
            try session.result("mood.history", #"{"id":"\#(mood["id"]?.string ?? "")"}"#)["items"]?.array?.count == 1)
    }

    private final class Counted: Sendable { let number = Mutex(0) }
}
