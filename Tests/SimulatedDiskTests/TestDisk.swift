import Platform
import SimulatedDisk
import Storage
import StoreTorture

/// A disk for one test.
func makeDisk(
    seed: UInt64 = 1, blockBytes: Int = 512, leavesRubbish: Bool = false, forgetsFailedPages: Bool = false
) -> Disk {
    Disk(
        DiskSettings(
            blockBytes: blockBytes, leavesRubbish: leavesRubbish, forgetsFailedPages: forgetsFailedPages,
            descriptorsMax: 64), seed: seed)
}

extension FileSystem {
    /// Makes a file with these bytes, and syncs the parts that the caller names.
    func make(_ path: String, _ text: String, isSynced: Bool, isNameSynced: Bool) throws(SystemError) {
        let file = try File(path, .create, in: self)
        try write(text, to: file)
        if isSynced { try file.sync() }
        if isNameSynced { try syncDirectory() }
    }

    func write(_ text: String, at offset: Int = 0, to file: borrowing File) throws(SystemError) {
        var bytes = Array(text.utf8)
        let result: Result<Void, SystemError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                return .success(try file.write(UnsafeRawBufferPointer(buffer), at: offset))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    func syncDirectory(_ path: String = "/") throws(SystemError) {
        try File(path, .directory, in: self).sync()
    }

    /// The text of a file; nil if there is none.
    func text(of path: String) -> String? {
        guard let file = try? File(path, .read, in: self), let size = try? file.status().size else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { try? file.read($0, at: 0) }
        return count == size ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

/// The error number of a call that must fail; 0 if it succeeds.
func code(_ body: () throws -> Void) -> Int32 {
    do {
        try body()
        return 0
    } catch {
        return (error as? SystemError)?.code ?? -1
    }
}

/// The settings of a store on a simulated disk; identifiers never repeat in one test process.
func storeSettings(_ process: SimulatedProcess) -> StoreSettings {
    StoreSettings(
        directory: "/home/board", durability: .sync, isReadOnly: false, trustsDirectory: false,
        lockTimeoutMilliseconds: 0, schemaVersion: 3, fileSystem: process.fileSystem, log: { _ in },
        makeIdentifier: { identifiers.next() }, timestamp: { "2026-01-02T03:04:05.678Z" })
}

private let identifiers = Identifiers(seed: 1)

extension RecordStore {
    /// Makes one commit with one record.
    mutating func commit(_ slot: Int, fill: Int = 10) throws(StorageError) {
        let bytes = TortureRecord.bytes(slot: slot, time: slot, version: slot + 1, text: 1, fill: fill)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        if let head = TortureRecord.head(UnsafeRawBufferPointer(copy)) { try put(head, UnsafeRawBufferPointer(copy)) }
        try endCommit()
        try flush()
    }

    mutating func holds(_ slot: Int) throws(StorageError) -> Bool { try contains(TortureRecord.id(slot)) }
}
