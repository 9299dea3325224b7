import JSONCodec
import Platform

/// Sealing a snapshot that a person has edited; `Acceptance` does it.
extension StoreFiles {
    /// A record of an edited file.
    public enum EditedRecord {
        /// It was written to the buffer as it is to be stored. `isCompleted`: it lacked something that every record has.
        case record(id: RecordID, time: Int64, isCompleted: Bool)
        /// What is wrong with it, as a clause about it, and where: an offset into its bytes.
        case problem(offset: Int, String)
    }

    /// Checks every record of the edited snapshot, and if all are right writes them anew as the next generation. The file
    /// as it was edited stays as the backup. A snapshot that nobody edited is left as it is.
    ///
    /// `seal` looks at one record and writes it as it is to be stored; `revision` is what the new snapshot will have.
    /// `inspect` looks at a record of the journal. The store must not be open in this process.
    ///
    /// - Throws: `refused` with what is wrong in the file; nothing was changed. `storage`: as opening does, and where
    ///   the new generation could not be made.
    public static func accept(
        _ settings: StoreSettings,
        seal: (_ record: UnsafeRawBufferPointer, _ revision: Int, _ buffer: inout ByteBuffer) -> EditedRecord,
        inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(RepairError) -> AcceptReport {
        let place = try RepairError.storage { () throws(StorageError) in try StoreDirectory(settings) }
        let lock = try RepairLock.take(place, settings)
        return try accept(place, lock, settings, seal, inspect)
    }

    private static func accept(
        _ place: borrowing StoreDirectory, _ lock: borrowing FileLock, _ settings: StoreSettings,
        _ seal: (UnsafeRawBufferPointer, Int, inout ByteBuffer) -> EditedRecord,
        _ inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(RepairError) -> AcceptReport {
        let text = try Acceptance.readEdited(place)
        guard let text = consume text else { return try Acceptance.unedited(place) }
        let header = try Acceptance.header(of: text.bytes, settings)
        var acceptance = try Acceptance(header, place)
        let journals = try Acceptance.journals(behind: header, place)
        try acceptance.check(journals)
        try acceptance.gather(text.bytes, seal)
        try acceptance.apply(journals, inspect)
        return try acceptance.write(behind: journals, place, lock, settings)
    }
}
