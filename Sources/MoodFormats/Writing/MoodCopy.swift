import JSONCodec

/// A copy of a store in one file of JSON Lines: a first line with the store's id and revision, the lines of an export,
/// and a last line with a checksum of everything before it.
///
/// Both lines have the member `history`, so that versions which do not know them skip them like the history of an
/// export. The last member of each is `"crc"`, the CRC-32C of every byte before it: of the line in the first, of the
/// file in the last.
public struct MoodCopy: Sendable {
    /// The version of the format; later ones are refused.
    public static let version = 1
    public static let format = "moodboard-backup"
    public static let endFormat = "moodboard-backup-end"

    public var storeID: String
    public var schemaVersion: Int
    /// The revision of the last commit in it.
    public var revision: Int
    /// The time at which it was made, in RFC 3339.
    public var time: String
    /// Members of the store's document that this version does not know.
    public var document: [JSONValue.Member]

    public init(
        storeID: String, schemaVersion: Int, revision: Int, time: String, document: [JSONValue.Member]
    ) {
        (self.storeID, self.schemaVersion, self.revision, self.time, self.document) = (
            storeID, schemaVersion, revision, time, document
        )
    }

    /// Appends the first line, which begins the file.
    public func appendHead(to text: inout ByteBuffer) {
        var members: [JSONValue.Member] = [
            .init("format", .string(Self.format)), .init("version", .number(String(Self.version))),
            .init("storeId", .string(storeID)), .init("schemaVersion", .number(String(schemaVersion))),
            .init("revision", .number(String(revision))), .init("at", .string(time)),
        ]
        if !document.isEmpty { members.append(.init("document", .object(document))) }
        let start = text.count
        Self.append(members, to: &text)
        text.appendSeal(from: start)
        text.append("\n")
    }

    /// Appends the last line.
    /// - Parameters:
    ///   - count: the number of moods.
    ///   - checksum: of all bytes of the file before `text`.
    public static func appendEnd(count: Int, after checksum: UInt32, to text: inout ByteBuffer) {
        append([.init("format", .string(endFormat)), .init("count", .number(String(count)))], to: &text)
        text.appendSeal(checksum: CRC32C.checksum(text.bytes, seed: checksum))
        text.append("\n")
    }

    /// Appends an object without its last member and its end.
    private static func append(_ members: [JSONValue.Member], to text: inout ByteBuffer) {
        text.append(utf8: String(JSONValue.object(members + [.init("history", .null)]).text.dropLast()))
        text.append(",")
    }

}

extension MoodCopy {
    /// The result of checking a copy.
    public enum Finding: Sendable {
        /// The copy is complete.
        case whole(MoodCopy)
        /// It has neither of the two lines, like copies of earlier versions, so it cannot be checked.
        case unchecked
        /// A clause about the damage, and the first line if it can be read.
        case damaged(String, MoodCopy?)
        /// A clause that says what the file is instead.
        case foreign(String)
    }

    /// Checks the first and the last line of a file, and every byte between them.
    public static func examine(_ bytes: [UInt8]) -> Finding {
        bytes.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)...])
            let firstEnd = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let first = UnsafeRawBufferPointer(rebasing: text[..<firstEnd])
            if let other = otherFile(first) { return .foreign(other) }
            guard text.contains(where: { $0 > 0x20 }) else { return .damaged("it is empty", nil) }
            let head = members(of: first, endFormat: false)
            let end = lastLine(of: text)
            guard let head else {
                return end == nil ? .unchecked : .damaged("its first line is missing or damaged", nil)
            }
            guard let version = head["version"]?.integer, let copy = MoodCopy(head) else {
                return .damaged("its first line is damaged", nil)
            }
            guard version <= Self.version else {
                return .foreign(
                    "is a copy of version \(version), and this program knows \(Self.version): take a newer one")
            }
            guard Seal.content(of: first) != nil else { return .damaged("its first line is damaged", copy) }
            guard let end else { return .damaged("it is cut off, its last line is missing", copy) }
            let before = UnsafeRawBufferPointer(rebasing: text[..<end.lowerBound])
            let last = UnsafeRawBufferPointer(rebasing: text[end])
            guard Seal.content(of: last, seed: CRC32C.checksum(before)) != nil else {
                return .damaged("it was changed after it was made, or bytes of it are damaged", copy)
            }
            return .whole(copy)
        }
    }

    private init?(_ head: JSONValue) {
        guard let storeID = head["storeId"]?.string, let schemaVersion = head["schemaVersion"]?.integer,
            let revision = head["revision"]?.integer, let time = head["at"]?.string
        else { return nil }
        self.init(
            storeID: storeID, schemaVersion: schemaVersion, revision: revision, time: time,
            document: head["document"]?.object ?? [])
    }

    /// The last line, if it ends a copy; blank lines may follow it.
    private static func lastLine(of text: UnsafeRawBufferPointer) -> Range<Int>? {
        var end = text.count
        while end > 0, text[end - 1] <= 0x20 { end -= 1 }
        let start = (text[..<end].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        let line = UnsafeRawBufferPointer(rebasing: text[start..<end])
        return members(of: line, endFormat: true) == nil ? nil : start..<end
    }

    /// The members of a line, if its format is that of a first or a last line.
    private static func members(of line: UnsafeRawBufferPointer, endFormat isEnd: Bool) -> JSONValue? {
        guard let value = try? JSONValue.parse(Array(line)),
            value["format"]?.string?.utf8.elementsEqual((isEnd ? endFormat : format).utf8) == true
        else { return nil }
        return value
    }

    /// A clause for a file of the store itself, which its first line shows.
    private static func otherFile(_ first: UnsafeRawBufferPointer) -> String? {
        if first.starts(with: "{\"format\":\"moodboard\",\"schemaVersion\":".utf8) {
            return "is the file moods.json of a store, no copy that 'mood backup' wrote: put it, and the journals that"
                + " belong to it, into a directory of its own, and name that with --store"
        }
        if first.starts(with: "{\"format\":\"moodboard-journal\",".utf8) {
            return "is a journal of a store, no copy that 'mood backup' wrote"
        }
        return nil
    }
}
