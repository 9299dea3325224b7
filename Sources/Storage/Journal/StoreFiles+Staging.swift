import JSONCodec
import Platform

/// Building the lines of the next sync. Nothing here touches the disk or can fail.
///
/// A line is `{"seq":N,"at":"…","durable":D` and, each only where it has something to say and in this order,
/// `,"clear":true,"cleared":{"count":N,"ids":["…",…]}`, `,"put":[{…},…]`, `,"created":[N,…]`, `,"delete":["…",…]`, the
/// members of `OperationMembers`, then `,"crc":"xxxxxxxx"}` and a line feed. Whoever reads it applies it in that order
/// too; ids of deletions are kept apart until the line ends, so that they may be staged in any.
///
/// `created` has the places in `put`, from 0, of what was not there before, and `cleared` says how many were removed and
/// names some of them. Both change nothing in what is loaded: they tell whoever reads the commits what they did, which
/// would otherwise take the state before each of them.
extension StoreFiles {
    /// The bytes of the lines that wait for `sync`.
    public var stagedBytes: Int { aheadCount + staged.count }
    /// Where among those the line begins that was begun or ended last.
    var lineOffset: Int { aheadCount + lineStart }

    /// Begins the line of one commit. `seq` is the revision that it makes: the last one staged or synced, plus one.
    /// `at` is 24 bytes of RFC 3339. A journal with a gap or an odd time could not be read again, so both are checked.
    @inline(__always)
    public mutating func beginLine(seq: Int, at: UnsafeRawBufferPointer) {
        precondition(seq == stagedSeq + 1 && at.count == 24, "a commit is numbered behind the one before it")
        lineStart = staged.count
        seqBeforeLine = stagedSeq
        stagedSeq = seq
        putCount = 0
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
    /// - Parameter isNew: whether it was not there before.
    @inline(__always)
    public mutating func stagePut(_ record: UnsafeRawBufferPointer, isNew: Bool = false) {
        if isNew {
            creations.append(creations.isEmpty ? ",\"created\":[" : ",")
            creations.append(integer: putCount)
        }
        staged.append(putCount == 0 ? ",\"put\":[" : ",")
        putCount += 1
        lastPutStart = staged.count
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
    /// - Parameter count: how many there are; 0 where that is not known.
    /// - Parameter first: the ids of some of them.
    public mutating func stageClear(count: Int = 0, first: [RecordID] = []) {
        var member = ByteBuffer(capacity: 64 + first.count * 39)
        member.append(",\"clear\":true")
        for (number, id) in first.enumerated() {
            if number == 0 {
                member.append(",\"cleared\":{\"count\":")
                member.append(integer: count)
                member.append(",\"ids\":[\"")
            } else {
                member.append(",\"")
            }
            id.write(to: &member)
            member.append(number == first.count - 1 ? "\"]}" : "\"")
        }
        staged.insert(member.bytes, at: lineHeadEnd)
        lastPutStart += member.count
    }

    /// Stages what the line's operation was answered with; `answer` is a JSON object.
    public mutating func stageOperation(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        let put = UnsafeRawBufferPointer(rebasing: staged.bytes[min(lastPutStart, staged.count)...])
        let isPut = putCount == 1 && JSONText.sameBytes(put, answer)
        operation.truncate(to: 0)
        key.id.withUnsafeBytes { id in
            key.method.withUnsafeBytes { method in
                operation.append(operation: id, method: method, params: key.params, answer: isPut ? nil : answer)
            }
        }
    }

    /// What the next snapshot is to carry: the operation of the line that was ended last.
    ///
    /// A method, and `forgetOperationForSnapshot` too, because an assignment through an optional that cannot be copied
    /// (`files?.snapshotOperation = []`) leaks what was there before: Swift 6.3.1, with and without optimisation.
    mutating func keepOperationForSnapshot() { snapshotOperation = lastOperation() }

    mutating func forgetOperationForSnapshot() { snapshotOperation = [] }

    /// The operation of the line that was ended last, as a line of an operations file; empty where it has none.
    private func lastOperation() -> [UInt8] {
        let line = UnsafeRawBufferPointer(rebasing: staged.bytes[lineStart...].dropLast())
        guard let commit = Seal.content(of: line).flatMap({ JournalLine(content: $0) }),
            let kept = KeptOperation(commit)
        else { return [] }
        var buffer = ByteBuffer(capacity: 1024)
        kept.append(to: &buffer)
        return Array(buffer.bytes)
    }

    /// Ends the line: how many bytes it has, with its line feed.
    @discardableResult @inline(__always)
    public mutating func endLine() -> Int {
        if putCount > 0 { staged.append(UInt8(ascii: "]")) }
        if !creations.isEmpty {
            staged.append(creations.bytes)
            staged.append(UInt8(ascii: "]"))
            creations.truncate(to: 0)
        }
        if !deletions.isEmpty {
            staged.append(deletions.bytes)
            staged.append(UInt8(ascii: "]"))
            deletions.truncate(to: 0)
        }
        if !operation.isEmpty {
            staged.append(operation.bytes)
            operation.truncate(to: 0)
        }
        staged.append(UInt8(ascii: ","))
        staged.appendSeal(from: lineStart)
        staged.append(UInt8(ascii: "\n"))
        return staged.count - lineStart
    }

    /// Takes back the line that was begun or ended last. Once, and before `writeAhead`: the one before it stays.
    public mutating func dropLine() {
        staged.truncate(to: lineStart)
        dropParts()
        stagedSeq = seqBeforeLine
    }

    /// Takes back every line that waits for `sync`.
    public mutating func dropStaged() {
        if aheadCount > 0 || aheadFailure != nil { takeBackAhead() }
        staged.truncate(to: 0)
        dropParts()
        lineStart = 0
        stagedSeq = revision
        seqBeforeLine = revision
    }

    private mutating func dropParts() {
        deletions.truncate(to: 0)
        creations.truncate(to: 0)
        operation.truncate(to: 0)
    }
}
