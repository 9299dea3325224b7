import Platform
import Storage
import Testing

/// The readable records of a damaged store get into a new one, and the damaged one stays unchanged.
@Suite struct SalvageTests {
    let directory = TestDirectory()
    let target = TestDirectory()

    private func saved(_ report: SalvageReport) throws -> [Int: String] {
        let found = try reopened(settings(target)).get()
        #expect(found.refusal == nil && found.table.records.count == report.records)
        #expect(found.revision == report.revision)
        #expect(try StoreFiles.verify(settings(target), examination).isWhole)
        return labels(found.table)
    }

    @Test(arguments: Damage.allCases)
    func savesAllThatIsWhole(damage: Damage) throws {
        let (contents, _) = try DamageTests.whole()
        directory.restore(contents)
        damage.apply(to: directory)
        let before = directory.contents()
        let report = try salvage(settings(directory), to: target.path)
        #expect(directory.contents() == before)
        let saved = try saved(report)
        // 1 was deleted; the journal changed 2 and added 3 and 4. The history of the test is not restored, so nothing
        // can replace the snapshot.
        let isRevived = [.noJournal].contains(damage)
        var expected = [2: "changed", 3: "third", 4: "fourth"]
        switch damage {
        case .journalLine, .everything: expected[3] = nil
        case .noJournal: expected = [1: "first", 2: "second"]
        default: break
        }
        #expect(saved == expected, "\(damage), \(report)")
        #expect(report.revision == (isRevived ? 1 : 4))
        #expect((report.skippedCount == 0) == [.none, .noSnapshot, .noJournal].contains(damage), "\(report)")
        #expect(report.skipped.count == report.skippedCount)
        #expect(report.isSnapshotSealed == [.none, .journalHeader, .journalLine, .noJournal].contains(damage))
    }

