import Platform

/// The reason why a command failed. `ExitCode` decides the exit status.
enum ClientError: Error {
    /// The command line is wrong; `command` is the one whose help to read.
    case usage(String, command: String?)
    /// Input that cannot be read, or cannot be sent as it is.
    case badInput(String, advice: String?)
    /// The end of several ids; `moods` has a line for each mood.
    case ambiguous(text: String, moods: [String])
    /// The host's error answer.
    case remote(RemoteError)
    /// The host cannot be started, failed, or ended.
    case unavailable(String, advice: String?)
    /// The person answered no.
    case declined(String)
    /// The command found nothing to work on.
    case nothing(String)
    /// The check found problems.
    case unsound(String)
    /// The reader of stdout closed it.
    case outputClosed
    case outputFailed(SystemError)
    /// The output failed after a change that is kept.
    case changeUntold(SystemError)
}

extension ClientError {
    /// One or two plain lines for people: what is wrong, and what to do. Empty if there is nothing to say.
    var lines: [String] { lines(for: nil) }

    /// The lines in the words of the command that failed.
    /// - Parameter form: whether the person reads them above a form in the editor, which has fields in place of options.
    func lines(for failed: Command?, in form: CommandLineMessages.Form = .options) -> [String] {
        switch self {
        case .usage(let message, _) where form == .fields: return [message]
        case .usage(let message, let command):
            let help = command.map { "mood \($0) --help" } ?? "mood --help"
            return [message, "See '\(help)'."]
        case .badInput(let message, let advice), .unavailable(let message, let advice):
            return [message] + (advice.map { [$0] } ?? [])
        case .ambiguous(let text, let moods):
            return ["The ids of several moods end in '\(text)'; give more of the id:"] + moods
        case .remote(let failure): return failure.lines(for: failed, in: form)
        case .declined(let message), .unsound(let message), .nothing(let message): return [message]
        case .outputClosed: return []
        case .outputFailed(let error): return ["The output could not be written: \(error)."]
        case .changeUntold(let error):
            return [
                "The output could not be written: \(error).",
                "The change was made and is kept, so do not give the command again.",
            ]
        }
    }
}

/// Calls the system. A failure is bad input: the sentence that `what` begins, such as "FILE cannot be read".
func orBadInput<Value: ~Copyable>(
    _ what: @autoclosure () -> String, advice: String? = nil, _ calls: () throws(SystemError) -> Value
) throws(ClientError) -> Value {
    do throws(SystemError) { return try calls() } catch { throw .badInput("\(what()): \(error).", advice: advice) }
}

/// Calls the system for a process. A failure says that it is unavailable.
func orUnavailable<Value: ~Copyable>(
    _ what: @autoclosure () -> String, advice: String? = nil, _ calls: () throws(SystemError) -> Value
) throws(ClientError) -> Value {
    do throws(SystemError) { return try calls() } catch { throw .unavailable("\(what()): \(error).", advice: advice) }
}

/// Writes output. A reader that has enough of it is no failure.
func orOutputFailed(_ calls: () throws(SystemError) -> Void) throws(ClientError) {
    do throws(SystemError) { try calls() } catch { throw error.code == EPIPE ? .outputClosed : .outputFailed(error) }
}
