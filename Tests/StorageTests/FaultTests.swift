import Platform
import Seeds
import Storage
import Testing

/// Every call of a life with commits, a rewrite and a recovery fails once, or always from there on. In each case the
/// error is typed, nothing traps, acknowledged commits are there afterwards, and refused ones are not.
@Suite struct FaultTests {
    /// The allowed states of a store after a life with faults: the acknowledged one, and those whose outcome is
    /// unknown.
    struct Expectation {
        var acknowledged = Table()
        var possible: [Table] = []

        func allows(_ table: Table) -> Bool { table == acknowledged || possible.contains(table) }
    }

    /// One life: opens, commits, rewrites, commits; ends early if it may not go on.
    static func live(_ settings: StoreSettings, _ expectation: inout Expectation) {
        do throws(StorageError) {
            var store = try TestStore(settings)
            // The state shown at opening is durable from then on.
            expectation = Expectation(acknowledged: store.table)
            for step in 1...6 {
                if step == 4 { _ = try? store.rewrite() }
                if step == 5 { commitAsSnapshot(&store, &expectation) }
                store.stage([.put(step, "step")])
                store.stage([.put(step + 10, "step"), .delete(step - 1)])
                let before = store.table
                do throws(StorageError) {
                    try store.sync()
                    expectation = Expectation(acknowledged: store.table)
                } catch {
                    #expect(store.table == before)
                    switch error {
                    case .full, .readOnly, .busy, .unavailable, .corrupt:
                        // The lock could not be taken, or the end not be checked: nothing was written.
                        break
                    case .outcomeUnknown:
                        var unknown = before
                        _ = unknown.apply(step)
                        expectation.possible += [unknown, Self.half(before, step)]
                        try store.rewrite()
                        expectation = Expectation(acknowledged: before)
                    default:
                        Issue.record("sync threw \(error)")
                    }
                }
            }
        } catch {
            // Opening, or continuing after a failed sync, was impossible; that is an answer too.
        }
    }

    /// A commit that is too large for a line.
    private static func commitAsSnapshot(_ store: inout TestStore, _ expectation: inout Expectation) {
        let changed = with(store.table, 70, "imported")
        do throws(StorageError) {
            try store.commitAsSnapshot(changed)
            expectation = Expectation(acknowledged: changed)
        } catch {
            if case .outcomeUnknown = error { expectation.possible.append(changed) }
            // A killed process has answered no request.
            if case .outcomeUnknown = error { return }
            expectation.possible += store.files.refusal == nil ? [] : [changed]
        }
    }

    /// The state after the first commit alone of a batch whose outcome is unknown.
    static func half(_ table: Table, _ step: Int) -> Table {
        var table = table
        withBytes(record(step, "step")) { _ = table.apply(.put($0)) }
        return table
    }

    static func calls(of life: (FaultyFiles) -> Void) -> Int {
        let faulty = FaultyFiles()
        life(faulty)
        return faulty.calls
    }

    @Test(arguments: [EIO, ENOSPC, EACCES].prefix(SeededRandom.some(1, of: 3)))
    func survivesEveryCallFailing(code: Int32) throws {
        let total = Self.calls { faulty in
            var expectation = Expectation()
            let directory = TestDirectory()
            Self.live(settings(directory, faulty.fileSystem), &expectation)
            #expect(directory.names.contains("moods.json"))
            #expect(expectation.acknowledged.records.count == 8)
        }
        for number in 1...total {
            for fault in [FaultyFiles.Fault.once(number, code), .forever(number, code)] {
                let directory = TestDirectory()
                let faulty = FaultyFiles()
                faulty.set(fault)
                var expectation = Expectation()
                Self.live(settings(directory, faulty.fileSystem), &expectation)
                check(directory, expectation, "\(fault), \(faulty.trace.dropFirst(number - 1).first ?? "")")
            }
        }
    }

