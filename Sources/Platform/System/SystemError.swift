import CPlatform

/// A failed system call: its name, its object and the reason.
///
/// One type for the whole module, because callers decide by `code` (is the disk full? is it locked?) and people read
/// the description. POSIX.1-2024, "Error Numbers".
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call's name, such as `fdatasync`.
    public let call: String
    /// The object of the call, such as a path; empty if there is nothing to name.
    public let subject: String
    /// The value of `errno`.
    public let code: Int32

    public init(call: String, subject: String = "", code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// Whether this process, or the system, has too many open files.
    public var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }

    /// Whether there is no file of this name.
    public var isNotThere: Bool { code == ENOENT }

    public var description: String {
        let reason = errorText(code)
        return subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }
}
