import Platform
import Seeds
import SimulatedDisk
import Storage
import StoreTorture
import Testing

/// Two calls fail, the second while the store repairs the effects of the first.
@Suite struct StoreFaultTests {
    private static let first = 5

    /// Makes a store with records in its snapshot and in its journal, and returns their number.
    private static func makeStore(on disk: Disk) throws(StorageError) -> Int {
        var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
        for slot in 0..<first { try store.commit(slot) }
        _ = try store.compact()
        try store.commit(first)
        return store.count
    }

    /// Opens, commits, compacts and reads; the shown records are right at any time, with any fault.
    private static func live(_ process: SimulatedProcess, _ before: Int, _ place: String) {
        do throws(StorageError) {
            var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
            #expect(store.count == before, "\(place): opened")
            guard store.refusal == nil else { return }
            try store.commit(first + 1)
            _ = try store.compact()
            var shown: Set<Int> = []
            try store.walk(.time, isDescending: false, after: nil) { record in
                shown.formUnion([TortureRecord.slot(of: record.head.id) ?? -1])
                return true
            }
            #expect(shown == Set(0...first + 1), "\(place): walked")
            #expect(store.count == before + 1, "\(place): counted")
        } catch {
            // The store may answer a fault with a failure.
        }
    }

    /// Covers two former faults: an opening delivered the records twice; after a compaction with an unreadable index,
    /// the next index covered rows of the one before.
    @Test(arguments: [1, 2, 4, 5, 6, 9, 14]) func showsWhatIsThereThroughTwoFailures(distance: Int) throws {
        var total = 1
        var number = 0
        while number < total {
            number += SeededRandom.step(3)
            let disk = makeDisk(seed: UInt64(number))
            let before = try Self.makeStore(on: disk)
            let process = disk.startProcess()
            process.plan([Fault(.call(number), .fails(EROFS)), Fault(.call(number + distance), .fails(EROFS))])
            Self.live(process, before, "calls \(number) and \(number + distance)")
            total = max(total, process.calls)
        }
        #expect(total > 80)
    }

    /// Covers a former fault: a store that failed to read its files anew had none from then on, like a store in memory.
    /// It took every change, called it durable, and kept nothing.
    @Test func aStoreThatCouldNotBeOpenedAgainTakesNothing() throws {
        var refusals = 0
        for number in 1...60 {
            let disk = makeDisk(seed: UInt64(number))
            _ = try Self.makeStore(on: disk)
            let process = disk.startProcess()
            var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
            do {
                // Another process begins a new generation.
                var other = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
                _ = try other.compact()
            }
            // The store retries a call that fails once, so this fault lasts until the commit.
            process.plan([Fault(.call(process.calls + number), .failsForever(EIO))])
            do throws(StorageError) { try store.lock() } catch { refusals += 1 }
            var isAcknowledged = false
            do throws(StorageError) {
                try store.commit(9)
                isAcknowledged = true
            } catch {
                // A store without its files must refuse this.
            }
            store.unlock()
            var later = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            let isThere = try later.holds(9)
            #expect(!isAcknowledged || isThere, "call \(number) failed")
        }
        #expect(refusals > 3)
    }
}
