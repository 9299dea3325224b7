import JSONCodec
import MoodCore

/// A fingerprint of a call's params, which decides whether a repeated `opId` is the same call.
///
/// The order of members and the way in which a value is written do not count: `"\u0061"` is `"a"`, `1e1` is `10`, an id
/// is the same in upper case, a time in another zone, an empty object as an empty array. `opId` itself, `dryRun` and
/// `progressToken` are left out, an optional member that is null is absent, at any depth, and params by position equal
/// params by name.
/// Nothing else is equal: a default that is written out makes another call than one that is left out.
///
/// Stores keep the fingerprint, so it is equal in every process and version. H of a value is F of these bytes, where
/// words are eight bytes, the lowest first:
///
///     null n · true t · false f · string s and its UTF-8 · array a and the H of each element
///     id s and it in lower case · time s and it in UTC with three digits of a second
///     number d, - where it is below zero, its digits without zeros at either end, e, the power of ten as a word
///     object o and the sum, modulo 2^64, of F(m, H(name), H(value)) of its members
///
/// F is FNV-1a of 64 bits, and then the finalizer of SplitMix64, so that sums of it do not cancel out.
extension Arguments {
    /// Whether the call has an operation id.
    @inlinable @inline(__always)
    public func namesOperation(of method: Method) -> Bool { given & method.operationMask != 0 }

    public var paramsFingerprint: UInt64 {
        guard let method, !said.isEmpty else { return fingerprint(withToken: false) { $0.schema } }
        var sum: UInt64 = 0
        for (name, value) in said where name != CommonParams.operation.name && name != CommonParams.dryRun.name {
            let field = method.fields.first { $0.name == name }
            sum &+= Fingerprint.member(JSONText(name), Fingerprint.value(value, field?.schema ?? .any))
        }
        return Fingerprint.object(sum)
    }

    /// The fingerprint of earlier versions, which distinguished progress tokens, and before that spellings of ids and
    /// times, and took times for what their words meant.
    public var formerParamsFingerprint: UInt64 {
        progressToken == nil ? fingerprint(withToken: true) { _ in .any } : fingerprint(withToken: true) { $0.schema }
    }

    private func fingerprint(withToken: Bool, _ schema: (Field) -> Schema) -> UInt64 {
        guard let method else { return 0 }
        var sum: UInt64 = 0
        for (index, field) in method.fields.enumerated() where isGiven(index) {
            if field.name == CommonParams.operation.name || field.name == CommonParams.dryRun.name { continue }
            if !withToken, field.name == CommonParams.progressToken.name { continue }
            sum &+= Fingerprint.member(JSONText(field.name), Fingerprint.value(values[index], schema(field)))
        }
        return Fingerprint.object(sum)
    }
}

