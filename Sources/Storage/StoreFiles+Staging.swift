import JSONCodec
import Platform

/// Building the lines of the next sync. Nothing here touches the disk or can fail.
///
/// A line is `{"seq":N,"at":"…","durable":D` and, each only where it has something to say and in this order,
/// `,"clear":true`, `,"put":[{…},…]`, `,"delete":["…",…]`, then `,"crc":"xxxxxxxx"}` and a line feed. Whoever reads it
/// applies it in that order too; ids of deletions are kept apart until the line ends, so that they may be staged in any.
extension StoreFiles {
    /// The bytes of the lines that wait for `sync`.
    public var stagedBytes: Int { staged.count }

    /// Begins the line of one commit. `seq` is the revision that it makes: the last one staged or synced, plus one.
    /// `at` is 24 bytes of RFC 3339. A journal with a gap or an odd time could not be read again, so both are checked.
    @inline(__always)
    public mutating func beginLine(seq: Int, at: UnsafeRawBufferPointer) {
        precondition(seq == stagedSeq + 1 && at.count == 24, "a commit is numbered behind the one before it")
        lineStart = staged.count
        seqBeforeLine = stagedSeq
        stagedSeq = seq
        hasPut = false
        staged.append("{\"seq\":")
        staged.append(integer: seq)
        staged.append(",\"at\":\"")
        staged.append(at)
        staged.append("\",\"durable\":")
        staged.append(integer: syncedRevision)
        lineHeadEnd = staged.count
    }

    /// Stages a record: the bytes of one JSON object and nothing around them. Line feeds in it become spaces, which in
    /// JSON means the same.
    @inline(__always)
    public mutating func stagePut(_ record: UnsafeRawBufferPointer) {
        if hasPut {
            staged.append(UInt8(ascii: ","))
        } else {
            staged.append(",\"put\":[")
            hasPut = true
        }
        staged.append(record: record)
    }

    /// Stages the deletion of a record; `id` is its 36 bytes. Deletions of a line take effect after its puts.
    public mutating func stageDelete(id: UnsafeRawBufferPointer) {
        precondition(id.count == 36, "an id is the text of a UUID")
        deletions.append(deletions.isEmpty ? ",\"delete\":[\"" : ",\"")
        deletions.append(id)
        deletions.append(UInt8(ascii: "\""))
    }

    /// Stages the deletion of every record there is before this line; it takes effect before the line's puts.
    public mutating func stageClear() {
        let member: StaticString = ",\"clear\":true"
        staged.insert(
            UnsafeRawBufferPointer(start: member.utf8Start, count: member.utf8CodeUnitCount), at: lineHeadEnd)
    }

    /// Ends the line: how many bytes it has, with its line feed.
    @discardableResult @inline(__always)
    public mutating func endLine() -> Int {
        if hasPut { staged.append(UInt8(ascii: "]")) }
        if !deletions.isEmpty {
            staged.append(deletions.bytes)
            staged.append(UInt8(ascii: "]"))
            deletions.truncate(to: 0)
        }
        staged.append(UInt8(ascii: ","))
        staged.appendSeal(from: lineStart)
        staged.append(UInt8(ascii: "\n"))
        return staged.count - lineStart
    }

    /// Takes back the line that was begun or ended last. Once: the one before it stays.
    public mutating func dropLine() {
        staged.truncate(to: lineStart)
        deletions.truncate(to: 0)
        stagedSeq = seqBeforeLine
    }

    /// Takes back every staged line.
    public mutating func dropStaged() {
        staged.truncate(to: 0)
        deletions.truncate(to: 0)
        lineStart = 0
        stagedSeq = revision
        seqBeforeLine = revision
    }
}
