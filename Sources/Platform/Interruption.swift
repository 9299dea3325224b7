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
        let ends = try Pipe.make()
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        interruptionWriter = ends.writeEnd
        for number in [SIGTERM, SIGINT, SIGHUP] {
            _ = signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(interruptionWriter, &byte, 1)
            }
        }
        return ends.readEnd
    }
}
