import JSONCodec
import JSONRPC
import MoodCore

/// Checks and takes params in one pass over bytes that were not checked before.
///
/// By name: every declared member at most once, no other. By position: the method's own params in their order. A null
/// for an optional param means absent, unless the param gives null a meaning.
extension Arguments {
    /// The depth of params in a message, which the envelope surrounds.
    private static let depth = 1

    /// Takes params that are valid JSON; nil is no params.
    public mutating func read(
        _ params: ValidJSON?, for method: Method, _ limits: Limits, _ validator: inout JSONValidator
    ) throws(RPCError) {
        if method.isOpen { return keepWhole(params, of: method) }
        do throws(Problem) {
            if let params {
                var cursor = JSONCursor(params.bytes)
                try read(&cursor, for: method, limits, &validator)
            } else {
                begin(method)
                try requireAll(of: method)
            }
        } catch {
            throw Self.error(error)
        }
    }

    /// Takes no params.
    /// - Returns: whether the method needs none.
    public mutating func readNone(for method: Method) -> Bool {
        begin(method)
        return method.requiredFields == 0
    }

    /// A param by its name, as JSON.
    public typealias Given = (name: Name, value: ValidJSON)

    /// Takes params that stand apart from each other, each at most once.
    public mutating func read(
        _ params: [Given], for method: Method, _ limits: Limits, _ validator: inout JSONValidator
    ) throws(RPCError) {
        begin(method)
        do throws(Problem) {
            for param in params {
                guard let index = method.index(of: JSONText(param.name)) else {
                    throw Schema.unknown(JSONText(param.name), among: method.fields)
                }
                var cursor = JSONCursor(param.value.bytes)
                do throws(Problem) {
                    try readValue(&cursor, index, method, limits, &validator)
                } catch {
                    throw error.below("\(param.name)")
                }
            }
            try requireAll(of: method)
        } catch {
            throw Self.error(error)
        }
    }

    /// Takes the object or array of params at the cursor, and moves past it.
    /// - Throws: the first problem, with the cursor somewhere in the params. A worse one may follow: no valid JSON, or
    ///   a name that is given twice. So the caller then skips the params from their beginning.
    @inline(__always)
    public mutating func read(
        _ cursor: inout JSONCursor, for method: Method, _ limits: Limits, _ validator: inout JSONValidator
    ) throws(Problem) {
        begin(method)
        guard validator.allows(depth: Self.depth + 1) else { throw Self.notJSON }
        if cursor.take(UInt8(ascii: "{")) {
            try readMembers(&cursor, method, limits, &validator)
        } else {
            try readElements(&cursor, method, limits, &validator)
        }
        try requireAll(of: method)
    }

    /// Takes the params of a method that checks them itself. The fast path fails at their first member and comes here.
    private mutating func keepWhole(_ params: ValidJSON?, of method: Method) {
        begin(method)
        guard let params else { return }
        values[Self.wholePlace] = params
        given |= 1 << UInt32(Self.wholePlace)
    }

    /// Never sent. The caller reads the params again to find the exact error.
    private static let notJSON = Problem("is not JSON")

    @inline(__always)
    private mutating func begin(_ method: Method) {
        self.method = method
        names = method.names
        dryRunMask = method.dryRunMask
        given = 0
        unescaped = 0
        older = 0
    }

    @inline(__always)
    private func requireAll(of method: Method) throws(Problem) {
        let missing = method.requiredFields & ~given
        if missing == 0 { return }
        let field = method.fields[missing.trailingZeroBitCount]
        throw Problem("is required: \(field.summary)").below("\(field.name)")
    }

    private mutating func readMembers(
        _ cursor: inout JSONCursor, _ method: Method, _ limits: Limits, _ validator: inout JSONValidator
    ) throws(Problem) {
        if cursor.take(UInt8(ascii: "}")) { return }
        var seen: UInt32 = 0
        // Most members have the order of their declaration.
        var expected = 0
        repeat {
            let index = try readName(&cursor, method, expected, seen)
            let bit: UInt32 = 1 << UInt32(truncatingIfNeeded: index)
            // A name is given twice.
            if seen & bit != 0 { throw twice(index, method, isOlder: false) }
            seen |= bit
            do throws(Problem) {
                try readValue(&cursor, index, method, limits, &validator)
            } catch {
                throw error.below(writtenName(index, method))
            }
            expected = index + 1
        } while cursor.take(UInt8(ascii: ","))
        if !cursor.take(UInt8(ascii: "}")) { throw Self.notJSON }
    }

    /// The name that the caller used for a field.
    private func writtenName(_ index: Int, _ method: Method) -> String {
        let name = method.fields[index].name
        guard older >> UInt32(truncatingIfNeeded: index) & 1 == 1 else { return "\(name)" }
        return Method.olderName(of: name).map { "\($0)" } ?? "\(name)"
    }

    /// - Parameter isOlder: whether the second name is the older one.
    private func twice(_ index: Int, _ method: Method, isOlder: Bool) -> Problem {
        let name = method.fields[index].name
        // The caller finds a name that is given twice in one spelling when it skips the params.
        let isOlderSeen = older >> UInt32(truncatingIfNeeded: index) & 1 == 1
        guard isOlder != isOlderSeen, let other = Method.olderName(of: name) else { return Self.notJSON }
        let (second, first) = isOlder ? (other, name) : (name, other)
        return Problem("is another name of \(first); leave out one of the two").below("\(second)")
    }

