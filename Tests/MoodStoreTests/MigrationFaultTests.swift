import JSONCodec
import MoodCore
import Platform
import Seeds
import Storage
import Testing

@testable import MoodStore

/// Opens each older fixture while a call fails once, or is the last one of a killed process, for every call, and then
/// again. No mood is lost, no byte of the old file changes, and acknowledged data is there.
@Suite struct MigrationFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fixture: Fixture
        let code: Int32
        let isForever: Bool

        var testDescription: String { "\(fixture.name), error \(code), \(isForever ? "for ever" : "once")" }
    }

    static let cases = Fixture.older.flatMap { fixture in
        [EIO, ENOSPC, EACCES, EMFILE, EPERM].prefix(SeededRandom.some(2, of: 5)).flatMap { code in
            [false, true].map { Case(fixture: fixture, code: code, isForever: $0) }
        }
    }

    /// Opens, shows, adds a mood; returns whether that was acknowledged.
    private func live(_ directory: TestDirectory, _ files: FailingFiles, _ fixture: Fixture) throws -> Bool {
        var store = MoodRecords(.directory(try migrationSettings(directory, files.fileSystem)))
        do {
            try store.open()
        } catch {
            return false
        }
        do {
            #expect(try shownMoods(&store) == fixture.moods, "\(files.failed)")
        } catch let error as MoodStoreError {
            // Moods are read on demand, and that call may be the failing one.
            guard case .storage = error else { throw error }
        }
        do {
            try addMood(&store, 1)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: cases)
    func losesNothingWhicheverCallFails(one: Case) throws {
        let whole = FailingFiles(failing: 0, isForever: false, code: 0)
        #expect(try live(one.fixture.copy(), whole, one.fixture))
        #expect(whole.calls > 40)
        var acknowledged = 0
        for number in 1...whole.calls {
            let files = FailingFiles(failing: number, isForever: one.isForever, code: one.code)
            let directory = try one.fixture.copy()
            let isAcknowledged = try live(directory, files, one.fixture)
            acknowledged += isAcknowledged ? 1 : 0
            let place = "call \(number), \(files.failed): \(directory.names)"

            let isMigrated = directory.read("moods.json") != one.fixture.document
            #expect(!isMigrated || directory.read(one.fixture.keptName) == one.fixture.document, "\(place)")

            var store = MoodRecords(.directory(try migrationSettings(directory)))
            try store.openForWriting()
            let added = testID(1).text
            let shown = try shownMoods(&store)
            #expect(shown.filter { !$0.contains(added) } == one.fixture.moods, "\(place)")
            #expect(!isAcknowledged || shown.contains { $0.contains(added) }, "\(place)")
            #expect(directory.read(one.fixture.keptName) == one.fixture.document, "\(place)")
            if !shown.contains(where: { $0.contains(added) }) { try addMood(&store, 1) }
            let report = try verify(store)
            #expect(report?.isWhole == true, "\(place)")
            #expect(!directory.names.contains { $0.hasPrefix("temporary-") || $0.hasPrefix("moods.v1-") }, "\(place)")
        }
        #expect(one.isForever || acknowledged > 0)
    }
}
