import Platform
import Storage
import Testing

/// Every call of accept, reset and salvage fails once, or always from there on, or is the last one of a killed process.
/// Nothing is lost, and a repetition completes it.
@Suite struct RepairFaultTests {
    static let codes = [EIO, ENOSPC, EACCES]

    /// Runs `body` on a fresh copy of a store for every call of a faultless run and every kind of fault.
    private func forEachFault(
        on contents: [String: [UInt8]], codes: [Int32] = codes + [EINTR],
        _ repair: (StoreSettings) throws(RepairError) -> Void,
        check: (TestDirectory, _ hasThrown: Bool, _ place: String) throws -> Void
    ) throws {
        let counter = FaultyFiles()
        do {
            let directory = TestDirectory()
            directory.restore(contents)
            try repair(settings(directory, counter.fileSystem))
            try check(directory, false, "without a fault")
        }
        #expect(counter.calls > 10)
        for number in 1...counter.calls {
            for code in codes {
                // A kill is a fault that lasts.
                for fault in [FaultyFiles.Fault.once(number, code), .forever(number, code)] {
                    if case .once = fault, code == EINTR { continue }
                    let directory = TestDirectory()
                    directory.restore(contents)
                    let faulty = FaultyFiles()
                    faulty.set(fault)
                    var hasThrown = false
                    do throws(RepairError) {
                        try repair(settings(directory, faulty.fileSystem))
                    } catch {
                        hasThrown = true
                    }
                    let call = faulty.trace.dropFirst(number - 1).first ?? ""
                    try check(directory, hasThrown, "\(fault), \(call), \(directory.names)")
                }
            }
        }
    }

    private func editedStore() throws -> [String: [UInt8]] {
        var contents = try DamageTests.whole().contents
        let text = String(decoding: contents["moods.json"] ?? [], as: UTF8.self)
        contents["moods.json"] = Array(text.replacing("second", with: "edited").replacing(",", with: ", ").utf8)
        // The file must still be partly readable.
        contents["journal-2.jsonl"] = []
        let directory = TestDirectory()
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "second"))
            try store.rewrite()
            try store.commit(.put(3, "third"))
        }
        directory.write("moods.json", directory.text("moods.json").replacing("second", with: "edited"))
        return directory.contents()
    }

    @Test func acceptLeavesTheEditOrTheSealedStore() throws {
        let contents = try editedStore()
        let edited = try #require(contents["moods.json"])
        try forEachFault(on: contents, { (settings) throws(RepairError) in _ = try accept(settings) }) {
            directory, hasThrown, place in
            let isSealed = directory.read("moods.json") != edited
            #expect(hasThrown || isSealed, "\(place): said to be sealed, and is not")
            // The edited file still exists somewhere.
            #expect(isSealed ? directory.read("backup-2.json") == edited : true, "\(place)")
            let found = try reopened(settings(directory)).get()
            #expect(labels(found.table) == [1: "first", 2: "edited", 3: "third"], "\(place)")
            #expect((found.refusal == nil) == isSealed, "\(place): \(String(describing: found.refusal))")
            // Once more.
            #expect(try accept(settings(directory)).isAccepted == !isSealed, "\(place)")
            let again = try reopened(settings(directory)).get()
            #expect(again.refusal == nil && again.revision == 3, "\(place)")
            #expect(labels(again.table) == [1: "first", 2: "edited", 3: "third"], "\(place)")
            #expect(try StoreFiles.verify(settings(directory), examination).isWhole, "\(place)")
            #expect(!directory.names.contains { $0.hasPrefix("temporary-") }, "\(place)")
        }
    }

    @Test(arguments: [false, true]) func resetLosesNothingAndIsNeverHalfDone(isDamaged: Bool) throws {
        var contents = try DamageTests.whole().contents
        if isDamaged { contents["moods.json"] = Array("this is not JSON".utf8) }
        contents["navigation.json"] = Array("{}".utf8)
        let files = contents.filter { $0.key != "lock" }
        try forEachFault(on: contents, { (settings) throws(RepairError) in _ = try StoreFiles.reset(settings) }) {
            directory, hasThrown, place in
            let left = directory.contents()
            let folders = directory.names.filter { $0.hasPrefix("set-aside-") }
            let isFinished = folders.contains { !$0.hasSuffix("-unfinished") }
            #expect(hasThrown || isFinished, "\(place)")
            // Each file is in its old place or in the one folder, whole.
            #expect(folders.count <= 1, "\(place)")
            for (name, bytes) in files {
                let places = [name] + folders.map { $0 + "/" + name }
                #expect(places.contains { directory.read($0) == bytes }, "\(place): \(name) is gone")
            }
            // It opens as it was, or as new after everything is put away, or not at all.
            switch reopened(settings(directory)) {
            case .success(let found) where found.table == Table():
                #expect(isFinished, "\(place): half a store was taken for a new one")
            case .success(let found):
                let isWhole = files.allSatisfy { left[$0.key] == $0.value }
                #expect(isWhole && found.table.records.count == 3, "\(place)")
            case .failure:
                #expect(!isFinished, "\(place)")
            }
            guard !isFinished else { return }
            directory.remove("journal-1.jsonl")
            let path = try #require(try StoreFiles.reset(settings(directory)))
            let folder = String(path.split(separator: "/").last ?? "")
            for (name, bytes) in files { #expect(directory.read(folder + "/" + name) == bytes, "\(place)") }
            #expect(try reopened(settings(directory)).get().table == Table(), "\(place)")
        }
    }

    @Test(arguments: [Damage.none, .recordLine, .journalLine])
    func salvageLeavesTheDamagedStoreAsItIs(damage: Damage) throws {
        let damaged = TestDirectory()
        damaged.restore(try DamageTests.whole().contents)
        damage.apply(to: damaged)
        let contents = damaged.contents()
        var target = TestDirectory()
        var report: SalvageReport?
        let repair = { (settings: StoreSettings) throws(RepairError) in
            target = TestDirectory()
            report = nil
            report = try salvage(settings, to: target.path)
        }
        try forEachFault(on: contents, repair) { directory, hasThrown, place in
            #expect(directory.contents() == contents, "\(place)")
            guard let report else {
                // The result is no store, and does not look like one.
                #expect(hasThrown && !target.names.contains("moods.json") || place.contains("fsync"), "\(place)")
                if target.names.allSatisfy({ $0.hasPrefix("temporary-") }) {
                    #expect(try salvage(settings(directory), to: target.path).records > 0, "\(place)")
                }
                return
            }
            let found = try reopened(settings(target)).get()
            #expect(found.refusal == nil && found.table.records.count == report.records, "\(place)")
            #expect(try StoreFiles.verify(settings(target), examination).isWhole, "\(place)")
            // Missing records are reported.
            let all = damage == .journalLine ? 2 : 3
            #expect(report.records >= all || report.skippedCount > 0, "\(place): \(report)")
        }
    }
}
