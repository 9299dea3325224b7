import CPlatform

/// The three standard descriptors, made safe before anything else happens.
public enum StandardStreams {
    /// Prepares the process for a protocol on its standard streams, and returns the connection to the peer.
    ///
    /// - Opens closed ones of descriptors 0 to 2 on `/dev/null`: otherwise the next opened file, such as a journal,
    ///   would receive printed text.
    /// - Ignores SIGPIPE and SIGXFSZ: both become errors of the call.
    /// - Sends text printed by accident to stderr; the real stdout is a private, close-on-exec descriptor.
    public static func claim() throws(SystemError) -> PeerStreams {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The call uses the lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
        ignoreSignal(SIGPIPE)
        ignoreSignal(SIGXFSZ)
        let output = fcntl(1, F_DUPFD_CLOEXEC, 3)
        guard output >= 3 else {
            // EINVAL is about a number that no descriptor may have.
            let code = cplatform_errno() == EINVAL ? EMFILE : cplatform_errno()
            throw SystemError(call: "dup", subject: "stdout", code: code)
        }
        guard dup2(2, 1) == 1 else { throw SystemError(call: "dup2", subject: "stdout", code: cplatform_errno()) }
        return PeerStreams(input: 0, output: output)
    }

    private static func ignoreSignal(_ number: Int32) { _ = signal(number, SIG_IGN) }

    /// Writes to stderr, for people; ignores errors.
    public static func writeError(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = retryingInterrupted { write(2, bytes.baseAddress, bytes.count) }
        }
    }

    /// Writes to stdout before `claim`, for `--help` and the like.
    public static func writeOutput(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var at = 0
            while at < bytes.count {
                let written = retryingInterrupted { write(1, bytes.baseAddress.map { $0 + at }, bytes.count - at) }
                if written <= 0 { return }
                at += written
            }
        }
    }
}
