/// How the program ends: the one place where that is decided. The numbers above 1 are those of BSD's `sysexits.h`.
public enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// The command is right, but it could not be done.
    case failure = 1
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// What was given is not acceptable: the host refused the params, or the input cannot be read (EX_DATAERR).
    case badData = 65
    /// There is no such mood (EX_NOINPUT).
    case notFound = 66
    /// The host cannot be started, died or does not speak the protocol (EX_UNAVAILABLE).
    case hostUnavailable = 69
    /// The same command may succeed later (EX_TEMPFAIL).
    case tryAgain = 75

    init(_ error: ClientError) {
        switch error {
        case .usage: self = .usage
        case .badInput, .ambiguous: self = .badData
        case .remote(let failure): self = Self.of(failure)
        case .unavailable: self = .hostUnavailable
        case .nothing: self = .notFound
        case .declined, .unsound, .outputFailed: self = .failure
        // The reader has enough output, as `head` does: nothing is wrong.
        case .outputClosed: self = .success
        }
    }

    /// By the `kind` of an error answer, else by its code.
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
