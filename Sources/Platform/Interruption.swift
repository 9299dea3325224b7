import CPlatform

/// The reading end of the pipe; written once, before the handlers are installed.
nonisolated(unsafe) private var interruptionReader: Int32 = -1

/// SIGTERM, SIGINT and SIGHUP as something to wait for: a descriptor that becomes readable (the self-pipe of D. J.
/// Bernstein), so that no request is cut off in the middle.
///
/// What is under way has `patienceMilliseconds` to end by itself; from then on reads of files fail (`isOverdue`), so that what
/// takes long ends too. If the process is still there after `limitMilliseconds`, because it computes or a disk does not answer,
/// the handler of a timer ends it: what was acknowledged is durable, as after a kill -9.
public enum Interruption {
    public static let patienceMilliseconds = 500
    private static let limitMilliseconds: Int32 = 950

    /// Becomes readable with the first signal, and stays so; -1 where no handlers are installed.
    static var descriptor: Int32 { interruptionReader }

    /// When the first signal came, by `Clock.monotonicMilliseconds`; nil: none has.
    public static var time: Int? {
        let time = cplatform_interruption_time()
        return time == 0 ? nil : Int(time)
    }

    /// Whether a signal has come, and the patience is over: nothing is begun any more.
    @inlinable @inline(__always)
    public static var isOverdue: Bool {
        let time = cplatform_interruption_time()
        return time != 0 && isLongAgo(time)
    }

    @usableFromInline @inline(never)
    static func isLongAgo(_ time: Int64) -> Bool {
        Clock.monotonicMilliseconds - Int(time) >= patienceMilliseconds
    }

    /// Installs the handlers.
    /// - Parameter lastWords: what is said on stderr if the time limit ends the process, and `code` its exit code.
    /// - Returns: the descriptor to wait for.
    public static func install(lastWords: String, code: Int32) throws(SystemError) -> Int32 {
        let ends = try Pipe.make()
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        interruptionReader = ends.readEnd
        // The copy is the handler's for as long as the process lives.
        cplatform_install_interruption(ends.writeEnd, limitMilliseconds, strdup(lastWords), code)
        return ends.readEnd
    }

    /// The process ends in good order: the time limit is not needed any more.
    public static func settle() { cplatform_end_interruption() }
}
