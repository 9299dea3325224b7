import JSONCodec
import MoodProtocol
import Testing
import Versions

@testable import MoodHost

/// Every method answers as declared.
@Suite struct MethodTests {
    @Test(arguments: MethodTable().all.map { "\($0.name)" })
    func noMethodFailsOfItselfWithoutParams(method: String) throws {
        let answer = try TestSession().call(method)
        // A form must be opened first.
        #expect(["ok", "invalidParams", "refused"].contains(answer.outcome), "\(answer.text)")
    }

    /// A call of every method that succeeds, on a store with the moods 1 and 2.
    private static let calls: [(method: String, params: String)] = [
        ("host.info", "{}"), ("host.ping", "{}"), ("rpc.discover", "{}"), ("nav.state", "{}"), ("nav.menu", "{}"),
        (
            "mood.create",
            #"{"emoji":"😊","label":"A","id":"\#(testID(3))","timestamp":"2026-01-02T03:04:05+02:00","isFavorite":true,"notes":"n","tags":["a"],"valence":-0.5,"timeZone":"Europe/Helsinki","attachments":[{"kind":"link","url":"https://a"},{"kind":"email","address":"a@b"},{"kind":"place","latitude":1,"longitude":2},{"kind":"image","path":"/a"},{"kind":"audio","url":"https://a"},{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:05Z"}]},{"kind":"relation","moodId":"\#(testID(1))","type":"t"}]}"#
        ),
        ("mood.get", #"{"id":"\#(testID(3))"}"#), ("mood.list", #"{"limit":1}"#),
        ("mood.list", #"{"rows":true}"#), ("mood.list", "{}"),
        ("mood.list", #"{"filter":{"label":"none"}}"#),
        ("mood.update", #"{"id":"\#(testID(1))","set":{"valence":0.1}}"#),
        ("mood.updateMany", #"{"ids":["\#(testID(1))","\#(testID(2))"],"set":{"tags":["x"]}}"#),
        ("mood.setFavorite", #"{"id":"\#(testID(1))","isFavorite":true}"#),
        ("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#), ("mood.setNotes", #"{"id":"\#(testID(1))","notes":"n"}"#),
        ("mood.share", #"{"id":"\#(testID(3))"}"#), ("mood.share", #"{"id":"\#(testID(3))","format":"html"}"#),
        ("mood.share", #"{"id":"\#(testID(3))","format":"ics","as":"vjournal"}"#),
        ("mood.detail", #"{"id":"\#(testID(3))","location":{"latitude":1,"longitude":1}}"#),
        ("mood.detail", #"{"id":"\#(testID(1))"}"#),
        ("action.perform", #"{"action":{"type":"toggleFavorite","id":"\#(testID(1))"}}"#),
        ("action.perform", #"{"action":{"type":"goBack"}}"#), ("action.perform", #"{"action":{"type":"add"}}"#),
        ("action.perform", #"{"action":{"type":"share","id":"\#(testID(1))"}}"#),
        ("action.perform", #"{"action":{"type":"playAudio","id":"\#(testID(3))","attachment":4}}"#),
        ("mood.history", #"{"id":"\#(testID(1))","limit":2}"#), ("store.undo", "{}"), ("store.redo", "{}"),
        ("editor.state", "{}"), ("editor.begin", "{}"), ("editor.set", #"{"label":"A","tags":["",""]}"#),
        ("editor.selectEmoji", #"{"emoji":"x"}"#), ("editor.cancel", "{}"),
        ("editor.begin", #"{"id":"\#(testID(1))"}"#), ("editor.submit", "{}"),
        ("nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#),
        ("nav.replace", #"{"route":{"name":"crudList"},"router":"r"}"#), ("nav.goBack", "{}"),
        ("nav.goBackToRoot", "{}"),
        ("nav.open", #"{"url":"moodboard://mood/\#(testID(1))"}"#),
        ("nav.url", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#),
        ("nav.screen", "{}"), ("nav.screen", #"{"route":{"name":"architecture"}}"#),
        ("nav.screen", #"{"route":{"name":"moodDetail","id":"\#(testID(3))"}}"#),
        ("nav.log", "{}"), ("nav.save", #"{"name":"a"}"#), ("nav.restore", #"{"name":"a","router":"b"}"#),
        ("mood.delete", #"{"id":"\#(testID(3))"}"#), ("nav.restore", #"{"name":"a"}"#),
        ("mood.deleteMany", #"{"ids":["\#(testID(2))"]}"#), ("store.insertSamples", "{}"), ("store.info", "{}"),
        ("store.compact", "{}"), ("store.verify", "{}"), ("mood.clear", #"{"confirm":true}"#), ("mood.list", "{}"),
        ("store.log", "{}"), ("mood.deleted", "{}"), ("mood.undelete", #"{"id":"\#(testID(1))"}"#),
        ("mood.resolve", #"{"texts":["abcdef","\#(testID(1))"]}"#),
        ("store.import", #"{"text":"label,timestamp\nA,2026-01-02T03:04:05Z\nB,never\n"}"#),
        ("store.export", #"{"format":"csv"}"#),
        ("events.subscribe", "{}"), ("events.subscribe", #"{"topics":["nav"]}"#),
        ("events.unsubscribe", #"{"subscription":"s2"}"#), ("events.unsubscribe", #"{"subscription":"s1"}"#),
        ("time.parse", #"{"text":"yesterday evening"}"#), ("time.parse", #"{"text":"9pm"}"#), ("settings.get", "{}"),
        ("settings.set", #"{"timeZone":"UTC","locale":"fi"}"#), ("stats.summary", "{}"),
        ("stats.summary", #"{"in":"this month","by":"week"}"#), ("stats.year", #"{"year":2026}"#),
        ("stats.month", #"{"month":"2026-01"}"#), ("stats.onThisDay", #"{"date":"2027-01-02"}"#),
        ("stats.onThisDay", "{}"), ("mood.tags", "{}"), ("stats.render", #"{"what":"year"}"#),
        ("stats.render", #"{"what":"month","format":"svg","month":"2026-01"}"#),
        ("stats.render", #"{"what":"report","format":"html"}"#), ("stats.render", #"{"what":"summary","color":true}"#),
        ("host.shutdown", "{}"),
    ]

    /// Calls that need files.
    private static let fileCalls: [(method: String, params: String)] = [
        ("store.salvage", #"{"to":"${new}"}"#), ("store.accept", #"{"confirm":true}"#),
        ("store.reset", #"{"confirm":true}"#), ("sync.setup", #"{"url":"folder:${new}/journal","new":true}"#),
        ("sync.now", "{}"), ("sync.status", "{}"), ("sync.conflicts", "{}"), ("sync.leave", "{}"),
    ]

    @Test(arguments: [true, false])
    func everyResultIsAsItsDeclarationSays(isInMemory: Bool) throws {
        let directory = TestDirectory()
        let session = isInMemory ? TestSession() : TestSession(directory)
        try Self.fill(session)
        let document = OpenRPC.document(of: MethodTable().all, version: Version.program)
        let saved = TestDirectory()
        for call in (isInMemory ? [] : Self.fileCalls) + Self.calls {
            let method = try #require(document["methods"]?.array?.first { $0["name"]?.string == call.method })
            let schema = try #require(method["result"]?["schema"])
            if call.method == "mood.create" { try Self.fill(session) }
            let result = try session.result(call.method, call.params.replacing("${new}", with: saved.path))
            let problems = SchemaChecker(root: document).problems(of: result, by: schema)
            #expect(problems.isEmpty, "\(call.method): \(problems) in \(result.text)")
        }
        // `PluginTests` cover methods of plugins, and `sync-folder.transcript` covers these two, which need two stores.
        let ofTwoStores = ["sync.settle", "sync.forget"]
        let called = Set((Self.fileCalls + Self.calls).map(\.method))
        let methods = MethodTable().all.map { "\($0.name)" }.filter { name in
            !name.hasPrefix("plugin.") && !ofTwoStores.contains(name)
        }
        #expect(called == Set(methods), "every method is called here")
    }

    /// Existing moods stay.
    private static func fill(_ session: TestSession) throws {
        for number in 1...2 {
            _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"😢","label":"Mood \#(number)"}"#)
        }
    }

    @Test func everyErrorOfAMethodIsDeclared() throws {
        let session = TestSession()
        let missing = testID(99)
        for (method, params, kind) in [
            ("mood.get", #"{"id":"\#(missing)"}"#, "notFound"),
            ("mood.update", #"{"id":"\#(missing)","set":{}}"#, "notFound"),
            ("mood.delete", #"{"id":"\#(missing)"}"#, "notFound"), ("mood.share", #"{"id":"\#(missing)"}"#, "notFound"),
            ("mood.detail", #"{"id":"\#(missing)"}"#, "notFound"),
            ("action.perform", #"{"action":{"type":"delete","id":"\#(missing)"}}"#, "notFound"),
            ("mood.deleteMany", #"{"ids":["\#(missing)"]}"#, "notFound"),
            ("mood.updateMany", #"{"ids":["\#(missing)"],"set":{}}"#, "notFound"),
            ("mood.toggleFavorite", #"{"id":"\#(missing)"}"#, "notFound"),
            ("mood.setNotes", #"{"id":"\#(missing)","notes":""}"#, "notFound"),
            ("mood.setFavorite", #"{"id":"\#(missing)","isFavorite":true}"#, "notFound"),
            ("nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(missing)"}}"#, "notFound"),
            ("nav.open", #"{"url":"moodboard://mood/\#(missing)"}"#, "notFound"),
            ("editor.begin", #"{"id":"\#(missing)"}"#, "notFound"), ("editor.submit", "{}", "refused"),
            ("nav.screen", #"{"route":{"name":"moodDetail","id":"\#(missing)"}}"#, "notFound"),
            ("nav.restore", #"{"name":"a"}"#, "notFound"), ("editor.set", "{}", "refused"),
            ("editor.selectEmoji", #"{"emoji":"😊"}"#, "refused"),
        ] {
            #expect(try session.call(method, params).outcome == kind, "\(method)")
            let declared = MethodTable().all.first { "\($0.name)" == method }
            #expect(declared?.errors.contains { $0.name == kind } == true, "\(method)")
        }
    }

    @Test func rpcDiscoverIsThePublishedDocument() throws {
        let result = try TestSession().result("rpc.discover")
        #expect(result.isEqual(to: OpenRPC.document(of: MethodTable().all, version: Version.program)))
    }

    @Test func inMemoryThereIsNoPath() throws {
        let session = TestSession()
        _ = try session.result("store.insertSamples")
        let info = try session.result("store.info")
        #expect(info["path"] == nil && info["inMemory"]?.boolean == true && info["readOnly"]?.boolean == false)
        #expect(info["moods"]?.integer == 5 && info["favorites"]?.integer == 2 && info["schemaVersion"]?.integer == 3)
    }

    /// A host that never got a request for moods has not read its store.
    @Test func whatNeedsNoStoreTouchesNoFile() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        for method in ["host.ping", "rpc.discover", "nav.state", "nav.menu", "nav.goBack"] {
            #expect(try session.call(method).outcome == "ok")
        }
        _ = try session.call("mood.create", #"{"emoji":"x"}"#)
        #expect(directory.names.isEmpty)
        _ = try session.result("mood.create", #"{"emoji":"😊","label":"A"}"#)
        #expect(!directory.names.isEmpty)
    }

    @Test func templatesBelongToTextAlone() throws {
        let session = TestSession()
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        let text = try session.result("mood.share", #"{"id":"\#(testID(1))","template":"{emoji}!"}"#)
        #expect(text["text"]?.string == "😊!" && text["mediaType"]?.string == "text/plain; charset=utf-8")
        for format in ["markdown", "html", "json"] {
            let params = #"{"id":"\#(testID(1))","format":"\#(format)","template":"x"}"#
            #expect(try session.call("mood.share", params).path == "/template")
        }
    }

    @Test func theZoneOfATimeIsThatOfTheCallThenTheMoodThenTheHost() throws {
        var options = HostOptions(place: .memory)
        options.timeZone = "Asia/Tokyo"
        let session = TestSession(options)
        let mood = #""emoji":"😊","label":"A","timestamp":"2026-01-02T03:04:05Z""#
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))",\#(mood),"timeZone":"Europe/Helsinki"}"#)
        _ = try session.result("mood.create", #"{"id":"\#(testID(2))",\#(mood)}"#)
        func time(_ number: Int, _ extra: String = "") throws -> String? {
            let params = #"{"id":"\#(testID(number))","template":"{time}"\#(extra)}"#
            return try session.result("mood.share", params)["text"]?.string
        }
        #expect(try time(1)?.contains("5:04") == true)
        #expect(try time(2)?.contains("12:04") == true)
        #expect(try time(1, #","timeZone":"America/New_York""#)?.contains("10:04") == true)
    }
}
