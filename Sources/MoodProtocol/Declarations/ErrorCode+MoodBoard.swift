import JSONRPC

/// The codes of this program. They are positive, so they differ from those of JSON-RPC, LSP and MCP.
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
    /// An unavailable plugin that may be available at the next try.
    public static let pluginResting = ErrorCode(1030, "pluginUnavailable", isRetryable: true)
    public static let pluginFailed = ErrorCode(1031, "pluginFailed")
    public static let pluginTimeout = ErrorCode(1032, "pluginTimeout")
    public static let permissionDenied = ErrorCode(1040, "permissionDenied")

    /// The errors of any method that needs the store.
    static let store: [ErrorCode] = [.storeBusy, .storeUnavailable, .storeCorrupt]
    /// The errors of any method that changes the store.
    static let writing: [ErrorCode] = store + [.storeReadOnly, .storageFull, .outcomeUnknown]
    /// The errors of any method that changes moods, of which a hook may refuse any.
    static let changing: [ErrorCode] = writing + [.conflict, .refused]
    /// The errors of any method whose work may be a plugin's.
    static let plugins: [ErrorCode] = [.pluginUnavailable, .pluginFailed, .pluginTimeout]
}
