import CPlatform

/// A helper thread of the C library, for the rare call that can only block.
enum Thread {
    /// Runs `body` on a new detached thread with all signals blocked, so that handlers run on the expected thread and
    /// no call here is interrupted.
    static func startDetached(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        final class Start: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }

        var every = sigset_t()
        var before = sigset_t()
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(
                &thread, nil,
                { context in
                    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                    start.body()
                    return nil
                }, start.toOpaque())
            if code == 0, let thread { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                    start.body()
                    return nil
                }, start.toOpaque())
            if code == 0 { pthread_detach(thread) }
        #endif
        guard code == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", code: code)
        }
    }
}
