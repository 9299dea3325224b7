import CPlatform
import Synchronization

/// The start of a keeper, on another thread: until it is done there is no id.
///
/// A clone with namespaces takes its calling thread some milliseconds, and the loop has requests to answer. That thread
/// never ends, because the kernel ends a keeper with the thread that started it. It reports errors as a keeper would.
final class KeeperStart: Sendable {
    private enum State {
        /// `isUnwanted`: kill it as soon as it exists. `isAlone`: its owner will not reap it.
        case asked(isUnwanted: Bool, isAlone: Bool)
        /// `killTime`: the time at which it is killed.
        case started(pid_t, hasNamespaces: Bool, killTime: Int?)
        /// Reaped, or never started.
        case gone
    }

    private let state = Mutex(State.asked(isUnwanted: false, isAlone: false))
    /// Our end of the socket; `KeptProcess` keeps it open for longer than this.
    private let reports: Int32

    /// - Parameter theirs: stdin, stdout, stderr and the socket; closed when the keeper has them.
    init(_ keeper: String, processes: Int, theirs: [Int32], reports: Int32) {
        self.reports = reports
        let work: @Sendable () -> Void = { [self] in
            start(keeper, processes, theirs)
            for end in theirs { close(end) }
        }
        if let thread = StayingThread.starter { thread.run(work) } else { work() }
    }

    private func start(_ keeper: String, _ processes: Int, _ theirs: [Int32]) {
        let isUnwanted = state.withLock { state in
            guard case .asked(isUnwanted: true, _) = state else { return false }
            state = .gone
            return true
        }
        if isUnwanted { return }
        var place = cplatform_keeper_bare
        let id = cplatform_start_keeper(keeper, theirs, Int64(processes), &place)
        guard id > 0 else {
            let error = SystemError(call: "clone", subject: keeper, code: cplatform_errno())
            let line = Array("refused\t\(error)\n".utf8)
            state.withLock { $0 = .gone }
            _ = cplatform_keeper_send(theirs[3], line, line.count)
            return
        }
        began(id, hasNamespaces: place != cplatform_keeper_bare)
    }

    private func began(_ id: pid_t, hasNamespaces: Bool) {
        let isAlone = state.withLock { state in
            guard case .asked(let isUnwanted, let isAlone) = state else { return false }
            let killTime = isUnwanted ? Clock.monotonicMilliseconds + Self.patienceMilliseconds : nil
            state = .started(id, hasNamespaces: hasNamespaces, killTime: killTime)
            if isUnwanted, !isAlone { kill(id) }
            return isAlone
        }
        guard isAlone else { return }
        // Without namespaces it ends because our end of the socket is closed.
        if hasNamespaces { _ = sendSignal(id, SIGKILL) }
        _ = retryingInterrupted { Int(waitpid(id, nil, 0)) }
    }

    /// Nil before the start and after the end.
    var id: pid_t? { state.withLock { if case .started(let id, _, _) = $0 { id } else { nil } } }

    /// The time for a keeper to end its processes. One that cannot, because a debugger holds it, is killed then.
    private static let patienceMilliseconds = 500

    /// Has the keeper end with all its processes.
    func kill() {
        state.withLock { state in
            switch state {
            case .asked(_, let isAlone): state = .asked(isUnwanted: true, isAlone: isAlone)
            case .started(let id, let hasNamespaces, nil):
                let time = Clock.monotonicMilliseconds + Self.patienceMilliseconds
                state = .started(id, hasNamespaces: hasNamespaces, killTime: time)
                kill(id)
            case .started: break
            case .gone: break
            }
        }
    }

    /// The keeper ends its processes, which is faster than the kernel's way.
    private func kill(_ id: pid_t) {
        cplatform_keeper_hang_up(reports)
        // A stopped keeper would not notice.
        _ = sendSignal(id, SIGCONT)
    }

    /// Whether all its processes are gone. Never waits; call it until it returns true.
    func reap() -> Bool {
        state.withLock { state in
            switch state {
            case .asked: return false
            case .started(let id, let hasNamespaces, let killTime):
                guard retryingInterrupted({ Int(waitpid(id, nil, WNOHANG)) }) != 0 else {
                    // The end of process 1 of a namespace ends all of them.
                    if hasNamespaces, let killTime, Clock.monotonicMilliseconds >= killTime {
                        _ = sendSignal(id, SIGKILL)
                    }
                    return false
                }
                state = .gone
                return true
            case .gone: return true
            }
        }
    }

    /// Gives up reaping: the starting thread does it.
    func leave() {
        state.withLock { if case .asked = $0 { $0 = .asked(isUnwanted: true, isAlone: true) } }
    }
}
