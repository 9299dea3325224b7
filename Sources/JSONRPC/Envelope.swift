import JSONCodec

/// A message, read in one pass, with its members in any order and form. JSON-RPC 2.0, sections 4 and 5.
///
/// It is a view of its frame. It skips members that the specification does not know, as LSP and MCP peers do. Reading
/// stops at the params, so that a caller who knows the method can check and read them at once:
///
///     var envelope = Envelope(message)
///     while envelope.advance(&validator) {
///         // The cursor stands at the params. The method is known if it came before them.
///         envelope.skipParams(&validator)
///     }
///     guard envelope.isObject else { … }  // `validator.fault(of: message)` says why.
///
/// The validator records duplicate names anywhere in the message.
public struct Envelope {
    /// The id as written, for a byte-for-byte echo; nil for a notification. It is set even if the request has other
    /// faults, so that the answer reaches its caller.
    public private(set) var id: UnsafeRawBufferPointer?
    public private(set) var method: JSONText?
    /// The params; nil if absent or null, which mean the same.
    public private(set) var params: ValidJSON?
    /// The result of a response.
    public private(set) var result: ValidJSON?
    /// The error of a response.
    public private(set) var error: ValidJSON?
    /// Whether the message was read to its end, and is an object.
    public private(set) var isObject = false
    /// The position of the next read.
    public var cursor: JSONCursor

    @usableFromInline let idBytesMax: Int
    private var given: UInt8 = 0
    private var paramsStart: Int?
    private var isVersioned = false
    private var isIDUsable = true
    /// Whether an unusable id is a number.
    private var isIDNumber = false
    private var areParamsUsable = true
    /// Whether there are members that the specification does not know; the validator records their names.
    private var hasOthers = false

    /// The longest string id, in bytes of its text; numbers may be as long.
    public static let idBytesMax = 256

    @inlinable @inline(__always)
    public init(_ message: UnsafeRawBufferPointer, idBytesMax: Int = idBytesMax) {
        cursor = JSONCursor(message)
        self.idBytesMax = idBytesMax
    }

    /// Reads a whole message; nil if it is not an object.
    public static func read(_ message: UnsafeRawBufferPointer, _ validator: inout JSONValidator) -> Envelope? {
        var envelope = Envelope(message)
        while envelope.advance(&validator) { envelope.skipParams(&validator) }
        return envelope.isObject ? envelope : nil
    }

    /// Continues reading.
    /// - Returns: true if the cursor is at params, an object or an array, which the caller must now skip; false if
    ///   nothing is left.
    public mutating func advance(_ validator: inout JSONValidator) -> Bool {
        if let start = paramsStart {
            params = cursor.slice(from: start)
            paramsStart = nil
            guard cursor.take(UInt8(ascii: ",")) else { return end(&validator) }
        } else {
            validator.begin()
            if readUsualBeginning() {
                if paramsStart != nil { return true }
                guard cursor.take(UInt8(ascii: ",")) else { return end(&validator) }
            } else {
                guard cursor.take(UInt8(ascii: "{")) else { return false }
                if cursor.next == UInt8(ascii: "}") { return end(&validator) }
            }
        }
        repeat {
            guard let member = name(&validator) else { return false }
            if member == .params, standsAtParams() { return true }
            guard read(member, &validator) else { return false }
        } while cursor.take(UInt8(ascii: ","))
        return end(&validator)
    }

    /// Fast path for the usual beginning of a request, up to the params if they come next; false, without moving, if
    /// something else comes. The loop over the members would give the same result, in more steps.
    @inline(__always)
    private mutating func readUsualBeginning() -> Bool {
        var ahead = cursor
        guard ahead.take(exactly: "{\"jsonrpc\":\"2.0\",\"id\":"), let id = ahead.digits(upTo: idBytesMax),
            ahead.take(exactly: ",\"method\":\""), let method = ahead.restOfPlainString()
        else { return false }
        self.id = id
        self.method = method
        isVersioned = true
        given = Member.jsonrpc.rawValue | Member.id.rawValue | Member.method.rawValue
        cursor = ahead
        if ahead.take(exactly: ",\"params\":"), ahead.next == UInt8(ascii: "{") {
            given |= Member.params.rawValue
            paramsStart = ahead.at
            cursor = ahead
        }
        return true
    }

    /// Skips the params from their beginning, wherever the cursor is.
    public mutating func skipParams(_ validator: inout JSONValidator) {
        guard let start = paramsStart else { return }
        cursor.move(to: start)
        // If the cursor does not move, no message ends there, and `advance` finds it broken.
        _ = cursor.value(&validator, depth: 1)
    }

    /// Whether the message is a valid request.
    @inline(__always)
    public var isRequest: Bool { isObject && isIDUsable && isVersioned && method != nil && areParamsUsable }

    /// Whether it is an answer: a message with `result` or `error` and without `method`, in spite of other faults. An
    /// answer is never answered; two peers that did so would go on forever.
    public var isAnswer: Bool {
        isObject && given & Member.method.rawValue == 0 && given & (Member.result.rawValue | Member.error.rawValue) != 0
    }

    /// The fault of an object as a request; nil if there is none.
    public var fault: RPCError? {
        if isRequest { return nil }
        if !isIDUsable {
            return RPCError(
                .invalidRequest,
                isIDNumber
                    ? "An id that is a number may have at most \(idBytesMax) bytes as it is written; this one has more."
                    : "An id must be a string of at most \(idBytesMax) bytes, a number or null.")
        }
        if !isVersioned { return RPCError(.invalidRequest, "A request needs \"jsonrpc\":\"2.0\".") }
        if method == nil {
            return RPCError(.invalidRequest, "A request needs a method, which is a string such as \"mood.list\".")
        }
        return RPCError(.invalidRequest, "params must be an object or an array.")
    }

