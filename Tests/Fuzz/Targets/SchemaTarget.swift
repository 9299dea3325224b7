import JSONCodec
import PluginHost

/// Properties for any schema and any value, which `JSONMaker` makes from the bytes.
///
/// 1. A schema is refused at a place that it has.
/// 2. `not` inverts the verdict; `allOf`, `anyOf`, `oneOf` with the schema alone and a reference to it do not change
///    it.
/// 3. A value's layout and the order of its members change nothing.
/// 4. A fault is at a place that the value has, or beside a missing member.
///
/// A check that gives up because of too much work has no verdict.
public struct SchemaTarget {
    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        var maker = JSONMaker(input[...])
        let source = maker.schema()
        let value = maker.value()
        let schema: JSONSchema
        do throws(SchemaProblem) { schema = try JSONSchema.compile(source) } catch {
            try require(Pointer.leads(error.pointer, into: source), "\(error.pointer) is nowhere in \(source.text)")
            return
        }
        let fault = schema.check(value)
        if let fault, Self.isTooMuch(fault) { return }
        if let fault {
            let isThere =
                Pointer.leads(fault.path, into: value) || Pointer.leads(Pointer.parent(fault.path), into: value)
            try require(isThere, "\(fault.path) is nowhere in \(value.text) by \(source.text)")
        }
        let said = "of \(value.text) by \(source.text)"
        // A reference to the root would mean another root at another place.
        if source.text.contains("$ref") { return }
        for (name, wrapped, turns) in [
            ("not", ["not": source], true), ("allOf", ["allOf": [source]], false),
            ("anyOf", ["anyOf": [source]], false),
            ("oneOf", ["oneOf": [source]], false), ("$ref", ["$ref": "#/$defs/s", "$defs": ["s": source]], false),
        ] as [(String, JSONValue, Bool)] {
            let verdict: SchemaFault?
            do throws(SchemaProblem) { verdict = try JSONSchema.compile(wrapped).check(value) } catch {
                throw Violation("\(name) is refused around \(source.text): \(error)")
            }
            if let verdict, Self.isTooMuch(verdict) { continue }
            try require((verdict == nil) == ((fault == nil) != turns), "\(name) has another verdict \(said)")
        }
        let turned = schema.check(Self.turned(value))
        try require((turned == nil) == (fault == nil), "another order has another verdict \(said)")
        let pretty = Array(value.prettyText.utf8).withUnsafeBytes { schema.check(ValidJSON(trusting: $0)) }
        try require((pretty == nil) == (fault == nil), "another layout has another verdict \(said)")
    }

    private static func isTooMuch(_ fault: SchemaFault) -> Bool { fault.reason.hasPrefix("takes too long") }

    private static func turned(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(turned))
        case .object(let members): .object(members.reversed().map { .init($0.name, turned($0.value)) })
        default: value
        }
    }
}
