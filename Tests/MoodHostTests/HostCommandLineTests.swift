import MoodProtocol
import Platform
import Storage
import Testing

@testable import MoodHost

@Suite struct HostCommandLineTests {
    private func read(_ arguments: [String], _ environment: [String: String] = [:]) -> HostCommandLine.Request {
        HostCommandLine.read(arguments, environment: { environment[$0] })
    }

    private func options(_ arguments: [String], _ environment: [String: String] = [:]) throws -> HostOptions {
        let request = read(arguments, environment)
        guard case .serve(let options) = request else {
            Issue.record("\(request)")
            return HostOptions(place: .memory)
        }
        return options
    }

    private func directory(_ options: HostOptions) -> String? {
        guard case .directory(let path) = options.place else { return nil }
        return path
    }

    @Test func theStoreIsWhereTheContractSays() throws {
        let all = ["MOODBOARD_STORE": "/m", "XDG_DATA_HOME": "/x", "HOME": "/h"]
        #expect(try directory(options(["--store", "/s"], all)) == "/s")
        #expect(try directory(options(["--store=/s=1"], all)) == "/s=1")
        #expect(try directory(options([], all)) == "/m")
        #expect(try directory(options([], ["XDG_DATA_HOME": "/x", "HOME": "/h"])) == "/x/moodboard")
        #expect(try directory(options([], ["HOME": "/h"])) == "/h/.local/share/moodboard")
        #expect(
            try directory(options([], ["XDG_DATA_HOME": "x/relative", "HOME": "/h"])) == "/h/.local/share/moodboard")
        #expect(try directory(options(["--in-memory"], all)) == nil)
        #expect(try directory(options(["--in-memory"])) == nil)
    }

    @Test func everythingHasTheDefaultOfTheContract() throws {
        let options = try options(["--store", "/s"])
        #expect(options.durability == .sync && !options.isReadOnly && !options.trustsDirectory)
        #expect(options.lockTimeoutMilliseconds == 2000 && options.locale == nil && options.timeZone == nil)
        #expect(options.logLevel == .info && !options.insertsSamples)
        for name in Limits.Name.allCases { #expect(options.limits[name] == name.defaultValue) }
    }

    @Test func everySettingIsRead() throws {
        let options = try options([
            "--store", "/s", "--samples", "--durability", "none", "--read-only", "--trust-directory",
            "--lock-timeout=0.5", "--limit", "messageBytes=2048", "--limit=batch=7", "--locale", "fi-FI",
            "--time-zone", "Europe/Helsinki", "--log-level", "debug",
        ])
        #expect(options.insertsSamples && options.isReadOnly && options.trustsDirectory && options.durability == .none)
        #expect(options.lockTimeoutMilliseconds == 500 && options.logLevel == .debug)
        #expect(options.limits[.messageBytes] == 2048 && options.limits[.batch] == 7)
        #expect(options.locale == "fi-FI" && options.timeZone == "Europe/Helsinki")
    }

    /// Other programs start hosts with a command line that a test cannot change.
    @Test func theEnvironmentSetsTheClockAndTheIDs() throws {
        let environment = ["MOODBOARD_TEST": "clock:2026-11-25T18:17:57Z,seed:7"]
        let options = try options(["--in-memory"], environment)
        #expect(options.testTime?.text == "2026-11-25T18:17:57.000Z" && options.testSeed == 7)
        #expect(try self.options(["--in-memory", "--test-seed", "8"], environment).testSeed == 8)
        #expect(try self.options(["--in-memory"], ["MOODBOARD_TEST": "seed:9"]).testSeed == 9)
        for wrong in ["", "7", "seed", "clock:", "seed:7,", "clock:noon", "seed:x", "zone:UTC"] {
            guard case .misuse = HostCommandLine.read(["--in-memory"], environment: { _ in wrong }) else {
                Issue.record("'\(wrong)' is taken")
                continue
            }
        }
    }

    @Test func aTestSetsTheClockAndTheIDs() throws {
        let options = try options(["--in-memory", "--test-clock", "2026-01-02T05:04:05.678+02:00", "--test-seed=7"])
        #expect(options.testTime?.text == "2026-01-02T03:04:05.678Z" && options.testSeed == 7)
        for wrong in [
            ["--test-clock", "yesterday"], ["--test-clock=2026-01-02"], ["--test-seed", "-1"], ["--test-seed", "x"],
        ] {
            guard case .misuse = read(["--in-memory"] + wrong) else {
                Issue.record("\(wrong) is taken")
                continue
            }
        }
    }

    @Test(arguments: [
        (["--help"], "help"), (["-h"], "help"), (["--samples", "--help"], "help"), (["--version"], "version"),
        (["--openrpc"], "openrpc"),
    ])
    func printsWhatItIsAskedFor(arguments: [String], kind: String) {
        switch read(arguments) {
        case .printHelp: #expect(kind == "help")
        case .printVersion: #expect(kind == "version")
        case .printOpenRPC: #expect(kind == "openrpc")
        default: Issue.record("\(arguments)")
        }
    }

    @Test(arguments: [
        ([], "HOME"), (["--store"], "--store needs a value"), (["--store", ""], "--store"), (["--store="], "--store"),
        (["--store", "/"], "cannot be in /"), (["--store", "//../."], "cannot be in //../."),
        (["--in-memory", "--store", "/s"], "exclude"), (["--stor", "/s"], "did you mean --store?"),
        (["--inmemory"], "did you mean --in-memory?"), (["--in_memory"], "did you mean --in-memory?"),
        (["--verison"], "did you mean --version?"), (["/s"], "unknown argument /s"), (["-x"], "unknown argument -x"),
        (["--"], "unknown argument --"), ([""], "unknown argument"), (["--in-memory=yes"], "takes no value"),
        (["--help=1"], ""), (["--durability", "fast"], "sync or none"), (["--lock-timeout", "soon"], "seconds"),
        (["--lock-timeout", "-1"], "seconds"), (["--lock-timeout", "nan"], "seconds"),
        (["--lock-timeout", "3601"], "seconds"), (["--limit", "batch"], "must look like"),
        (["--limit", "batch=many"], "must look like"), (["--limit", "batsh=1"], "did you mean batch?"),
        (["--limit", "zzzzzzzzzz=1"], "known are"), (["--limit", "batch=0"], "from 1 to"),
        (["--limit", "messageBytes=99999999999"], "from 1024 to"), (["--limit", "depth=65"], "from 4 to 64"),
        (["--locale", "xx_YY"], "unknown locale"), (["--time-zone", "Mars/Base"], "IANA"),
        (["--log-level", "loud"], "error, warning, info, debug"),
    ])
    func saysWhatIsWrong(arguments: [String], hint: String) {
        switch read(arguments) {
        case .misuse(let problem): #expect(problem.contains(hint), "\(problem)")
        case .printHelp where hint.isEmpty: break
        default: Issue.record("\(arguments) was accepted")
        }
    }

    @Test func theHelpNamesEveryOption() {
        for option in [
            "--store", "--in-memory", "--samples", "--durability", "--read-only", "--trust-directory", "--lock-timeout",
            "--limit", "--locale", "--time-zone", "--log-level", "--openrpc", "--version", "--help",
        ] {
            #expect(HostCommandLine.help.contains("  \(option)"), "\(option)")
        }
        for line in HostCommandLine.help.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }

    /// With a replacement character it would be another store.
    @Test(arguments: ["MOODBOARD_STORE", "XDG_DATA_HOME", "HOME"])
    func refusesAPlaceThatIsNoText(name: String) throws {
        let before = ["MOODBOARD_STORE", "XDG_DATA_HOME", "HOME"].prefix { $0 != name }
        func read(_ arguments: [String]) -> HostCommandLine.Request {
            HostCommandLine.read(arguments) { (asked) throws(NotText) in
                if before.contains(asked) || asked.hasPrefix("MOODBOARD_TEST") { return nil }
                throw NotText(source: asked, shown: #"/x\xff"#)
            }
        }
        guard case .misuse(let reason) = read([]) else { return _ = Issue.record("it is not refused") }
        #expect(reason.contains(name) && reason.contains(#"/x\xff"#))
        guard case .serve = read(["--store", "/s"]), case .serve = read(["--in-memory"]) else {
            return _ = Issue.record("what is not used is refused")
        }
    }
}
