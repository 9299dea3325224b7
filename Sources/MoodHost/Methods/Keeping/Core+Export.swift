import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore
import MoodText
import Platform
import Storage

/// `store.export`.
extension Core {
    /// The most exports under way. A further one displaces the one that was used longest ago.
    private static let exportsMax = 8

    mutating func export(_ arguments: borrowing Arguments) throws -> any LaterWork {
        let format = arguments[TransferParams.exportFormat]
        if let cursor = arguments[MoodParams.cursor]?.withDecoded({ Array($0) }) {
            return try nextPage(cursor, format)
        }
        if arguments[TransferParams.history], format != ExportFormat.jsonl.rawValue {
            throw Arguments.error("belongs to format jsonl; leave out one of the two", at: "/history")
        }
        let isCopy = arguments[TransferParams.backup]
        if isCopy { try Self.checkCopy(arguments, format) }
        try store.flushEarly()
        var filter = MoodFilter()
        if let given = arguments[MoodParams.filter] {
            filter = try self.filter(given, timeZone: arguments[ReadingParams.timeZone])
        }
        let known = ExportFormat(rawValue: format)
        let moods = try store.frozen(
            filter, isDescending: known?.isDescending ?? false, takesDamaged: arguments[TransferParams.damaged])
        guard let known else {
            try Self.requireWhole(moods, takesDamaged: arguments[TransferParams.damaged])
            seePlugins()
            return try exportByPlugin(format, moods)
        }
        let zone = timeZone(arguments[ReadingParams.timeZone]) ?? TimeZones.system
        let export = RunningExport(
            known, timeZone: zone, settings: try settingsText(known, arguments),
            history: arguments[TransferParams.history], takesDamaged: arguments[TransferParams.damaged],
            copy: isCopy ? copy(of: moods) : nil,
            bytesMax: options.limits[.messageBytes] - options.limits[.messageBytes] / 16, .random(in: .min ... .max),
            moods)
        keep(export)
        return work(export, page: 0)
    }

    /// Checks that a copy is of the whole store and has its one format.
    private static func checkCopy(_ arguments: borrowing Arguments, _ format: String) throws {
        if format != ExportFormat.jsonl.rawValue {
            throw Arguments.error("belongs to format jsonl; leave out one of the two", at: "/backup")
        }
        if arguments[MoodParams.filter] != nil || arguments[TransferParams.history] {
            throw Arguments.error(
                "is a copy of all moods as they are now; leave out filter and history, or export without backup",
                at: "/backup")
        }
    }

    fileprivate static func requireWhole(_ moods: FrozenMoods, takesDamaged: Bool) throws(StorageError) {
        guard let damage = try moods.damage(), !takesDamaged else { return }
        let reason =
            "The store is not whole, so nothing was exported. \(damage.summary) To take what is there, say damaged:true."
        throw .corrupt(file: damage.file, offset: damage.offset ?? 0, reason: reason)
    }

    /// Makes the first line of a copy when the moods are read. Without a store it gets a new id.
    private mutating func copy(of moods: FrozenMoods) -> (FrozenMoods) -> MoodCopy {
        let (fresh, time) = (moods.isStored ? "" : makeID().text, now.text)
        return {
            MoodCopy(
                storeID: $0.storeID ?? fresh, schemaVersion: MoodRecords.schemaVersion, revision: $0.revision,
                time: time, document: $0.document)
        }
    }

    /// The settings, if the whole store is exported without loss; else nothing. Unusable ones are left out of an export
    /// that takes damaged stores.
    private mutating func settingsText(
        _ format: ExportFormat, _ arguments: borrowing Arguments
    ) throws -> [UInt8] {
        guard format == .jsonl, arguments[MoodParams.filter] == nil else { return [] }
        let settings: Settings
        do throws(RPCError) { settings = try self.settings() } catch {
            if arguments[TransferParams.damaged] { return [] }
            let message = "Nothing was exported. \(error.message) To take the moods without it, say damaged:true."
            throw RPCError(error.code, message, error.details)
        }
        guard settings.isAnythingChosen else { return [] }
        var text = JSONWriter(capacity: 1024)
        settings.writeChosen(to: &text)
        return Array(text.buffer.bytes)
    }

    mutating func keep(_ export: RunningExport) {
        exports.append(export)
        if exports.count > Self.exportsMax { exports.removeFirst() }
    }

    private mutating func nextPage(_ cursor: [UInt8], _ format: String) throws -> any LaterWork {
        let words = try ExportCursor.words(cursor)
        guard let place = exports.firstIndex(where: { $0.key == words[0] }),
            let page = Int(exactly: words[1])
        else {
            throw Arguments.error(
                "belongs to an export that is over, or that another process began; begin again without it",
                at: "/cursor")
        }
        let export = exports.remove(at: place)
        exports.append(export)
        guard export.format.rawValue == format else {
            throw Arguments.error("belongs to format \(export.format.rawValue)", at: "/cursor")
        }
        return work(export, page: page)
    }

    private mutating func work(_ export: RunningExport, page: Int) -> any LaterWork {
        let work = LongWork(on: store.helper, .init(message: "Writing", done: page, total: page + 1))
        return LongRequest(work) {
            let result = export.makePage(page) { work.isCancelled }
            return { (core, out) throws in
                if case .failure(let error) = result {
                    core.exports.removeAll { $0 === export }
                    throw RPCError(error, forWriting: false)
                }
                guard export.page == page else {
                    throw Arguments.error("names a part that is not the last one or the next", at: "/cursor")
                }
                out.beginObject()
                out.key("text")
                export.text.withUnsafeBytes { out.string(utf8: $0) }
                if !export.isLast {
                    out.member("nextCursor", ExportCursor.text(export.key, page + 1))
                } else {
                    core.exports.removeAll { $0 === export }
                }
                out.endObject()
            }
        }
    }
}

