import JSONCodec
import Platform

extension ByteBuffer {
    /// Appends a record. A line feed in it can only be white space, but would end the line, so it becomes a space.
    @inline(__always)
    mutating func append(record: UnsafeRawBufferPointer) {
        let start = count
        append(record)
        if let base = bytes.baseAddress, memchr(base + start, 0x0A, record.count) != nil { blankLineFeeds(from: start) }
    }

    @inline(never)
    private mutating func blankLineFeeds(from start: Int) {
        let space: StaticString = " "
        for offset in start..<count where bytes[offset] == 0x0A {
            overwrite(UnsafeRawBufferPointer(start: space.utf8Start, count: 1), at: offset)
        }
    }
}

/// The first line of `moods.json`:
/// `{"format":"moodboard","schemaVersion":3,"storeId":"…","generation":G,"revision":R,"count":C,"moods":[`,
/// with members that this version does not know between count and moods.
package struct SnapshotHeader: Equatable {
    package var schemaVersion: Int
    package var storeId: String
    package var generation: Int
    /// The last commit in the snapshot.
    package var revision: Int
    /// Number of records that follow.
    package var count: Int
    /// Members after the count, each as `,"name":value`: the `OperationsMark`, and those that this version does not
    /// know but keeps.
    package var unknownMembers: [UInt8] = []
}

extension SnapshotHeader {
    /// Nil if the line, without its line feed, has another form.
    package init?(line: UnsafeRawBufferPointer) {
        var matcher = ByteMatcher(line)
        guard matcher.take("{\"format\":\"moodboard\",\"schemaVersion\":"), let schemaVersion = matcher.takeInteger(),
            matcher.take(",\"storeId\":\""), let storeId = matcher.takeText(count: 36),
            matcher.take("\",\"generation\":"), let generation = matcher.takeInteger(),
            matcher.take(",\"revision\":"), let revision = matcher.takeInteger(),
            matcher.take(",\"count\":"), let count = matcher.takeInteger(),
            let unknown = matcher.takeRest(before: ",\"moods\":["),
            unknown.isEmpty || unknown.starts(with: [0x2C, 0x22])
        else { return nil }
        self.init(
            schemaVersion: schemaVersion, storeId: String(decoding: storeId, as: UTF8.self), generation: generation,
            revision: revision, count: count, unknownMembers: Array(unknown))
    }

    func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"format\":\"moodboard\",\"schemaVersion\":")
        buffer.append(integer: schemaVersion)
        buffer.append(",\"storeId\":\"")
        buffer.append(utf8: storeId)
        buffer.append("\",\"generation\":")
        buffer.append(integer: generation)
        buffer.append(",\"revision\":")
        buffer.append(integer: revision)
        buffer.append(",\"count\":")
        buffer.append(integer: count)
        unknownMembers.withUnsafeBytes { buffer.append($0) }
        buffer.append(",\"moods\":[\n")
    }
}

/// The first line of a journal:
/// `{"format":"moodboard-journal","schemaVersion":3,"storeId":"…","generation":G,"baseRevision":R,"at":"…","crc":"…"}`
struct JournalHeader: Equatable {
    var schemaVersion: Int
    var storeId: String
    var generation: Int
    /// The commit before its first line.
    var baseRevision: Int
}

