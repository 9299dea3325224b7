import JSONCodec

/// The identity of a request with an `opId`: the id, the method and a fingerprint of its params.
public struct OperationKey: Sendable, Equatable {
    /// The inside of the id as a JSON string in its canonical form, so that equal ids have equal bytes.
    public let id: [UInt8]
    /// Visible ASCII.
    public let method: [UInt8]
    /// Equal in every process and version, because it is stored.
    public let params: UInt64
    /// The fingerprint that an earlier version may have stored for these params.
    public let formerParams: UInt64

    /// - Parameter formerParams: nil if equal to `params`.
    public init(id: [UInt8], method: [UInt8], params: UInt64, formerParams: UInt64? = nil) {
        self.id = id
        self.method = method
        self.params = params
        self.formerParams = formerParams ?? params
    }
}

/// The outcome known for an `opId`.
public enum OperationOutcome: Sendable, Equatable {
    case unknown
    /// The answer to the first such request.
    case answer([UInt8])
    /// Another request has used the `opId`.
    case taken
    /// The request took effect, but its answer is lost.
    case lost
}

/// The members of a line for an operation: `"opId":"…","method":"…","params":"xxxxxxxxxxxxxxxx","answer":{…}`. A
/// journal omits the answer if it is the one record that the commit put.
struct OperationMembers {
    /// The inside of the JSON string.
    let id: UnsafeRawBufferPointer
    let method: UnsafeRawBufferPointer
    let params: UInt64
    /// A JSON object.
    let answer: UnsafeRawBufferPointer?

    /// Reads the members after `"opId":"`.
    init?(_ matcher: inout ByteMatcher) {
        guard let id = matcher.takeString(), matcher.take(",\"method\":\""), let method = matcher.takeString(),
            matcher.take(",\"params\":\""), let params = matcher.takeHexWord(), matcher.take("\"")
        else { return nil }
        self.id = id
        self.method = method
        self.params = params
        guard matcher.take(",\"answer\":") else {
            answer = nil
            return
        }
        guard let answer = matcher.takeObject() else { return nil }
        self.answer = answer
    }

    func matches(_ key: OperationKey) -> Bool {
        (params == key.params || params == key.formerParams) && id.elementsEqual(key.id)
            && method.elementsEqual(key.method)
    }
}

/// One stored operation from any file; valid as long as its line.
struct KeptOperation {
    let seq: Int
    let members: OperationMembers
    let answer: UnsafeRawBufferPointer

    /// The operation of a commit; nil if it has none.
    init?(_ commit: JournalLine) {
        guard commit.mayNameOperation else { return nil }
        var members: OperationMembers?
        var puts = 0
        var put: UnsafeRawBufferPointer?
        let isKnown = commit.forEachPart { part in
            switch part {
            case .put(let record):
                puts += 1
                put = record
            case .operation(let operation): members = operation
            default: break
            }
        }
        guard isKnown, let members, let answer = members.answer ?? (puts == 1 ? put : nil) else { return nil }
        seq = commit.seq
        self.members = members
        self.answer = answer
    }

    /// The operation in a line of an operations file, before its seal:
    /// `{"seq":N,"opId":"…","method":"…","params":"…","answer":{…},`.
    init?(content: UnsafeRawBufferPointer) {
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"seq\":"), let seq = matcher.takeInteger(), matcher.take(",\"opId\":\""),
            let members = OperationMembers(&matcher), let answer = members.answer, matcher.take(","), matcher.isAtEnd
        else { return nil }
        self.seq = seq
        self.members = members
        self.answer = answer
    }

    /// The line of an operations file for an operation of which only the id is known: it has no method.
    static func lineOfLost(_ id: [UInt8], _ seq: Int) -> [UInt8] {
        var line = ByteBuffer(capacity: 192)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        id.withUnsafeBytes { id in
            Array("{}".utf8).withUnsafeBytes { answer in
                line.append(operationOf: seq, id: id, method: nothing, params: 0, answer: answer)
            }
        }
        return Array(line.bytes)
    }

    /// Whether only the id is known.
    var isLost: Bool { members.method.isEmpty }

    /// Writes the line of an operations file, with its line feed.
    func append(to buffer: inout ByteBuffer) {
        buffer.append(
            operationOf: seq, id: members.id, method: members.method, params: members.params, answer: answer)
    }
}

extension ByteBuffer {
    /// Appends the line of an operations file, with its line feed.
    fileprivate mutating func append(
        operationOf seq: Int, id: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, params: UInt64,
        answer: UnsafeRawBufferPointer
    ) {
        let start = count
        append("{\"seq\":")
        append(integer: seq)
        append(operation: id, method: method, params: params, answer: answer)
        append(UInt8(ascii: ","))
        appendSeal(from: start)
        append(UInt8(ascii: "\n"))
    }

    /// Appends the members of an operation, each with the comma before it.
    mutating func append(
        operation id: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, params: UInt64,
        answer: UnsafeRawBufferPointer?
    ) {
        append(",\"opId\":\"")
        append(id)
        append("\",\"method\":\"")
        append(method)
        append("\",\"params\":\"")
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: params >> shift) & 15
            append(digit < 10 ? digit + 48 : digit + 87)
        }
        append(UInt8(ascii: "\""))
        guard let answer else { return }
        append(",\"answer\":")
        append(record: answer)
    }
}
