import JSONCodec
import MoodCore
import MoodProtocol
import Platform
import Testing

@testable import MoodHost

/// Routers are watched, guarded and saved.
@Suite struct NavigationTests {
    private static let ioError: Int32 = 5
    private static let noSpace: Int32 = 28

    private static func create(_ number: Int) -> String {
        #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#
    }

    private static func detail(_ number: Int) -> String { #"{"name":"moodDetail","id":"\#(testID(number))"}"# }

    private static func path(_ session: TestSession, _ router: String = "main") throws -> String? {
        try session.result("nav.state", #"{"router":"\#(router)"}"#)["path"]?.text
    }

    private static func log(_ session: TestSession) throws -> [String] {
        (try session.result("nav.log")["items"]?.array ?? []).map {
            "\($0["action"]?.string ?? "") \($0["route"]?["name"]?.string ?? "")"
        }
    }

    // MARK: Guards

    private static func guarded() throws -> TestSession {
        let session = TestSession()
        session.add(NavigationGuard(name: "quiet") { _, _ in nil })
        session.add(
            NavigationGuard(name: "hours") { route, router in
                route == .observation && router == "main" ? "The observation screen is closed at night." : nil
            })
        _ = try session.result("mood.create", create(1))
        return session
    }

    @Test(arguments: [
        ("nav.navigate", #"{"route":{"name":"observation"}}"#), ("nav.replace", #"{"route":{"name":"observation"}}"#),
        ("nav.open", #"{"url":"moodboard://observation"}"#), ("nav.restore", #"{"name":"kept"}"#),
    ])
    func aGuardSaysNo(method: String, params: String) throws {
        let session = try Self.guarded()
        _ = try session.result("nav.navigate", #"{"route":{"name":"observation"},"router":"other"}"#)
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"},"router":"other"}"#)
        _ = try session.result("nav.save", #"{"name":"kept","router":"other"}"#)
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        let answer = try session.call(method, params)
        #expect(answer.code == 1003 && answer.kind == "refused")
        #expect(answer["error"]?["data"]?["by"]?.string == "hours")
        #expect(answer["error"]?["data"]?["reason"]?.string == "The observation screen is closed at night.")
        #expect(answer["error"]?["message"]?.string == "The observation screen is closed at night.")
        #expect(try Self.path(session) == #"[{"name":"crudList"}]"#, "nothing has moved")
        #expect(try Self.log(session) == ["navigate crudList"])
    }

    @Test func whatNoGuardMindsIsShown() throws {
        let session = try Self.guarded()
        for route in [#"{"name":"crudList"}"#, #"{"name":"menu"}"#, Self.detail(1)] {
            #expect(try session.call("nav.navigate", #"{"route":\#(route)}"#).outcome == "ok")
        }
        // The existence of the mood is checked first.
        #expect(try session.call("nav.navigate", #"{"route":\#(Self.detail(2))}"#).outcome == "notFound")
        #expect(try session.call("nav.goBack").outcome == "ok")
    }

    // MARK: The log

    @Test func theLogGoesBackWithItsGroup() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(
            request(1, "mood.create", Self.create(1)), request(2, "nav.navigate", #"{"route":\#(Self.detail(1))}"#),
            request(3, "nav.navigate", #"{"route":{"name":"observation"}}"#))
        #expect(answers.map(\.outcome) == ["outcomeUnknown", "notFound", "ok"])
        #expect(try Self.log(session) == ["navigate observation", "navigate crudList"])
    }

    /// A deletion is in the log of its router, and in no other.
    @Test func aPrunedRouterSaysSo() throws {
        let session = TestSession()
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"},"router":"other"}"#)
        _ = try session.result("nav.navigate", #"{"route":\#(Self.detail(1))}"#)
        _ = try session.result("mood.delete", #"{"id":"\#(testID(1))","dryRun":true}"#)
        #expect(try Self.log(session) == ["navigate moodDetail", "navigate crudList"])
        _ = try session.result("mood.delete", #"{"id":"\#(testID(1))"}"#)
        #expect(try Self.log(session) == ["prune crudList", "navigate moodDetail", "navigate crudList"])
        #expect(try session.result("nav.log", #"{"router":"other"}"#)["items"]?.array?.count == 1)
    }

    @Test func theLogIsBounded() throws {
        let session = TestSession()
        let there = request(1, "nav.navigate", #"{"route":{"name":"crudList"}}"#)
        let moves = Array(repeating: there + "\n" + request(2, "nav.goBack") + "\n", count: 1000)
        _ = session.output(for: moves.joined())
        #expect(try session.result("nav.log", #"{"limit":1000}"#)["items"]?.array?.count == 1000)
        #expect(try session.result("nav.log")["items"]?.array?.count == 100)
    }

    // MARK: Saving

    @Test func whatIsSavedIsThereInAnotherSession() throws {
        let directory = TestDirectory()
        do {
            let session = TestSession(directory)
            _ = try session.answers(
                request(1, "mood.create", Self.create(1)), request(2, "mood.create", Self.create(2)),
                request(3, "nav.navigate", #"{"route":{"name":"crudList"}}"#),
                request(4, "nav.navigate", #"{"route":\#(Self.detail(1))}"#),
                request(5, "nav.navigate", #"{"route":\#(Self.detail(2))}"#), request(6, "nav.save", #"{"name":"a"}"#))
        }
        let session = TestSession(directory)
        let other = TestSession(directory)
        _ = try other.result("mood.delete", #"{"id":"\#(testID(1))"}"#)
        let state = try session.result("nav.restore", #"{"name":"a"}"#)
        #expect(state["path"]?.text == #"[{"name":"crudList"},\#(Self.detail(2))]"#)
        #expect(state["dropped"]?.text == "[\(Self.detail(1))]")
        #expect(try Self.log(session) == ["restore moodDetail"])
        // Without a move nothing is logged.
        _ = try session.result("nav.restore", #"{"name":"a"}"#)
        #expect(try Self.log(session).count == 1)
    }

    @Test func twoHostsLoseNeither() throws {
        let directory = TestDirectory()
        let one = TestSession(directory)
        let other = TestSession(directory)
        for round in 0..<5 {
            #expect(try one.call("nav.save", #"{"name":"one \#(round)"}"#).outcome == "ok")
            #expect(try other.call("nav.save", #"{"name":"other \#(round)"}"#).outcome == "ok")
        }
        for session in [one, other] {
            for name in (0..<5).flatMap({ ["one \($0)", "other \($0)"] }) {
                #expect(try session.call("nav.restore", #"{"name":"\#(name)"}"#).outcome == "ok")
            }
        }
    }

    @Test func inMemoryNothingTouchesTheDisk() throws {
        let session = TestSession()
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        _ = try session.result("nav.save", #"{"name":"a"}"#)
        _ = try session.result("nav.goBackToRoot")
        #expect(try session.result("nav.restore", #"{"name":"a"}"#)["depth"]?.integer == 1)
        #expect(try TestSession().call("nav.restore", #"{"name":"a"}"#).outcome == "notFound")
        let readOnly = TestSession(HostOptions(place: .memory), .memory(isReadOnly: true))
        #expect(try readOnly.call("nav.save", #"{"name":"a"}"#).outcome == "storeReadOnly")
    }

    /// Whatever fails, the previously saved path stays intact.
    @Test(arguments: [
        ("pwrite", noSpace, "storageFull"), ("pwrite", ioError, "outcomeUnknown"), ("fsync", ioError, "outcomeUnknown"),
        ("rename", ioError, "outcomeUnknown"), ("rename", noSpace, "storageFull"), ("rename", 30, "storeReadOnly"),
    ])
    func aSaveThatFailsLeavesWhatWasThere(call: String, code: Int32, kind: String) throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("nav.save", #"{"name":"a"}"#)
        let before = directory.text("navigation.json")
        _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#)
        fault.set(call, code)
        #expect(try session.call("nav.save", #"{"name":"a"}"#).outcome == kind)
        #expect(directory.text("navigation.json") == before)
        #expect(!directory.names.contains { $0.hasPrefix("temporary-") })
        // Neither the moods nor a later attempt are affected.
        #expect(try session.call("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#).outcome == "ok")
        #expect(try session.call("nav.save", #"{"name":"a"}"#).outcome == "ok")
        #expect(try TestSession(directory).result("nav.restore", #"{"name":"a"}"#)["depth"]?.integer == 1)
    }

    /// A mood of this group is durable before a route to it is saved.
    @Test func aGroupWithoutItsSyncSavesNothingOfIt() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(
            request(1, "mood.create", Self.create(2)), request(2, "nav.navigate", #"{"route":\#(Self.detail(2))}"#),
            request(3, "nav.save", #"{"name":"a"}"#), request(4, "host.ping"))
        // The save waits until what came before it is durable, and so is told that it is not.
        #expect(answers.map(\.outcome) == ["outcomeUnknown", "notFound", "ok", "ok"])
        let restored = try TestSession(directory).result("nav.restore", #"{"name":"a"}"#)
        #expect(restored["depth"]?.integer == 0 && restored["dropped"]?.array?.isEmpty ?? true)
    }

    @Test func aResetPutsItAsideAndASalvageTakesItAlong() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("nav.navigate", #"{"route":\#(Self.detail(1))}"#)
        _ = try session.result("nav.save", #"{"name":"a"}"#)
        let saved = directory.text("navigation.json")
        let target = TestDirectory()
        let report = try session.result("store.salvage", #"{"to":"\#(target.path)"}"#)
        #expect(report["files"]?.array?.contains { $0.string == "navigation.json" } == true)
        #expect(target.text("navigation.json") == saved)
        #expect(try TestSession(target).result("nav.restore", #"{"name":"a"}"#)["depth"]?.integer == 1)
        #expect(try session.result("store.verify")["ok"]?.boolean == true)
        _ = try session.result("store.reset", #"{"confirm":true}"#)
        #expect(!directory.names.contains("navigation.json"))
        let aside = try #require(directory.names.first { $0.hasPrefix("set-aside-") })
        #expect(directory.text(aside + "/navigation.json") == saved)
        #expect(try session.call("nav.restore", #"{"name":"a"}"#).outcome == "notFound")
    }

    @Test(arguments: ["navigation.json", "settings.json", "plugins.json", "plugins-secrets.json"])
    func aDamagedFileIsNamedAndNotSalvaged(name: String) throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", Self.create(1))
        directory.write(name, "{")
        let target = TestDirectory()
        let report = try session.result("store.salvage", #"{"to":"\#(target.path)"}"#)
        #expect(report["moods"]?.integer == 1 && !target.names.contains(name))
        let verified = try session.result("store.verify")
        #expect(verified["ok"]?.boolean == false)
        #expect(verified["problems"]?.array?.first?["kind"]?.string == "unreadable")
        #expect(verified["problems"]?.array?.first?["file"]?.string == name)
        #expect(directory.text(name) == "{")
    }

    /// A file that cannot be read is not taken for an absent one, and nothing is written over it.
    @Test(arguments: [S_IFLNK, S_IFIFO, S_IFDIR])
    func settingsThatCannotBeReadAreNotReplaced(kind: mode_t) throws {
        let directory = TestDirectory()
        let path = directory.path + "/settings.json"
        _ = try TestSession(directory).result("settings.set", #"{"dayStartsAt":"04:00"}"#)
        let chosen = directory.text("settings.json")
        #expect(rename(path, path + "-chosen") == 0)
        switch kind {
        case S_IFLNK: symlink(path + "-chosen", path)
        case S_IFIFO: mkfifo(path, 0o600)
        default: mkdir(path, 0o700)
        }
        let session = TestSession(directory)
        let kinds = ["storeUnavailable", "storeCorrupt"]
        #expect(kinds.contains(try session.call("settings.get").outcome))
        #expect(kinds.contains(try session.call("settings.set", #"{"weekStartsOn":"sunday"}"#).outcome))
        #expect(try FileSystem.system.statusOfPath(path).kind != .regular)
        #expect(directory.text("settings.json-chosen") == chosen)
        #expect(try session.call("mood.create", Self.create(1)).outcome == "ok")
    }

    @Test func thereAreAtMostAThousand() throws {
        let directory = TestDirectory()
        let states = (0..<1000).map { #""\#($0)":{"path":[]}"# }.joined(separator: ",")
        let session = TestSession(directory)
        _ = try session.result("mood.create", Self.create(1))
        directory.write("navigation.json", #"{"format":"moodboard-navigation","version":1,"states":{\#(states)}}"#)
        let answer = try session.call("nav.save", #"{"name":"more"}"#)
        #expect(answer.outcome == "limitExceeded" && answer["error"]?["data"]?["value"]?.integer == 1000)
        #expect(try session.call("nav.save", #"{"name":"999"}"#).outcome == "ok")
    }
}
