import Platform

/// Locks on the journals of a directory, in addition to the lock on `lock`.
///
/// Another program may replace `lock` while a process holds the old file; the next process locks the new file at once.
/// Therefore a writer also holds the journal that it writes to (`JournalWriter.hold`), and a process that judges the
/// journals holds all of them meanwhile. **Only then it checks whether `lock` is still the file that it has locked**;
/// if not, it releases everything and begins again. If two processes lock different files, one of them waits and
/// continues from the other's work.
struct JournalHold: ~Copyable {
    /// Longest wait for a journal, in milliseconds. The holder of a journal has `lock` too, so there is nothing to wait
    /// for unless `lock` was replaced.
    static let waitMax = 500

    private struct Entry {
        var generation: Int
        var descriptor: Int32
        var status: FileStatus
        var isWritable: Bool
    }

    private let fileSystem: FileSystem
    private var entries: [Entry] = []

    /// Locks each journal in the directory.
    /// - Parameter isShared: true for a process that only reads.
    /// - Returns: nil if another process held one of them all the time. A journal that cannot be opened blocks nothing:
    ///   its reader reports the fault.
    init?(_ place: borrowing StoreDirectory, isShared: Bool, _ settings: StoreSettings) throws(SystemError) {
        let deadline = Self.deadline(settings)
        fileSystem = settings.fileSystem
        var passedOver: Set<Int> = []
        // The last holder of one may have begun the next meanwhile.
        var isComplete = false
        while !isComplete {
            isComplete = true
            // In ascending order, as in every process.
            for generation in try place.inventory().journals where !passedOver.contains(generation) {
                let name = StoreInventory.journalName(generation)
                if let named = try place.status(of: name), isHeld(named) { continue }
                isComplete = false
                guard let (descriptor, isWritable) = Self.open(name, in: place, isShared: isShared) else {
                    passedOver.insert(generation)
                    continue
                }
                let isFree: Bool
                do throws(SystemError) {
                    let status = try fileSystem.status(descriptor)
                    entries.append(
                        Entry(generation: generation, descriptor: descriptor, status: status, isWritable: isWritable))
                    isFree = try fileSystem.lock(descriptor, isShared ? .sharedNow : .exclusiveNow, until: deadline)
                } catch {
                    if entries.last?.descriptor != descriptor { fileSystem.close(descriptor) }
                    throw error
                }
                guard isFree else { return nil }
            }
        }
    }

    deinit {
        for entry in entries { fileSystem.close(entry.descriptor) }
    }

    static func deadline(_ settings: StoreSettings) -> Int {
        Clock.monotonicMilliseconds + min(settings.lockTimeoutMilliseconds, waitMax)
    }

    private func isHeld(_ named: FileStatus) -> Bool { entries.contains { $0.status.isSameFile(as: named) } }

    private static func open(
        _ name: String, in place: borrowing StoreDirectory, isShared: Bool
    ) -> (descriptor: Int32, isWritable: Bool)? {
        if !isShared, let descriptor = try? place.openDescriptor(name, .readWrite) { return (descriptor, true) }
        return (try? place.openDescriptor(name)).map { ($0, false) }
    }

    /// The journal with its lock, for writing from now on; nil if it could not be opened for that.
    mutating func take(_ generation: Int, in place: borrowing StoreDirectory) -> File? {
        guard let index = entries.lastIndex(where: { $0.generation == generation && $0.isWritable }) else { return nil }
        let descriptor = entries.remove(at: index).descriptor
        return File(
            descriptor: descriptor, path: place.path(of: StoreInventory.journalName(generation)), in: fileSystem)
    }
}

extension TurnLock {
    /// The lock of a store, not yet held; creates a missing file.
    init(of place: borrowing StoreDirectory, _ settings: StoreSettings) throws(SystemError) {
        try self.init(place.path(of: StoreDirectory.lockName), directory: place.path, in: settings.fileSystem)
    }

    /// Locks the journals too; the lock is held, and on return its file is the one that has the name.
    /// - Throws: `busy`, or a failure to lock.
    mutating func holdJournals(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) -> JournalHold {
        var failure: SystemError? = SystemError(call: "flock", subject: place.path, code: ESTALE)
        rounds: for _ in 0..<FileLock.roundsMax {
            do throws(SystemError) {
                guard let hold = try JournalHold(place, isShared: false, settings) else {
                    failure = nil
                    break rounds
                }
                if try isFileOfItsName() { return hold }
                try reopen()
            } catch {
                failure = error
                break
            }
            do throws(FileLock.Failure) {
                try acquire(timeoutMilliseconds: settings.lockTimeoutMilliseconds, settings.lockWait)
            } catch {
                failure = error.cause
                break
            }
        }
        throw StoreFiles.lockFailure(failure, place.path, settings)
    }
}
