import CPlatform

/// The writing end of the pipe; the handler below may touch nothing else.
///
/// Written once, before the handlers are installed, and only read from then on; a plain integer with a constant initial
/// value needs no lazy initialisation, which a signal handler could not run.
nonisolated(unsafe) private var interruptionWriter: Int32 = -1

/// SIGTERM, SIGINT and SIGHUP as something to wait for: a descriptor that becomes readable (the self-pipe of D. J.
/// Bernstein), so that no request is cut off in the middle.
public enum Interruption {
    /// Installs the handlers.
    /// - Returns: the descriptor to wait for.
    public static func install() throws(SystemError) -> Int32 {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) }
        guard result == 0 else { throw SystemError(call: "pipe", code: cplatform_errno()) }
        for end in [ends.0, ends.1] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        interruptionWriter = ends.1
        for number in [SIGTERM, SIGINT, SIGHUP] {
            _ = signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(interruptionWriter, &byte, 1)
            }
        }
        return ends.0
    }
}
