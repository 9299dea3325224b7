import PluginHost

/// Properties of a plugin's life under all events in any order: starts, greetings, ends, deadlines, rubbish, time-outs,
/// people.
///
/// 1. A process is started only if there is none; a running one has a state that shows it.
/// 2. Every wait has a deadline; a state without a wait comes to rest by itself.
/// 3. After a crash it waits; after the fifth in the window it has failed, and does not start until a person pardons
///    it.
///
/// The first byte chooses the times; then two bytes each: an event, and its delay.
public struct LifeTarget: Sendable {
    static var seeds: [[UInt8]] {
        (0..<64).map { seed in (0..<400).map { UInt8(truncatingIfNeeded: ($0 + 1) &* (2 * seed + 1) &* 73 &+ $0 / 7) } }
    }

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        guard let first = input.first else { return }
        var times = PluginLife.Times()
        (times.start, times.hello, times.backOff, times.idle) = (70, 50, 1 + Int(first & 15), 100)
        times.crashWindow = 1_000 << Int(first >> 5)
        var course = Course(PluginLife(times))
        for place in stride(from: 1, to: input.count - 1, by: 2) {
            try course.step(input[place], Int(input[place + 1]))
        }
        try course.comeToRest()
    }

    /// A life, and the facts about its process.
    private struct Course {
        var life: PluginLife
        var now = 0
        var hasProcess = false
        /// Whether the process is being killed, and its end was not reported yet.
        var isKilled = false
        var recentCrashes: [Int] = []

        init(_ life: PluginLife) { self.life = life }

        mutating func step(_ what: UInt8, _ later: Int) throws(Violation) {
            now += later
            let (before, crashes) = (life.state, life.crashes)
            let (waitsUntil, order) = (life.deadline, happen(what))
            if order == .kill { (hasProcess, isKilled) = (false, true) }
            if !life.isAlive { hasProcess = false }
            if order == .start {
                try require(!hasProcess, "two processes")
                try require(before != .failed, "it had failed")
                let isTooEarly = before == .backingOff && now < waitsUntil ?? 0
                try require(!isTooEarly, "it did not wait after a crash")
                (hasProcess, isKilled) = (true, false)
            }
            try require(life.isAlive == hasProcess || isKilled, "\(life.state), process: \(hasProcess)")
            if life.crashes > crashes { try noteCrash() }
            switch life.state {
            case .starting, .running, .backingOff: try require(life.deadline != nil, "\(life.state) for ever")
            case .stopping, .stopped, .failed: break
            }
        }

        private mutating func happen(_ what: UInt8) -> PluginLife.Order? {
            switch what % 12 {
            case 0, 1: return life.need(at: now)
            case 2: life.greeted(at: now)
            case 3:
                guard hasProcess || isKilled else { return nil }
                (hasProcess, isKilled) = (false, false)
                return life.ended(at: now, "exit status 1")
            case 4: return life.printedRubbish(at: now)
            case 5: return life.timedOut(at: now)
            case 6: life.answered(at: now)
            case 7: return life.stop(at: now, because: "it was asked to")
            case 8:
                guard what & 16 == 0 else { return nil }
                life.pardon()
                recentCrashes = []
            case 9:
                guard hasProcess, life.state == .starting else { return nil }
                hasProcess = false
                return life.greetAnew(at: now)
            case 10 where what >= 250: return life.condemn(.init(.disk, "it has written too much"))
            case 10 where hasProcess && what & 16 == 0: life.started(at: now)
            default: return life.tick(at: now, isBusy: what & 16 == 0)
            }
            return nil
        }

        private mutating func noteCrash() throws(Violation) {
            recentCrashes.removeAll { now - $0 >= life.times.crashWindow }
            recentCrashes.append(now)
            let isTooMany = recentCrashes.count >= life.times.crashesMax
            try require(
                life.state == (isTooMany ? .failed : .backingOff), "\(life.state) after \(recentCrashes.count) crashes")
            guard !isTooMany, let deadline = life.deadline else { return }
            try require(
                (life.times.backOff...life.times.backOffMax).contains(deadline - now), "it waits \(deadline - now) ms")
        }

        /// Checks that it comes to rest if no request needs it.
        mutating func comeToRest() throws(Violation) {
            for _ in 0..<8 {
                now += 100_000
                let order = life.tick(at: now, isBusy: false)
                if isKilled || order == .kill || order == .farewell { _ = life.ended(at: now, "exit status 0") }
                isKilled = false
            }
            try require(life.state == .stopped || life.state == .failed, "\(life.state) in the end")
        }
    }
}
