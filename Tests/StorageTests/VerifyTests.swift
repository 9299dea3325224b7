import JSONCodec
import Platform
import Storage
import Testing

/// The whole check finds every fault, gives its place, and changes nothing.
@Suite struct VerifyTests {
    let directory = TestDirectory()

    private func verify() throws -> VerifyReport { try StoreFiles.verify(settings(directory), examination) }

    private func replace(_ name: String, _ old: String, _ new: String) {
        directory.write(name, directory.text(name).replacing(old, with: new))
    }

    private func offset(_ name: String, of text: String) -> Int {
        let whole = directory.text(name)
        return whole.firstRange(of: text).map { whole[..<$0.lowerBound].utf8.count } ?? -1
    }

    @Test func aWholeStoreHasNoProblem() throws {
        let (contents, _) = try DamageTests.whole()
        directory.restore(contents)
        directory.write("somebody's notes.txt", "no business of ours")
        let whole = try verify()
        #expect(whole.isWhole && whole.records == 5)
        #expect(whole.bytes == (contents["moods.json"]?.count ?? 0) + (contents["journal-2.jsonl"]?.count ?? 0) - 2)
    }

    @Test(arguments: Damage.allCases.filter { $0 != .none })
    func findsEveryDamageAndChangesNothing(damage: Damage) throws {
        directory.restore(try DamageTests.whole().contents)
        damage.apply(to: directory)
        let before = directory.contents()
        let report = try verify()
        #expect(!report.isWhole)
        #expect(directory.contents() == before)
        for problem in report.problems {
            #expect(problem.offset >= 0 && problem.offset <= (before[problem.file]?.count ?? 0), "\(problem)")
        }
    }

