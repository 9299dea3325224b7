import JSONRPC

/// The codes of this program; positive, so that they meet neither JSON-RPC's, LSP's nor MCP's.
extension ErrorCode {
    public static let notFound = ErrorCode(1001, "notFound")
    public static let conflict = ErrorCode(1002, "conflict")
    public static let refused = ErrorCode(1003, "refused")
    public static let storeBusy = ErrorCode(1010, "storeBusy", isRetryable: true)
    public static let storeReadOnly = ErrorCode(1011, "storeReadOnly")
    public static let storageFull = ErrorCode(1012, "storageFull", isRetryable: true)
    public static let outcomeUnknown = ErrorCode(1013, "outcomeUnknown", isRetryable: true)
    public static let storeUnavailable = ErrorCode(1014, "storeUnavailable")
    public static let storeCorrupt = ErrorCode(1015, "storeCorrupt")
    public static let limitExceeded = ErrorCode(1020, "limitExceeded")
    public static let pluginUnavailable = ErrorCode(1030, "pluginUnavailable")
    /// The same where the next try may find it able to.
    public static let pluginResting = ErrorCode(1030, "pluginUnavailable", isRetryable: true)
    public static let pluginFailed = ErrorCode(1031, "pluginFailed")
    public static let pluginTimeout = ErrorCode(1032, "pluginTimeout")
    public static let permissionDenied = ErrorCode(1040, "permissionDenied")

    /// What any method that needs the store may answer with.
    static let store: [ErrorCode] = [.storeBusy, .storeUnavailable, .storeCorrupt]
    /// What any method that changes the store may answer with.
    static let writing: [ErrorCode] = store + [.storeReadOnly, .storageFull, .outcomeUnknown]
}
