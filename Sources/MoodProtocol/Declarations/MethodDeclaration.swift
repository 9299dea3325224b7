import JSONCodec
import JSONRPC
import MoodCore

/// A method's only declaration: its name, params, result, errors, effect and example. Decoding, validation,
/// suggestions, `rpc.discover` and the published schemas all come from it.
///
/// Params, result, errors and example are evaluated when a `Method` is made, so a host that answers one request does
/// not build the other declarations. All of this is constant data of the program.
public struct MethodDeclaration: Sendable {
    public enum Effect: String, Sendable {
        /// Changes nothing. Answered in the order of arrival.
        case read
        /// May change something. On moods it takes `dryRun`.
        case write
        /// A read that may take long: it reports progress, and other requests may overtake it.
        case long
    }

    /// The permission that a plugin needs to call the method. The program that started the host needs none.
    public enum Permission: String, Sendable {
        /// Reading moods, and facts about this process.
        case readMoods
        /// Changing moods.
        case writeMoods
        /// The routers of the client's session.
        case navigation
        /// Never granted: only the program that started the host has it.
        case owner

        /// The permission in the words of a plugin's manifest, for `permissionDenied`.
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
    let overtakes: Overtaking
    let example: @Sendable () -> MethodExample

    init(
        _ name: StaticString, _ effect: Effect, _ permission: Permission, _ summary: String,
        _ params: @autoclosure @escaping @Sendable () -> [Field] = [], common: Common = .none,
        result: @autoclosure @escaping @Sendable () -> Schema,
        errors: @autoclosure @escaping @Sendable () -> [ErrorCode] = [], since: String = "1.0",
        overtakes: Overtaking = .nothing, example: @autoclosure @escaping @Sendable () -> MethodExample
    ) {
        (self.name, self.effect, self.permission, self.summary, self.params, self.common) = (
            name, effect, permission, summary, params, common
        )
        (self.result, self.errors, self.since, self.overtakes, self.example) = (
            result, errors, since, overtakes, example
        )
    }

    /// The earlier requests that wait, and that a request of the method does not wait for.
    public enum Overtaking: Sendable {
        case nothing
        /// Those of methods that overtake nothing. Among themselves, such requests keep their order.
        case others
        case everything
    }

    /// The params that methods of one kind share.
    enum Common {
        case none
        /// The method changes moods.
        case change
        /// The method changes one mood, whose revision the caller may know.
        case changeOfOne
        /// The method may take long.
        case progress
        /// The method changes moods, and may take long.
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
        "ifRevision", .amount,
        "Only when this is still the mood's revision; otherwise the answer is conflict.")
    public static let progressToken = ParamKey<ValidJSON?>.optional(
        "progressToken", .token,
        "An integer, or a string of at most 256 bytes; asks for $/progress notifications that carry it.")
}

/// The reader of an answer: language, zone, present moment.
public enum ReadingParams {
    public static let locale = ParamKey<String?>.optional(
        "locale", .string(.locale), "The language of what people read; the host's, if absent.")
    public static let timeZone = ParamKey<String?>.optional(
        "timeZone", .string(.timeZone), "The zone of times; each mood's, else the host's, if absent.")
    public static let now = ParamKey<Timestamp?>.optional(
        "now", .time, "The moment that relative times count from; now, if absent.")
}
