import JSONRPC

/// The codes of the Model Context Protocol that are not JSON-RPC's.
extension ErrorCode {
    /// Of 2026-07-28: a revision that is not served.
    public static let unsupportedProtocolVersion = ErrorCode(-32022, "unsupportedProtocolVersion")
    /// Before 2026-07-28: there is no such resource.
    public static let resourceNotFound = ErrorCode(-32002, "resourceNotFound")
}