    @Test func goesOnBehindWhatIsWrong() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("moods.json", "\"label\":\"first", "\"label:\"first")
        replace("moods.json", "\"label\":\"second\"", "\"lebal\":\"second\"")
        replace("journal-2.jsonl", "third", "THIRD")
        replace("journal-2.jsonl", "fourth", "FOURTH")
        let problems = try verify().problems.filter { !$0.reason.contains("checksum is wrong: it") }
        #expect(
            problems.map(\.file) == ["moods.json", "moods.json", "journal-2.jsonl", "journal-2.jsonl"], "\(problems)")
        #expect(problems[0].offset == offset("moods.json", of: "{\"id\":"))
        #expect(problems[1].offset > problems[0].offset && problems[1].reason.contains("label"))
        #expect(problems[2].offset == offset("journal-2.jsonl", of: "{\"seq\":2"))
        #expect(problems[3].offset == offset("journal-2.jsonl", of: "{\"seq\":4"))
        #expect(problems.allSatisfy { $0.kind == .damaged })
    }

    @Test func tellsAnEditFromDamage() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("moods.json", "first", "mended")
        #expect(try verify().problems.map(\.kind) == [.edited])
        #expect(try verify().problems[0].offset == directory.read("moods.json").count)
        // Reprinted, as jq would.
        replace("moods.json", ",", ",\n  ")
        #expect(try verify().problems.map(\.kind) == [.edited] && verify().records == 2)
        directory.write("moods.json", directory.text("moods.json") + "}")
        #expect(try verify().problems.allSatisfy { $0.kind == .damaged })
    }

    @Test func findsWhatIsInOrderLineByLineAndYetWrong() throws {
        let (contents, _) = try DamageTests.whole()
        directory.restore(contents)
        let lines = directory.text("moods.json").split(separator: "\n").map(String.init)
        func check(_ records: [String], _ count: Int, _ expected: String) throws {
            var buffer = lines[0].replacing("\"count\":2", with: "\"count\":\(count)") + "\n"
            buffer += records.joined(separator: ",\n") + "\n"
            let digits = Array(buffer.utf8).withUnsafeBytes { String(CRC32C.checksum($0), radix: 16) }
            let seal = String(repeating: "0", count: 8 - digits.count) + digits
            directory.write("moods.json", buffer + "],\"crc\":\"\(seal)\"}\n")
            let problems = try verify().problems
            #expect(problems.count == 1 && problems.first?.reason.contains(expected) == true, "\(problems)")
        }
        try check([record(1, "a"), record(2, "b")], 3, "counts 3")
        try check([record(2, "b"), record(1, "a")], 2, "out of order")
        try check([record(1, "a"), record(1, "b")], 2, "out of order")
    }

    @Test func twoRecordsMayNotHaveOneId() throws {
        directory.restore(try DamageTests.whole().contents)
        // With different times, both are in order.
        var number: Int64 = 0
        let report = try StoreFiles.verify(
            settings(directory),
            RecordExamination(
                inspect: { _ in
                    number += 1
                    return .record(id: RecordID(high: 1, low: 1), time: number, revision: 1)
                }, progress: { _, _ in }))
        #expect(report.problems.count == 1 && report.problems[0].reason.contains("has the id of the one"))
    }

    @Test func saysThatATornEndIsHarmless() throws {
        directory.restore(try DamageTests.whole().contents)
        directory.write("journal-2.jsonl", directory.text("journal-2.jsonl") + "{\"seq\":5,\"at\"")
        #expect(try verify().problems.map(\.kind) == [.unfinished])
        _ = try reopened(settings(directory)).get()
        #expect(try verify().isWhole)
    }

    /// A line that occurs twice, as after restoring blocks of a file twice.
    @Test func saysThatALineWhichStandsThereTwiceIsHarmless() throws {
        directory.restore(try DamageTests.whole().contents)
        let lines = directory.text("journal-2.jsonl").split(separator: "\n").map(String.init)
        let last = try #require(lines.last)
        directory.write("journal-2.jsonl", (lines + [last]).joined(separator: "\n") + "\n")
        #expect(try verify().problems.map(\.kind) == [.unfinished])
        #expect(try labels(reopened(settings(directory)).get().table).count == 3)
        #expect(try verify().isWhole)
    }

    /// A later line says that the damaged one was synced. Without a writer, that is no unfinished line.
    @Test func believesALineAfterTheDamageThatNobodyIsWriting() throws {
        var published: [UInt8] = []
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"))
            published = directory.read("lock")
            try store.commit(.put(2, "second"))
            try store.commit(.put(3, "third"))
        }
        directory.write("lock", published)
        replace("journal-1.jsonl", "second", "SECOND")
        let before = directory.contents()
        let problems = try verify().problems
        #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .damaged }, "\(problems)")
        #expect(problems.first?.offset == offset("journal-1.jsonl", of: "{\"seq\":2"))
        #expect(directory.contents() == before)
        // The holder of the lock may still be about to finish the line.
        let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
        #expect(try verify().isWhole)
        _ = lock.file.path
    }

    /// The torn end was kept. The journal after it is gone, so it is unknown where that began.
    @Test func saysThatATornEndIsHarmlessWhereTheNextJournalIsGone() throws {
        directory.restore(try DamageTests.whole().contents)
        directory.write("journal-2.jsonl", directory.text("journal-2.jsonl") + "{\"seq\":5,\"at\"")
        var store = try TestStore(settings(directory))
        try store.commit(.put(9, "after it"))
        try store.rewrite()
        #expect(try verify().isWhole)
        directory.remove("history/journal-3.jsonl")
        #expect(try verify().isWhole)
        directory.remove(try #require(directory.names.first { $0.hasPrefix("torn-journal-2-") }))
        #expect(try verify().problems.map(\.kind) == [.damaged])
    }

    @Test func saysWhatIsMissingOrMayNotBeRead() throws {
        directory.restore(try DamageTests.whole().contents)
        directory.remove("moods.json")
        let missing = try verify().problems
        #expect(missing.map(\.kind) == [.missing])
        #expect(missing[0].reason.contains("but there are journal-2.jsonl, backup-1.json. Put moods.json back"))
        directory.restore(try DamageTests.whole().contents)
        directory.remove("journal-2.jsonl")
        #expect(try verify().problems.map(\.kind) == [.missing])
        directory.write("moods.json", "{\"schemaVersion\":99,\"moods\":[]}")
        #expect(try verify().problems.map(\.kind) == [.version])
        directory.remove("moods.json")
        symlink("elsewhere", directory.path("moods.json"))
        #expect(try verify().problems.map(\.kind) == [.unreadable])
    }

    @Test(arguments: ["moods.json", "journal-2.jsonl"])
    func readsAroundBlocksThatTheDiskDoesNotGiveBack(name: String) throws {
        do {
            var store = try TestStore(settings(directory))
            for number in 1...200 { store.stage([.put(number, String(repeating: "x", count: 100))]) }
            try store.sync()
            try store.rewrite()
            for number in 201...300 { store.stage([.put(number, String(repeating: "y", count: 100))]) }
            try store.sync()
        }
        let bad = BadDisk(name, 8192..<12288)
        let report = try StoreFiles.verify(settings(directory, bad.fileSystem), examination)
        #expect(report.problems.contains { $0.file == name && $0.offset == 8192 && $0.reason.contains("4096 bytes") })
        #expect(report.problems.allSatisfy { $0.file == name })
        // The bytes before and after the block are read.
        #expect(report.records > 200)
    }

    @Test func countsTheBytesAsItGoes() throws {
        do {
            var store = try TestStore(settings(directory))
            for number in 1...40 { try store.commit(.put(number, String(repeating: "x", count: 100_000))) }
            try store.rewrite()
        }
        var steps: [Int] = []
        let report = try StoreFiles.verify(
            settings(directory),
            RecordExamination(
                inspect: inspect,
                progress: { done, total in
                    steps.append(done)
                    #expect(done <= total)
                }))
        #expect(report.isWhole && steps.count == 3 && steps == steps.sorted())
    }

    @Test func listsAtMostAHundredProblems() throws {
        var store = try TestStore(settings(directory))
        store.stage((1...150).map { .put($0, "first") })
        try store.sync()
        try store.rewrite()
        replace("moods.json", "\"label\"", "\"lebal\"")
        let report = try verify()
        #expect(report.problems.count == 100 && report.records == 150)
        let target = TestDirectory()
        let saved = try salvage(settings(directory), to: target.path)
        #expect(saved.skipped.count == 100 && saved.skippedCount >= 150 && saved.records == 150)
    }

    @Test func tellsOfAResetThatWasInterrupted() throws {
        directory.restore(try DamageTests.whole().contents)
        mkdir(directory.path("set-aside-1-unfinished"), 0o700)
        directory.remove("moods.json")
        #expect(try verify().problems.map(\.kind) == [.interrupted])
    }

    /// The caller knows fewer commits than the snapshot that has since been put in place.
    @Test func countsWhatALaterSnapshotHas() throws {
        directory.restore(try DamageTests.whole().contents)
        let asked = RecordExamination(inspect: inspect, progress: { _, _ in }, revisionMax: 0)
        let report = try StoreFiles.verify(settings(directory), asked)
        #expect(report.isWhole && report.laterRecords == 2, "\(report)")
    }

    @Test func namesWhatIsWrongInAnotherLayout() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("moods.json", ",", " , ")
        replace("moods.json", "\"label\":\"second\"", "\"lebal\":\"second\"")
        let problems = try verify().problems
        #expect(problems.allSatisfy { $0.kind == .edited && $0.file == "moods.json" })
        #expect(problems.contains { $0.reason.contains("lacks \"label\"") }, "\(problems)")
    }
}

/// A disk that cannot read some bytes of one file.
struct BadDisk {
    let fileSystem: FileSystem

    init(_ name: String, _ bad: Range<Int>) {
        let system = FileSystem.system
        var faulty = system
        faulty.read = { descriptor, into, offset throws(SystemError) in
            let path = (try? FileSystem.linkTarget("/proc/self/fd/\(descriptor)")) ?? ""
            if path.hasSuffix(name), (offset..<offset + into.count).overlaps(bad) {
                throw SystemError(call: "pread", subject: path, code: EIO)
            }
            return try system.read(descriptor, into, offset)
        }
        fileSystem = faulty
    }
}

extension FileSystem {
    fileprivate static func linkTarget(_ path: String) throws -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &bytes, bytes.count)
        return String(decoding: bytes[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
