import JSONCodec
import Platform

/// The locks that a repair holds from beginning to end.
struct RepairLock: ~Copyable {
    private let lock: TurnLock
    private let journals: JournalHold

    /// - Throws: `readOnly`, `busy`, `full` or `unavailable`; the store is unchanged.
    init(_ place: borrowing StoreDirectory, _ settings: StoreSettings) throws(RepairError) {
        guard !settings.isReadOnly else {
            throw .storage(.readOnly(reason: "The store was opened read-only (--read-only)."))
        }
        var lock: TurnLock
        do throws(SystemError) {
            lock = try TurnLock(of: place, settings)
        } catch {
            throw Self.failure(error, place, settings)
        }
        do throws(FileLock.Failure) {
            try lock.acquire(timeoutMilliseconds: settings.lockTimeoutMilliseconds, settings.lockWait)
        } catch {
            throw Self.failure(error.cause, place, settings)
        }
        do throws(StorageError) {
            journals = try lock.holdJournals(place, settings)
        } catch {
            throw .storage(error)
        }
        self.lock = lock
    }

    private static func failure(
        _ error: SystemError?, _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) -> RepairError {
        guard let error, error.isNoPermission else {
            return .storage(StoreFiles.lockFailure(error, place.path, settings))
        }
        return .storage(.readOnly(reason: "The store in \(place.path) cannot be written: \(error)."))
    }

    /// Writes to the lock file, in place.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try lock.file.write(bytes, at: offset)
    }
}

/// The reason why a store was not mended.
public enum RepairError: Error, Sendable, Equatable {
    case storage(StorageError)
    /// The repair is impossible at present, and nothing was changed. `problems`: the faults of an edited snapshot, at
    /// most `VerifyReport.problemsMax`.
    case refused(reason: String, problems: [Problem])

    /// A fault in a file that a person has edited.
    public struct Problem: Sendable, Equatable {
        public var file: String
        /// The offset in bytes.
        public var offset: Int
        /// The line, from 1.
        public var line: Int
        public var reason: String
    }
}

/// The result of a full check of a record.
public enum RecordFinding: Sendable {
    /// Its id, its place in the order of a snapshot, and the commit that wrote it (0 if it does not say).
    case record(id: RecordID, time: Int64, revision: Int)
    /// The fault, as a clause about the record: "is not JSON: …".
    case problem(String)
}

/// The caller's functions for the whole check and salvage: to inspect records, which this layer does not know, and to
/// follow the progress.
public struct RecordExamination {
    /// Inspects a record. It must validate everything: the bytes may be of any kind.
    public let inspect: (UnsafeRawBufferPointer) -> RecordFinding
    /// Called from time to time with the bytes read so far and in all.
    public let progress: (_ done: Int, _ total: Int) -> Void
    /// Called before each read: true ends the work with `StorageError.cancelled`.
    public let isCancelled: @Sendable () -> Bool
    /// Salvage skips later commits of a journal; nil: none.
    public let revisionMax: Int?

    public init(
        inspect: @escaping (UnsafeRawBufferPointer) -> RecordFinding,
        progress: @escaping (_ done: Int, _ total: Int) -> Void,
        isCancelled: @escaping @Sendable () -> Bool = { false }, revisionMax: Int? = nil
    ) {
        self.inspect = inspect
        self.progress = progress
        self.isCancelled = isCancelled
        self.revisionMax = revisionMax
    }

    /// An examination for records of an earlier version: it upgrades them before the inspection.
    func upgraded(_ upgrade: SchemaUpgrade) -> RecordExamination {
        let inspect = inspect
        return RecordExamination(
            inspect: { record in
                var buffer = ByteBuffer(capacity: record.count + 256)
                guard upgrade.transform(record, &buffer) else {
                    return .problem("cannot be upgraded from schema version \(upgrade.version)")
                }
                return inspect(buffer.bytes)
            }, progress: progress, isCancelled: isCancelled, revisionMax: revisionMax)
    }
}

/// Progress of work, perhaps over several files, reported at most a few hundred times.
struct ProgressMeter {
    private let total: Int
    private let step: Int
    private let tell: (_ done: Int, _ total: Int) -> Void
    private var finished = 0
    private var told = 0

    /// - Parameter stepMin: the smallest step to report; for bytes a MiB.
    init(total: Int, stepMin: Int = 1 << 20, tell: @escaping (_ done: Int, _ total: Int) -> Void) {
        self.total = total
        step = max(stepMin, total / 256)
        self.tell = tell
    }

    /// Reports progress in the present file.
    mutating func advance(to offset: Int) {
        let done = min(finished + offset, total)
        guard done - told >= step else { return }
        told = done
        tell(done, total)
    }

    /// Ends the present file.
    mutating func finishFile(of size: Int) { finished += size }
}
