/// A kind of failure: its number in the protocol, its stable name, and whether the same call may succeed later.
///
/// The numbers -32768…-32000 are JSON-RPC 2.0's (section 5.1), -32800… are LSP's; an extension adds a program's own,
/// positive ones.
public struct ErrorCode: Sendable, Equatable {
    public let number: Int
    /// The name that clients compare; it never changes.
    public let kind: StaticString
    /// Whether a repeated request may succeed.
    public let isRetryable: Bool

    public init(_ number: Int, _ kind: StaticString, isRetryable: Bool = false) {
        self.number = number
        self.kind = kind
        self.isRetryable = isRetryable
    }

    public static func == (a: ErrorCode, b: ErrorCode) -> Bool { a.number == b.number && a.name == b.name }

    /// `kind` as a `String`.
    public var name: String { kind.description }

    public static let parseError = ErrorCode(-32700, "parseError")
    public static let invalidRequest = ErrorCode(-32600, "invalidRequest")
    public static let messageTooLarge = ErrorCode(-32600, "messageTooLarge")
    public static let batchTooLarge = ErrorCode(-32600, "batchTooLarge")
    public static let methodNotFound = ErrorCode(-32601, "methodNotFound")
    public static let invalidParams = ErrorCode(-32602, "invalidParams")
    public static let internalError = ErrorCode(-32603, "internalError")
    public static let cancelled = ErrorCode(-32800, "cancelled")
    public static let shuttingDown = ErrorCode(-32802, "shuttingDown")
}
