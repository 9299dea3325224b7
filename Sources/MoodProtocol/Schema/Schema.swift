import JSONCodec
import MoodCore

/// The schema of a value in a request or an answer.
///
/// One description serves both: it checks params (`Schema+Check`), and becomes JSON Schema for `rpc.discover`
/// (`Schema+JSONSchema`). (For readers of Zod, pydantic, or `Codable` with validation.)
public indirect enum Schema: Sendable {
    case string(TextFormat)
    /// A UUID in either case.
    case id
    /// A moment: RFC 3339 with a zone, in the years 0001-9999.
    case time
    case integer(ClosedRange<Int>)
    /// An integer from 1 to a configurable limit.
    case count(Limits.Name)
    case number(ClosedRange<Double>)
    case boolean
    /// Only `true`.
    case confirmation
    case choice([Name])
    /// One of these words, or another that only a running program knows. The handler checks those.
    case openChoice([Name])
    case array(Schema, Count, isUnique: Bool)
    /// An object with exactly these members.
    case object([Field], ObjectRule?)
    /// An object with at least these members, for results, which may grow.
    case result([Field])
    /// One of several objects, distinguished by a member.
    case kinds(by: Name, [Kind])
    /// One of several objects in results: all have `common`, and unknown kinds may come.
    case openKinds(by: Name, common: [Field], [Kind])
    /// A value or null, which means "remove".
    case nullable(Schema)
    /// A value with its own rule, whose keywords describe it completely.
    case value(ObjectRule)
    /// A string of at most 256 bytes, or an integer in any spelling, which is sent back unchanged.
    case token
    /// One of several forms of a result that no member distinguishes.
    case variants([(title: String, schema: Schema)])
    /// A result in the form of these JSON Schema keywords; not checked here.
    case described([JSONValue.Member])
    /// A schema described once under a name.
    case named(String, Schema)
    case any

    /// How many there are.
    static let amount = Schema.integer(0 ... .max)
    /// A number that counts from 1.
    static let ordinal = Schema.integer(1 ... .max)
    /// Any text.
    static let plain = Schema.string(.plain)

    /// An array that may repeat elements.
    static func list(_ element: Schema, _ count: Count = .any) -> Schema { .array(element, count, isUnique: false) }

    /// The number of elements in an array.
    public enum Count: Sendable {
        case range(ClosedRange<Int>)
        /// From none to a configurable limit.
        case upTo(Limits.Name)
        case any
    }
}

/// An object that a member distinguishes from others. A name that ends with a full stop is any with this prefix.
public struct Kind: Sendable {
    public let name: Name
    public let fields: [Field]
    let rule: ObjectRule?

    init(_ name: Name, _ fields: [Field], rule: ObjectRule? = nil) {
        (self.name, self.fields, self.rule) = (name, fields, rule)
    }

    init(_ name: Name, _ fields: Field..., rule: ObjectRule? = nil) { self.init(name, fields, rule: rule) }
}

/// A member of an object, or a parameter of a method.
public struct Field: Sendable {
    public let name: Name
    public let schema: Schema
    public let isRequired: Bool
    /// The meaning, for people.
    public let summary: String
    /// The default as JSON text, if it can be written down.
    public let defaultValue: JSONValue?

    public static func required(_ name: Name, _ schema: Schema, _ summary: String) -> Field {
        Field(name: name, schema: schema, isRequired: true, summary: summary, defaultValue: nil)
    }

    public static func optional(
        _ name: Name, _ schema: Schema, _ summary: String, default defaultValue: JSONValue? = nil
    ) -> Field {
        Field(name: name, schema: schema, isRequired: false, summary: summary, defaultValue: defaultValue)
    }

    /// A list of objects.
    static func rows(_ name: Name, _ summary: String, _ fields: Field...) -> Field {
        .required(name, .list(.result(fields)), summary)
    }

    /// An object.
    static func group(_ name: Name, _ summary: String, _ fields: Field...) -> Field {
        .required(name, .result(fields), summary)
    }

    var optional: Field {
        Field(name: name, schema: schema, isRequired: false, summary: summary, defaultValue: nil)
    }
}

/// The strings of a member: a check of the decoded text, and its JSON Schema.
public struct TextFormat: Sendable {
    /// The problem of a text, in words that complete "… must"; nil if it is valid.
    public let problem: @Sendable (UnsafeRawBufferPointer, Limits) -> String?
    /// JSON Schema keywords besides `type`.
    public let keywords: [JSONValue.Member]
    /// The limit in bytes, if it is the only rule: then a shorter text is valid without decoding.
    public let byteLimit: Limits.Name?
    /// The name of a frequent rule, which needs no call of `problem`.
    let rule: Rule?
    /// Whether a request may contain U+0000 in it.
    var takesNullCharacter = false

    enum Rule { case emoji, label, notes }

    init(
        _ keywords: [JSONValue.Member], byteLimit: Limits.Name? = nil, rule: Rule? = nil,
        _ problem: @escaping @Sendable (UnsafeRawBufferPointer, Limits) -> String?
    ) {
        (self.keywords, self.problem, self.byteLimit, self.rule) = (keywords, problem, byteLimit, rule)
    }
}

/// A rule over several members of one object. It runs after the checks of each member.
public struct ObjectRule: Sendable {
    /// The pointer of the wrong member (below the object) and the problem, or nil.
    public let problem: @Sendable (ValidJSON) -> (path: String, reason: String)?
    /// JSON Schema keywords with this meaning.
    public let keywords: [JSONValue.Member]
}
