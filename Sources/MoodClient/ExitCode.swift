/// The exit status of the program. The numbers above 1 are those of BSD's `sysexits.h`.
public enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// The command is valid, but it failed.
    case failure = 1
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// The host refused the params, or the input cannot be read (EX_DATAERR).
    case badData = 65
    /// There is no such mood (EX_NOINPUT).
    case notFound = 66
    /// The host cannot be started, died or does not speak the protocol (EX_UNAVAILABLE).
    case hostUnavailable = 69
    /// A retry may succeed (EX_TEMPFAIL).
    case tryAgain = 75

    init(_ error: ClientError) {
        switch error {
        case .usage: self = .usage
        case .badInput, .ambiguous: self = .badData
        case .remote(let failure): self = Self.of(failure)
        case .unavailable: self = .hostUnavailable
        case .nothing: self = .notFound
        case .declined, .unsound, .outputFailed, .changeUntold: self = .failure
        // The reader has enough output, as `head` does: no error.
        case .outputClosed: self = .success
        }
    }

    /// The exit code for an error answer.
    private static func of(_ failure: RemoteError) -> ExitCode {
        if failure.isRetryable { return .tryAgain }
        switch failure.code {
        case -32700, -32602 ... -32600: return .badData
        case -32802: return .hostUnavailable
        case 1001: return .notFound
        case 1010: return .tryAgain
        default: return .failure
        }
    }
}
