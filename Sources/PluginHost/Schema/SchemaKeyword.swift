/// The keywords of JSON Schema 2020-12 that a plugin may use. Any other makes a schema invalid, because a rule that is
/// not checked is worse than none.
public enum SchemaKeyword: String, CaseIterable, Sendable {
    // Any value
    case type
    case `enum`
    case const
    // Numbers
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
    // Strings
    case minLength, maxLength, pattern
    // Arrays
    case items, prefixItems, minItems, maxItems, uniqueItems, contains, minContains, maxContains
    // Objects
    case properties, patternProperties, additionalProperties, propertyNames, required
    case minProperties, maxProperties, dependentRequired, dependentSchemas
    // Combinations
    case allOf, anyOf, oneOf, not
    case `if`
    case then
    case `else`
    case ref = "$ref"
    case defs = "$defs"
    case definitions
    // Annotations for users and programs
    case title, description, `default`, examples, format, deprecated, readOnly, writeOnly
    case contentEncoding, contentMediaType
    case schema = "$schema"
    case id = "$id"
    case comment = "$comment"

    /// The keyword of this name. A long name is not compared: as a `String` it may be slow.
    init?(name: String) {
        guard name.utf8.count <= 32 else { return nil }
        self.init(rawValue: name)
    }

    /// The difference from the specification of JSON Schema, if there is one.
    public var remark: String? {
        switch self {
        case .multipleOf: "has at most \(DecimalNumber.divisorDigitsMax) digits"
        case .pattern, .patternProperties: "ECMA-262 without looking ahead or behind, and without back references"
        case .ref: "a place of the same document: `#`, or a path that begins with `#/`"
        case .default: "the host fills it in, in `config`"
        case .writeOnly: "a secret in `config`: kept apart and in no answer"
        case .format, .contentEncoding, .contentMediaType: "for people, not checked"
        case .id: "only at the root"
        default: nil
        }
    }
}
