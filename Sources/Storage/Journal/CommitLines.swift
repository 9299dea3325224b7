import JSONCodec

/// The lines of the next sync under construction. They touch no disk and cannot fail.
///
/// A line is `{"seq":N,"at":"…","durable":D`, `,"origin":"…"` if no client made the commit, `,"saw":{…}` and
/// `,"settles":"…"` of replicas, and, only if they say something and in this order,
/// `,"clear":true,"cleared":{"count":N,"ids":["…",…]}`, `,"put":[{…},…]`, `,"created":[N,…]`, `,"delete":["…",…]`,
/// `,"undoes":[R,…]` or `,"redoes":[R,…]`, the members of `OperationMembers`, `,"sawCrc":{…}` with more of replicas,
/// then `,"crc":"xxxxxxxx"}` and a line feed. Readers apply it in that order too. Ids of deletions are buffered until
/// the line ends, so that callers may stage changes in any order.
///
/// `created` has the places in `put`, from 0, of new records; `cleared` says how many records were removed and names
/// some of them. Neither changes the loaded records: they tell a reader what the commit did, who would otherwise need
/// the state before each commit.
struct CommitLines: ~Copyable {
    private(set) var buffer = ByteBuffer(capacity: 16 << 10)
    /// The commit of the last line.
    private(set) var seq: Int
    /// Start of the line that was begun or ended last.
    private(set) var lineStart = 0
    private var lineHeadEnd = 0
    private var seqBeforeLine: Int
    private var putCount = 0
    private var lastPutStart = 0
    private var deletions = ByteBuffer(capacity: 64)
    /// Numbers of the line's puts that made new records.
    private var creations = ByteBuffer(capacity: 64)
    /// Commits that the line undoes or redoes.
    private var reversal = ByteBuffer(capacity: 16)
    /// The members that name the line's operation.
    private var operation = ByteBuffer(capacity: 64)
    /// Members that older versions skip.
    private var marks = ByteBuffer(capacity: 16)
    /// Bytes of the line that were moved to a draft; 0 for a line that is here.
    private var draftedBytes = 0
    /// The members before the records of a line in a draft.
    private var draftedHead = ByteBuffer(capacity: 16)
    /// The operation of a line in a draft, as a line of an operations file.
    private var draftedOperation: [UInt8] = []

    /// - Parameter seq: the commit before the first line.
    init(after seq: Int) {
        self.seq = seq
        seqBeforeLine = seq
    }

    var isEmpty: Bool { buffer.isEmpty }
    var count: Int { buffer.count }
    /// The bytes so far of the line that was begun last.
    @inline(__always) var lineBytes: Int { buffer.count - lineStart + draftedBytes }

    /// Begins the line of one commit. `seq` is its revision: the last one staged or synced, plus one. `at` is 24 bytes
    /// of RFC 3339. A journal with a gap or an odd time could not be read again, so both are checked.
    /// - Parameter durable: the last commit known to be synced.
    /// - Parameter origin: the author of the commit, if no client made it.
    @inline(__always)
    mutating func begin(seq: Int, at: UnsafeRawBufferPointer, durable: Int, origin: String? = nil) {
        precondition(seq == self.seq + 1 && at.count == 24, "a commit has the number after the last one")
        lineStart = buffer.count
        seqBeforeLine = self.seq
        self.seq = seq
        putCount = 0
        buffer.append("{\"seq\":")
        buffer.append(integer: seq)
        buffer.append(",\"at\":\"")
        buffer.append(at)
        buffer.append("\",\"durable\":")
        buffer.append(integer: durable)
        if let origin { append(origin) }
        lineHeadEnd = buffer.count
    }

    @inline(never)
    private mutating func append(_ origin: String) {
        buffer.append(",\"origin\":")
        var text = JSONWriter(capacity: 64)
        text.string(origin)
        buffer.append(text.buffer.bytes)
    }

    /// Stages members about replicas: `,"saw":{…}` or `,"settles":"…"`, in this order.
    mutating func mark(_ member: UnsafeRawBufferPointer) {
        buffer.insert(member, at: lineHeadEnd)
        lineHeadEnd += member.count
        lastPutStart += member.count
    }

    /// Stages more members about replicas, for the end of the line: `,"sawCrc":{…}` and its followers.
    mutating func markEnd(_ members: UnsafeRawBufferPointer) { marks.append(members) }

    /// Stages a record: the bytes of one JSON object alone. Line feeds in it become spaces, which mean the same in
    /// JSON.
    /// - Parameter isNew: whether the record is new.
    @inline(__always)
    mutating func put(_ record: UnsafeRawBufferPointer, isNew: Bool = false) {
        if isNew {
            creations.append(creations.isEmpty ? ",\"created\":[" : ",")
            creations.append(integer: putCount)
        }
        buffer.append(putCount == 0 ? ",\"put\":[" : ",")
        putCount += 1
        lastPutStart = buffer.count
        buffer.append(record: record)
    }

    /// Takes out the open line, for a draft, which takes its other records too (`noteDrafted`). It is ended so that it can be
    /// read as a line.
    mutating func takeOpenLine() -> ByteBuffer {
        var line = takeBytes()
        draftedBytes = line.count
        draftedHead.append(UnsafeRawBufferPointer(rebasing: line.bytes[..<(lineHeadEnd - lineStart)]))
        line.append(putCount > 0 ? "]," : ",")
        return line
    }

    /// Takes note of a record that the draft has taken.
    mutating func noteDrafted(_ byteCount: Int, isNew: Bool) {
        if isNew {
            creations.append(creations.isEmpty ? ",\"created\":[" : ",")
            creations.append(integer: putCount)
        }
        putCount += 1
        draftedBytes += byteCount
    }

