import JSONCodec
import Platform

/// The locks that a repair holds from its first look to its last sync.
struct RepairLock: ~Copyable {
    private let lock: TurnLock
    private let journals: JournalHold

    /// - Throws: `readOnly`, `busy`, `full` or `unavailable`; nothing was changed.
    init(_ place: borrowing StoreDirectory, _ settings: StoreSettings) throws(RepairError) {
        guard !settings.isReadOnly else {
            throw .storage(.readOnly(reason: "The store was opened read-only."))
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

/// Why a store was not mended.
public enum RepairError: Error, Sendable, Equatable {
    case storage(StorageError)
    /// It cannot be done as things are, and nothing was changed. `problems`: what is wrong with an edited snapshot, at
    /// most `VerifyReport.problemsMax`.
    case refused(reason: String, problems: [Problem])

    /// Something in a file that a person has edited.
    public struct Problem: Sendable, Equatable {
        public var file: String
        /// In bytes.
        public var offset: Int
        /// From 1.
        public var line: Int
        public var reason: String
    }
}

/// What a record turns out to be when it is looked at closely.
public enum RecordFinding: Sendable {
    /// Its id, its place in the order of a snapshot, and the commit that wrote it (0 where it does not say).
    case record(id: RecordID, time: Int64, revision: Int)
    /// What is wrong with it, as a clause about it: "is not JSON: …".
    case problem(String)
}

/// How the whole check and salvage look at records, and who hears how far they are; handed in, because this layer knows
/// no records.
public struct RecordExamination {
    /// Must not take anything on trust: the bytes may be of any kind.
    public let inspect: (UnsafeRawBufferPointer) -> RecordFinding
    /// Called now and then with the bytes read so far and in all.
    public let progress: (_ done: Int, _ total: Int) -> Void
    /// Asked before each read: true ends the work with `StorageError.cancelled`.
    public let isCancelled: @Sendable () -> Bool
    /// Salvage passes over later commits of a journal; nil: over none.
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

    /// The same for records of an earlier version: they are looked at as what they become.
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

/// Counts what is done of a whole, perhaps over several files, and tells of it at most a few hundred times.
struct ProgressMeter {
    private let total: Int
    private let step: Int
    private let tell: (_ done: Int, _ total: Int) -> Void
    private var finished = 0
    private var told = 0

    /// - Parameter stepMin: less is not worth telling; for bytes a MiB.
    init(total: Int, stepMin: Int = 1 << 20, tell: @escaping (_ done: Int, _ total: Int) -> Void) {
        self.total = total
        step = max(stepMin, total / 256)
        self.tell = tell
    }

    /// So far in the present file.
    mutating func advance(to offset: Int) {
        let done = min(finished + offset, total)
        guard done - told >= step else { return }
        told = done
        tell(done, total)
    }

    /// The present file is done with.
    mutating func finishFile(of size: Int) { finished += size }
}
