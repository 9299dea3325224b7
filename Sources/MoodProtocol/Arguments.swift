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

    private let values: UnsafeMutablePointer<ValidJSON?>
    /// What ids and times say, read once when they are checked; valid where the value is there.
    private let ids: UnsafeMutablePointer<MoodID>
    private let times: UnsafeMutablePointer<Timestamp>
    private var method: MethodDeclaration?

    public init() {
        values = .allocate(capacity: Self.fieldsMax)
        values.initialize(repeating: nil, count: Self.fieldsMax)
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
        _ params: ValidJSON?, for method: MethodDeclaration, _ limits: Limits
    ) -> RPCError? {
        self.method = method
        let count = method.fields.count
        for index in 0..<count { values[index] = nil }
        if let params, let problem = read(params, method, limits) {
            return Self.error(problem)
        }
        for index in 0..<method.requiredCount where values[index] == nil {
            let field = method.fields[index]
            guard field.isRequired else { continue }
            return Self.error(Problem("is required: \(field.summary)").below("\(field.name)"))
        }
        return nil
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
        _ params: ValidJSON, _ method: MethodDeclaration, _ limits: Limits
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

    @inline(__always)
    private mutating func read(
        _ reader: inout JSONReader, _ method: MethodDeclaration, _ index: Int, _ limits: Limits
    ) -> Problem? {
        if !method.names[index].isNullMeaningful, reader.null() { return nil }
        let start = reader.valueStart
        // Ids and times are in most requests, so a plain one does not go through the schema.
        let plain = method.names[index].plain
        if plain != .none {
            let before = reader
            if let text = reader.text(), !text.isEscaped, readPlain(text.raw, plain, index) {
                values[index] = reader.slice(from: start)
                return nil
            }
            reader = before
        }
        if let problem = method.fields[index].schema.check(&reader, limits) { return problem }
        let value = reader.slice(from: start)
        values[index] = value
        if plain == .id, let id = value.moodID { ids[index] = id }
        if plain == .time, let time = value.time { times[index] = time }
        return nil
    }

    /// Reads an id or a time without escapes; false when it is none.
    @inline(__always)
    private mutating func readPlain(
        _ text: UnsafeRawBufferPointer, _ plain: MethodDeclaration.FieldName.Plain, _ index: Int
    ) -> Bool {
        switch plain {
        case .id:
            guard let id = MoodID(text) else { return false }
            ids[index] = id
        case .time:
            guard let time = Timestamp(rfc3339: text) else { return false }
            times[index] = time
        case .none: return false
        }
        return true
    }

    // MARK: Values

    /// A param as it stands; nil when it is absent.
    public subscript(name: StaticString) -> ValidJSON? {
        guard let index = method?.index(of: JSONText(name)) else { return nil }
        return values[index]
    }

    /// Whether a param was given as null, to remove something.
    public func isNull(_ name: StaticString) -> Bool { self[name].map { $0.bytes.first == UInt8(ascii: "n") } ?? false }

    public func text(_ name: StaticString) -> JSONText? { self[name]?.text }
    public func string(_ name: StaticString) -> String? { text(name)?.string }
    public func integer(_ name: StaticString) -> Int? { self[name]?.integer }
    public func boolean(_ name: StaticString) -> Bool? { self[name]?.boolean }

    /// A param whose schema is an id.
    public func id(_ name: StaticString) -> MoodID? {
        guard let index = method?.index(of: JSONText(name)), values[index] != nil else { return nil }
        return ids[index]
    }

    /// A param whose schema is a time.
    public func time(_ name: StaticString) -> Timestamp? {
        guard let index = method?.index(of: JSONText(name)), values[index] != nil else { return nil }
        return times[index]
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
