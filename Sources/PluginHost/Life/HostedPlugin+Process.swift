import JSONCodec
import Platform

/// The process of a plugin, from its start to the moment when nothing of it is left.
extension HostedPlugin {
    /// Takes what its keeper reports.
    public func readReports() {
        let now = surroundings.milliseconds()
        // What was killed has nothing more to say.
        while reapTime == nil, process != nil, let report = process?.readReport() {
            switch report {
            case .started(let pid, let isolation):
                processID = pid
                life.started(at: now)
                self.isolation = isolation.map { (part: $0.0, level: $0.1) }
            case .refused(let reason):
                note("It could not be started: \(reason)")
                lastError = reason
                carryOut(life.crash(at: now, because: "it could not be started: \(reason)"), at: now)
                surroundings.stateChanged(self)
                return
            case .ended(let status):
                // What it has printed before its end still counts.
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
        readErrors()
    }

    /// Lets go of a process that has ended.
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
        failCalls(at: now)
        surroundings.stateChanged(self)
        carryOut(order, at: now)
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
        wire = PluginWire(answerBytesMax: run.answerBytesMax)
        log.endErrors(at: surroundings.timestamp())
    }

    /// What was under way gets its outcome; what waits does too, unless the plugin is started again.
    private func failCalls(at now: Int) {
        let reason = life.reason ?? ending
        let failed = underWay
        underWay.removeAll()
        for call in failed { end(call, .unusable("The plugin ended before it answered: \(reason).")) }
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

    /// Has the host say something of it in its log.
    public func note(_ text: String) { log.add(.host, nil, text, at: surroundings.timestamp()) }

    /// It is to end with a crash.
    public func crash(_ reason: String, at now: Int) {
        lastError = reason
        carryOut(life.crash(at: now, because: reason), at: now)
    }

    /// It has used more than it may, and stays down until somebody starts it again.
    public func condemn(_ reason: String) {
        lastError = reason
        carryOut(life.condemn(because: reason), at: surroundings.milliseconds())
        surroundings.stateChanged(self)
    }

    /// It is to end in good order.
    public func stop(because reason: String? = nil) {
        let now = surroundings.milliseconds()
        carryOut(life.stop(at: now, because: reason), at: now)
        surroundings.stateChanged(self)
    }

    /// Makes an end of it at once; it need not be reaped.
    public func end() {
        process?.kill()
        process = nil
    }

    /// As if it had never crashed.
    public func pardon() { life.pardon() }

    /// Starts it if it does not run, for what it may be asked soon.
    public func wake() {
        let now = surroundings.milliseconds()
        carryOut(life.need(at: now), at: now)
    }

    /// Its time may be over, or that of a call.
    /// - Parameter time: until when everything that it has sent was read; later deadlines are not judged yet.
    public func tick(at time: Int) {
        let now = surroundings.milliseconds()
        if let reapTime, now >= reapTime { finish(at: now) }
        let late = underWay.filter { $0.deadline.map { $0 <= time } ?? false }
        for call in late {
            underWay.removeAll { $0 === call }
            cancel(call)
            // What is abandoned is not counted against it: it was asked to leave off.
            end(call, .timedOut)
            if !call.isAbandoned, !call.isPatient { carryOut(life.timedOut(at: now), at: now) }
        }
        if let probeTime, time >= probeTime { probeOlder() }
        carryOut(life.tick(at: time, isBusy: isBusy || run.staysIdle), at: now)
        advance(at: now)
    }

    func carryOut(_ order: PluginLife.Order?, at now: Int) {
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
            process?.kill()
            note("It was ended: \(life.reason ?? "its time was over").")
            // It is not started anew for those that were waiting for this start.
            failCalls(at: now)
            ending = life.reason ?? "killed"
            finish(at: now)
            surroundings.stateChanged(self)
        }
    }

    private func start(at now: Int) {
        // The one before may take its time to end, and nobody waits for that here.
        guard process == nil else { return startsWhenGone = true }
        do throws(SystemError) {
            process = try KeptProcess.start(run.process)
        } catch {
            note("It could not be started: \(error)")
            lastError = "\(error)"
            _ = life.crash(at: now, because: "it could not be started: \(error)")
            failCalls(at: now)
            return surroundings.stateChanged(self)
        }
        surroundings.stateChanged(self)
        greet(at: now)
    }
}