    @Test func aRecordThatTheSnapshotLostComesFromTheBackupAndTheHistory() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"), .put(3, "c"))
            try store.rewrite()
            try store.commit(.put(2, "B"))
            try store.commit(.delete(3))
            try store.rewrite()
            try store.commit(.put(4, "d"))
        }
        directory.write("moods.json", directory.text("moods.json").replacing("\"label\":\"B\"", with: "\"label:\"B\""))
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [1: "a", 2: "B", 4: "d"])
        #expect(report.files == ["backup-2.json", "history/journal-2.jsonl", "moods.json", "journal-3.jsonl"])
        // Without the backup, the journals from the beginning are used.
        directory.remove("backup-2.json")
        let second = TestDirectory()
        let again = try salvage(settings(directory), to: second.path)
        #expect(again.files.prefix(2) == ["history/journal-1.jsonl", "history/journal-2.jsonl"])
        #expect(try labels(reopened(settings(second)).get().table) == [1: "a", 2: "B", 4: "d"])
    }

    /// Journals that were overtaken and not put away also replace the snapshot. If one of the files cannot be opened,
    /// less may be saved, and the report says so.
    @Test func journalsThatWereNotPutAwayStandInAndAFileThatCannotBeOpenedIsToldOf() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"))
            try store.rewrite()
            try store.commit(.put(2, "B"))
            try store.rewrite()
            try store.commit(.put(4, "d"))
        }
        for name in ["journal-1.jsonl", "journal-2.jsonl"] {
            try FileSystem.system.rename(directory.path("history/" + name), directory.path(name))
        }
        directory.write("moods.json", directory.text("moods.json").replacing("\"label\":\"B\"", with: "\"label:\"B\""))
        let before = directory.contents()
        let all = [1: "a", 2: "B", 4: "d"]
        let files = FaultyFiles()
        let whole = try salvage(settings(directory, files.fileSystem), to: target.path)
        #expect(try saved(whole) == all)
        #expect(whole.files == ["backup-2.json", "journal-2.jsonl", "moods.json", "journal-3.jsonl"])
        for number in 1...files.trace.count(where: { $0.hasPrefix("open ") }) {
            let target = TestDirectory()
            files.set(.namedOnce("open", number, EACCES))
            let report = try? salvage(settings(directory, files.fileSystem), to: target.path)
            #expect(directory.contents() == before)
            guard let report else { continue }
            let found = try labels(reopened(settings(target)).get().table)
            // An earlier version may replace a later one only if the report names the later one's file.
            let isNamed = report.skipped.contains { $0.file == "journal-2.jsonl" }
            #expect(found == all || (report.skippedCount > 0 && (isNamed || found[2] != "b")), "\(number): \(report)")
        }
    }

    /// A commit that became a snapshot is in no journal, so records from before it must not come back.
    @Test func whatALaterSnapshotLeftOutDoesNotComeBack() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"))
            try store.rewrite()
            try store.commitAsSnapshot(Table(records: [identifier(7): record(7, "only")]))
            try store.commit(.put(8, "next"))
        }
        directory.write("moods.json", directory.text("moods.json").replacing("\"crc\"", with: "\"CRC\""))
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [7: "only", 8: "next"])
        #expect(report.files == ["moods.json", "journal-3.jsonl"])
    }

    @Test func linesBehindALostOneAreApplied() throws {
        do {
            var store = try TestStore(settings(directory))
            for number in 1...6 { try store.commit(.put(number, "v\(number)")) }
            try store.commit(.delete(1))
        }
        var text = directory.text("journal-1.jsonl")
        text = text.replacing("v3", with: "V3").replacing("v5", with: "V5")
        directory.write("journal-1.jsonl", text)
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [2: "v2", 4: "v4", 6: "v6"])
        #expect(report.skippedCount == 2 && report.skipped.allSatisfy { $0.file == "journal-1.jsonl" })
        #expect(report.skipped.map(\.offset) == report.skipped.map(\.offset).sorted())
    }

    /// Lines that a writer judged void when it began the next journal stay void.
    @Test func whatALaterJournalHasOvertakenCountsForNothing() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        let first = directory.text("journal-1.jsonl").split(separator: "\n").map(String.init)
        directory.write("journal-1.jsonl", first.joined(separator: "\n") + "\n{\"torn")
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(2, "b"))
        }
        #expect(directory.names.contains("journal-2.jsonl"))
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [1: "a", 2: "b"] && report.skippedCount == 0)
    }

    @Test func readsAroundBadBlocks() throws {
        do {
            var store = try TestStore(settings(directory))
            for number in 1...200 { store.stage([.put(number, String(repeating: "x", count: 100))]) }
            try store.sync()
            try store.rewrite()
        }
        FileSystem.removeHistory(directory)
        let bad = BadDisk("moods.json", 8192..<12288)
        let report = try salvage(settings(directory, bad.fileSystem), to: target.path)
        #expect(report.records > 150 && report.records < 180)
        #expect(report.skipped.contains { $0.offset == 8192 && $0.reason.contains("cannot be read") })
        #expect(try saved(report).count == report.records)
    }

    @Test func aSnapshotOfAnotherLayoutIsRead() throws {
        directory.restore(try DamageTests.whole().contents)
        directory.write("moods.json", directory.text("moods.json").replacing(",", with: " ,\n   "))
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [2: "changed", 3: "third", 4: "fourth"])
    }

    /// A member of the document that this version does not know is kept, in any layout.
    @Test func membersOfTheDocumentAreSaved() throws {
        directory.restore(try DamageTests.whole().contents)
        directory.write(
            "moods.json", directory.text("moods.json").replacing("{\"format\"", with: "{ \"note\":1,\n\"format\""))
        let report = try salvage(settings(directory), to: target.path)
        #expect(try saved(report) == [2: "changed", 3: "third", 4: "fourth"])
        #expect(report.skipped.isEmpty, "\(report)")
        #expect(target.text("moods.json").contains("\"count\":3,\"note\":1,\"moods\":["))
    }

    /// A file has the name of the history: its content is not ours.
    @Test func aHistoryThatIsNoFolderIsPassedOver() throws {
        directory.restore(try DamageTests.whole().contents)
        Damage.recordLine.apply(to: directory)
        directory.write("history", "mine")
        #expect(try saved(salvage(settings(directory), to: target.path)) == [2: "changed", 3: "third", 4: "fourth"])
        #expect(directory.text("history") == "mine")
    }

    @Test func refusesADirectoryThatIsNotEmptyOrInTheStore() throws {
        directory.restore(try DamageTests.whole().contents)
        let before = directory.contents()
        mkdir(target.path, 0o700)
        target.write("letter.txt", "mine")
        for path in [
            target.path, directory.path, directory.path("new"), directory.path("a/b/c"), target.path("letter.txt"),
        ] {
            do throws(RepairError) {
                _ = try salvage(settings(directory), to: path)
                Issue.record("\(path) was taken")
            } catch {
                guard case .refused = error else { throw error }
            }
        }
        #expect(directory.contents() == before && target.names == ["letter.txt"])
        // Through a link it is the same directory.
        symlink(directory.path, target.path("link"))
        #expect(throws: RepairError.self) { _ = try salvage(settings(directory), to: target.path("link/new")) }
        #expect(directory.contents() == before)
    }

    @Test func refusesEveryWayIntoTheStore() throws {
        directory.restore(try DamageTests.whole().contents)
        mkdir(directory.path("mine"), 0o700)
        mkdir(target.path, 0o700)
        symlink(directory.path("mine"), target.path("link"))
        let name = directory.path.split(separator: "/").last.map(String.init) ?? ""
        let before = directory.contents()
        for path in [
            directory.path + "/../x/../" + name + "/in", directory.path + "/mine/deeper/still",
            directory.path + "/../" + name + "/./new//", target.path("link/new"), target.path("link/../new"),
            target.path("x/../../" + name + "/in"),
        ] {
            do throws(RepairError) {
                _ = try salvage(settings(directory), to: path)
                Issue.record("\(path) was taken")
            } catch {
                guard case .refused = error else { throw error }
            }
            #expect(directory.contents() == before && target.names == ["link"], "\(path)")
        }
        // A path that leads out again is allowed.
        #expect(try salvage(settings(directory), to: directory.path + "/mine/../../\(name)-out").records == 3)
        TestDirectory.remove(directory.path + "-out")
    }

    @Test func makesAPrivateDirectoryAndUsesAnEmptyOne() throws {
        directory.restore(try DamageTests.whole().contents)
        _ = try salvage(settings(directory), to: target.path("new/deep"))
        let status = try FileSystem.system.statusOfPath(target.path("new/deep"))
        #expect(status.permissions == 0o700)
        #expect(try FileSystem.system.statusOfPath(target.path("new/deep/moods.json")).permissions == 0o600)
        mkdir(target.path("empty"), 0o700)
        #expect(try salvage(settings(directory), to: target.path("empty")).records == 3)
    }

    @Test func nothingIsNoStore() throws {
        directory.restore(["moods.json": Array("this is not JSON".utf8)])
        #expect(throws: RepairError.self) { _ = try salvage(settings(directory), to: target.path) }
        directory.restore([:])
        #expect(throws: RepairError.self) { _ = try salvage(settings(directory), to: target.path) }
        directory.restore(["moods.json": Array(#"{"schemaVersion":99,"moods":[]}"#.utf8)])
        #expect(throws: RepairError.self) { _ = try salvage(settings(directory), to: target.path) }
        #expect(target.names.isEmpty)
    }

    @Test func worksBesideAnOpenHost() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        #expect(try salvage(settings(directory, isReadOnly: true), to: target.path).records == 1)
    }

    @Test func whatWasClearedStaysAway() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"))
            try store.rewrite()
            try store.commit(.clear, .put(3, "c"))
        }
        Damage.closingLine.apply(to: directory)
        #expect(try saved(salvage(settings(directory), to: target.path)) == [3: "c"])
    }
}

extension FileSystem {
    fileprivate static func removeHistory(_ directory: TestDirectory) {
        TestDirectory.remove(directory.path("history"))
        for name in directory.names where name.hasPrefix("backup-") { directory.remove(name) }
    }
}
