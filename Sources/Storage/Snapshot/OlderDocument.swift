import JSONCodec
import Platform

/// A `moods.json` of an earlier schema version, in memory and checked, to be replaced or only shown.
///
/// Replacing it, under the lock:
/// 1. the old file is synced, and gets a second name, `moods.vN.json`
/// 2. a new store of generation 1 and revision 1 is made by `Generation`, which ends with the rename over `moods.json`:
///    **the commit point**
///
/// If killed before that rename, the old file is unchanged in its place; there may also be its second name, temporary
/// files and a blank `journal-1.jsonl`. The next opening finds the old file and begins again: it reuses the second
/// name, replaces the blank journal, and removes temporary files at the end. If killed after the rename, the new store
/// is whole. The old file itself is never written.
///
/// A journal with commits, or a backup, beside such a file belongs to another store of a later version. Then nothing is
/// migrated: the program cannot decide which of the two the user means.
struct OlderDocument: ~Copyable {
    private struct Found: ~Copyable {
        let version: Int
        let bytes: ByteBuffer
        let publishedBytes: [UInt8]

        consuming func takeBytes() -> ByteBuffer { bytes }
    }

    private static let name = StoreDirectory.snapshotName

    private let version: Int
    private let bytes: ByteBuffer
    /// The publication before it was read, which is not about it.
    private let publishedBytes: [UInt8]
    /// Points into `bytes`, whose memory stays where it is.
    private let migrated: MigratedDocument

    /// The document that `error` is about; nil if another process has migrated it meanwhile.
    /// - Throws: `error` itself, if it is another error; or the reason why the document cannot be migrated.
    init?(
        meantBy error: StorageError, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) {
        guard let migration = settings.migration, let found = try Self.find(error, place, settings) else { return nil }
        do throws(SchemaMigration.Problem) {
            migrated = try migration.migrate(found.bytes.bytes)
        } catch {
            throw Self.refusal(error, found.version)
        }
        version = found.version
        publishedBytes = found.publishedBytes
        bytes = found.takeBytes()
    }

    private static func find(
        _ error: StorageError, _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) -> Found? {
        guard case .olderSchema = error, settings.migration != nil else { throw error }
        // Before the document is read: if another process migrates it and commits meanwhile, the document found is not
        // old.
        let publishedBytes = try GenerationFiles.readPublication(place)
        let others = try laterFiles(in: place)
        let bytes = try read(place)
        var probe = SchemaProbe()
        probe.read(bytes.bytes)
        guard let version = probe.version, version < settings.schemaVersion else { return nil }
        guard others.isEmpty else {
            throw .unavailable(
                reason: "\(name) in \(place.path) has schema version \(version), but \(others.joined(separator: ", "))"
                    + " beside it belong to a store of a later version. Nothing was changed.",
                advice: "Put back the \(name) of that store, or move the old one into a directory of its own and"
                    + " open that.")
        }
        return Found(version: version, bytes: bytes, publishedBytes: publishedBytes)
    }

    private static func refusal(_ problem: SchemaMigration.Problem, _ version: Int) -> StorageError {
        if problem.isDamage {
            return .corrupt(
                file: name, offset: problem.offset,
                reason:
                    "\(name) is not JSON: \(problem.reason) (at byte \(problem.offset)). It was not touched. Put back"
                    + " a copy of it, or mend that place.")
        }
        return .unavailable(
            reason: "\(name) has schema version \(version) and cannot be migrated: \(problem.reason) (at byte"
                + " \(problem.offset)). It was not touched.",
            advice: "Mend that place in an editor and open the store again.")
    }

    /// Files that an interrupted migration does not leave.
    private static func laterFiles(in place: borrowing StoreDirectory) throws(StorageError) -> [String] {
        do throws(SystemError) {
            let inventory = try place.inventory()
            var journals = inventory.journals
            if journals == [1], try OpenJournals([1], in: place).entries.allSatisfy(\.isBlank) { journals = [] }
            return journals.map { StoreInventory.journalName($0) }
                + inventory.backups.map { StoreInventory.backupName($0) }
        } catch {
            throw .reading(error, error.subject)
        }
    }

    private static func read(_ place: borrowing StoreDirectory) throws(StorageError) -> ByteBuffer {
        let bytes: ByteBuffer?
        do throws(SystemError) {
            bytes = try read(name, bytesMax: SchemaMigration.documentBytesMax, in: place)
        } catch {
            throw .reading(error, name)
        }
        guard let bytes else {
            throw .unavailable(
                reason: "\(name) is of an earlier schema version and larger than \(SchemaMigration.documentBytesMax)"
                    + " bytes, which is more than can be migrated. It was not touched.",
                advice: "Split its moods into two files, each in a directory of its own.")
        }
        return bytes
    }

    /// Reads a whole file; nil if it is larger than `bytesMax`.
    private static func read(
        _ name: String, bytesMax: Int, in place: borrowing StoreDirectory
    ) throws(SystemError) -> ByteBuffer? {
        let file = try place.open(name, .read)
        let size = try file.status().size
        guard size <= bytesMax else { return nil }
        var bytes = ByteBuffer(capacity: size)
        try bytes.append(upTo: size) { buffer throws(SystemError) in try file.read(buffer, at: 0) }
        return bytes
    }

    /// Replaces the document by the migrated store.
    /// - Throws: if it fails; then either the old file or the whole new store is there.
    func replace(in place: borrowing StoreDirectory, _ settings: StoreSettings) throws(StorageError) {
        let header = header(settings)
        let kept: String
        do throws(SystemError) {
            kept = try keep(in: place, settings)
        } catch {
            throw .writing(error, error.subject)
        }
        do {
            _ = try Generation.make(
                header, backupOf: nil, carrying: nil, at: settings.timestamp(), in: place, settings,
                records: migrated.records)
        } catch {
            throw error.error
        }
        settings.log(
            "\(place.path(of: Self.name)) was migrated from schema version \(version) to \(settings.schemaVersion);"
                + " the old file is kept as \(kept)")
    }

