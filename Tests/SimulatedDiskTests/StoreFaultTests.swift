import Platform
import SimulatedDisk
import Storage
import StoreTorture
import Testing

/// Two calls that fail, the second while the store makes good what the first one did.
@Suite struct StoreFaultTests {
    private static let first = 5

    /// A store with records in its snapshot and in its journal: how many there are.
    private static func makeStore(on disk: Disk) throws(StorageError) -> Int {
        var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
        for slot in 0..<first { try store.commit(slot) }
        _ = try store.compact()
        try store.commit(first)
        return store.count
    }

    /// Opens, commits, compacts, reads; what it shows is right at any time, whatever fails.
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
            // A fault may be answered with a failure.
        }
    }

    /// Mended: an opening handed the records over a second time; after a compaction whose index could not be read, the
    /// next index was laid over rows of the one before.
    @Test(arguments: [1, 2, 4, 5, 6, 9, 14]) func showsWhatIsThereThroughTwoFailures(distance: Int) throws {
        var total = 1
        var number = 0
        while number < total {
            number += 1
            let disk = makeDisk(seed: UInt64(number))
            let before = try Self.makeStore(on: disk)
            let process = disk.startProcess()
            process.plan([Fault(.call(number), .fails(EROFS)), Fault(.call(number + distance), .fails(EROFS))])
            Self.live(process, before, "calls \(number) and \(number + distance)")
            total = max(total, process.calls)
        }
        #expect(total > 80)
    }

    /// Mended: a store whose files had to be read anew, and could not be, had none from then on. That is what a store in
    /// memory looks like, so it took every change, said that it was durable, and kept nothing.
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
            // What fails once is tried again, so this fails until the store has been asked to commit.
            process.plan([Fault(.call(process.calls + number), .failsForever(EIO))])
            do throws(StorageError) { try store.lock() } catch { refusals += 1 }
            var isAcknowledged = false
            do throws(StorageError) {
                try store.commit(9)
                isAcknowledged = true
            } catch {
                // Refused, as it should be where it has no files.
            }
            store.unlock()
            var later = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            let isThere = try later.holds(9)
            #expect(!isAcknowledged || isThere, "call \(number) failed")
        }
        #expect(refusals > 3)
    }
}
