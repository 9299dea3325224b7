import Foundation
import Synchronization
import Testing

@testable import Platform

/// Every end of a kept process leaves none of its descendants.
@Suite struct KeptEndingTests {
    enum Ending: CaseIterable {
        case byItself, killed, dropped, keeperKilled, hostIsSilent
    }

    #if os(Linux)
        @Test(arguments: Ending.allCases) func takesWhatItStartedAlong(_ ending: Ending) throws {
            // Each child has a session of its own, no parent, ignores signals, and has a child that keeps the pipes.
            let mark = "kept-" + UUID().uuidString
            let plan = try KeptPlan(
                shell: """
                    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                        (setsid sh -c 'trap "" TERM HUP INT; echo up; sleep 600; :' \(mark) &)
                    done
                    read line
                    """)
            var process = try KeptProcess.start(plan.plan)
            var bytes: [UInt8] = []
            while bytes.count < 60, !KeptRun.drain(process.output, into: &bytes) {
                process.waitForNews(milliseconds: 1000)
            }
            #expect(Self.processes(called: mark) >= 21, "the plugin and its 20")
            var run = KeptRun()
            if let report = process.nextReport() { run.note(report) }
            #expect(run.pid > 1)
            let id = process.keeperID
            let keeper = try #require(id)
            switch ending {
            case .byItself: process.closeInput()
            case .killed: process.kill()
            case .keeperKilled: kill(keeper, SIGKILL)
            case .hostIsSilent: shutdown(process.reports, Int32(SHUT_WR))
            case .dropped:
                drop(process)
                #expect(Self.processes(called: mark) == 0)
                #expect(kill(keeper, 0) == -1 && errno == ESRCH, "it has been reaped")
                return
            }
            while run.status == nil, let report = process.nextReport() { run.note(report) }
            #expect(run.status == (ending == .byItself ? .exited(1) : .signalled(SIGKILL)))
            let time = process.reap(within: 10_000)
            #expect(time != nil)
            #expect(Self.processes(called: mark) == 0)
        }

        private func drop(_ process: consuming KeptProcess) {}

        /// Number of processes with a word on their command line.
        private static func processes(called mark: String) -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.count { name in
                guard Int32(name) != nil, let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
                else {
                    return false
                }
                return line.range(of: Data(mark.utf8)) != nil
            }
        }
    #endif

    /// In a process of its own, so that no other test opens or starts anything meanwhile.
    @Test func manyStartsBesideBusyThreadsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let starts = ProcessFacts.environment("MOODBOARD_SEEDS") == nil ? 80 : 500
            let isOver = Mutex(false)
            for _ in 0..<4 {
                Thread.detachNewThread {
                    var texts: [String] = []
                    while !isOver.withLock({ $0 }) {
                        texts.append(String(repeating: "x", count: texts.count % 999))
                        if texts.count > 500 { texts = [] }
                        close(open("/dev/null", O_RDONLY | O_CLOEXEC))
                    }
                }
            }
            let descriptors = { (3..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 } }
            _ = try KeptRun(KeptPlan(["/bin/echo", "hello"]))
            let right = Mutex(0)
            let ends = try (0..<4).map { _ in try Pipe.make() }
            for (_, writeEnd) in ends {
                Thread.detachNewThread {
                    for _ in 0..<starts / 4 {
                        guard let plan = try? KeptPlan(["/bin/echo", "hello"]), let run = try? KeptRun(plan),
                            run.output == "hello\n", run.status == .exited(0)
                        else { continue }
                        right.withLock { $0 += 1 }
                    }
                    close(writeEnd)
                }
            }
            for (readEnd, _) in ends {
                var byte: UInt8 = 0
                _ = read(readEnd, &byte, 1)
                close(readEnd)
            }
            guard right.withLock({ $0 }) == starts else {
                print("\(right.withLock { $0 }) of \(starts) went well")
                exit(1)
            }
            isOver.withLock { $0 = true }
            usleep(50_000)
            let before = descriptors()
            _ = try KeptRun(KeptPlan(["/bin/echo", "hello"]))
            guard descriptors() == before, before < 64 else {
                print("\(before) descriptors are open")
                exit(2)
            }
            guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else {
                print("somebody has not been reaped")
                exit(3)
            }
        }
    }

    /// Too few descriptors: each limit that is too low fails at another call.
    @Test func aStartThatFailsLeavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let plan = try KeptPlan(["/bin/echo", "hello"])
            _ = try KeptRun(plan)
            let descriptors = { (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 } }
            let before = descriptors()
            var limit = rlimit()
            getrlimit(openFilesLimit, &limit)
            var failed = 0
            for more in 0..<40 {
                var low = limit
                low.rlim_cur = rlim_t(before + more)
                setrlimit(openFilesLimit, &low)
                do {
                    var process = try KeptProcess.start(plan.plan)
                    process.kill()
                    _ = process.reap(within: 5000)
                } catch {
                    guard (error as? SystemError)?.isTooManyFiles == true else { exit(4) }
                    failed += 1
                }
            }
            setrlimit(openFilesLimit, &limit)
            guard failed > 4, failed < 40 else { exit(5) }
            guard descriptors() == before else { exit(6) }
            guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(7) }
        }
    }
}

#if canImport(Glibc)
    private let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
    private let openFilesLimit = RLIMIT_NOFILE
#endif