extension JournalHeader {
    /// Nil if the line, without its line feed, has another form or a wrong seal.
    init?(line: UnsafeRawBufferPointer) {
        guard let content = Seal.content(of: line) else { return nil }
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"format\":\"moodboard-journal\",\"schemaVersion\":"),
            let schemaVersion = matcher.takeInteger(),
            matcher.take(",\"storeId\":\""), let storeId = matcher.takeText(count: 36),
            matcher.take("\",\"generation\":"), let generation = matcher.takeInteger(),
            matcher.take(",\"baseRevision\":"), let baseRevision = matcher.takeInteger(),
            matcher.take(",\"at\":\""), matcher.takeText(count: 24) != nil, matcher.take("\","), matcher.isAtEnd
        else { return nil }
        self.init(
            schemaVersion: schemaVersion, storeId: String(decoding: storeId, as: UTF8.self), generation: generation,
            baseRevision: baseRevision)
    }

    func append(to buffer: inout ByteBuffer, at time: String) {
        let start = buffer.count
        buffer.append("{\"format\":\"moodboard-journal\",\"schemaVersion\":")
        buffer.append(integer: schemaVersion)
        buffer.append(",\"storeId\":\"")
        buffer.append(utf8: storeId)
        buffer.append("\",\"generation\":")
        buffer.append(integer: generation)
        buffer.append(",\"baseRevision\":")
        buffer.append(integer: baseRevision)
        buffer.append(",\"at\":\"")
        buffer.append(utf8: time)
        buffer.append("\",")
        buffer.appendSeal(from: start)
        buffer.append(UInt8(ascii: "\n"))
    }
}

/// The publication that a writer puts in the lock file after each sync and before its answers. One line of fixed width:
/// `{"format":"moodboard-lock","storeId":"…","generation":G,"durable":D,"synced":true,"crc":"…"}`, spaces, line feed.
///
/// The writer overwrites the file in place and never syncs it, so after a power cut it may say too little, or nothing
/// valid; but it never says more than was true.
struct Publication: Equatable {
    static let byteCount = 192

    var storeId: String
    var generation: Int
    /// The last public commit: readers show nothing above.
    var durable: Int
    /// Whether that commit was on stable storage. With durability none it was not; if it is missing after a power cut,
    /// that was the user's choice and no damage.
    var isSynced: Bool
}

extension Publication {
    init?(line: UnsafeRawBufferPointer) {
        guard let end = line.lastIndex(of: UInt8(ascii: "}")),
            let content = Seal.content(of: UnsafeRawBufferPointer(rebasing: line[...end]))
        else { return nil }
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"format\":\"moodboard-lock\",\"storeId\":\""),
            let storeId = matcher.takeText(count: 36),
            matcher.take("\",\"generation\":"), let generation = matcher.takeInteger(),
            matcher.take(",\"durable\":"), let durable = matcher.takeInteger(), matcher.take(",\"synced\":")
        else { return nil }
        let isSynced = matcher.take("true,")
        guard isSynced || matcher.take("false,"), matcher.isAtEnd else { return nil }
        self.init(
            storeId: String(decoding: storeId, as: UTF8.self), generation: generation, durable: durable,
            isSynced: isSynced)
    }

    /// The publication as it applies to a store with this snapshot. One of an earlier generation limits the shown
    /// commits, but does not prove them: a failed publication may still have left its bytes in the file, for commits
    /// that a new generation then took back, and a power cut may bring such bytes back.
    func known(to snapshot: SnapshotHeader) -> Publication {
        guard generation < snapshot.generation else { return self }
        var known = self
        known.isSynced = false
        return known
    }

    func append(to buffer: inout ByteBuffer) {
        let start = buffer.count
        buffer.append("{\"format\":\"moodboard-lock\",\"storeId\":\"")
        buffer.append(utf8: storeId)
        buffer.append("\",\"generation\":")
        buffer.append(integer: generation)
        buffer.append(",\"durable\":")
        buffer.append(integer: durable)
        buffer.append(isSynced ? ",\"synced\":true," : ",\"synced\":false,")
        buffer.appendSeal(from: start)
        while buffer.count - start < Self.byteCount - 1 { buffer.append(UInt8(ascii: " ")) }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// The bytes of the file, at most the length of a publication.
    static func bytes(of file: borrowing File) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let result: Result<Int, SystemError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                return .success(try file.read(buffer, at: 0))
            } catch {
                return .failure(error)
            }
        }
        return Array(bytes[..<(try result.get())])
    }

    /// Nil if there is no valid publication.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let publication = bytes.withUnsafeBytes({ Publication(line: $0) }) else {
            return nil
        }
        self = publication
    }
}
