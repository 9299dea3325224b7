import JSONCodec
import JSONRPC

/// One method, declared once: what its name, params, result and errors are, and whether it changes anything.
/// Everything else is derived: decoding, validation, suggestions, `rpc.discover`, the published schemas.
///
/// A class, because a call passes one around: one reference instead of a dozen.
public final class MethodDeclaration: Sendable {
    public enum Effect: String, Sendable {
        /// Answered in the order of arrival, changes nothing.
        case read
        /// May change something; on moods it takes `dryRun`.
        case write
        /// A read that may take its time: reports progress, may be overtaken.
        case long
    }

    public let name: StaticString
    /// What it does, in one sentence for people.
    public let summary: String
    public let effect: Effect
    /// The method's own params, in the order in which they may be given by position.
    public let params: [Field]
    /// Its own params, then those that every method of its sort takes, by name only.
    public let fields: [Field]
    public let result: Schema
    public let errors: [ErrorCode]
    /// The version of the protocol in which the method appeared.
    public let since: String

    init(
        _ name: StaticString, _ effect: Effect, _ summary: String, _ params: [Field] = [], common: Common = .none,
        result: Schema, errors: [ErrorCode] = [], since: String = "1.0"
    ) {
        self.name = name
        self.effect = effect
        self.summary = summary
        self.params = params
        fields = params + common.fields
        self.result = result
        self.errors = errors
        self.since = since
        precondition(fields.count <= Arguments.fieldsMax, "a method takes at most \(Arguments.fieldsMax) params")
        names = fields.map(FieldName.init)
        requiredCount = (fields.lastIndex(where: \.isRequired) ?? -1) + 1
    }

    /// What is needed of a field on the way of every request, in plain words of memory.
    struct FieldName: Sendable {
        private let start: UInt
        private let count: Int
        /// Whether null says something, or must be refused: everything but an optional param without a use for it.
        let isNullMeaningful: Bool
        /// Whether the field is one of the two kinds that are read when they are checked.
        let plain: Plain

        enum Plain { case none, id, time }

        init(_ field: Field) {
            // A literal's bytes live as long as the program.
            start = UInt(bitPattern: field.name.utf8Start)
            count = field.name.utf8CodeUnitCount
            isNullMeaningful = field.isRequired || field.schema.isNullable
            plain =
                switch field.schema {
                case .id: .id
                case .time: .time
                default: .none
                }
        }

        @inline(__always)
        func equals(_ key: JSONText) -> Bool {
            guard key.raw.count == count else { return false }
            return JSONText.sameBytes(
                key.raw, UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count))
        }
    }

    /// The fields' names, in their order.
    let names: [FieldName]
    /// Every required field comes before this number.
    let requiredCount: Int

    /// The number of the field of this name, or nil.
    @inline(__always)
    func index(of key: JSONText) -> Int? {
        if key.isEscaped { return fields.firstIndex { key.equals($0.name) } }
        for index in names.indices where names[index].equals(key) { return index }
        return nil
    }

    /// The params that methods of a sort have in common.
    enum Common {
        case none
        /// Changes moods.
        case change
        /// Changes one mood, whose revision the caller may know.
        case changeOfOne
        /// Takes its time.
        case progress

        var fields: [Field] {
            let dryRun = Field.optional(
                "dryRun", .boolean, "Validate and answer as if it were done, but keep nothing.", default: false)
            switch self {
            case .none: return []
            case .change: return [dryRun]
            case .changeOfOne:
                return [
                    dryRun,
                    .optional(
                        "ifRevision", .integer(0 ... .max),
                        "Only when this is still the mood's revision; otherwise the answer is conflict."),
                ]
            case .progress:
                return [
                    .optional(
                        "progressToken", .token,
                        "A string or an integer; asks for $/progress notifications that carry it.")
                ]
            }
        }
    }
}
