import JSONCodec
import MoodCore

/// The shape of a value: what a request may send and an answer holds.
///
/// One description does everything: it checks params (`Schema+Check`), and it is written as JSON Schema for
/// `rpc.discover` (`Schema+JSONSchema`). (Readers come from Zod, pydantic, or `Codable` with validation.)
public indirect enum Schema: Sendable {
    case string(TextFormat)
    /// A UUID in either case.
    case id
    /// A moment: RFC 3339 with a zone, in the years 0001-9999.
    case time
    case integer(ClosedRange<Int>)
    /// An integer from 1 to a limit that can be set.
    case count(Limits.Name)
    case number(ClosedRange<Double>)
    case boolean
    /// Only `true`.
    case confirmation
    case choice([Name])
    /// One of these words, or another that is known only while the program runs: who asks for it looks.
    case openChoice([Name])
    case array(Schema, Count, isUnique: Bool)
    /// Exactly these members.
    case object([Field], ObjectRule?)
    /// At least these members: the shape of results, which may grow.
    case result([Field])
    /// One of several objects, told apart by a member. A kind that ends with a full stop is any that begins so.
    case kinds(by: Name, [(kind: Name, fields: [Field], rule: ObjectRule?)])
    /// The same for results: all have `common`, and kinds that are not known yet may come.
    case openKinds(by: Name, common: [Field], [(kind: Name, fields: [Field])])
    /// This, or null, which says "remove".
    case nullable(Schema)
    /// A value with a rule of its own, whose keywords describe it whole.
    case value(ObjectRule)
    /// A string of at most 256 bytes, or an integer in any spelling; handed back as it was given.
    case token
    /// One of several shapes of a result, which no member tells apart.
    case variants([(title: String, schema: Schema)])
    /// What these keywords of JSON Schema say; a result, so it is not checked here.
    case described([JSONValue.Member])
    /// Described once under a name.
    case named(String, Schema)
    case any

    /// How many elements an array may have.
    public enum Count: Sendable {
        case range(ClosedRange<Int>)
        /// From none to a limit that can be set.
        case upTo(Limits.Name)
        case any
    }
}

/// A member of an object, or a parameter of a method.
public struct Field: Sendable {
    public let name: Name
    public let schema: Schema
    public let isRequired: Bool
    /// For people: what it means.
    public let summary: String
    /// As JSON text, when an absent member means something that can be written down.
    public let defaultValue: JSONValue?

    public static func required(_ name: Name, _ schema: Schema, _ summary: String) -> Field {
        Field(name: name, schema: schema, isRequired: true, summary: summary, defaultValue: nil)
    }

    public static func optional(
        _ name: Name, _ schema: Schema, _ summary: String, default defaultValue: JSONValue? = nil
    ) -> Field {
        Field(name: name, schema: schema, isRequired: false, summary: summary, defaultValue: defaultValue)
    }

    var optional: Field {
        Field(name: name, schema: schema, isRequired: false, summary: summary, defaultValue: nil)
    }
}

/// What strings a member takes: a check of the decoded text, and how JSON Schema says the same.
public struct TextFormat: Sendable {
    /// What is wrong with a text, in words that complete "… must"; nil when nothing is.
    public let problem: @Sendable (UnsafeRawBufferPointer, Limits) -> String?
    /// JSON Schema keywords besides `type`.
    public let keywords: [JSONValue.Member]
    /// A limit in bytes that is the only rule, so that a shorter text needs no decoding to be right.
    public let byteLimit: Limits.Name?
    /// The rules that are asked most, by name, so that a request need not go through `problem`.
    let rule: Rule?
    /// Whether a request may bring U+0000 in it.
    var takesNullCharacter = false

    enum Rule { case emoji, label, notes }

    init(
        _ keywords: [JSONValue.Member], byteLimit: Limits.Name? = nil, rule: Rule? = nil,
        _ problem: @escaping @Sendable (UnsafeRawBufferPointer, Limits) -> String?
    ) {
        self.keywords = keywords
        self.problem = problem
        self.byteLimit = byteLimit
        self.rule = rule
    }
}

/// A rule over several members of one object, checked once each of them is right by itself.
public struct ObjectRule: Sendable {
    /// The pointer of the member to blame (below the object) and what is wrong, or nil.
    public let problem: @Sendable (ValidJSON) -> (path: String, reason: String)?
    /// JSON Schema keywords that say the same.
    public let keywords: [JSONValue.Member]
}
