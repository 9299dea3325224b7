import JSONCodec
import MoodStore
import MoodSync
import Platform
import Storage

/// `--sync-once`: one round as a process of its own, for hosts that live too shortly for one.
extension Host {
    /// At most one is started in this time.
    fileprivate static let intervalMilliseconds = 60_000

    /// - Returns: the exit code: 0 when the store was synced, when another process is at it, and when nobody can be reached.
    static func syncOnce(_ options: HostOptions) -> Int32 {
        ProcessFacts.beginSession()
        Terminal.ignoreBrokenPipes()
        guard case .directory(let settings) = location(options) else { return 1 }
        let sync = StoreSync(settings, patienceMilliseconds: 0, isCancelled: { false })
        do throws(SyncError) {
            _ = try sync.now { _, _ in }
        } catch {
            if case .busy = error { return 0 }
            StandardStreams.writeError("moodboard: \(error.reason)\n")
            return 1
        }
        return 0
    }
}

extension Core {
    /// How long a round that is at work is waited for.
    private static let roundMilliseconds = 100

    /// At the end of a host whose last changes were not sent: a process of its own does it, which nobody waits for.
    mutating func leaveSyncToOthers() {
        guard sync.wasAutomatic, store.isOpen, let settings = store.settingsForSync else { return }
        // One that is at work holds the lock of the sync.
        sync.round?.cancel()
        _ = sync.thread.wait(milliseconds: Self.roundMilliseconds)
        store.lookAround()
        guard let pending = try? syncStatus().pending, pending > 0, let program = Terminal.executablePath(),
            StoreSync.mayBegin(settings, everyMilliseconds: Host.intervalMilliseconds)
        else { return }
        var arguments = ["--sync-once", "--store", settings.directory]
        if settings.trustsDirectory { arguments.append("--trust-directory") }
        if settings.durability == .none { arguments += ["--durability", "none"] }
        // What it prints nobody reads: this process ends, and with it the pipe.
        do throws(SystemError) {
            _ = try ChildProcess.start(path: program, arguments: arguments, output: .pipeWithErrors)
        } catch {
            log(.warning, "sync: moodboard --sync-once could not be started: \(error)")
        }
    }
}
