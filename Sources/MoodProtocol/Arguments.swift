import JSONCodec
import JSONRPC
import MoodCore

/// The params of one call, checked against its method's declaration and taken by name.
///
/// They are views of the request's bytes: nothing is copied until somebody needs a value. One `Arguments` serves all
/// requests of a connection, so that a call allocates nothing here.
///
/// Why unsafe memory: an array of optional views would be checked at each access on the way of every request. Proof:
/// indices come from the method's fields, of which there are at most `fieldsMax` (checked when a method is declared).
public struct Arguments: ~Copyable {
    /// How many params a method may declare.
    static let fieldsMax = 32

    let values: UnsafeMutablePointer<ValidJSON>
    /// What ids and times say, read once when they are checked; valid where the value is there.
    let ids: UnsafeMutablePointer<MoodID>
    let times: UnsafeMutablePointer<Timestamp>
    private(set) var method: Method?
    /// Bit i: field i was given. Handlers ask for many and few are there, so most questions end here.
    private(set) var given: UInt32 = 0
    /// Bit i: field i is a string without escapes.
    private var unescaped: UInt32 = 0
    private var emoji = KnownEmoji()

    public init() {
        values = .allocate(capacity: Self.fieldsMax)
        values.initialize(
            repeating: ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0)), count: Self.fieldsMax)
        ids = .allocate(capacity: Self.fieldsMax)
        ids.initialize(repeating: MoodID(high: 0, low: 0), count: Self.fieldsMax)
        times = .allocate(capacity: Self.fieldsMax)
        times.initialize(repeating: .minimum, count: Self.fieldsMax)
    }

    deinit {
        values.deallocate()
        ids.deallocate()
        times.deallocate()
    }

    /// Checks params and keeps where each one is.
    ///
    /// By name: every declared member at most once, no other. By position: the method's own params in their order. A null
    /// for a param that may be absent means absent, unless the param gives null a meaning.
    /// - Returns: the error to answer with, or nil.
    public mutating func read(
        _ params: ValidJSON?, for method: Method, _ limits: Limits
    ) -> RPCError? {
        begin(method)
        if let params, let problem = read(params, method, limits) {
            return Self.error(problem)
        }
        if hasAllRequired { return nil }
        for (index, field) in method.fields.enumerated() where field.isRequired && !isGiven(index) {
            return Self.error(Problem("is required: \(field.summary)").below("\(field.name)"))
        }
        return nil
    }

    @inline(__always)
    mutating func begin(_ method: Method) {
        self.method = method
        given = 0
        unescaped = 0
    }

    var hasAllRequired: Bool {
        guard let method else { return false }
        return given & method.requiredFields == method.requiredFields
    }

    /// The error for something wrong in params.
    public static func error(_ problem: Problem) -> RPCError {
        error(problem.reason, at: problem.path)
    }

    /// The error for something wrong in params.
    /// - Parameter path: a JSON Pointer into params.
    public static func error(_ reason: String, at path: String) -> RPCError {
        let place = path.unicodeScalars.count > 100 ? String(path.unicodeScalars.prefix(100)) + "…" : path
        return RPCError(
            .invalidParams,
            (path.isEmpty ? "params" : place) + " " + reason
                + (reason.hasSuffix("?") || reason.hasSuffix(".") ? "" : "."),
            [.init("path", .string(path)), .init("reason", .string(reason))])
    }

    /// The error for a name that stands twice in params.
    /// - Parameter offset: of the second one, from the start of the params.
    public static func duplicate(at offset: Int, in params: ValidJSON) -> RPCError {
        error("is given twice; each member may be given once", at: JSONPointer.path(to: offset, in: params))
    }

    private mutating func read(
        _ params: ValidJSON, _ method: Method, _ limits: Limits
    ) -> Problem? {
        var reader = JSONReader(params)
        if reader.enterArray() {
            var index = 0
            while reader.nextElement() {
                guard index < method.params.count else {
                    return Problem("is one too many; this method takes \(method.params.count) params by position")
                        .below(String(index))
                }
                if let problem = read(&reader, method, index, limits) { return problem.below(String(index)) }
                index += 1
            }
            return nil
        }
        guard reader.enterObject() else { return nil }
        while let key = reader.nextKey() {
            guard let index = method.index(of: key) else { return Schema.unknown(key, among: method.fields) }
            if let problem = read(&reader, method, index, limits) {
                return problem.below("\(method.fields[index].name)")
            }
        }
        return nil
    }

    private mutating func read(
        _ reader: inout JSONReader, _ method: Method, _ index: Int, _ limits: Limits
    ) -> Problem? {
        if !method.names[index].isNullMeaningful, reader.null() { return nil }
        let start = reader.valueStart
        if let problem = method.fields[index].schema.check(&reader, limits) { return problem }
        keep(reader.slice(from: start), index)
        return nil
    }

    /// Takes a valid value for a field; false when it is not as declared.
    mutating func take(_ value: ValidJSON, _ index: Int, _ method: Method, _ limits: Limits) -> Bool {
        if !method.names[index].isNullMeaningful, value.bytes.first == UInt8(ascii: "n") { return true }
        var reader = JSONReader(value)
        guard method.fields[index].schema.check(&reader, limits) == nil else { return false }
        keep(value, index)
        return true
    }

    /// Takes a valid string for a field; false when it is not as declared.
    @inline(__always)
    mutating func take(
        _ text: JSONText, _ index: Int, _ kind: Method.FieldName.Plain, _ method: Method, _ limits: Limits
    ) -> Bool {
        let quoted = UnsafeRawBufferPointer(
            start: text.raw.baseAddress.map { $0 - 1 }, count: text.raw.count + 2)
        let isRight: Bool
        switch kind {
        case .emoji: isRight = text.withDecoded { emoji.contains($0) || Emoji.problem($0) == nil && emoji.insert($0) }
        case .label:
            isRight = text.withDecoded { TextRule.labelProblem($0, charactersMax: limits[.label]) == nil }
        case .notes:
            isRight =
                text.raw.count <= limits[.notesBytes]
                || text.withDecoded { TextRule.notesProblem($0, bytesMax: limits[.notesBytes]) == nil }
        case .none, .id, .time: return take(ValidJSON(trusting: quoted), index, method, limits)
        }
        guard isRight else { return false }
        values[index] = ValidJSON(trusting: quoted)
        given |= 1 << UInt32(truncatingIfNeeded: index)
        if !text.isEscaped { unescaped |= 1 << UInt32(truncatingIfNeeded: index) }
        return true
    }

    /// Takes an id or a time without escapes that stands in a message, for a field of that kind. They are in most
    /// requests, and to read one is to check it, so these go through neither validator nor schema.
    /// - Returns: the offset behind it; nil when there is none.
    @inline(__always)
    mutating func takePlain(
        _ message: UnsafeRawBufferPointer, _ start: Int, _ index: Int, _ kind: Method.FieldName.Plain
    ) -> Int? {
        switch kind {
        case .none, .emoji, .label, .notes: return nil
        case .id:
            let end = start + MoodID.textLength + 2
            guard end <= message.count, message[start] == UInt8(ascii: "\""), message[end - 1] == UInt8(ascii: "\""),
                let id = MoodID(UnsafeRawBufferPointer(rebasing: message[start + 1..<end - 1]))
            else { return nil }
            ids[index] = id
            mark(message, start..<end, index)
            return end
        case .time:
            guard message[start] == UInt8(ascii: "\"") else { return nil }
            var end = start + 1
            let limit = min(message.count, start + Timestamp.textLengthMax + 2)
            while end < limit, message[end] != UInt8(ascii: "\"") { end += 1 }
            guard end < limit,
                let time = Timestamp(rfc3339: UnsafeRawBufferPointer(rebasing: message[start + 1..<end]))
            else { return nil }
            times[index] = time
            mark(message, start..<end + 1, index)
            return end + 1
        }
    }

    @inline(__always)
    func isGiven(_ index: Int) -> Bool { given >> UInt32(truncatingIfNeeded: index) & 1 == 1 }

    @inline(__always)
    private mutating func mark(_ message: UnsafeRawBufferPointer, _ place: Range<Int>, _ index: Int) {
        values[index] = ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: message[place]))
        given |= 1 << UInt32(truncatingIfNeeded: index)
        unescaped |= 1 << UInt32(truncatingIfNeeded: index)
    }

    private mutating func keep(_ value: ValidJSON, _ index: Int) {
        values[index] = value
        given |= 1 << UInt32(truncatingIfNeeded: index)
        switch method?.plain(index) {
        case .id?: if let id = value.moodID { ids[index] = id }
        case .time?: if let time = value.time { times[index] = time }
        default: break
        }
    }

    /// A field as a text; nil when it is something else.
    @inline(__always)
    func text(_ index: Int) -> JSONText? {
        let value = values[index]
        guard unescaped >> UInt32(truncatingIfNeeded: index) & 1 == 1 else { return value.text }
        return JSONText(
            raw: UnsafeRawBufferPointer(rebasing: value.bytes[1..<value.bytes.count - 1]), isEscaped: false)
    }
}

extension ValidJSON {
    public var text: JSONText? {
        var reader = JSONReader(self)
        return reader.text()
    }

    public var integer: Int? {
        var reader = JSONReader(self)
        return reader.number()?.integer
    }

    public var boolean: Bool? {
        var reader = JSONReader(self)
        return reader.boolean()
    }

    public var moodID: MoodID? { text?.withDecoded { MoodID($0) } }

    public var time: Timestamp? { text?.withDecoded { Timestamp(rfc3339: $0) } }

    /// Calls `body` with each member of an object.
    public func forEachMember(_ body: (JSONText, ValidJSON) -> Void) {
        var reader = JSONReader(self)
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() { body(key, reader.skip()) }
    }

    /// Calls `body` with each element of an array.
    public func forEachElement(_ body: (ValidJSON) -> Void) {
        var reader = JSONReader(self)
        guard reader.enterArray() else { return }
        while reader.nextElement() { body(reader.skip()) }
    }
}
