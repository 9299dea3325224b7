import JSONCodec
import Testing

@testable import MoodClient

private let a = "0194f2a1-0000-7000-8000-000000000001"
private let b = "0194f2a1-0000-7000-8000-0000000000f2"
private let c = "0194f2a1-1000-7000-8000-a00000000001"
private let d = "7da60963-166e-4e03-b457-84483f34ec0e"

/// Answers `mood.list` with these ids, two a page, `mood.resolve` by their ends, and `mood.get` with the requested id.
private func journal(_ ids: [String]) -> Outside {
    Outside { method, params in
        switch method {
        case "mood.deleteMany": return .result(Array(#"{"deleted":3}"#.utf8))
        case "store.info": return .result(Array(#"{"path":"/s","revision":3}"#.utf8))
        case "mood.resolve":
            let texts = (try? JSONValue(parsing: params))?["texts"]?.array?.compactMap(\.string) ?? []
            let items = texts.map { text in
                let found = ids.filter { $0.hasSuffix(text) }.map { "\"\($0)\"" }
                return "{\"text\":\"\(text)\",\"ids\":[\(found.joined(separator: ","))]}"
            }
            return .result(Array("{\"items\":[\(items.joined(separator: ","))]}".utf8))
        case "mood.list":
            let limit = params.contains("\"limit\":1,") || params.contains("\"limit\":1}") ? 1 : 2
            let start = ids.indices.first { params.contains("\"cursor\":\"at\($0)\"") } ?? 0
            let end = min(start + limit, ids.count)
            let next = end < ids.count ? "at\(end)" : nil
            return .result(
                Array(Canned.page(ids[start..<end].map { Canned.mood($0) }, total: ids.count, next: next).utf8))
        default:
            let id = ids.first { params.contains($0) } ?? ""
            return .result(Array(Canned.mood(id).utf8))
        }
    }
}

@Suite struct IDTests {
    @Test func aWholeIDNeedsNoSearch() {
        let outside = journal([a])
        #expect(outside.run("show", a.uppercased()) == .success)
        #expect(outside.sent == [.init(method: "mood.get", params: "{\"id\":\"\(a)\"}")])
    }

    @Test func theEndOfAnIDIsEnough() {
        for end in ["34ec0e", "483F34EC0E", "b457-84483f34ec0e", String(d.dropFirst())] {
            let outside = journal([d, c, b, a])
            #expect(outside.run("show", end) == .success)
            #expect(outside.sent.map(\.method) == ["mood.resolve", "mood.get"])
            #expect(outside.sent.last?.params == "{\"id\":\"\(d)\"}")
        }
    }

    @Test func anAmbiguousEndNamesTheMoods() {
        let outside = journal([d, c, b, a])
        #expect(outside.run("show", "00000001") == .badData)
        #expect(outside.error.contains("several moods end in '00000001'"))
        for id in [a, c] { #expect(outside.error.contains("😊 Happy of 2026-01-02 06:04  \(id)")) }
        #expect(!outside.error.contains(d) && outside.output.isEmpty)
    }

    @Test(arguments: ["ffffff", "xyz", "Happy", "7da60963x", "34ec0", "0194f2a1"])
    func anUnknownEndIsNotFound(_ word: String) {
        let outside = journal([d, a])
        #expect(outside.run("show", word) == .notFound)
        #expect(outside.error.contains("'\(word)'"))
        #expect(outside.error.contains("'mood list'"))

        let program = journal([d, a])
        #expect(program.run("show", word, "--json") == .notFound)
        #expect(program.error.contains("\"kind\":\"notFound\"") && program.error.contains("\"id\":\"\(word)\""))
    }

    @Test func severalAreLookedUpTogetherAndOnce() {
        let outside = journal([d, c, b, a])
        #expect(outside.run("rm", "--yes", "34ec0e", a, "0000f2", "34ec0e") == .success)
        #expect(outside.sent.map(\.method) == ["mood.resolve", "mood.deleteMany"])
        #expect(outside.sent[0].params == #"{"texts":["34ec0e","0000f2","34ec0e"]}"#)
        #expect(outside.sent[1].params == #"{"ids":["\#(d)","\#(a)","\#(b)"]}"#)
    }

    @Test func lastIsTheLatestThatIsNotToCome() {
        let outside = journal([d, a])
        #expect(outside.run("show", "@last") == .success)
        #expect(
            outside.sent.first?.params
                == #"{"limit":1,"sort":"timestamp","order":"desc","filter":{"to":"2026-01-02T12:00:01.250Z"}}"#)
        #expect(outside.sent.last?.params == "{\"id\":\"\(d)\"}")
    }

    @Test func lastOfAnEmptyJournalIsNotFound() {
        #expect(journal([]).run("show", "@last") == .notFound)
    }

    @Test func anEmptyIDIsUsage() {
        #expect(journal([a]).run("show", "") == .usage)
        #expect(journal([a]).run("show") == .usage)
    }

    @Test func aCursorThatLeadsNowhereIsNotFollowedForEver() {
        let outside = Outside(["mood.list": Canned.page([Canned.mood(a)], next: "same")])
        #expect(outside.run("rm", "--tag", "x") == .hostUnavailable)
    }

    @Test func whatWasDoneIsToldEvenIfTheHostDiesThen() {
        let outside = Outside { (method, _) throws(ClientError) in
            guard method == "mood.create" else { throw .unavailable("Gone.", advice: nil) }
            return .result(Array(Canned.mood(a).utf8))
        }
        #expect(outside.run("add", "😊", "Happy") == .success)
        #expect(outside.output == "Added 😊 Happy (00000001)\n")
    }
}

@Suite struct HandleTests {
    /// A list of all four on a terminal.
    private func listed() -> Outside {
        let outside = journal([d, c, b, a])
        outside.environment = ["HOME": "/home/ada", "TERM": "dumb"]
        outside.isOutputTerminal = true
        #expect(outside.run("list", "--all") == .success)
        return outside
    }

    @Test func rowsOfAListAreNumberedAndKept() {
        let outside = listed()
        #expect(outside.output.contains("\n@4  00000001"))
        let path = outside.files.keys.first ?? ""
        #expect(path.hasPrefix("/home/ada/.local/state/moodboard/handles/") && path.hasSuffix("-1-1.json"))
        #expect(outside.run("rm", "-y", "@2-3", "@1") == .success)
        #expect(outside.sent.last?.params == #"{"ids":["\#(c)","\#(b)","\#(d)"]}"#)
    }

    @Test func theyAreThoseOfOneTerminalOneStoreAndOneDay() {
        let outside = listed()
        outside.session = "2-9"
        #expect(outside.run("show", "@1") == .notFound)
        outside.session = "1-1"
        #expect(outside.run("show", "@5") == .notFound)
        outside.now += ListReferences.listedSecondsMax + 1
        #expect(outside.run("show", "@1") == .notFound)
        #expect(outside.error.contains("more than a day ago"))
        let before = outside.host
        outside.now -= 100
        #expect(outside.run("show", "@1") == .success)
        outside.host = { (method, params) throws(ClientError) in
            method == "store.info" ? .result(Array(#"{"path":"/other"}"#.utf8)) : try before(method, params)
        }
        #expect(outside.run("show", "@1") == .notFound)
    }

    @Test(arguments: ["@", "@0", "@x", "@3-1", "@1-", "@-1", "@1-2-3", "@99999999999999999999"])
    func whatIsNoHandleIsUsage(_ word: String) {
        #expect(listed().run("show", word) == .usage)
    }

    @Test func aListForAProgramKeepsNoRows() {
        let outside = journal([d])
        outside.environment = ["XDG_STATE_HOME": "/state"]
        #expect(outside.run("list") == .success)
        #expect(outside.files.isEmpty)
    }

    /// A mood of yesterday does not become `@last`, but it is `@added`.
    @Test func addedIsTheOneAddedLastWhereverItsTimeIs() {
        let outside = journal([a, d])
        let before = outside.host
        outside.environment = ["XDG_STATE_HOME": "/state"]
        outside.host = { (method, params) throws(ClientError) in
            method == "mood.create" ? .result(Array(Canned.mood(d).utf8)) : try before(method, params)
        }
        #expect(outside.run("note", "@added", "x") == .notFound)
        #expect(outside.run("add", "😊", "Happy", "--at", "2026-01-01T00:00:00Z") == .success)
        #expect(outside.run("note", "@added", "x") == .success)
        #expect(outside.sent.last?.params == #"{"id":"\#(d)","notes":"x"}"#)
        // Another window uses it too, until it has its own.
        outside.session = "7-7"
        #expect(outside.run("note", "@added", "y") == .success)
        #expect(outside.sent.last?.params == #"{"id":"\#(d)","notes":"y"}"#)
    }

    @Test func anythingMayStandInTheFile() {
        for text in ["", "{", #"{"store":"/s","listed":{"at":"x","ids":3}}"#, #"{"store":"/s","listed":[]}"#] {
            let outside = listed()
            for path in outside.files.keys { outside.files[path] = Array(text.utf8) }
            #expect(outside.run("show", "@1") == .notFound, "\(text)")
        }
    }
}
