import JSONCodec
import JSONRPC
import MoodCore

/// The params of one call, checked against its method's declaration and taken by name.
///
/// They are views of the request's bytes: nothing is copied before a handler needs a value. One `Arguments` serves all
/// requests of a connection, so that a call allocates nothing here.
///
/// Unsafe memory, because each access to an array of optional views would be checked, in every request. It is safe:
/// indices come from the method's fields, of which there are at most `fieldsMax` (checked when a method is declared).
public struct Arguments: ~Copyable {
    /// The most params that a method can declare.
    static let fieldsMax = 32
    /// The index of the params of a method that declares no fields.
    static let wholePlace = fieldsMax - 1

    let values: UnsafeMutablePointer<ValidJSON>
    /// The parsed ids, by field; valid if the value is there.
    let ids: UnsafeMutablePointer<MoodID>
    let times: UnsafeMutablePointer<Timestamp>
    /// The method of the params. It is not retained: the caller of `read` holds it until the call ends.
    unowned(unsafe) var method: Method?
    /// The fields' data for each lookup.
    var names: UnsafePointer<Method.FieldName>
    @usableFromInline var dryRunMask: UInt32 = 0
    /// Bit i: field i was given. Handlers look up many params and few are given, so most lookups end here.
    @usableFromInline var given: UInt32 = 0
    /// Bit i: field i is a string without escapes.
    var unescaped: UInt32 = 0
    /// Bit i: field i was given by its older name.
    var older: UInt32 = 0
    var emoji = KnownEmoji()
    /// The params in the caller's own words, where the values were made of words such as `2 hours ago`: a repeated call
    /// has the words in common. Empty for other calls. The caller of `read` sets it, and resets it after the call.
    public var said: [Given] = []

    public init() {
        values = .allocate(capacity: Self.fieldsMax)
        values.initialize(
            repeating: ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0)), count: Self.fieldsMax)
        ids = .allocate(capacity: Self.fieldsMax)
        ids.initialize(repeating: MoodID(high: 0, low: 0), count: Self.fieldsMax)
        times = .allocate(capacity: Self.fieldsMax)
        times.initialize(repeating: .minimum, count: Self.fieldsMax)
        names = Method.noNames
    }

    deinit {
        values.deallocate()
        ids.deallocate()
        times.deallocate()
    }

    /// The error for a problem in params.
    public static func error(_ problem: Problem) -> RPCError {
        error(problem.reason, at: problem.path)
    }

    /// The error for a problem in params.
    /// - Parameter path: a JSON Pointer into params.
    public static func error(_ reason: String, at path: String) -> RPCError {
        let place = path.unicodeScalars.count > 100 ? String(path.unicodeScalars.prefix(100)) + "…" : path
        return RPCError(
            .invalidParams,
            (path.isEmpty ? "params" : place) + " " + reason
                + (reason.hasSuffix("?") || reason.hasSuffix(".") ? "" : "."),
            [.init("path", .string(path)), .init("reason", .string(reason))])
    }

    /// The error for a name that params have twice.
    /// - Parameter offset: of the second one, from the start of the params.
    public static func duplicate(at offset: Int, in params: ValidJSON) -> RPCError {
        error("is given twice; each member may be given once", at: JSONPointer.path(to: offset, in: params))
    }

    @inline(__always)
    func isGiven(_ index: Int) -> Bool { given >> UInt32(truncatingIfNeeded: index) & 1 == 1 }

    /// A field as a text; nil if it is something else.
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