    /// The store, for reading only, with the migrated records.
    /// - Parameter refusal: the reason why it is read-only; nil if another process is using it, and it may be written
    ///   later.
    consuming func openedToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ lock: consuming TurnLock?,
        _ refusal: StorageError?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var problem: String?
        migrated.records { record in
            if problem == nil { problem = load(.record(record)) }
        }
        if let problem {
            throw .unavailable(
                reason: "\(Self.name) has schema version \(version) and cannot be migrated: \(problem).",
                advice: "This is a defect of the program; nothing was changed.")
        }
        let header = header(settings)
        let store = StoreFiles(
            settings, place, header, revision: header.revision, syncedRevision: header.revision,
            snapshotBytes: bytes.count, lock: lock)
        store.journalCount = 0
        // The process that migrates it publishes; then everything is read again.
        store.note(nil, published: publishedBytes)
        guard let refusal else { return store }
        store.refusal = refusal.refusing(
            "\(refusal.reason) \(Self.name) has schema version \(version); it is shown as version"
                + " \(settings.schemaVersion), and is migrated when the store is opened where it can be written.")
        return store
    }

    private func header(_ settings: StoreSettings) -> SnapshotHeader {
        SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: settings.makeIdentifier(), generation: 1, revision: 1,
            count: migrated.count, unknownMembers: migrated.unknownMembers)
    }

    /// Gives the old file a second name, `moods.vN.json`; if that is taken, `moods.vN-2.json` and so on. A file that
    /// has one already, or a copy under one, gets no other.
    private func keep(in place: borrowing StoreDirectory, _ settings: StoreSettings) throws(SystemError) -> String {
        let file = try place.open(Self.name, .read)
        // Its maker may not have synced it, and after the rename this name is its only one.
        try file.sync()
        let status = try file.status()
        var number = 1
        while true {
            let name = StoreInventory.earlierName(version, number)
            guard let other = try place.status(of: name) else {
                try Generation.giveName(name, to: Self.name, status, in: place, settings)
                return name
            }
            if other.isSameFile(as: status) { return name }
            if try isCopy(name, other, in: place) { return name }
            number += 1
        }
    }

    private func isCopy(
        _ name: String, _ status: FileStatus, in place: borrowing StoreDirectory
    ) throws(SystemError) -> Bool {
        guard status.kind == .regular, status.size == bytes.count,
            let other = try Self.read(name, bytesMax: bytes.count, in: place),
            JSONText.sameBytes(other.bytes, bytes.bytes)
        else { return false }
        try place.open(name, .read).sync()
        return true
    }
}

extension OlderDocument {
    /// The report on `error` and the document that it is about, if any: no problem if every mood can be migrated.
    static func report(
        on error: StorageError, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) -> VerifyReport {
        var report = VerifyReport(records: 0, bytes: 0, problems: [])
        do throws(StorageError) {
            guard let migration = settings.migration, let found = try find(error, place, settings) else { throw error }
            report.bytes = found.bytes.count
            do throws(SchemaMigration.Problem) {
                report.records = try migration.migrate(found.bytes.bytes).count
            } catch {
                report.problems = [.init(.version, file: name, offset: error.offset, reason: error.reason)]
            }
        } catch {
            report.problems = [.init(.version, file: name, offset: 0, reason: error.reason)]
        }
        return report
    }
}

/// Finds the number of the top-level member `schemaVersion` in a JSON document of any layout, in one pass and constant
/// memory: only for a snapshot of another form than this program writes, to report its version.
struct SchemaProbe {
    private enum Place { case beforeDocument, beforeKey, inKey, afterKey, inValue, afterDocument, notAnObject }

    private static let wanted = Array("schemaVersion".utf8)

    private var place = Place.beforeDocument
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var key: [UInt8] = []
    private var isVersion = false
    private var digits = 0

    private(set) var version: Int?
    /// Whether every bracket was closed and nothing followed.
    var isComplete: Bool { place == .afterDocument }
    /// Whether this certainly is no document.
    var isHopeless: Bool { place == .notAnObject }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { read(byte) }
    }

    private mutating func read(_ byte: UInt8) {
        // A zero byte is never JSON, and a file may end in a terabyte of them.
        if byte == 0 { place = .notAnObject }
        if isInString { return readInString(byte) }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D:
            break
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if place == .afterDocument || (depth == 0 && byte == UInt8(ascii: "[")) { place = .notAnObject }
            if place == .beforeDocument { place = .beforeKey }
            isVersion = false
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth < 0 { place = .notAnObject }
            if depth == 0, place != .notAnObject { place = .afterDocument }
        case UInt8(ascii: "\""):
            isInString = true
            isVersion = false
            if depth == 1, place == .beforeKey {
                place = .inKey
                key = []
            }
        case UInt8(ascii: ":") where depth == 1 && place == .afterKey:
            place = .inValue
            isVersion = key == Self.wanted
            digits = 0
        case UInt8(ascii: ",") where depth == 1 && place == .inValue:
            place = .beforeKey
            isVersion = false
        case UInt8(ascii: "0")...UInt8(ascii: "9") where isVersion && digits < 9:
            digits += 1
            version = (digits == 1 ? 0 : version ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        default:
            isVersion = false
            if depth == 0 { place = .notAnObject }
        }
    }

    private mutating func readInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if place == .inKey { place = .afterKey }
            return
        }
        if place == .inKey, key.count <= Self.wanted.count { key.append(byte) }
    }
}
