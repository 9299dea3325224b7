import CPlatform

/// The writing end of the pipe; the handler below may touch nothing else.
///
/// Written once, before the handlers are installed, and only read from then on; a plain integer with a constant initial
/// value needs no lazy initialisation, which a signal handler could not run.
nonisolated(unsafe) private var interruptionWriter: Int32 = -1
/// The same for its reading end.
nonisolated(unsafe) private var interruptionReader: Int32 = -1

/// SIGTERM, SIGINT and SIGHUP as something to wait for: a descriptor that becomes readable (the self-pipe of D. J.
/// Bernstein), so that no request is cut off in the middle.
public enum Interruption {
    /// Becomes readable with the first signal, and stays so; -1 where no handlers are installed.
    static var descriptor: Int32 { interruptionReader }

    /// Whether a signal has come.
    public static var hasCome: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Installs the handlers.
    /// - Returns: the descriptor to wait for.
    public static func install() throws(SystemError) -> Int32 {
        let ends = try Pipe.make()
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        interruptionWriter = ends.writeEnd
        interruptionReader = ends.readEnd
        for number in [SIGTERM, SIGINT, SIGHUP] {
            _ = signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(interruptionWriter, &byte, 1)
            }
        }
        return ends.readEnd
    }
}
