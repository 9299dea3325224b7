import Testing

@testable import MoodClient

@Suite struct ConfigurationTests {
    private func run(_ text: String, _ arguments: [String] = ["list"], _ more: [String: String] = [:]) -> (
        ExitCode, Outside
    ) {
        let outside = Outside(["mood.list": Canned.page([Canned.mood()])])
        outside.environment = ["HOME": "/home/ada"].merging(more) { $1 }
        outside.files["/home/ada/.config/moodboard/config.json"] = Array(text.utf8)
        return (outside.run(arguments), outside)
    }

    @Test func namesTheStoreBelowTheCommandLineAndTheEnvironment() {
        let text = #"{"store":"~/moods","pager":"","color":"never"}"#
        #expect(run(text).1.started == [HostLaunch(program: nil, store: .directory("/home/ada/moods"))])
        #expect(run(text, ["list", "--store", "/x"]).1.started == [HostLaunch(program: nil, store: .directory("/x"))])
        #expect(run(text, ["list"], ["MOODBOARD_STORE": "/y"]).1.started == [HostLaunch(program: nil, store: .usual)])
    }

    @Test func syncFalseKeepsTheHostFromSyncingByItself() {
        #expect(run(#"{"sync":false}"#).1.started.first?.arguments == ["--no-sync"])
        #expect(run(#"{"sync":true}"#).1.started.first?.arguments == [])
    }

    @Test func coloursAndPagerAreAsItSays() {
        let always = Style(choice: nil, usual: "always", isTerminal: false, environment: { _ in nil })
        let never = Style(choice: nil, usual: "never", isTerminal: true, environment: { _ in nil })
        let said = Style(choice: "auto", usual: "never", isTerminal: true, environment: { _ in nil })
        let refused = Style(
            choice: nil, usual: "always", isTerminal: true, environment: { $0 == "NO_COLOR" ? "1" : nil })
        #expect(always.isColored && !never.isColored && said.isColored && !refused.isColored)
    }

    @Test(arguments: [
        (
            "{\n  \"store\": \"/a\",\n  \"colour\": \"never\"\n}",
            ":3:3: there is no 'colour'; there are store, color, pager, keepZone, sync. Did you mean 'color'?"
        ),
        ("{\"store\":}", ":1:10: "), ("[]", ":1:1: "),
        ("{\"color\": \"red\"}", ":1:2: 'color' is auto, never or always, not 'red'."),
        ("{\n\"pager\": 3}", ":2:1: 'pager' is a text in quotes."),
        ("{\"store\": \"a\"}", ":1:2: 'store' is a path from the root on"),
    ])
    func aFaultIsToldWithItsPlace(_ text: String, _ part: String) {
        let (status, outside) = run(text)
        #expect(status == .badData)
        #expect(outside.error.contains("/home/ada/.config/moodboard/config.json" + part), "\(outside.error)")
        #expect(outside.started.isEmpty)
        // Help is shown anyway.
        #expect(run(text, ["--help"]).0 == .success)
    }
}