    /// Every call fails while a store with an unclean end is opened, so that the opening has to mend it.
    @Test(arguments: [EIO, ENOSPC, EACCES])
    func survivesEveryCallOfARecoveryFailing(code: Int32) throws {
        let (contents, acknowledged) = try uncleanStore()
        var total = 0
        var number = 0
        repeat {
            number += 1
            for isForever in [false, true] {
                let directory = TestDirectory()
                directory.restore(contents)
                let faulty = FaultyFiles()
                let fault: FaultyFiles.Fault = isForever ? .forever(number, code) : .once(number, code)
                faulty.set(fault)
                var expectation = Expectation(acknowledged: acknowledged)
                do throws(StorageError) {
                    var store = try TestStore(settings(directory, faulty.fileSystem))
                    if store.files.refusal == nil {
                        #expect(store.table == acknowledged)
                        let before = store.table
                        try? store.commit(.put(90, "after"))
                        expectation.possible.append(store.table)
                        if store.table != before { expectation.acknowledged = store.table }
                    } else {
                        // It shows the proven commits, never more than there are.
                        #expect(store.table.records.allSatisfy { acknowledged.records[$0.key] == $0.value })
                    }
                } catch {
                    // Refused as a whole.
                }
                if case .once = fault { total = max(total, faulty.calls) }
                expectation.possible.append(Self.with(acknowledged, 90, "after"))
                check(directory, expectation, "\(fault), \(faulty.trace.dropFirst(number - 1).first ?? "")")
            }
        } while number < total
    }

    static func with(_ table: Table, _ number: Int, _ label: String) -> Table {
        var table = table
        withBytes(record(number, label)) { _ = table.apply(.put($0)) }
        return table
    }

    /// A process is killed at every call: no later call takes effect.
    @Test func survivesAKillAtEveryCall() throws {
        let total = Self.calls { faulty in
            var expectation = Expectation()
            let directory = TestDirectory()
            Self.live(settings(directory, faulty.fileSystem), &expectation)
            #expect(directory.names.contains("moods.json"))
        }
        for number in 1...total {
            let directory = TestDirectory()
            let faulty = FaultyFiles()
            faulty.set(.forever(number, EINTR))
            var expectation = Expectation()
            Self.live(settings(directory, faulty.fileSystem), &expectation)
            let place = "killed before call \(number), \(faulty.trace.dropFirst(number - 1).first ?? "")"
            // The recovery is killed too: at its first calls, and after some of the kills at every one.
            let left = directory.contents()
            for inner in 1...(number % 5 == 0 ? 200 : 3) {
                let again = FaultyFiles()
                again.set(.forever(inner, EINTR))
                _ = reopened(settings(directory, again.fileSystem))
                if again.calls < inner { break }
                check(directory, expectation, "\(place), then \(inner)")
                directory.restore(left)
            }
            check(directory, expectation, place)
        }
    }

    private func check(_ directory: TestDirectory, _ expectation: Expectation, _ place: String) {
        switch reopened(settings(directory)) {
        case .success(let found):
            #expect(expectation.allows(found.table), "\(place): \(found.table) but \(expectation)")
            #expect(found.refusal == nil, "\(place): \(String(describing: found.refusal))")
        case .failure(let error):
            Issue.record("\(place): \(error), \(directory.names)")
        }
        // A mended store stays mended.
        let once = directory.names.filter { $0.hasPrefix("torn-") || $0.hasPrefix("journal-") }
        if case .success(let found) = reopened(settings(directory)) {
            #expect(expectation.allows(found.table), "\(place), opened twice")
        }
        #expect(directory.names.filter { $0.hasPrefix("torn-") || $0.hasPrefix("journal-") } == once, "\(place)")
        #expect(!directory.names.contains { $0.hasPrefix("temporary-") }, "\(place)")
    }

    /// Two commits that were never published, followed by a torn one.
    private func uncleanStore() throws -> ([String: [UInt8]], Table) {
        let directory = TestDirectory()
        var published: [UInt8] = []
        var table = Table()
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            published = directory.read("lock")
            store.stage([.put(2, "b")])
            store.stage([.put(3, "c")])
            try store.sync()
            table = store.table
            try store.commit(.put(4, "torn"))
        }
        var contents = directory.contents()
        contents["lock"] = published
        var journal = contents["journal-1.jsonl"] ?? []
        while journal.last == 0x0A { journal.removeLast() }
        contents["journal-1.jsonl"] = journal.dropLast(9)
        return (contents, table)
    }
}

extension Table {
    /// Applies one batch of `FaultTests.live`.
    fileprivate mutating func apply(_ step: Int) -> String? {
        withBytes(record(step, "step")) { _ = apply(.put($0)) }
        withBytes(record(step + 10, "step")) { _ = apply(.put($0)) }
        withBytes(identifier(step - 1)) { _ = apply(.delete(id: $0)) }
        return nil
    }
}