private struct Fingerprint {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    private mutating func add(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    private var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// - Parameter schema: the schema that the value is known to obey.
    static func value(_ value: ValidJSON, _ schema: Schema) -> UInt64 {
        var reader = JSONReader(value)
        return read(&reader, schema)
    }

    static func member(_ name: JSONText, _ value: UInt64) -> UInt64 {
        var hash = Fingerprint()
        hash.add(UInt8(ascii: "m"))
        hash.add(text(name))
        hash.add(value)
        return hash.value
    }

    static func object(_ sum: UInt64) -> UInt64 {
        var hash = Fingerprint()
        hash.add(UInt8(ascii: "o"))
        hash.add(sum)
        return hash.value
    }

    private static func text(_ text: JSONText) -> UInt64 {
        var hash = Fingerprint()
        hash.add(UInt8(ascii: "s"))
        text.decode { hash.add($0) }
        return hash.value
    }

    private static func text(_ text: String) -> UInt64 {
        var hash = Fingerprint()
        hash.add(UInt8(ascii: "s"))
        for byte in text.utf8 { hash.add(byte) }
        return hash.value
    }

    /// The validator limits the depth, and with it this recursion.
    private static func read(_ reader: inout JSONReader, _ schema: Schema) -> UInt64 {
        switch schema {
        case .named(_, let schema), .nullable(let schema): return read(&reader, schema)
        case .id:
            var copy = reader
            guard let id = copy.text()?.withDecoded({ MoodID($0) }) else { break }
            reader.skip()
            return text(id.text)
        case .time:
            var copy = reader
            guard let time = copy.text()?.withDecoded({ Timestamp(rfc3339: $0) }) else { break }
            reader.skip()
            return text(time.text)
        case .array(let element, _, _) where reader.kind == .array:
            return array(&reader, of: element)
        case .object(let fields, _): return object(&reader, fields)
        case .kinds(let name, let kinds): return object(&reader, fields(reader, name, kinds))
        case .value: return object(&reader, [])
        default: break
        }
        return plain(&reader)
    }

    private static func array(_ reader: inout JSONReader, of element: Schema) -> UInt64 {
        var hash = Fingerprint()
        hash.add(UInt8(ascii: "a"))
        _ = reader.enterArray()
        while reader.nextElement() { hash.add(read(&reader, element)) }
        return hash.value
    }

    private static func object(_ reader: inout JSONReader, _ fields: [Field]) -> UInt64 {
        // An array in place of an object is empty, and counts as an empty object.
        guard reader.enterObject() else {
            if reader.kind != .array { return plain(&reader) }
            reader.skip()
            return object(0)
        }
        var sum: UInt64 = 0
        while let key = reader.nextKey() {
            let field = fields.first { $0.name.matches(key) }
            if let field, !field.isRequired, !field.schema.isNullable, reader.null() { continue }
            sum &+= member(key, read(&reader, field?.schema ?? .any))
        }
        return object(sum)
    }

    /// The fields of the object's kind.
    private static func fields(
        _ reader: JSONReader, _ name: Name, _ kinds: [Kind]
    ) -> [Field] {
        var reader = reader
        guard reader.enterObject() else { return [] }
        while let key = reader.nextKey() {
            guard name.matches(key) else {
                reader.skip()
                continue
            }
            guard let text = reader.text() else { return [] }
            return kinds.first { $0.name.matches(text) }?.fields ?? []
        }
        return []
    }

    /// Hashes a value without a known schema.
    private static func plain(_ reader: inout JSONReader) -> UInt64 {
        var hash = Fingerprint()
        switch reader.kind {
        case .null:
            _ = reader.null()
            hash.add(UInt8(ascii: "n"))
        case .boolean: hash.add(UInt8(ascii: reader.boolean() == true ? "t" : "f"))
        case .string: return reader.text().map { text($0) } ?? 0
        case .number: if let number = reader.number() { hash.add(number) }
        case .array: return array(&reader, of: .any)
        case .object: return object(&reader, [])
        }
        return hash.value
    }

    private mutating func add(_ number: JSONNumber) {
        let raw = number.raw
        add(UInt8(ascii: "d"))
        let mantissaEnd = raw.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? raw.count
        let digits = raw[..<mantissaEnd].filter { $0 &- 48 < 10 }
        guard let first = digits.firstIndex(where: { $0 != 48 }), let last = digits.lastIndex(where: { $0 != 48 })
        else { return add(UInt8(ascii: "0")) }
        if raw.first == UInt8(ascii: "-") { add(UInt8(ascii: "-")) }
        for digit in digits[first...last] { add(digit) }
        let point = raw[..<mantissaEnd].firstIndex(of: UInt8(ascii: "."))
        let fraction = point.map { mantissaEnd - $0 - 1 } ?? 0
        let power = Self.exponent(raw, mantissaEnd + 1) - fraction + digits.count - 1 - last
        add(UInt8(ascii: "e"))
        add(UInt64(bitPattern: Int64(power)))
    }

    /// The exponent, limited so that it cannot overflow: no text is long enough to make up for that.
    private static func exponent(_ raw: UnsafeRawBufferPointer, _ start: Int) -> Int {
        guard start < raw.count else { return 0 }
        var value = 0
        for byte in raw[start...] where byte &- 48 < 10 && value < 1 << 50 { value = value * 10 + Int(byte &- 48) }
        return raw[start] == UInt8(ascii: "-") ? -value : value
    }
}