/// An export that goes from page to page.
///
/// Why unchecked: the helper thread makes a page, and the loop reads it when that is done; there is one page at a time.
final class RunningExport: @unchecked Sendable {
    let format: ExportFormat
    let key: UInt64
    /// The size of the first page. It is small so that a waiting user soon sees that the export has begun.
    private static let firstBytesMax = 256 << 10
    private let bytesMax: Int
    private let wantsHistory: Bool
    /// Whether a damaged history is exported up to the damage.
    private let takesDamaged: Bool
    private let settings: [UInt8]
    /// Makes the first line of a copy; nil for another export.
    private let copy: ((FrozenMoods) -> MoodCopy)?
    /// The number of written moods, and the checksum of all pages.
    private var count = 0
    private var checksum: UInt32 = 0
    /// Nil after the last page.
    private var moods: FrozenMoods?
    private var writer: MoodExport
    /// The number of the page that was made last, and its text.
    private(set) var page = -1
    private(set) var text: [UInt8] = []
    private(set) var isLast = false
    private var hasAllMoods = false
    private var change = (revision: 0, number: 0)

    init(
        _ format: ExportFormat, timeZone: String, settings: [UInt8], history: Bool, takesDamaged: Bool,
        copy: ((FrozenMoods) -> MoodCopy)?, bytesMax: Int, _ key: UInt64, _ moods: FrozenMoods
    ) {
        self.format = format
        self.key = key
        self.bytesMax = bytesMax
        self.moods = moods
        wantsHistory = history
        self.takesDamaged = takesDamaged
        self.settings = settings
        self.copy = copy
        writer = MoodExport(format, timeZone: timeZone)
    }

    /// Makes the next page, unless `number` is the present one.
    func makePage(_ number: Int, isCancelled: () -> Bool) -> Result<Void, StorageError> {
        guard number == page + 1, !isLast, let moods else { return .success(()) }
        do throws(StorageError) {
            var page = PageText(bytesMax: number == 0 ? min(bytesMax, Self.firstBytesMax) : bytesMax)
            if number == 0 {
                try Core.requireWhole(moods, takesDamaged: takesDamaged)
                copy?(moods).appendHead(to: &page.buffer)
                writer.begin(to: &page.buffer)
                if !settings.isEmpty { settings.withUnsafeBytes { writer.append(settings: $0, to: &page.buffer) } }
            }
            page.settle()
            if !hasAllMoods {
                hasAllMoods = try moods.forEach { record in
                    if isCancelled() || page.isFull { return false }
                    // A record that would not fit is the first of the next page.
                    if page.wouldOverflow(record.count) { return false }
                    writer.append(record, to: &page.buffer)
                    page.settle()
                    count += 1
                    return true
                }
            }
            if isCancelled() { throw .cancelled }
            var isWhole = hasAllMoods
            if isWhole, wantsHistory {
                do throws(StorageError) { isWhole = try writeHistory(moods, &page) } catch {
                    guard takesDamaged, case .corrupt = error else { throw error }
                }
            }
            if isWhole {
                writer.end(to: &page.buffer)
                if copy != nil { MoodCopy.appendEnd(count: count, after: checksum, to: &page.buffer) }
                self.moods = nil
            }
            if copy != nil { checksum = CRC32C.checksum(page.buffer.bytes, seed: checksum) }
            isLast = isWhole
            self.page = number
            text = Array(page.buffer.bytes)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: whether the whole history is written.
    private func writeHistory(_ moods: FrozenMoods, _ page: inout PageText) throws(StorageError) -> Bool {
        var item = JSONWriter(capacity: 1024)
        return try moods.forEachChange(from: change.revision, change.number, takesDamaged: takesDamaged) {
            commit, number in
            let change = commit.changes[number]
            if page.wouldOverflow((change.record?.count ?? 0) + 256) {
                self.change = (commit.seq, commit.changesBefore + number)
                return false
            }
            item.rewind(to: 0)
            item.beginObject()
            item.member("revision", commit.seq)
            item.key("at")
            item.string(utf8: commit.at)
            item.member("kind", change.kind.rawValue)
            item.member("id", change.id.text)
            if let record = change.record {
                item.member("mood", raw: record)
            }
            item.endObject()
            writer.append(history: item.buffer.bytes, to: &page.buffer)
            page.settle()
            return true
        }
    }
}

/// The text of a page, and its size as a JSON string.
private struct PageText: ~Copyable {
    var buffer = ByteBuffer(capacity: 64 << 10)
    private let bytesMax: Int
    private var counted = 0
    /// The size with its escapes.
    private var bytes = 0

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Counts the bytes that were appended.
    mutating func settle() {
        let fresh = UnsafeRawBufferPointer(rebasing: buffer.bytes[counted...])
        var at = 0
        while at < fresh.count {
            // Few at a time, so that a byte can hold the bytes that escapes add; without a branch, so that compilers do
            // many at once.
            let end = min(at + 48, fresh.count)
            var more: UInt8 = 0
            while at < end {
                let byte = fresh[at]
                let isShort = (byte == 34) || (byte == 92) || (byte == 10) || (byte == 13) || (byte == 9)
                let long: UInt8 = byte < 0x20 ? 5 : 0
                more &+= isShort ? 1 : long
                at &+= 1
            }
            bytes &+= Int(more)
        }
        bytes += fresh.count
        counted = buffer.count
    }

    var isFull: Bool { bytes >= bytesMax }

    /// Whether a record may be too long for the rest of the page; the first of a page always fits.
    func wouldOverflow(_ recordBytes: Int) -> Bool { bytes > 4096 && bytes + 3 * recordBytes + 1024 > bytesMax }
}
