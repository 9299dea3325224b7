import JSONCodec
import Platform
import SimulatedDisk
import StoreTorture
import Testing

@testable import Storage

/// A process replaces a file of the store other than its records while the process or the power dies: readers find the
/// old file or the new one, and the new one if the call succeeded.
@Suite struct SideFileTests {
    private static func text(_ store: borrowing RecordStore) throws -> String? {
        try store.read(.navigation, bytesMax: 1000).flatMap { text in
            try JSONValue(parsing: String(decoding: text.bytes, as: UTF8.self))["text"]?.string
        }
    }

    /// Replaces the file.
    /// - Returns: whether the call succeeded.
    private static func replace(_ process: SimulatedProcess, with text: String) -> Bool {
        do throws(StorageError) {
            var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
            try store.lock()
            let bytes = ByteBuffer(copying: Array("{\"text\":\"\(text)\"}\n".utf8))
            try store.replace(.navigation, with: bytes.bytes)
            return true
        } catch {
            return false
        }
    }

    private static func diskWithOld(_ seed: UInt64) throws -> Disk {
        let disk = makeDisk(seed: seed, leavesRubbish: true)
        var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
        try store.commit(1)
        try #require(replace(disk.startProcess(), with: "old"))
        return disk
    }

    private static func calls() throws -> Int {
        let process = try diskWithOld(1).startProcess()
        #expect(replace(process, with: "new text"))
        return process.calls
    }

    @Test(arguments: [Fault.Moment.before, .after], [Disk.Fate.everythingLost, .everythingKept, .anything])
    func aKillOrAPowerCutLeavesOneOfTheTwo(moment: Fault.Moment, fate: Disk.Fate) throws {
        let total = try Self.calls()
        #expect(total > 10)
        var found: Set<String> = []
        for number in 1...total {
            let disk = try Self.diskWithOld(UInt64(number))
            let process = disk.startProcess()
            process.plan([Fault(.call(number), .killed(moment))])
            let isPromised = Self.replace(process, with: "new text")
            disk.restorePower(fate)
            var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            let text = try Self.text(store)
            #expect(text == "old" || text == "new text", "killed at call \(number): \(text ?? "nothing")")
            if isPromised { #expect(text == "new text", "killed at call \(number)") }
            let isThere = try store.holds(1)
            #expect(store.refusal == nil && isThere)
            found.insert(text ?? "")
        }
        // Before the last call, the sync of the directory, the new file is not certain.
        if moment == .after { #expect(found.count == 2, "both were met") }
    }

    /// A failed call leaves the old file, or the new one if the outcome is open; the next attempt works.
    @Test func anyCallMayFail() throws {
        for number in 1...(try Self.calls()) {
            for code in [EIO, ENOSPC, EACCES] {
                let disk = try Self.diskWithOld(UInt64(number))
                let process = disk.startProcess()
                process.plan([Fault(.call(number), .fails(code))])
                let isPromised = Self.replace(process, with: "new text")
                let next = disk.startProcess()
                #expect(Self.replace(next, with: "newer"), "call \(number) failed with \(code)")
                var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
                let text = try Self.text(store)
                let isThere = try store.holds(1)
                #expect(text == "newer" && isThere, "call \(number) failed with \(code), promised: \(isPromised)")
            }
        }
    }
}
