import CPlatform

/// The reading end of the pipe; set once, before `install` adds the handlers.
nonisolated(unsafe) private var interruptionReader: Int32 = -1

/// SIGTERM, SIGINT and SIGHUP as a descriptor that becomes readable (the self-pipe of D. J. Bernstein), so that no
/// request is cut off in the middle.
///
/// Running work has `patienceMilliseconds` to end by itself; after that file reads fail (`isOverdue`), so that long
/// work ends too. If the process still exists after `limitMilliseconds`, because it computes or a disk does not answer,
/// the handler of a timer ends it: acknowledged commits are durable, as after a kill -9.
public enum Interruption {
    public static let patienceMilliseconds = 500
    private static let limitMilliseconds: Int32 = 950

    /// Becomes readable with the first signal, and stays so; -1 without handlers.
    static var descriptor: Int32 { interruptionReader }

    /// Time of the first signal, by `Clock.monotonicMilliseconds`; nil if none has come.
    public static var time: Int? {
        let time = cplatform_interruption_time()
        return time == 0 ? nil : Int(time)
    }

    /// Whether a signal has come and the patience is over: then no work begins any more.
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
    /// - Parameter lastWords: the text for stderr if the time limit ends the process; `code` is then its exit code.
    /// - Returns: the descriptor to poll.
    public static func install(lastWords: String, code: Int32) throws(SystemError) -> Int32 {
        let ends = try Pipe.make()
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        interruptionReader = ends.readEnd
        // The handler keeps the copy as long as the process lives.
        cplatform_install_interruption(ends.writeEnd, limitMilliseconds, strdup(lastWords), code)
        return ends.readEnd
    }

    /// Cancels the time limit, because the process is ending normally.
    public static func settle() { cplatform_end_interruption() }
}