    // MARK: Members

    private enum Member: UInt8 {
        case jsonrpc = 1
        case id = 2
        case method = 4
        case params = 8
        case result = 16
        case error = 32
        case other = 0
    }

    /// Reads a name and its colon; nil if none comes.
    @inline(__always)
    private mutating func name(_ validator: inout JSONValidator) -> Member? {
        guard let bytes = cursor.bytes(10), bytes[0] == UInt8(ascii: "\"") else { return otherName(&validator) }
        // The eight bytes after the quote distinguish the members of a request.
        let word = bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
        let member: Member
        let count: Int
        if word == Self.word("method\":") {
            (member, count) = (.method, 9)
        } else if word == Self.word("params\":") {
            (member, count) = (.params, 9)
        } else if word == Self.word("jsonrpc\""), bytes[9] == UInt8(ascii: ":") {
            (member, count) = (.jsonrpc, 10)
        } else if UInt32(truncatingIfNeeded: UInt64(littleEndian: word)) == Self.idWord {
            (member, count) = (.id, 5)
        } else {
            return otherName(&validator)
        }
        if given & member.rawValue != 0 { validator.note(duplicate: cursor.at) }
        given |= member.rawValue
        cursor.pass(count)
        return member
    }

    @inline(__always)
    private static func word(_ literal: StaticString) -> UInt64 {
        UnsafeRawPointer(literal.utf8Start).loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    private static var idWord: UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(("id\":" as StaticString).utf8Start).loadUnaligned(as: UInt32.self))
    }

    /// Slow path: the name has escapes or white space, or is a different name.
    @inline(never)
    private mutating func otherName(_ validator: inout JSONValidator) -> Member? {
        _ = cursor.next
        let start = cursor.at
        guard let text = cursor.string() else { return nil }
        let member = text.withDecoded { Self.member($0) }
        if member == .other {
            if !hasOthers { validator.openObject() }
            hasOthers = true
            validator.enter(text, cursor)
        }
        if given & member.rawValue != 0 { validator.note(duplicate: start) }
        given |= member.rawValue
        return cursor.take(UInt8(ascii: ":")) ? member : nil
    }

    private static func member(_ name: UnsafeRawBufferPointer) -> Member {
        let text = JSONText(raw: name, isEscaped: false)
        switch name.count {
        case 2 where text.equals("id"): return .id
        case 5 where text.equals("error"): return .error
        case 6 where text.equals("method"): return .method
        case 6 where text.equals("params"): return .params
        case 6 where text.equals("result"): return .result
        case 7 where text.equals("jsonrpc"): return .jsonrpc
        default: return .other
        }
    }

    /// Whether there are params that the caller has to skip.
    @inline(__always)
    private mutating func standsAtParams() -> Bool {
        params = nil
        let first = cursor.next
        areParamsUsable = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "n")
        guard areParamsUsable, first != UInt8(ascii: "n") else { return false }
        paramsStart = cursor.at
        return true
    }

    /// Reads a member's value; false if there is none.
    @inline(__always)
    private mutating func read(_ member: Member, _ validator: inout JSONValidator) -> Bool {
        switch member {
        case .jsonrpc:
            if cursor.take(exactly: "\"2.0\"") {
                isVersioned = true
                return true
            }
        case .id:
            if let digits = cursor.digits(upTo: idBytesMax) {
                id = digits
                return true
            }
        case .method:
            if let text = cursor.string() {
                method = text
                return true
            }
        case .params, .result, .error, .other: break
        }
        return readOther(member, &validator)
    }

    /// Slow path: the value has escapes or white space, or is a different value.
    @inline(never)
    private mutating func readOther(_ member: Member, _ validator: inout JSONValidator) -> Bool {
        guard let value = cursor.value(&validator, depth: 1) else { return false }
        switch member {
        case .jsonrpc: isVersioned = Self.text(value)?.equals("2.0") ?? false
        case .id:
            if Self.isUsableID(value, idBytesMax) {
                id = value.bytes
            } else {
                isIDUsable = false
                isIDNumber = Self.isNumber(value)
            }
        case .method: method = nil
        case .result: result = value
        case .error: error = value
        case .params, .other: break
        }
        return true
    }

    /// Reads the end of the object; always false.
    @inline(__always)
    private mutating func end(_ validator: inout JSONValidator) -> Bool {
        if hasOthers { validator.closeObject(cursor) }
        isObject = cursor.take(UInt8(ascii: "}")) && cursor.isAtEnd
        return false
    }

    private static func text(_ value: ValidJSON) -> JSONText? {
        var reader = JSONReader(value)
        return reader.text()
    }

    private static func isNumber(_ value: ValidJSON) -> Bool {
        var reader = JSONReader(value)
        return reader.kind == .number
    }

    private static func isUsableID(_ value: ValidJSON, _ idBytesMax: Int) -> Bool {
        var reader = JSONReader(value)
        switch reader.kind {
        case .string:
            guard let text = reader.text() else { return false }
            if !text.isEscaped { return text.raw.count <= idBytesMax }
            return text.withDecoded { $0.count <= idBytesMax }
        case .number: return value.bytes.count <= idBytesMax
        case .null: return true
        case .boolean, .array, .object: return false
        }
    }
}
