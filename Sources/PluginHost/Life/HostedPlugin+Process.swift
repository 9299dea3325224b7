import JSONCodec
import Platform

/// The process of a plugin, from its start until all of it is gone.
extension HostedPlugin {
    /// Reads the reports of its supervisor.
    public func readReports() {
        let now = surroundings.milliseconds()
        // Reports after a kill do not matter.
        while reapTime == nil, process != nil, let report = process?.readReport() {
            switch report {
            case .started(let pid, let isolation):
                processID = pid
                life.started(at: now)
                self.isolation = isolation.map { (part: $0.0, level: $0.1) }
            case .refused(let reason):
                return crash(.start, "it could not be started: \(reason)", at: now)
            case .ended(let status):
                // Output that it printed before its end still counts.
                drain()
                ending = "\(status)"
                return finish(at: now)
            }
        }
    }

    private func drain() {
        for _ in 0..<64 where descriptor(.output) >= 0 {
            let before = wire.frames.buffer.count
            readOutput()
            if wire.frames.buffer.count == before { break }
        }
        drainErrors()
    }

    /// Reads the last output on stderr, which explains the end to users. A flood is cut off.
    private func drainErrors() {
        var left = 64
        while left > 0, readErrors() { left -= 1 }
    }

    /// Releases a process that has ended.
    private func finish(at now: Int) {
        let isReaped: Bool? = process?.reap()
        guard isReaped != false else {
            reapTime = now + 1
            return
        }
        forgetProcess()
        if startsWhenGone {
            startsWhenGone = false
            return start(at: now)
        }
        // It does not know the newer way to begin, and has ended because of it.
        if life.state == .starting, server?.fallBack() != nil {
            note("It ended at server/discover, and is started again with initialize.")
            return carryOut(life.greetAnew(at: now), at: now)
        }
        let order = life.ended(at: now, ending)
        observe()
        failCalls(at: now)
        carryOut(order, at: now)
        notes.flush()
    }

    private func forgetProcess() {
        process = nil
        processID = nil
        reapTime = nil
        nextNumber = 0
        greetingNumber = nil
        discoverNumber = nil
        probeTime = nil
        forgotten.removeAll()
        closesInput = false
        requests.removeAll()
        hasNews = true
        patience = FloodPatience()
        wire = PluginWire(answerBytesMax: run.answerBytesMax)
        unread = nil
        notes.endErrors(at: surroundings.timestamp())
    }

    /// Fails the calls under way, and the waiting ones unless the plugin is started again.
    private func failCalls(at now: Int) {
        let outcome: PluginCall.Outcome =
            switch life.state {
            case .backingOff, .failed:
                .unusable("The plugin ended before it answered: \(life.reason ?? ending).")
            // It was stopped, which is not its fault.
            case .stopped, .starting, .running, .stopping:
                .unavailable(state: PluginLife.State.stopped.rawValue, retryAfter: 0, isRetryable: false)
            }
        let failed = underWay
        underWay.removeAll()
        for call in failed { end(call, outcome) }
        switch life.state {
        case .backingOff, .failed:
            let rest = life.deadline.map { max($0 - now, 0) }
            let left = waiting
            waiting.removeAll()
            for call in left {
                end(call, .unavailable(state: life.state.rawValue, retryAfter: rest, isRetryable: false))
            }
        case .stopped where !waiting.isEmpty: carryOut(life.need(at: now), at: now)
        case .stopped, .starting, .running, .stopping: break
        }
    }

    /// Fails the call of an unreadable answer at once: no better one comes.
    func handle(_ number: Int, unreadable text: String, at now: Int) {
        note("It printed \(text)")
        if number == greetingNumber {
            return crash(.hello, "its answer to the greeting cannot be used: \(text)", at: now)
        }
        if let place = underWay.firstIndex(where: { $0.number == number }) {
            end(underWay.remove(at: place), .unusable("it printed \(text)"))
        }
        carryOut(life.printedRubbish(at: now), at: now)
    }

