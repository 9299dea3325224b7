import JSONCodec
import JSONRPC

/// One method, declared once: what its name, params, result and errors are, and whether it changes anything.
/// Everything else is derived: decoding, validation, suggestions, `rpc.discover`, the published schemas.
///
/// Params, result and errors are written down here and evaluated when a `Method` is made: a host that is started for one
/// question need not build the other thirty declarations first. So all of this is constant data of the program.
public struct MethodDeclaration: Sendable {
    public enum Effect: String, Sendable {
        /// Answered in the order of arrival, changes nothing.
        case read
        /// May change something; on moods it takes `dryRun`.
        case write
        /// A read that may take its time: reports progress, may be overtaken.
        case long
    }

    let name: StaticString
    let summary: String
    let effect: Effect
    let params: @Sendable () -> [Field]
    let common: Common
    let result: @Sendable () -> Schema
    let errors: @Sendable () -> [ErrorCode]
    let since: String

    init(
        _ name: StaticString, _ effect: Effect, _ summary: String,
        _ params: @autoclosure @escaping @Sendable () -> [Field] = [], common: Common = .none,
        result: @autoclosure @escaping @Sendable () -> Schema,
        errors: @autoclosure @escaping @Sendable () -> [ErrorCode] = [], since: String = "1.0"
    ) {
        self.name = name
        self.effect = effect
        self.summary = summary
        self.params = params
        self.common = common
        self.result = result
        self.errors = errors
        self.since = since
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
            switch self {
            case .none: []
            case .change: [Self.dryRun, Self.operation]
            case .changeOfOne: [Self.dryRun, Self.operation, Self.revision]
            case .progress: [Self.progressToken]
            }
        }

        private static let dryRun = Field.optional(
            "dryRun", .boolean, "Validate and answer as if it were done, but keep nothing.", default: false)
        private static let operation = Field.optional(
            "opId", .string(.token),
            "1-128 bytes of your own choice: asked again with the same, the first answer comes again.")
        private static let revision = Field.optional(
            "ifRevision", .integer(0 ... .max),
            "Only when this is still the mood's revision; otherwise the answer is conflict.")
        private static let progressToken = Field.optional(
            "progressToken", .token,
            "A string or an integer; asks for $/progress notifications that carry it.")
    }
}
