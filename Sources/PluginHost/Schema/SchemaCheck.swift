import JSONCodec
import MoodProtocol

/// One check of a value, with its count of work.
struct SchemaCheck {
    /// The most nested schemas, so that a check does not exhaust the stack.
    static let depthMax = 512

    /// The most work of a check: enough for every sensible schema, so that one that tries all ways ends too.
    static func stepsMax(bytes: Int) -> Int { 1_000_000 + 32 * bytes }

    private let nodes: [SchemaNode]
    private let stepsMax: Int
    private var steps = 0
    private var depth = 0
    /// The number of enclosing checks that need no reason: then no text is made.
    private var quiet = 0

    init(_ schema: JSONSchema, bytes: Int) {
        nodes = schema.nodes
        stepsMax = Self.stepsMax(bytes: bytes)
    }

    /// The first fault of a value by a schema.
    mutating func fault(of value: ValidJSON, by place: Int) -> SchemaFault? {
        steps += 1 + value.bytes.count >> 4
        if steps > stepsMax { return tooMuch }
        guard depth < Self.depthMax else {
            // No enclosing schema may take this for a value that does not fit.
            steps = stepsMax + 1
            return tooMuch
        }
        depth += 1
        defer { depth -= 1 }
        let node = nodes[place]
        if node.isNever { return fault("must not be there") }
        var reader = JSONReader(value)
        let kind = reader.kind
        if let kinds = node.kinds, !Self.isOf(kinds, kind, reader) {
            return fault("must be \(kinds.phrase), not \(Self.name(kind, kinds))")
        }
        if let found = choices(node, value) { return found }
        let found: SchemaFault? =
            switch kind {
            case .number: node.number.flatMap { number(&reader, $0) }
            case .string: node.text.flatMap { text(&reader, $0) }
            case .array: if let rules = node.array { array(&reader, rules) } else { nil }
            case .object: if let rules = node.object { object(value, rules) } else { nil }
            case .null, .boolean: nil
            }
        return found ?? together(value, node)
    }

    private func fault(_ reason: @autoclosure () -> String, at path: @autoclosure () -> String = "") -> SchemaFault {
        quiet > 0 ? SchemaFault("") : SchemaFault(reason(), at: path())
    }

    private var tooMuch: SchemaFault {
        SchemaFault("takes too long to be checked; send less, or make the schema simpler")
    }

    /// Whether a value fits; makes no text of the fault.
    private mutating func fits(_ value: ValidJSON, _ place: Int) -> Bool {
        quiet += 1
        defer { quiet -= 1 }
        return fault(of: value, by: place) == nil
    }

    /// The fault of an inner value, seen from one level up.
    private mutating func below(
        _ name: @autoclosure () -> String, _ value: ValidJSON, _ place: Int
    ) -> SchemaFault? {
        guard var found = fault(of: value, by: place) else { return nil }
        if quiet == 0 { found.path = "/" + name() + found.path }
        return found
    }

    // MARK: Any value

    private static func isOf(_ kinds: SchemaKinds, _ kind: JSONKind, _ reader: JSONReader) -> Bool {
        if kinds.contains(SchemaKinds(kind)) { return true }
        guard kind == .number, kinds.contains(.integer) else { return false }
        var reader = reader
        guard let number = reader.number() else { return false }
        return number.integer != nil || DecimalNumber(number).isInteger
    }

    private static func name(_ kind: JSONKind, _ wanted: SchemaKinds) -> String {
        kind == .number && wanted.contains(.integer) ? "a number with a fraction" : kind.name
    }

    private func choices(_ node: SchemaNode, _ value: ValidJSON) -> SchemaFault? {
        guard node.choices != nil || node.constant != nil else { return nil }
        let canonical = CanonicalJSON.bytes(value, numbers: .byValue)
        if let constant = node.constant, constant.canonical != canonical {
            return fault("must be \(Self.short(constant.text))")
        }
        if let choices = node.choices, !choices.contains(where: { $0.canonical == canonical }) {
            return fault("must be one of \(Self.short(choices.map(\.text).joined(separator: ", ")))")
        }
        return nil
    }

    private static func short(_ text: String) -> String {
        text.utf8.count <= 300 ? text : String(text.unicodeScalars.prefix(300)) + "…"
    }

