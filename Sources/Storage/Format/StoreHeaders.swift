import JSONCodec
import Platform

/// The end of a line with a checksum: `"crc":"xxxxxxxx"}`, the CRC-32C of every byte before it, including the comma.
enum Seal {
    /// `"crc":"` and eight digits and `"}`.
    static let byteCount = 17

    /// The bytes of a line before its seal, if the seal is right.
    @inline(__always)
    static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.count > byteCount else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: line[..<(line.count - byteCount)])
        let seal = UnsafeRawBufferPointer(rebasing: line[(line.count - byteCount)...])
        return matches(seal, CRC32C.checksum(content)) ? content : nil
    }

    /// Whether `seal` is the seal with this checksum.
    static func matches(_ seal: UnsafeRawBufferPointer, _ checksum: UInt32) -> Bool {
        guard let stated = digits(in: seal) else { return false }
        return stated == CRC32C.hexDigits(of: checksum)
    }

    /// The digits of a right seal at the end of a line without its line feed.
    @inline(__always)
    static func digits(ofSealed line: UnsafeRawBufferPointer) -> UInt64 {
        line.loadUnaligned(fromByteOffset: line.count - 10, as: UInt64.self)
    }

    /// The checksum of these digits.
    static func crc(ofDigits digits: UInt64) -> UInt32 {
        var crc: UInt32 = 0
        for place in 0..<8 {
            let digit = UInt8(truncatingIfNeeded: digits >> (place * 8))
            crc = crc << 4 | UInt32(digit < 97 ? digit &- 48 : digit &- 87)
        }
        return crc
    }

    /// Number of bytes that are as in every seal.
    static func likeness(of bytes: UnsafeRawBufferPointer) -> Int {
        zip(bytes, "\"crc\":\"00000000\"}".utf8).count { byte, form in
            form == UInt8(ascii: "0") ? (48...57).contains(byte) || (97...102).contains(byte) : byte == form
        }
    }

    /// The digits of bytes in the form of a seal, in the byte order of memory.
    static func digits(in seal: UnsafeRawBufferPointer) -> UInt64? {
        guard seal.count == byteCount, let start = seal.baseAddress,
            memcmp(start, "\"crc\":\"", 7) == 0, memcmp(start + 15, "\"}", 2) == 0
        else { return nil }
        return seal.loadUnaligned(fromByteOffset: 7, as: UInt64.self)
    }
}

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

    /// Appends the seal of the bytes from `start` on.
    @inline(__always)
    mutating func appendSeal(from start: Int) {
        appendSeal(checksum: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...])))
    }

    @inline(__always)
    mutating func appendSeal(checksum: UInt32) {
        append("\"crc\":\"")
        let digits = CRC32C.hexDigits(of: checksum)
        withUnsafeBytes(of: digits) { append($0) }
        append("\"}")
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