    /// Stages the deletion of a record; `id` has 36 bytes. Deletions of a line take effect after its puts.
    mutating func delete(id: UnsafeRawBufferPointer) {
        precondition(id.count == 36, "an id is the text of a UUID")
        deletions.append(deletions.isEmpty ? ",\"delete\":[\"" : ",\"")
        deletions.append(id)
        deletions.append(UInt8(ascii: "\""))
    }

    /// Stages the deletion of all records that exist before this line; it takes effect before the line's puts.
    /// - Parameter count: the number of records; 0 if unknown.
    /// - Parameter first: the ids of some of them.
    mutating func clear(count: Int = 0, first: [RecordID] = []) {
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
        buffer.insert(member.bytes, at: lineHeadEnd)
        lastPutStart += member.count
    }

    /// Stages the commits that this one undoes or redoes, in order.
    mutating func reverse(_ revisions: [Int], isRedo: Bool) {
        reversal.truncate(to: 0)
        for (number, revision) in revisions.enumerated() {
            reversal.append(number > 0 ? "," : isRedo ? ",\"redoes\":[" : ",\"undoes\":[")
            reversal.append(integer: revision)
        }
        if !revisions.isEmpty { reversal.append(UInt8(ascii: "]")) }
    }

    /// Stages the answer to the line's operation; `answer` is a JSON object.
    mutating func keep(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        let put = UnsafeRawBufferPointer(rebasing: buffer.bytes[min(lastPutStart, buffer.count)...])
        let isPut = putCount == 1 && JSONText.sameBytes(put, answer)
        operation.truncate(to: 0)
        key.id.withUnsafeBytes { id in
            key.method.withUnsafeBytes { method in
                operation.append(operation: id, method: method, params: key.params, answer: isPut ? nil : answer)
            }
        }
    }

    /// Takes out the line that was ended last, without its line feed; then it is as if it had been dropped. One that is alone is
    /// not copied, because it may be long.
    /// A line in a draft gives what comes after its records, up to the comma before the seal.
    mutating func takeLast() -> ByteBuffer {
        var line = takeBytes()
        if draftedBytes == 0 { line.truncate(to: line.count - 1) }
        dropLast()
        return line
    }

    private mutating func takeBytes() -> ByteBuffer {
        var line = ByteBuffer(capacity: 16)
        if lineStart == 0 {
            swap(&line, &buffer)
        } else {
            line.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[lineStart...]))
            buffer.truncate(to: lineStart)
        }
        return line
    }

    /// The operation of the last ended line, as a line of an operations file; empty if it has none.
    func lastOperation() -> [UInt8] {
        if draftedBytes > 0 { return draftedOperation }
        let line = UnsafeRawBufferPointer(rebasing: buffer.bytes[lineStart...].dropLast())
        return Seal.content(of: line).map { Self.operation(of: $0) } ?? []
    }

    private static func operation(of content: UnsafeRawBufferPointer) -> [UInt8] {
        guard let kept = JournalLine(content: content).flatMap({ KeptOperation($0) }) else { return [] }
        var buffer = ByteBuffer(capacity: 1024)
        kept.append(to: &buffer)
        return Array(buffer.bytes)
    }

    /// Ends the line; returns its length in bytes, with its line feed.
    @discardableResult @inline(__always)
    mutating func end() -> Int {
        if putCount > 0 { buffer.append(draftedBytes > 0 ? "\n]" : "]") }
        if !creations.isEmpty {
            buffer.append(creations.bytes)
            buffer.append(UInt8(ascii: "]"))
            creations.truncate(to: 0)
        }
        if !deletions.isEmpty {
            buffer.append(deletions.bytes)
            buffer.append(UInt8(ascii: "]"))
            deletions.truncate(to: 0)
        }
        if !reversal.isEmpty {
            buffer.append(reversal.bytes)
            reversal.truncate(to: 0)
        }
        if !operation.isEmpty {
            buffer.append(operation.bytes)
            if draftedBytes > 0 { noteDraftedOperation() }
            operation.truncate(to: 0)
        }
        if !marks.isEmpty {
            buffer.append(marks.bytes)
            marks.truncate(to: 0)
        }
        buffer.append(UInt8(ascii: ","))
        // The draft has the bytes for its seal.
        if draftedBytes > 0 { return lineBytes }
        buffer.appendSeal(from: lineStart)
        buffer.append(UInt8(ascii: "\n"))
        return buffer.count - lineStart
    }

    private mutating func noteDraftedOperation() {
        draftedHead.append(operation.bytes)
        draftedHead.append(UInt8(ascii: ","))
        draftedOperation = Self.operation(of: draftedHead.bytes)
    }

    /// Takes back the line that was begun or ended last. Only once, and before it is written: the line before it stays.
    mutating func dropLast() {
        buffer.truncate(to: lineStart)
        dropParts()
        seq = seqBeforeLine
    }

    /// Takes back every line.
    /// - Parameter seq: the commit before the next line.
    mutating func removeAll(after seq: Int) {
        removeWritten()
        dropParts()
        follow(seq)
    }

    /// Clears lines that are in the file; the last of them can no longer be dropped.
    mutating func removeWritten() {
        buffer.truncate(to: 0)
        lineStart = 0
    }

    /// Continues after commit `seq` of another process; no line is staged.
    mutating func follow(_ seq: Int) {
        self.seq = seq
        seqBeforeLine = seq
    }

    private mutating func dropParts() {
        deletions.truncate(to: 0)
        creations.truncate(to: 0)
        reversal.truncate(to: 0)
        operation.truncate(to: 0)
        marks.truncate(to: 0)
        if draftedBytes == 0 { return }
        draftedBytes = 0
        draftedHead.truncate(to: 0)
        draftedOperation = []
    }
}
