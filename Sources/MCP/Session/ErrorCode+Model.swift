import JSONRPC

/// The codes of the Model Context Protocol that are not JSON-RPC's.
extension ErrorCode {
    /// An unsupported revision, since 2026-07-28.
    public static let unsupportedProtocolVersion = ErrorCode(-32022, "unsupportedProtocolVersion")
    /// An unknown resource, before 2026-07-28.
    public static let resourceNotFound = ErrorCode(-32002, "resourceNotFound")
}