    private mutating func together(_ value: ValidJSON, _ node: SchemaNode) -> SchemaFault? {
        if let reference = node.reference, let found = fault(of: value, by: reference) { return found }
        for place in node.allOf { if let found = fault(of: value, by: place) { return found } }
        if let places = node.anyOf, !places.contains(where: { fits(value, $0) }) {
            return alternatives(value, places)
        }
        if let places = node.oneOf {
            let count = places.count { fits(value, $0) }
            if steps > stepsMax { return tooMuch }
            if count == 0 { return alternatives(value, places) }
            if count > 1 { return fault("must fit exactly one of \(places.count) alternatives; it fits \(count)") }
        }
        if let place = node.not, fits(value, place) { return fault("must not be like this; the schema excludes it") }
        if let condition = node.condition {
            let chosen = fits(value, condition) ? node.consequence : node.alternative
            if let chosen, let found = fault(of: value, by: chosen) { return found }
        }
        return steps > stepsMax ? tooMuch : nil
    }

    /// The fault if none of several schemas fits: if only one has the right kind, its own fault.
    private mutating func alternatives(_ value: ValidJSON, _ places: [Int]) -> SchemaFault {
        if steps > stepsMax || quiet > 0 { return tooMuch }
        var reader = JSONReader(value)
        let kind = reader.kind
        let likely = places.filter { nodes[$0].kinds.map { Self.isOf($0, kind, reader) } ?? true }
        if likely.count == 1, let found = fault(of: value, by: likely[0]) { return found }
        return fault("fits none of \(places.count) alternatives")
    }

    // MARK: Numbers and strings

    private func number(_ reader: inout JSONReader, _ rules: SchemaNode.NumberRules) -> SchemaFault? {
        guard let number = reader.number() else { return nil }
        let value = DecimalNumber(number)
        if let least = rules.minimum, value < least { return fault("must be at least \(least.text)") }
        if let most = rules.maximum, most < value { return fault("must be at most \(most.text)") }
        if let bound = rules.exclusiveMinimum, !(bound < value) { return fault("must be more than \(bound.text)") }
        if let bound = rules.exclusiveMaximum, !(value < bound) { return fault("must be less than \(bound.text)") }
        if let divisor = rules.multipleOf, !value.isMultiple(of: divisor) {
            return fault("must be a whole number of times \(divisor.text)")
        }
        return nil
    }

    private mutating func text(_ reader: inout JSONReader, _ rules: SchemaNode.TextRules) -> SchemaFault? {
        guard let text = reader.text() else { return nil }
        return text.withDecoded { bytes -> SchemaFault? in
            // Continuation bytes begin no code point.
            let count = bytes.count { $0 & 0xc0 != 0x80 }
            if count < rules.minLength { return fault("must have at least \(rules.minLength) characters") }
            if count > rules.maxLength { return fault("may have at most \(rules.maxLength) characters") }
            guard let pattern = rules.pattern else { return nil }
            switch pattern.isFound(in: bytes, steps: &steps, stepsMax: stepsMax) {
            case .none: return tooMuch
            case .some(true): return nil
            case .some(false): return fault("must match \(Self.short(rules.patternText))")
            }
        }
    }

    // MARK: Arrays and objects

    private mutating func array(_ reader: inout JSONReader, _ rules: SchemaNode.ArrayRules) -> SchemaFault? {
        guard reader.enterArray() else { return nil }
        var (index, fitting) = (0, 0)
        var seen: Set<[UInt8]> = []
        while reader.nextElement() {
            if steps > stepsMax { return tooMuch }
            let element = reader.skip()
            let place = index < rules.prefixItems.count ? rules.prefixItems[index] : rules.items
            if let place, let found = below(String(index), element, place) { return found }
            if let contains = rules.contains, fits(element, contains) { fitting += 1 }
            if rules.isUnique, !seen.insert(CanonicalJSON.bytes(element, numbers: .byValue)).inserted {
                return fault("must not repeat an earlier one", at: "/\(index)")
            }
            index += 1
        }
        if index < rules.minItems { return fault("must have at least \(rules.minItems) elements") }
        if index > rules.maxItems { return fault("may have at most \(rules.maxItems) elements") }
        guard rules.contains != nil else { return nil }
        if fitting < rules.minContains {
            return fault("must have at least \(rules.minContains) elements of a kind; it has \(fitting)")
        }
        return fitting > rules.maxContains
            ? fault("may have at most \(rules.maxContains) elements of a kind; it has \(fitting)") : nil
    }

