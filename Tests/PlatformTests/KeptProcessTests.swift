import Foundation
import Testing

@testable import Platform

/// A kept process from outside: its streams, its reports and its end.
@Suite struct KeptProcessTests {
    @Test func runsAProgramWithItsOwnPipes() throws {
        let plan = try KeptPlan(shell: "cat; echo \"$HOME $*\"; echo oops >&2; pwd; umask; exit 7")
        let run = try KeptRun(plan, input: "hello\n")
        #expect(run.refusal == nil && run.pid > 1)
        let data = plan.directory + "/data"
        #expect(run.output == "hello\n\(data) \n\(plan.directory)/copy\n0077\n")
        #expect(run.errors == "oops\n")
        #expect(run.status == .exited(7))
        #expect(Set(run.isolation.keys) == Set(KeptProcess.Part.allCases))
    }

    @Test func getsThreeDescriptorsAndNoOther() throws {
        let script = "for n in 0 1 2 3 4 5 6 7 8 9; do (eval \"true <&$n\") 2> /dev/null && echo $n; done"
        #expect(try KeptRun(KeptPlan(shell: script)).output == "0\n1\n2\n")
    }

    @Test(arguments: [
        "", "\t", "start", "started", "started\t7", "started\t7\tfiles=\tnetwork=\tcalls=\tprocesses=",
        "started\t7\tnetwork=\tfiles=\tcalls=\tprocesses=\tlimits=", "refused", "ended\texited", "ended\texited\tx",
    ])
    func aLineThatNoKeeperWritesIsNoReport(line: String) {
        #expect(KeptProcess.Report(line: Array(line.utf8)[...]) == nil)
    }

    @Test func nobodyStartsAKeeperByHand() throws {
        let program = try #require(KeptPlan.keeper)
        for arguments in [[], ["1024"], ["0", "0", "1"], ["1", "0", "1"]] {
            var process = try ChildProcess.start(
                path: program, arguments: ["--keep-plugin"] + arguments, output: .pipe)
            #expect(process.finish(within: 10_000) == .exited(64))
        }
    }

    @Test func manyMegabytesGoThrough() throws {
        let text = String(repeating: "0123456789abcde\n", count: 1 << 18)
        let run = try KeptRun(KeptPlan(["/bin/cat"]), input: text)
        #expect(run.output == text && run.status == .exited(0))
    }

    @Test func saysWhichSignalEndedIt() throws {
        let run = try KeptRun(KeptPlan(shell: "kill -SEGV $$"))
        #expect(run.status == .signalled(SIGSEGV))
    }

    @Test func refusesWhatCannotBeStarted() throws {
        let missing = try KeptRun(KeptPlan(["/usr/bin/no-such-program"]))
        #expect(missing.refusal == "cannot start /usr/bin/no-such-program: No such file or directory")
        #expect(missing.status == nil)
        let directory = try KeptPlan(["/bin/true"])
        directory.plan.directory = "/no/such/folder"
        #expect(try KeptRun(directory).refusal == "cannot enter /no/such/folder: No such file or directory")
        let nul = try KeptPlan(["/bin/echo", "a\0b"])
        #expect(throws: SystemError(call: "start", subject: "argument", code: EINVAL)) {
            _ = try KeptProcess.start(nul.plan)
        }
        let large = try KeptPlan(["/bin/echo", String(repeating: "x", count: 70_000)])
        #expect(throws: SystemError(call: "start", subject: "/bin/echo", code: E2BIG)) {
            _ = try KeptProcess.start(large.plan)
        }
        let keeper = try KeptPlan(["/bin/true"])
        keeper.plan.keeper = "/no/such/keeper"
        #expect(try KeptRun(keeper).refusal == "clone /no/such/keeper: No such file or directory")
    }

    @Test func terminatesTheProgramAndWhatItStarted() throws {
        let plan = try KeptPlan(
            shell: """
                trap 'wait; echo parent' TERM
                sh -c 'trap "echo child; exit" TERM; echo ready; while :; do sleep 0.01; done' &
                wait
                """)
        var process = try KeptProcess.start(plan.plan)
        var bytes = process.outputUntilReady()
        process.terminate()
        while !KeptRun.drain(process.output, into: &bytes) { process.waitForNews(milliseconds: 1000) }
        #expect(String(decoding: bytes, as: UTF8.self) == "ready\nchild\nparent\n")
        var run = KeptRun()
        while run.status == nil, let report = process.nextReport() { run.note(report) }
        #expect(run.status == .exited(143) || run.status == .exited(0))
        let time = process.reap(within: 5000)
        #expect(time != nil)
    }

    @Test func whatATerminalSendsToTheHostsGroupIsForTheHost() throws {
        let plan = try KeptPlan(["/bin/cat"])
        var process = try KeptProcess.start(plan.plan)
        guard case .started = process.nextReport() else {
            Issue.record("not started")
            return
        }
        let id = process.keeperID
        let keeper = try #require(id)
        #expect(getsid(keeper) == keeper)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { #expect(kill(keeper, number) == 0) }
        #expect(write(process.input, "ready\n", 6) == 6)
        #expect(process.outputUntilReady() == Array("ready\n".utf8))
        process.closeInput()
        var run = KeptRun()
        if let report = process.nextReport() { run.note(report) }
        #expect(run.status == .exited(0))
    }

    @Test func aPluginCannotKeepItsKeeperAlive() throws {
        let plan = try KeptPlan(shell: "trap '' TERM INT HUP; echo ready; while :; do sleep 0.01; done")
        var process = try KeptProcess.start(plan.plan)
        guard case .started = process.nextReport() else {
            Issue.record("not started")
            return
        }
        // Before that, it may not yet ignore the signals.
        _ = process.outputUntilReady()
        process.terminate()
        usleep(20_000)
        let isGone = process.reap()
        #expect(!isGone, "SIGTERM is ignored")
        process.kill()
        guard case .ended(.signalled(SIGKILL)) = process.nextReport() else {
            Issue.record("no end")
            return
        }
        let isSilent = process.readReport() == nil
        #expect(isSilent)
        let time = process.reap(within: 5000)
        #expect(time != nil)
    }
}

extension KeptRun {
    /// A run without results.
    init() {}
}