    /// Records its last fault, and reports its state.
    func observe() {
        if let fault = life.takeFault() {
            notes.lastError = LastError(at: surroundings.timestamp(), fault: fault)
            note("\(fault.reason.prefix(1).uppercased())\(fault.reason.dropFirst()).")
        }
        guard life.state != toldState else { return }
        toldState = life.state
        surroundings.stateChanged(self)
    }

    /// Clears its faults, because it has answered.
    func answered(at now: Int) {
        life.answered(at: now)
        unread = nil
        notes.lastError = nil
    }

    /// Adds a line of the host to its log.
    public func note(_ text: String) { notes.add(.host, nil, text, at: surroundings.timestamp()) }

    /// Ends it with a crash.
    func crash(_ kind: PluginLife.Fault.Kind, _ reason: String, at now: Int) {
        carryOut(life.crash(at: now, .init(kind, reason)), at: now)
    }

    /// Stops it until the user starts it again, because it used more than it may.
    public func condemn(_ fault: PluginLife.Fault) {
        carryOut(life.condemn(fault), at: surroundings.milliseconds())
    }

    /// Stops it in good order.
    public func stop(because reason: String? = nil) {
        let now = surroundings.milliseconds()
        carryOut(life.stop(at: now, because: reason), at: now)
    }

    /// Kills it without waiting for it.
    public func end() {
        process?.kill()
        process = nil
    }

    /// Forgets its crashes.
    public func pardon() {
        life.pardon()
        observe()
    }

    /// Starts it if it does not run, because requests may follow.
    public func wake() {
        let now = surroundings.milliseconds()
        carryOut(life.need(at: now), at: now)
    }

    /// Handles deadlines of the process and of calls.
    /// - Parameter time: the time until which all its output was read; later deadlines wait.
    public func tick(at time: Int) {
        let now = surroundings.milliseconds()
        if let reapTime, now >= reapTime { finish(at: now) }
        patience.recover(at: now)
        let late = underWay.filter { $0.deadline.map { $0 <= time } ?? false }
        for call in late {
            underWay.removeAll { $0 === call }
            cancel(call)
            if let number = call.number { forget(number) }
            // An abandoned call is not its fault: the host asked it to stop.
            end(call, .timedOut(unread: unread))
            if !call.isAbandoned, !call.isPatient { carryOut(life.timedOut(at: now, lateness(of: call)), at: now) }
            unread = nil
        }
        if let probeTime, time >= probeTime { probeOlder() }
        carryOut(life.tick(at: time, isBusy: isBusy || run.staysIdle), at: now)
        advance(at: now)
    }

    private func lateness(of call: PluginCall) -> String {
        let clause = "it did not answer \(call.method) within \(call.timeoutMilliseconds) ms"
        return unread.map { "\(clause); it printed \($0)" } ?? clause
    }

    func carryOut(_ order: PluginLife.Order?, at now: Int) {
        observe()
        guard let order else { return }
        startsWhenGone = false
        switch order {
        case .start: start(at: now)
        case .farewell:
            // An MCP server knows no goodbye but the end of its input.
            if server == nil { wire.notify("plugin.goodbye") }
            closesInput = true
            send()
        case .terminate: process?.terminate()
        case .kill:
            drainErrors()
            process?.kill()
            // The plugin is not started again for the calls that waited for this start.
            failCalls(at: now)
            ending = life.reason ?? "killed"
            finish(at: now)
        }
    }

    private func start(at now: Int) {
        // The previous process may take its time to end; the loop does not block for it.
        guard process == nil else { return startsWhenGone = true }
        do throws(SystemError) {
            process = try KeptProcess.start(run.process)
        } catch {
            _ = life.crash(at: now, .init(.start, "it could not be started: \(error)"))
            observe()
            return failCalls(at: now)
        }
        greet(at: now)
    }
}