    private mutating func object(_ value: ValidJSON, _ rules: SchemaNode.ObjectRules) -> SchemaFault? {
        var reader = JSONReader(value)
        guard reader.enterObject() else { return nil }
        var seen = [Bool](repeating: false, count: rules.members.count)
        var count = 0
        while let key = reader.nextKey() {
            if steps > stepsMax { return tooMuch }
            count += 1
            let member = reader.skip()
            if let found = check(key, member, rules, &seen) { return found }
        }
        for place in rules.required where !seen[place] {
            return fault("is required", at: "/" + Self.token(rules.members[place].name))
        }
        if count < rules.minProperties { return fault("must have at least \(rules.minProperties) members") }
        if count > rules.maxProperties { return fault("may have at most \(rules.maxProperties) members") }
        return dependent(value, rules)
    }

    private mutating func check(
        _ key: JSONText, _ member: ValidJSON, _ rules: SchemaNode.ObjectRules, _ seen: inout [Bool]
    ) -> SchemaFault? {
        if let names = rules.names {
            // A name is between quotes, like a string.
            let quoted = UnsafeRawBufferPointer(start: key.raw.baseAddress.map { $0 - 1 }, count: key.raw.count + 2)
            if let found = fault(of: ValidJSON(trusting: quoted), by: names) {
                return quiet > 0 ? found : SchemaFault("has a name that \(found.reason)", at: "/" + Self.token(key))
            }
        }
        return key.withDecoded { name -> SchemaFault? in
            var isNamed = false
            if let place = rules.place(of: name) {
                seen[place] = true
                if let node = rules.members[place].node {
                    isNamed = true
                    if let found = below(Self.token(key), member, node) { return found }
                }
            }
            for (pattern, node) in rules.patterns {
                guard let isFound = pattern.isFound(in: name, steps: &steps, stepsMax: stepsMax) else { return tooMuch }
                guard isFound else { continue }
                isNamed = true
                if let found = below(Self.token(key), member, node) { return found }
            }
            guard !isNamed, let additional = rules.additional else { return nil }
            if nodes[additional].isNever { return unknown(key, rules) }
            return below(Self.token(key), member, additional)
        }
    }

    private func unknown(_ key: JSONText, _ rules: SchemaNode.ObjectRules) -> SchemaFault {
        if quiet > 0 { return SchemaFault("") }
        let known = rules.members.filter { $0.node != nil }.map { String(decoding: $0.name, as: UTF8.self) }
        let nearest = NearestNames.find(key.string, among: known).first
        let hint =
            nearest.map { "did you mean \"\($0)\"?" }
            ?? (known.isEmpty ? "none is expected here" : Self.short("known are " + known.joined(separator: ", ")))
        return SchemaFault("is not a known member; \(hint)", at: "/" + Self.token(key))
    }

    private mutating func dependent(_ value: ValidJSON, _ rules: SchemaNode.ObjectRules) -> SchemaFault? {
        for (name, needed) in rules.dependentRequired where has(name, value) {
            for other in needed where !has(other, value) {
                return fault("is required beside \(String(decoding: name, as: UTF8.self))", at: "/" + Self.token(other))
            }
        }
        for (name, node) in rules.dependentSchemas where has(name, value) {
            if let found = fault(of: value, by: node) { return found }
        }
        return nil
    }

    private mutating func has(_ name: [UInt8], _ value: ValidJSON) -> Bool {
        steps += 1 + value.bytes.count >> 4
        var reader = JSONReader(value)
        guard steps <= stepsMax, reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            if key.withDecoded({ $0.elementsEqual(name) }) { return true }
            reader.skip()
        }
        return false
    }

    /// The longest part of a name that goes into a pointer, in code points: the name comes from outside.
    private static let nameMax = 1024

    private static func token(_ key: JSONText) -> String { token(key.string) }
    private static func token(_ name: [UInt8]) -> String { token(String(decoding: name, as: UTF8.self)) }
    private static func token(_ name: String) -> String {
        JSONPointer.escaped(String(name.unicodeScalars.prefix(nameMax)))
    }
}
