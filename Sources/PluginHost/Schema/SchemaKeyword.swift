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

    /// The rule that it sets, in words.
    public var meaning: String {
        switch self {
        case .type: "the kind of the value, or several: null, boolean, number, integer, string, array, object"
        case .enum: "one of these values"
        case .const: "this value"
        case .minimum: "at least so much"
        case .maximum: "at most so much"
        case .exclusiveMinimum: "more than that"
        case .exclusiveMaximum: "less than that"
        case .multipleOf: "a whole number of times this, which has at most \(DecimalNumber.divisorDigitsMax) digits"
        case .minLength: "at least so many code points"
        case .maxLength: "at most so many code points"
        case .pattern:
            "the regular expression is found in the text (ECMA-262; no looking ahead or behind, no back references)"
        case .items: "every element, or every one after prefixItems"
        case .prefixItems: "the first elements, one by one"
        case .minItems: "at least so many elements"
        case .maxItems: "at most so many elements"
        case .uniqueItems: "no two elements are equal"
        case .contains: "an element that fits"
        case .minContains: "so many at least"
        case .maxContains: "so many at most"
        case .properties: "members by name"
        case .patternProperties: "members whose name holds the regular expression"
        case .additionalProperties: "members that neither of the two names"
        case .propertyNames: "the names themselves"
        case .required: "members that must be there"
        case .minProperties: "at least so many members"
        case .maxProperties: "at most so many members"
        case .dependentRequired: "members that must be there if another one is"
        case .dependentSchemas: "what holds if a member is there"
        case .allOf: "every one of these"
        case .anyOf: "one of these or more"
        case .oneOf: "exactly one of these"
        case .not: "not this"
        case .if: "chooses between then and else"
        case .then: "what holds if it fits"
        case .else: "what holds if it does not"
        case .ref: "the schema at a place of the same document: `#`, or a path that begins with `#/`"
        case .defs: "schemas to be referred to"
        case .definitions: "the same, by its older name"
        case .title: "what it is called"
        case .description: "what it means"
        case .default: "what an absent member means; in `config` the host fills it in"
        case .examples: "values that would do"
        case .format: "told to people, not checked"
        case .deprecated: "should not be used any more"
        case .readOnly: "is not set by people"
        case .writeOnly: "in `config`: a secret, kept apart and in no answer"
        case .contentEncoding: "told to people, not checked"
        case .contentMediaType: "told to people, not checked"
        case .schema: "which JSON Schema is meant"
        case .id: "the name of the whole schema; only at its root"
        case .comment: "for those who write the schema"
        }
    }
}
