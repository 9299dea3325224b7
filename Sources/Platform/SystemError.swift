import CPlatform

/// A system call that failed: which one, on what, and why.
///
/// One type for the whole module, because callers decide by `code` (is the disk full? is it locked?) and people read
/// the description. POSIX.1-2024, "Error Numbers".
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call's name, such as `fdatasync`.
    public let call: String
    /// What it was made on, such as a path; empty where there is nothing to name.
    public let subject: String
    /// The value of `errno`.
    public let code: Int32

    public init(call: String, subject: String = "", code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// Whether this process, or the system, may not open any more.
    public var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }

    /// Whether there is nothing of this name.
    public var isNotThere: Bool { code == ENOENT }

    public var description: String {
        let reason = errorText(code)
        return subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }
}
