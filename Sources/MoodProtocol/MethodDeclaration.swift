import JSONCodec
import JSONRPC
import MoodCore

/// One method, declared once: what its name, params, result and errors are, whether it changes anything, and an
/// example. Everything else is derived: decoding, validation, suggestions, `rpc.discover`, the published schemas.
///
/// Params, result, errors and example are evaluated when a `Method` is made, so a host that is started for one question does not
/// build the other declarations. All of this is constant data of the program.
public struct MethodDeclaration: Sendable {
    public enum Effect: String, Sendable {
        /// Answered in the order of arrival, changes nothing.
        case read
        /// May change something; on moods it takes `dryRun`.
        case write
        /// A read that may take long: it reports progress and may be overtaken.
        case long
    }

    /// What a plugin must have been granted to call the method. The program that started the host needs no permission.
    public enum Permission: String, Sendable {
        /// Reading moods, and what this process is.
        case readMoods
        /// Changing moods.
        case writeMoods
        /// The routers of the client's session.
        case navigation
        /// Never granted: only for the program that started the host.
        case owner

        /// In the words of a plugin's manifest, as `permissionDenied` names it.
        public var granted: String {
            switch self {
            case .readMoods: "moods:read"
            case .writeMoods: "moods:write"
            case .navigation: "navigation"
            case .owner: "owner"
            }
        }
    }

    public let name: StaticString
    let summary: String
    let effect: Effect
    let permission: Permission
    let params: @Sendable () -> [Field]
    let common: Common
    let result: @Sendable () -> Schema
    let errors: @Sendable () -> [ErrorCode]
    let since: String
    /// Whether it is answered before an earlier request that waits for the lock of the store.
    let overtakes: Bool
    let example: @Sendable () -> MethodExample

    init(
        _ name: StaticString, _ effect: Effect, _ permission: Permission, _ summary: String,
        _ params: @autoclosure @escaping @Sendable () -> [Field] = [], common: Common = .none,
        result: @autoclosure @escaping @Sendable () -> Schema,
        errors: @autoclosure @escaping @Sendable () -> [ErrorCode] = [], since: String = "1.0", overtakes: Bool = false,
        example: @autoclosure @escaping @Sendable () -> MethodExample
    ) {
        self.name = name
        self.effect = effect
        self.permission = permission
        self.summary = summary
        self.params = params
        self.common = common
        self.result = result
        self.errors = errors
        self.since = since
        self.overtakes = overtakes
        self.example = example
    }

    /// The params that methods of one kind share.
    enum Common {
        case none
        /// Changes moods.
        case change
        /// Changes one mood, whose revision the caller may know.
        case changeOfOne
        /// May take long.
        case progress
        /// Changes moods, and may take long.
        case longChange

        var fields: [Field] {
            switch self {
            case .none: []
            case .change: [CommonParams.dryRun.field, CommonParams.operation.field]
            case .changeOfOne:
                [CommonParams.dryRun.field, CommonParams.operation.field, CommonParams.revision.field]
            case .progress: [CommonParams.progressToken.field]
            case .longChange: Common.change.fields + Common.progress.fields
            }
        }
    }
}

/// The params that several methods take, by name only.
public enum CommonParams {
    public static let dryRun = ParamKey(
        "dryRun", "Validate and answer as if it were done, but keep nothing.", default: false)
    public static let operation = ParamKey<JSONText?>.optional(
        "opId", .string(.token),
        "1-128 bytes of your own choice: asked again with the same, the first answer comes again.")
    public static let revision = ParamKey<Int?>.optional(
        "ifRevision", .integer(0 ... .max),
        "Only when this is still the mood's revision; otherwise the answer is conflict.")
    public static let progressToken = ParamKey<ValidJSON?>.optional(
        "progressToken", .token,
        "An integer, or a string of at most 256 bytes; asks for $/progress notifications that carry it.")
}

/// How a reader sees an answer in words: language, zone, present moment.
public enum ReadingParams {
    public static let locale = ParamKey<String?>.optional(
        "locale", .string(.locale), "The language of what people read; the host's, if absent.")
    public static let timeZone = ParamKey<String?>.optional(
        "timeZone", .string(.timeZone), "The zone of times; each mood's, else the host's, if absent.")
    public static let now = ParamKey<Timestamp?>.optional(
        "now", .time, "The moment that relative times count from; now, if absent.")
}