    private mutating func readElements(
        _ cursor: inout JSONCursor, _ method: Method, _ limits: Limits, _ validator: inout JSONValidator
    ) throws(Problem) {
        guard cursor.take(UInt8(ascii: "[")) else { throw Self.notJSON }
        if cursor.take(UInt8(ascii: "]")) { return }
        var index = 0
        repeat {
            guard index < method.params.count else {
                throw Problem("is one too many; this method takes \(method.params.count) params by position")
                    .below(String(index))
            }
            do throws(Problem) {
                try readValue(&cursor, index, method, limits, &validator)
            } catch {
                throw error.below(String(index))
            }
            index += 1
        } while cursor.take(UInt8(ascii: ","))
        if !cursor.take(UInt8(ascii: "]")) { throw Self.notJSON }
    }

    /// Reads a name and its colon.
    /// - Returns: the number of the field.
    @inline(__always)
    private mutating func readName(
        _ cursor: inout JSONCursor, _ method: Method, _ expected: Int, _ seen: UInt32
    ) throws(Problem) -> Int {
        var place = expected
        while place < method.fieldCount {
            if names[place].take(&cursor) { return place }
            place += 1
        }
        guard let key = cursor.string() else { throw Self.notJSON }
        var known = method.index(of: key)
        if known == nil { known = try takeOlder(key, method, seen) }
        guard let index = known else {
            // A method that checks its params itself has no fields here.
            throw method.isOpen ? Self.notJSON : Schema.unknown(key, among: method.fields)
        }
        guard cursor.take(UInt8(ascii: ":")) else { throw Self.notJSON }
        return index
    }

    /// Finds the field with this older name and notes that; nil for another name.
    @inline(never)
    private mutating func takeOlder(_ key: JSONText, _ method: Method, _ seen: UInt32) throws(Problem) -> Int? {
        guard let index = method.index(ofOlder: key) else { return nil }
        if seen >> UInt32(truncatingIfNeeded: index) & 1 == 1 { throw twice(index, method, isOlder: true) }
        older |= 1 << UInt32(truncatingIfNeeded: index)
        return index
    }

    /// Checks the next value, and takes it for a field.
    @inline(__always)
    private mutating func readValue(
        _ cursor: inout JSONCursor, _ index: Int, _ method: Method, _ limits: Limits,
        _ validator: inout JSONValidator
    ) throws(Problem) {
        let kind = names[index].plain
        let first = cursor.next
        let start = cursor.at
        if kind != .none, first == UInt8(ascii: "\"") {
            if kind == .id {
                if takeID(&cursor, index) { return }
            } else {
                guard let text = cursor.string() else { throw Self.notJSON }
                if take(text, cursor.slice(from: start), index, kind, limits) { return }
                cursor.move(to: start)
            }
        }
        guard let value = cursor.value(&validator, depth: Self.depth + 1) else { throw Self.notJSON }
        if first == UInt8(ascii: "n"), !names[index].isNullMeaningful { return }
        var reader = JSONReader(value)
        if let problem = method.fields[index].schema.check(&reader, limits) { throw problem }
        if names[index].mayHideNullCharacter, let problem = Problem(nullCharacterIn: value) { throw problem }
        keep(value, index, kind)
    }

    /// Takes an id that is written without escapes. Most requests have one. Reading it checks it, so it needs neither
    /// validator nor schema.
    /// - Returns: false, without moving, if there is none.
    @inline(__always)
    private mutating func takeID(_ cursor: inout JSONCursor, _ index: Int) -> Bool {
        let count = MoodID.textLength + 2
        guard let bytes = cursor.bytes(count), bytes[count - 1] == UInt8(ascii: "\""),
            let id = MoodID(UnsafeRawBufferPointer(rebasing: bytes[1..<count - 1]))
        else { return false }
        ids[index] = id
        cursor.pass(count)
        mark(ValidJSON(trusting: bytes), index, isEscaped: false)
        return true
    }

    /// Takes a text by the rule of its kind, without the schema; false if it breaks the rule.
    @inline(__always)
    private mutating func take(
        _ text: JSONText, _ value: ValidJSON, _ index: Int, _ kind: Method.FieldName.Plain, _ limits: Limits
    ) -> Bool {
        let isRight: Bool
        switch kind {
        case .emoji: isRight = text.withDecoded { emoji.contains($0) || Emoji.problem($0) == nil && emoji.insert($0) }
        case .label:
            isRight = text.withDecoded { TextRule.labelProblem($0, charactersMax: limits[.label]) == nil }
        case .notes:
            isRight =
                (text.raw.count <= limits[.notesBytes]
                    || text.withDecoded { TextRule.notesProblem($0, bytesMax: limits[.notesBytes]) == nil })
                && !text.holdsNullCharacter
        case .time:
            let time = text.withDecoded { Timestamp(rfc3339: $0) }
            if let time { times[index] = time }
            isRight = time != nil
        case .none, .id: isRight = false
        }
        if isRight { mark(value, index, isEscaped: text.isEscaped) }
        return isRight
    }

    @inline(__always)
    private mutating func mark(_ value: ValidJSON, _ index: Int, isEscaped: Bool) {
        values[index] = value
        given |= 1 << UInt32(truncatingIfNeeded: index)
        if !isEscaped { unescaped |= 1 << UInt32(truncatingIfNeeded: index) }
    }

    /// Takes a value that obeys its schema.
    private mutating func keep(_ value: ValidJSON, _ index: Int, _ kind: Method.FieldName.Plain) {
        mark(value, index, isEscaped: true)
        if kind == .id, let id = value.moodID { ids[index] = id }
    }
}
