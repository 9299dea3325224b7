import Testing

@testable import PluginHost

/// The states of a plugin, tried with simulated processes. `LifeTarget` tries every order of events.
@Suite struct PluginLifeTests {
    private static var times: PluginLife.Times {
        var times = PluginLife.Times()
        (times.hello, times.backOff, times.idle) = (50, 10, 100)
        return times
    }

    private static func running() -> PluginLife {
        var life = PluginLife(times)
        _ = life.need(at: 0)
        life.greeted(at: 1)
        return life
    }

    @Test func startsWhenItIsNeededAndStopsWhenItIsIdle() {
        var life = PluginLife(Self.times)
        #expect(life.state == .stopped && life.deadline == nil)
        let first = life.need(at: 0)
        let again = life.need(at: 1)
        #expect(first == .start && again == nil && life.state == .starting)
        life.greeted(at: 2)
        #expect(life.state == .running && life.deadline == 102)
        let early = life.tick(at: 101, isBusy: false)
        let busy = life.tick(at: 102, isBusy: true)
        #expect(early == nil && busy == nil && life.state == .running)
        let idle = life.tick(at: 202, isBusy: false)
        #expect(idle == .farewell && life.state == .stopping)
        let end = life.ended(at: 203, "exit status 0")
        #expect(end == nil && life.state == .stopped && life.crashes == 0)
    }

    @Test func itHasTimeToRunAndThenTimeToAnswer() {
        var life = PluginLife(Self.times)
        _ = life.need(at: 0)
        let waits = life.tick(at: 9_999, isBusy: true)
        #expect(waits == nil && life.state == .starting)
        life.started(at: 9_999)
        #expect(life.deadline == 10_049)
        // The fault is reported once.
        life.started(at: 10_000)
        let late = life.tick(at: 10_049, isBusy: true)
        #expect(late == .kill && life.reason == "it did not answer plugin.hello within 50 ms")
        _ = life.tick(at: 20_000, isBusy: true)
        _ = life.need(at: 20_000)
        let never = life.tick(at: 50_000, isBusy: true)
        #expect(never == .kill && life.reason == "it did not run within 30000 ms")
    }

    @Test func aGoodbyeThatIsNotHeardIsFollowedByTwoSignals() {
        var life = Self.running()
        let orders = [
            life.stop(at: 0, because: nil), life.tick(at: 699, isBusy: false), life.tick(at: 700, isBusy: false),
            life.tick(at: 1200, isBusy: false), life.tick(at: 9999, isBusy: false),
        ]
        #expect(orders == [.farewell, nil, .terminate, .kill, nil])
    }

    @Test func whoIsNeededWhileItStopsIsStartedAfterwards() {
        var life = Self.running()
        _ = life.stop(at: 5, because: nil)
        let needed = life.need(at: 6)
        let order = life.ended(at: 7, "exit status 0")
        #expect(needed == nil && order == .start && life.state == .starting)
    }

    @Test func waitsTwiceAsLongAfterEachCrashAndFailsAfterTheFifth() {
        var life = PluginLife(Self.times)
        var now = 0
        var waits: [Int] = []
        for _ in 1...4 {
            _ = life.need(at: now)
            _ = life.ended(at: now, "killed by signal 9")
            #expect(life.state == .backingOff)
            let meanwhile = life.need(at: now)
            #expect(meanwhile == nil)
            waits.append((life.deadline ?? now) - now)
            now = life.deadline ?? now
            _ = life.tick(at: now, isBusy: false)
            #expect(life.state == .stopped)
        }
        #expect(waits == [10, 20, 40, 80])
        _ = life.need(at: now)
        _ = life.ended(at: now, "killed by signal 9")
        #expect(life.state == .failed && life.deadline == nil && life.crashes == 5)
        let needed = life.need(at: now + 1_000_000)
        #expect(needed == nil)
        life.pardon()
        let start = life.need(at: now + 1_000_001)
        #expect(start == .start)
    }

    @Test func tenLinesOfRubbishOrThreeTimeOutsInARowAreACrash() {
        var life = Self.running()
        for number in 1...10 {
            let order = life.printedRubbish(at: 2)
            #expect((order == .kill) == (number == 10))
        }
        #expect(life.state == .backingOff)
        life = Self.running()
        for _ in 1...9 { _ = life.printedRubbish(at: 2) }
        life.spoke(at: 3)
        let afterMessage = life.printedRubbish(at: 4)
        #expect(afterMessage == nil && life.state == .running)
        life = Self.running()
        let orders = [life.timedOut(at: 2), life.timedOut(at: 3)]
        life.answered(at: 4)
        let more = [life.timedOut(at: 5), life.timedOut(at: 6), life.timedOut(at: 7)]
        #expect(orders + more == [nil, nil, nil, nil, .kill])
    }

    @Test func whatMayRunNoMoreIsGoneWithinASecondAndNeverStartedAgain() {
        var life = Self.running()
        let orders = [
            life.withdraw(at: 0, because: "it may run no more"), life.tick(at: 400, isBusy: true),
            life.tick(at: 650, isBusy: true),
        ]
        #expect(orders == [.farewell, .terminate, .kill])
        let needed = life.need(at: 660)
        let ended = life.ended(at: 661, "killed by signal 9")
        let neededAgain = life.need(at: 662)
        #expect(needed == nil && ended == nil && neededAgain == nil && life.state == .stopped)
        // A plugin that was stopping already takes no longer.
        life = Self.running()
        _ = life.stop(at: 0, because: nil)
        _ = life.withdraw(at: 1, because: "it may run no more")
        let early = life.tick(at: 401, isBusy: false)
        #expect(early == .terminate)
    }

    @Test func eachFaultIsToldOnceWithItsKind() {
        var life = Self.running()
        _ = life.timedOut(at: 2, "it did not answer say within 5 ms")
        let late = life.takeFault()
        #expect(late == .init(.timeout, "it did not answer say within 5 ms"))
        let again = life.takeFault()
        #expect(again == nil)
        _ = life.ended(at: 3, "exit status 1")
        let end = life.takeFault()
        #expect(end?.kind == .exit)
        _ = life.condemn(.init(.disk, "too much"))
        let disk = life.takeFault()
        #expect(disk?.kind == .disk && life.state == .failed)
    }

    /// A plugin that prints much unasked gets a bounded share of the loop; one that prints little never waits.
    @Test func aFloodIsReadWithPauses() {
        var patience = FloodPatience()
        patience.spend(FloodPatience.linesMax, at: 1000)
        #expect(patience.end == nil)
        patience.spend(80, at: 1000)
        #expect(patience.end == 1010)
        patience.recover(at: 1009)
        #expect(patience.end == 1010)
        patience.recover(at: 1010)
        #expect(patience.end == nil)
        patience.spend(1, at: 1010)
        #expect(patience.end == 1011)
        var modest = FloodPatience()
        for time in 0..<10_000 { modest.spend(FloodPatience.linesPerMillisecond, at: time) }
        #expect(modest.end == nil)
        // After a rest it may print as many at once as at the beginning.
        modest.spend(FloodPatience.linesMax, at: 20_000)
        #expect(modest.end == nil)
    }
}
