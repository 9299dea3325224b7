import Platform
import Storage

/// Properties for any bytes in place of a `moods.json`, beside a journal without commits.
///
/// 1. A whole snapshot opens for writing and shows its records; one with a right form and a wrong checksum shows them
///    and is read-only; anything else is refused. `PlainFile` decides which.
/// 2. Opening changes no file in any case, and makes none but the lock and the index.
/// 3. A writable store can be committed to; opened again it shows that too, at the next revision, and no file changes.
///
/// The input's first byte chooses: odd corrects the closing line first. Property 3 costs as much as the others twice,
/// so it is tried for one input in eight.
public struct SnapshotTarget: ~Copyable {
    public init() {}

    public mutating func check(_ input: [UInt8]) throws(Violation) {
        guard let first = input.first else { return }
        let bytes = first % 2 == 1 ? PlainSnapshot.sealed(Array(input.dropFirst())) : Array(input.dropFirst())
        let files = MemoryFiles()
        files.write(OpenedStore.snapshot, bytes)
        if let header = PlainFile.header(of: bytes) { Self.addJournal(after: header, files) }
        let expected = PlainFile.read(bytes)
        let before = files.kept
        let found = try OpenedStore(files)
        try require(found == expected, "\(found), but it is \(expected)")
        try require(files.kept == before, "opening has changed files: \(files.names)")
        guard case .shown(var state, let revision, true) = found, bytes.count % 8 == 0 else { return }
        let changed = try OpenedStore(files, addsRecord: true)
        if let added = OpenedStore.added { state[added.id] = added.bytes }
        let next = OpenedStore.shown(state, revision: revision + 1, isWritable: true)
        try require(changed == next, "with a commit it is \(changed)")
        let committed = files.kept
        try require(try OpenedStore(files) == next, "opened again it shows something else")
        try require(files.kept == committed, "opening it again has changed files: \(files.names)")
    }

    private static func addJournal(after header: PlainFile.Header, _ files: MemoryFiles) {
        let line =
            "{\"format\":\"moodboard-journal\",\"schemaVersion\":\(header.schemaVersion),\"storeId\":\""
            + String(decoding: header.storeId, as: UTF8.self)
            + "\",\"generation\":\(header.generation),\"baseRevision\":\(header.revision),"
            + "\"at\":\"2026-01-02T03:04:05.678Z\","
        files.write(OpenedStore.journal(header.generation), PlainSeal.sealed(Array(line.utf8)[...]) + [10])
    }
}

/// A `moods.json`, read simply: split into its lines.
enum PlainFile {
    struct Header {
        var schemaVersion: Int
        var storeId: [UInt8]
        var generation: Int
        var revision: Int
        var count: Int
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    static func header(of bytes: [UInt8]) -> Header? {
        guard let line = lines(bytes).first else { return nil }
        var cursor = PlainCursor(line)
        guard cursor.take("{\"format\":\"moodboard\",\"schemaVersion\":"), let version = cursor.integer(),
            cursor.take(",\"storeId\":\""), let storeId = cursor.text(36), cursor.take("\",\"generation\":"),
            let generation = cursor.integer(), cursor.take(",\"revision\":"), let revision = cursor.integer(),
            cursor.take(",\"count\":"), let count = cursor.integer(), cursor.takeUnknownMembers(before: ",\"moods\":[")
        else { return nil }
        return Header(
            schemaVersion: version, storeId: storeId, generation: generation, revision: revision, count: count)
    }

    /// The outcome of opening a store with it.
    static func read(_ bytes: [UInt8]) -> OpenedStore {
        guard let header = header(of: bytes), header.schemaVersion >= 3 else { return .refused }
        var rest = lines(bytes).dropFirst()
        guard let closing = rest.firstIndex(where: { $0.first == UInt8(ascii: "]") }) else { return .refused }
        let isEnded = closing + 1 < rest.endIndex
        // Only the end of the file may follow the closing line.
        if isEnded, closing + 2 < rest.endIndex || rest[closing + 1].isEmpty == false { return .refused }
        let last = rest[closing]
        let isClosing =
            last.count == 19 && last.starts(with: "],\"crc\":\"".utf8) && last.suffix(2).elementsEqual("\"}".utf8)
        guard isClosing else { return .refused }
        rest = rest[..<closing]
        guard let state = records(rest) else { return .refused }
        let content = bytes[..<last.startIndex]
        let isWhole = isEnded && last.dropFirst(2).elementsEqual(PlainSeal.seal(of: content))
        if isWhole, header.count != state.count { return .refused }
        return .shown(state, revision: header.revision, isWritable: isWhole && header.schemaVersion == 3)
    }

    /// The records; nil if a line is no record, a comma is missing or superfluous, or two records have one id.
    private static func records(_ lines: ArraySlice<ArraySlice<UInt8>>) -> PlainState? {
        var state: PlainState = [:]
        for (place, line) in lines.enumerated() {
            let hasComma = line.last == UInt8(ascii: ",")
            guard hasComma == (place < lines.count - 1),
                let record = PlainRecord(Array(hasComma ? line.dropLast() : line)),
                state.updateValue(record.bytes, forKey: record.id) == nil
            else { return nil }
        }
        return state
    }
}

extension PlainCursor {
    /// Takes all bytes before the end, if there are none, or they begin like a member.
    fileprivate mutating func takeUnknownMembers(before end: String) -> Bool {
        let unknown = takeAll(before: end)
        return unknown.map { $0.isEmpty || $0.starts(with: ",\"".utf8) } ?? false
    }
}
