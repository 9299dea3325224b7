import JSONCodec
import Seeds
import Testing

@testable import MoodHost

/// Actions in a session: offers, changes, refusals.
@Suite struct ActionTests {
    private static let id = testID(1)

    private func perform(_ session: TestSession, _ action: String) throws -> JSONValue {
        try session.call("action.perform", #"{"action":\#(action)}"#)
    }

    private func result(_ session: TestSession, _ action: String) throws -> JSONValue {
        let answer = try perform(session, action)
        return try #require(answer["result"], "\(action): \(answer.text)")
    }

    private func session(_ attachments: String = "[]") throws -> TestSession {
        let session = TestSession()
        _ = try session.result(
            "mood.create",
            #"{"id":"\#(Self.id)","emoji":"😊","label":"Happy","timestamp":"2026-01-02T01:04:05Z","attachments":\#(attachments)}"#
        )
        return session
    }

    // MARK: Common members

    @Test func aDryRunAnswersAndKeepsNothing() throws {
        let session = try session()
        _ = try session.result("events.subscribe")
        let dry = #","dryRun":true}"#
        for action in [
            #"{"type":"clear","confirm":true}"#, #"{"type":"toggleFavorite","id":"\#(Self.id)"}"#,
            #"{"type":"navigate","route":{"name":"observation"}}"#, #"{"type":"add"}"#,
            #"{"type":"subscribe","topics":["nav"]}"#,
        ] {
            let said = try session.answers(request(1, "action.perform", #"{"action":\#(action)"# + dry))
            #expect(said.map(\.outcome) == ["ok"], "an answer and no event")
        }
        #expect(try session.result("store.info")["revision"]?.integer == 1)
        #expect(try session.result("nav.state")["depth"]?.integer == 0)
        #expect(try session.result("editor.state")["isPresented"]?.boolean == false)
        #expect(try session.call("events.unsubscribe", #"{"subscription":"s2"}"#).outcome == "notFound")
    }

    @Test func anActionWithAnOperationIsDoneOnce() throws {
        let session = try session()
        let params = #"{"action":{"type":"toggleFavorite","id":"\#(Self.id)"},"opId":"a"}"#
        let first = try session.result("action.perform", params)
        #expect(first["mood"]?["isFavorite"]?.boolean == true)
        #expect(try session.result("action.perform", params).isEqual(to: first))
        #expect(try session.result("mood.get", #"{"id":"\#(Self.id)"}"#)["isFavorite"]?.boolean == true)
        let other = #"{"action":{"type":"delete","id":"\#(Self.id)"},"opId":"a"}"#
        #expect(try session.call("action.perform", other).outcome == "conflict")
    }

    // MARK: Offers

    /// The actions anywhere in a value, unchanged.
    static func offered(in value: JSONValue) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap { offered(in: $0) }
        case .object(let members):
            members.flatMap { member in
                member.name == "action" ? [member.value.text] : offered(in: member.value)
            }
        default: []
        }
    }

    /// A screen for each route offers only valid actions; with and without moods, with the form closed, open and
    /// complete.
    @Test func everythingThatAScreenOffersCanBeDone() throws {
        let document = try SchemaChecker.published("openrpc.json")
        let schema = try #require(document.result(of: "action.perform"))
        let routes = ["menu", "introState", "observation", "architecture", "crudList"]
        let before = [
            [], [#"mood.clear {"confirm":true}"#], ["editor.begin {}"],
            ["editor.begin {}", #"editor.set {"label":"A"}"#], [#"editor.begin {"id":"\#(Self.id)"}"#],
            [#"nav.navigate {"route":{"name":"crudList"},"router":"side"}"#],
        ]
        var done: Set<String> = []
        for (route, requests) in routes.flatMap({ route in before.map { (route, $0) } }) {
            for router in ["main", "side"] {
                let params = #"{"route":{"name":"\#(route)"},"router":"\#(router)"}"#
                func prepare() throws -> TestSession {
                    let session = try session()
                    for request in requests {
                        let parts = request.split(separator: " ", maxSplits: 1)
                        _ = try session.result(String(parts[0]), String(parts[1]))
                    }
                    return session
                }
                // Each in its own session, because one action may remove the target of another.
                for action in Self.offered(in: try prepare().result("nav.screen", params)) {
                    let session = try prepare()
                    let lines = session.output(for: request(1, "action.perform", #"{"action":\#(action)}"#) + "\n")
                    let answer = try JSONValue(parsing: String(try #require(lines.split(separator: "\n").last)))
                    let result = try #require(answer["result"], "\(route), \(action): \(answer.text)")
                    let problems = SchemaChecker(root: document).problems(of: result, by: schema)
                    #expect(problems.isEmpty, "\(route), \(action): \(problems) in \(result.text)")
                    done.insert(try JSONValue(parsing: action)["type"]?.string ?? "")
                }
            }
        }
        #expect(
            done.isSuperset(of: [
                "navigate", "goBack", "add", "edit", "delete", "toggleFavorite", "selectEmoji", "submit", "cancel",
                "clear", "insertSamples", "subscribe",
            ]), "\(done)")
    }

    /// All offers of screens and rows for random moods can be performed unchanged, with answers as declared. Playing
    /// changes the offers, so those are performed too.
    @Test(arguments: SeededRandom.seeds)
    func everythingThatIsOfferedCanBeDone(seed: UInt64) throws {
        let session = TestSession()
        let document = try SchemaChecker.published("openrpc.json")
        let schema = try #require(document.result(of: "action.perform"))
        var requests = RandomRequests(seed: seed)
        let moods = (0..<30).map { _ in requests.mood() }
        for mood in moods { _ = try session.result("mood.create", mood.text) }
        let rows = try session.result("mood.list", #"{"rows":true,"limit":1000}"#)["items"]?.array ?? []
        #expect(rows.count == moods.count)
        var done: Set<String> = []
        for row in rows {
            let id = try #require(row["id"]?.string)
            let params = #"{"id":"\#(id)","location":{"latitude":1,"longitude":2}}"#
            var waiting = Self.offered(in: row["actions"] ?? .null)
            for round in 0..<2 {
                let detail = try session.result("mood.detail", params)
                #expect(detail["mood"]?["id"]?.string == id)
                waiting += Self.offered(in: detail["cells"] ?? .null) + Self.offered(in: detail["toolbar"] ?? .null)
                waiting += Self.offered(in: detail["actions"] ?? .null)
                // After a deletion nothing of the mood can be done.
                let isDeletion = { (action: String) in action.contains(#""type":"delete""#) }
                let last = round == 1 ? waiting.first(where: isDeletion) : nil
                for action in waiting.filter({ !isDeletion($0) }) + [last].compactMap(\.self) {
                    let result = try result(session, action)
                    let problems = SchemaChecker(root: document).problems(of: result, by: schema)
                    #expect(problems.isEmpty, "seed \(seed): \(action): \(problems) in \(result.text)")
                    done.insert(try JSONValue(parsing: action)["type"]?.string ?? "")
                }
                waiting = []
                _ = try session.result("nav.goBackToRoot")
            }
            #expect(try session.call("mood.get", #"{"id":"\#(id)"}"#).outcome == "notFound")
        }
        let all: Set = [
            "toggleFavorite", "editNotes", "delete", "navigate", "goBack", "edit", "share", "shareCoordinates",
            "exportEvent", "openURL", "openEmail", "showMap", "showImage", "playAudio", "pauseAudio", "showEvents",
        ]
        #expect(done == all, "seed \(seed)")
    }

    // MARK: Commits

    @Test func anActionIsOneCommitOrNone() throws {
        let attachments =
            #"[{"kind":"audio","path":"/a"},{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:05Z"}]}]"#
        let session = try session(attachments)
        var revision = 1
        for (action, commits) in [
            (#"{"type":"toggleFavorite","id":"\#(Self.id)"}"#, 1),
            (#"{"type":"setFavorite","id":"\#(Self.id)","isFavorite":true}"#, 0),
            (#"{"type":"setFavorite","id":"\#(Self.id)","isFavorite":false}"#, 1),
            (#"{"type":"editNotes","id":"\#(Self.id)","notes":"n"}"#, 1),
            (#"{"type":"editNotes","id":"\#(Self.id)","notes":"n"}"#, 0),
            (#"{"type":"navigate","route":{"name":"crudList"}}"#, 0), (#"{"type":"goBack"}"#, 0),
            (#"{"type":"replace","route":{"name":"menu"}}"#, 0), (#"{"type":"goBackToRoot"}"#, 0),
            (#"{"type":"edit","id":"\#(Self.id)"}"#, 0), (#"{"type":"add"}"#, 0),
            (#"{"type":"share","id":"\#(Self.id)"}"#, 0),
            (#"{"type":"playAudio","id":"\#(Self.id)","attachment":0}"#, 0),
            (#"{"type":"exportEvent","id":"\#(Self.id)","attachment":1}"#, 0),
            (#"{"type":"delete","id":"\#(Self.id)"}"#, 1),
        ] {
            _ = try result(session, action)
            revision += commits
            #expect(try session.result("store.info")["revision"]?.integer == revision, "\(action)")
        }
    }

    /// The answer to an action is the answer of the equivalent method.
    @Test func anActionAnswersAsItsMethod() throws {
        for (action, member, method, params) in [
            (#"{"type":"toggleFavorite","id":"ID"}"#, "mood", "mood.toggleFavorite", #"{"id":"ID"}"#),
            (
                #"{"type":"setFavorite","id":"ID","isFavorite":true}"#, "mood", "mood.setFavorite",
                #"{"id":"ID","isFavorite":true}"#
            ),
            (
                #"{"type":"editNotes","id":"ID","notes":"\"ö\"\n"}"#, "mood", "mood.setNotes",
                #"{"id":"ID","notes":"\"ö\"\n"}"#
            ),
            (
                #"{"type":"navigate","route":{"name":"moodDetail","id":"ID"},"router":"r"}"#, "navigation",
                "nav.navigate", #"{"route":{"name":"moodDetail","id":"ID"},"router":"r"}"#
            ),
            (
                #"{"type":"replace","route":{"name":"crudList"}}"#, "navigation", "nav.replace",
                #"{"route":{"name":"crudList"}}"#
            ),
            (#"{"type":"goBack","router":"s"}"#, "navigation", "nav.goBack", #"{"router":"s"}"#),
            (#"{"type":"goBackToRoot"}"#, "navigation", "nav.goBackToRoot", "{}"),
            (#"{"type":"edit","id":"ID"}"#, "editor", "editor.begin", #"{"id":"ID"}"#),
            (#"{"type":"add"}"#, "editor", "editor.begin", "{}"),
        ] {
            let performed = try result(session(), action.replacing("ID", with: Self.id))
            let called = try session().result(method, params.replacing("ID", with: Self.id))
            #expect(performed[member]?.isEqual(to: called) == true, "\(action): \(performed.text)")
            #expect(performed.object?.map(\.name) == ["effects", member])
        }
    }

    @Test func aSharedTextIsThatOfMoodShare() throws {
        for format in ["text", "markdown", "html", "json", "ics"] {
            let session = try session()
            let effect = try result(session, #"{"type":"share","id":"\#(Self.id)","format":"\#(format)"}"#)["effects"]
            let shared = try session.result("mood.share", #"{"id":"\#(Self.id)","format":"\#(format)"}"#)
            #expect(effect?.array?.first?["text"]?.string == shared["text"]?.string)
            #expect(effect?.array?.first?["mediaType"]?.string == shared["mediaType"]?.string)
        }
    }

    // MARK: Playing

    private func playing(_ session: TestSession) throws -> [Int] {
        let cells = try session.result("mood.detail", #"{"id":"\#(Self.id)"}"#)["cells"]?.array ?? []
        return cells.indices.filter { cells[$0]["isPlaying"]?.boolean == true }.compactMap { index in
            let offered = cells[index]["action"]
            #expect(offered?["type"]?.string == "pauseAudio")
            return offered?["attachment"]?.integer
        }
    }

    private static let recordings = #"[{"kind":"audio","path":"/a"},{"kind":"audio","path":"/b"}]"#

    private func play(_ session: TestSession, _ place: Int) throws {
        _ = try result(session, #"{"type":"playAudio","id":"\#(Self.id)","attachment":\#(place)}"#)
    }

    @Test func whatPlaysShowsInTheNextDetail() throws {
        let session = try session(Self.recordings)
        #expect(try playing(session) == [])
        try play(session, 0)
        #expect(try playing(session) == [0])
        try play(session, 1)
        #expect(try playing(session) == [1])
        _ = try result(session, #"{"type":"pauseAudio","id":"\#(Self.id)","attachment":0}"#)
        #expect(try playing(session) == [1])
        _ = try result(session, #"{"type":"pauseAudio","id":"\#(Self.id)","attachment":1}"#)
        #expect(try playing(session) == [])
    }

    @Test func anotherRecordingInItsPlaceDoesNotPlay() throws {
        let session = try session(Self.recordings)
        try play(session, 1)
        let (other, same) = (#"{"kind":"audio","path":"/other"}"#, #"{"kind":"audio","path":"/b"}"#)
        _ = try session.result("mood.update", #"{"id":"\#(Self.id)","set":{"attachments":[\#(other),\#(other)]}}"#)
        #expect(try playing(session) == [])
        // A recording plays on at another place.
        _ = try session.result("mood.update", #"{"id":"\#(Self.id)","set":{"attachments":[\#(same)]}}"#)
        #expect(try playing(session) == [0])
        _ = try session.result("mood.update", #"{"id":"\#(Self.id)","set":{"attachments":\#(Self.recordings)}}"#)
        #expect(try playing(session) == [1])
    }

    @Test(arguments: [
        #"{"type":"playAudio","id":"01890000-0000-7000-8000-000000000001","attachment":9}"#,
        #"{"type":"playAudio","id":"01890000-0000-7000-8000-000000000009","attachment":0}"#,
        #"{"type":"delete","id":"01890000-0000-7000-8000-000000000009"}"#,
    ])
    func whatFailsStopsNothing(action: String) throws {
        let session = try session(Self.recordings)
        try play(session, 0)
        #expect(try perform(session, action)["error"] != nil)
        #expect(try playing(session) == [0])
    }

    /// An action tells the client to stop it. A method does not, so the client plays on, and can stop it.
    @Test(arguments: [
        ("mood.delete", #"{"id":"01890000-0000-7000-8000-000000000001"}"#),
        ("mood.deleteMany", #"{"ids":["01890000-0000-7000-8000-000000000001"]}"#), ("mood.clear", #"{"confirm":true}"#),
        ("action.perform", #"{"action":{"type":"delete","id":"01890000-0000-7000-8000-000000000001"}}"#),
    ])
    func aMoodThatIsDeletedStopsPlaying(method: String, params: String) throws {
        let session = try session(Self.recordings)
        try play(session, 0)
        if method != "action.perform" {
            _ = try session.result(method, params.dropLast() + #","dryRun":true}"#)
            #expect(try playing(session) == [0], "what was only tried stops nothing")
        }
        _ = try session.result(method, params)
        _ = try session.result("store.undo")
        #expect(try playing(session) == (method == "action.perform" ? [] : [0]))
        _ = try session.result(method, params)
        let pause = #"{"action":{"type":"pauseAudio","id":"\#(Self.id)","attachment":0}}"#
        #expect(try session.call("action.perform", pause)["error"] == nil || method == "action.perform")
    }

    // MARK: Refusals

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "java\\nscript:alert(1)",
        "\\u0001javascript:alert(1)", "file:///etc/passwd", "FILE:/etc/passwd", "data:text/html,x", "vbscript:x",
        " https://example.org", "\\thttps://example.org", "https://example.org\\n", "https://exa mple.org", "https:",
        "https://", "https:example.org", "http:/example.org", "https:\\\\\\\\example.org", "//example.org",
        "example.org", "", ":", "mailto:", "tel:", "geo:", "mailto:a b@c.d", "tel:+1\\u007f", "geo:1,2\\u0085",
        "moodboard://menu", "https\\u003a\\u0000//a", "h\\u0074tp\\u003a", "blob:https://a", "ftp://a", "https;//a",
        "\\u200bhttps://a", "\\ufeffhttps://a", "mailto\\u001aa@b.c", "ws://a", "intent://a", "view-source:https://a",
    ])
    func anAddressOfAnotherKindIsRefused(url: String) throws {
        let answer = try perform(TestSession(), #"{"type":"openURL","url":"\#(url)"}"#)
        #expect(answer.path == "/action/url" && answer.kind == "invalidParams", "\(answer.text)")
    }

    @Test(arguments: [
        "https://example.org", "HTTPS://EXAMPLE.ORG/a?b=c#d", "http://a", "mailto:a@b.c?subject=x%20y", "MailTo:a@b.c",
        "geo:60.1,24.9;u=10", "GEO:1,2", "tel:+358-9-123", "Tel:112", "https://ö.example/\\u00e9", "h\\u0074tps://a",
    ])
    func anAddressThatAClientMayOpenIsHandedOn(url: String) throws {
        let answer = try perform(TestSession(), #"{"type":"openURL","url":"\#(url)"}"#)
        let effect = try #require(answer["result"]?["effects"]?.array?.first, "\(answer.text)")
        #expect(effect.isEqual(to: try JSONValue(parsing: #"{"type":"openURL","url":"\#(url)"}"#)))
    }

    @Test(arguments: [
        (#"{}"#, "/action/type"), (#"{"type":"sing"}"#, "/action/type"), (#"{"type":1}"#, "/action/type"),
        (#"[]"#, "/action/type"), (#"[1]"#, "/action"), ("1", "/action"), (#"{"type":"delete"}"#, "/action/id"),
        (#"{"type":"delete","id":"1"}"#, "/action/id"), (#"{"type":"add","id":"1"}"#, "/action/id"),
        (#"{"type":"setFavorite","id":"ID"}"#, "/action/isFavorite"),
        (#"{"type":"setFavorite","id":"ID","isFavorite":1}"#, "/action/isFavorite"),
        (#"{"type":"editNotes","id":"ID"}"#, "/action/notes"),
        (#"{"type":"navigate","route":{"name":"x"}}"#, "/action/route/name"),
        (#"{"type":"navigate","route":{"name":"moodDetail"}}"#, "/action/route/id"),
        (#"{"type":"goBack","router":""}"#, "/action/router"),
        (#"{"type":"share","id":"ID","format":"pdf"}"#, "/action/format"),
        (#"{"type":"shareCoordinates","latitude":91,"longitude":0}"#, "/action/latitude"),
        (#"{"type":"showMap","latitude":1}"#, "/action/longitude"),
        (#"{"type":"showImage","path":"a.png"}"#, "/action/path"), (#"{"type":"showImage"}"#, "/action/path"),
        (#"{"type":"showImage","path":"/a","url":"https://a"}"#, "/action/url"),
        (#"{"type":"showImage","url":"file:///a"}"#, "/action/url"),
        (#"{"type":"showImage","path":"/a","aspectRatio":0}"#, "/action/aspectRatio"),
        (#"{"type":"openEmail","address":"a"}"#, "/action/address"),
        (#"{"type":"openEmail","address":"a@b\n"}"#, "/action/address"),
        (#"{"type":"exportEvent","id":"ID","attachment":-1}"#, "/action/attachment"),
        (#"{"type":"exportEvent","id":"ID","attachment":1e300}"#, "/action/attachment"),
        (#"{"type":"playAudio","id":"ID","attachment":0}"#, "/action/attachment"),
        (#"{"type":"pauseAudio","id":"ID"}"#, "/action/attachment"),
        (#"{"type":"showEvents","hostName":""}"#, "/action/hostName"),
        (#"{"type":"toggleFavorite","id":"ID","opId":"a"}"#, "/action/opId"),
    ])
    func whatIsNoActionIsRefusedWithItsPlace(action: String, path: String) throws {
        let answer = try perform(session(), action.replacing("ID", with: Self.id))
        #expect(answer.kind == "invalidParams" && answer.path == path, "\(answer.text)")
    }

    @Test(arguments: ["opId", "dryRun", "ifRevision"])
    func whatBelongsToMethodsIsNoPartOfIt(name: String) throws {
        let answer = try TestSession().call("action.perform", #"{"action":{"type":"add"},"\#(name)":1}"#)
        #expect(answer.path == "/\(name)", "\(answer.text)")
    }
}
