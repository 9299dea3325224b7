import JSONCodec
import MoodCore

/// A param of a method: one value declares it and reads it. (SwiftUI: an `EnvironmentKey`.)
///
///     public static let limit = ParamKey("limit", .count(.listPage), "The most moods of the page.", default: 50)
///     …
///     query.limit = arguments[MoodParams.limit]  // what was given, else 50
///
/// `Value` is the type for handlers: an optional if the param may be absent and has no default.
///
/// Every request reads some, so a key is a few words that are copied without counting references. Its declaration is
/// always there: it is never released, and keys are constants of the program.
public struct ParamKey<Value>: Sendable {
    public let name: Name
    /// The default of the param.
    let absent: Absent
    private let declaration: Unmanaged<ParamDeclaration>

    private init(
        _ name: Name, isRequired: Bool, _ schema: @escaping @Sendable () -> Schema, _ summary: String,
        absent: Absent = .none, written: @escaping @Sendable () -> JSONValue? = { nil }
    ) {
        self.name = name
        self.absent = absent
        declaration = .passRetained(ParamDeclaration(isRequired, schema, summary, written))
    }

    /// A required param.
    static func required(
        _ name: Name, _ schema: @autoclosure @escaping @Sendable () -> Schema, _ summary: String
    ) -> ParamKey {
        ParamKey(name, isRequired: true, schema, summary)
    }

    /// An optional param.
    static func optional<Wrapped>(
        _ name: Name, _ schema: @autoclosure @escaping @Sendable () -> Schema, _ summary: String
    ) -> ParamKey where Value == Wrapped? {
        ParamKey(name, isRequired: false, schema, summary)
    }

    /// The declaration of the param, for checks and documents.
    public var field: Field { declaration.takeUnretainedValue().field(name) }
}

/// The default of a param, in plain memory. A `Choice` has its own usual word.
enum Absent: Sendable {
    case none
    case integer(Int)
    case boolean(Bool)
    case text(StaticString)

    var integer: Int { if case .integer(let value) = self { value } else { 0 } }
    var boolean: Bool { if case .boolean(let value) = self { value } else { false } }
    var text: String { if case .text(let value) = self { "\(value)" } else { "" } }
}

private final class ParamDeclaration: Sendable {
    private let isRequired: Bool
    private let schema: @Sendable () -> Schema
    private let summary: String
    /// The default as a client would write it.
    private let written: @Sendable () -> JSONValue?

    init(
        _ isRequired: Bool, _ schema: @escaping @Sendable () -> Schema, _ summary: String,
        _ written: @escaping @Sendable () -> JSONValue?
    ) {
        (self.isRequired, self.schema, self.summary, self.written) = (isRequired, schema, summary, written)
    }

    func field(_ name: Name) -> Field {
        isRequired
            ? .required(name, schema(), summary)
            : .optional(name, schema(), summary, default: written())
    }
}

extension ParamKey<Int> {
    init(
        _ name: Name, _ schema: @autoclosure @escaping @Sendable () -> Schema, _ summary: String, default value: Int
    ) {
        self.init(
            name, isRequired: false, schema, summary, absent: .integer(value), written: { .number(String(value)) })
    }
}

extension ParamKey<Bool> {
    init(_ name: Name, _ summary: String, default value: Bool) {
        self.init(name, isRequired: false, { .boolean }, summary, absent: .boolean(value), written: { .boolean(value) })
    }
}

extension ParamKey<String> {
    init(
        _ name: Name, _ schema: @autoclosure @escaping @Sendable () -> Schema, _ summary: String,
        default value: StaticString
    ) {
        self.init(name, isRequired: false, schema, summary, absent: .text(value), written: { .string("\(value)") })
    }
}

/// A choice among a few words, with a default.
public protocol Choice: Sendable {
    static var choices: [Self] { get }
    static var usual: Self { get }
    var word: Name { get }
}

extension Choice where Self: CaseIterable & RawRepresentable<Name> {
    public static var choices: [Self] { Array(allCases) }
    public var word: Name { rawValue }
}

extension ParamKey where Value: Choice {
    /// A choice to which a running program may add words.
    init(open name: Name, _ summary: String) {
        self.init(
            name, isRequired: false, { .openChoice(Value.choices.map(\.word)) }, summary,
            written: { .string("\(Value.usual.word)") })
    }

    init(_ name: Name, _ summary: String) {
        self.init(
            name, isRequired: false, { .choice(Value.choices.map(\.word)) }, summary,
            written: { .string("\(Value.usual.word)") })
    }
}
