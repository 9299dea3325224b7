import JSONCodec
import Testing

@testable import PluginHost

/// The greeting between the host and an MCP server, in every order of known server behavior.
@Suite struct ServerGreetingTests {
    private static let discovered: JSONValue = ["supportedVersions": ["2026-07-28"], "capabilities": ["tools": [:]]]
    private static let initialized: JSONValue = ["protocolVersion": "2025-06-18", "capabilities": ["tools": [:]]]

    private static func tool(_ name: String) -> JSONValue {
        ["name": .string(name), "inputSchema": ["type": "object"]]
    }

    private static func asked(_ next: ServerGreeting.Next) -> ServerGreeting.Request? {
        if case .ask(let request) = next { request } else { nil }
    }

    private static func isGreeted(_ next: ServerGreeting.Next) -> Bool {
        if case .greeted = next { true } else { false }
    }

    @Test func aNewerServerIsAskedForItsToolsPageByPage() {
        var greeting = ServerGreeting(hostVersion: "1.2.3")
        let first = greeting.begin()
        #expect(first.method == "server/discover")
        #expect(first.params["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string == "2026-07-28")
        #expect(first.params["_meta"]?["io.modelcontextprotocol/clientInfo"]?["version"]?.string == "1.2.3")
        let list = Self.asked(greeting.answered(Self.discovered))
        #expect(list?.method == "tools/list" && list?.params["cursor"] == nil && list?.notification == nil)
        let more = Self.asked(greeting.answered(["tools": [Self.tool("a")], "nextCursor": "2"]))
        #expect(more?.method == "tools/list" && more?.params["cursor"]?.string == "2")
        let end = greeting.answered(["tools": [Self.tool("b"), ["name": "none"], Self.tool("not a name")]])
        #expect(Self.isGreeted(end) && greeting.tools.compactMap { $0["name"]?.string } == ["a", "b"])
        let call = greeting.request(PluginCall("a", [], timeoutMilliseconds: 1), ["x": 1], number: 7).params
        #expect(call["_meta"]?["progressToken"]?.integer == 7 && call["_meta"]?.object?.count == 4)
    }

    @Test(arguments: [nil, ["supportedVersions": ["2099-01-01"]]] as [JSONValue?])
    func whatRefusesTheNewerIsAskedInTheOlderWay(answer: JSONValue?) {
        var greeting = ServerGreeting(hostVersion: "1")
        _ = greeting.begin()
        let older = Self.asked(greeting.answered(answer))
        #expect(older?.method == "initialize" && older?.params["_meta"] == nil)
        let list = Self.asked(greeting.answered(Self.initialized))
        #expect(list?.method == "tools/list" && list?.notification == "notifications/initialized")
        #expect(Self.isGreeted(greeting.answered(["tools": []])))
        // The next start remembers it.
        #expect(greeting.begin().method == "initialize")
    }

    @Test func oneThatEndsIsStartedAnewOnce() {
        var greeting = ServerGreeting(hostVersion: "1")
        _ = greeting.begin()
        #expect(greeting.fallBack()?.method == "initialize")
        #expect(greeting.fallBack() == nil)
    }

    @Test func oneThatIsOnlySlowIsTakenAtItsWord() {
        var greeting = ServerGreeting(hostVersion: "1")
        _ = greeting.begin()
        _ = greeting.fallBack()
        #expect(greeting.discovered(nil) == nil)
        let next = greeting.discovered(Self.discovered).flatMap(Self.asked)
        #expect(next?.method == "tools/list" && next?.params["_meta"] != nil && !greeting.isOlder)
    }

    @Test func oneWithoutToolsMayRefuseToListThem() {
        for (capabilities, isRight) in [(["prompts": [:]], true), (["tools": [:]], false)] as [(JSONValue, Bool)] {
            var greeting = ServerGreeting(hostVersion: "1")
            _ = greeting.begin()
            _ = greeting.answered(["supportedVersions": ["2026-07-28"], "capabilities": capabilities])
            #expect(Self.isGreeted(greeting.answered(nil)) == isRight)
        }
    }

    @Test(arguments: [nil, [:], ["protocolVersion": "1999-01-01"]] as [JSONValue?])
    func whatSpeaksNeitherFails(answer: JSONValue?) {
        var greeting = ServerGreeting(hostVersion: "1")
        _ = greeting.begin()
        _ = greeting.answered(nil)
        guard case .failed = greeting.answered(answer) else {
            Issue.record("it was taken for a server")
            return
        }
    }

    @Test func aServerThatListsWithoutEndFails() {
        var greeting = ServerGreeting(hostVersion: "1")
        _ = greeting.begin()
        var next = greeting.answered(Self.discovered)
        for _ in 0..<1000 {
            guard Self.asked(next) != nil else { break }
            next = greeting.answered(["tools": [], "nextCursor": "again"])
        }
        guard case .failed = next else {
            Issue.record("it was listed without end")
            return
        }
    }
}
