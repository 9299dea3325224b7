import Testing

@testable import MoodClient

private let a = "0194f2a1-0000-7000-8000-000000000001"
private let b = "0194f2a1-0000-7000-8000-0000000000f2"
private let c = "0194f2a1-1000-7000-8000-000000000003"
private let d = "7da60963-166e-4e03-b457-84483f34ec0e"

/// Answers `mood.list` with these ids, two a page, and `mood.get` with the mood that was asked for.
private func journal(_ ids: [String]) -> Outside {
    Outside { method, params in
        switch method {
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
    @Test func shortensToAUniqueBeginning() {
        let directory = IDDirectory([d, c, b, a])
        #expect(directory.shortened(d) == "7da60963")
        #expect(directory.shortened(c) == "0194f2a1-1")
        #expect(directory.shortened(a) == "0194f2a1-0000-7000-8000-00000000000")
        #expect(directory.shortened(b).count == 35)
        #expect(IDDirectory([]).shortened(a) == "0194f2a1")
        #expect(IDDirectory(["0194f2a", "0194f2a1"]).shortened("0194f2a1") == "0194f2a1")
        for id in [a, b, c, d] {
            #expect(directory.matches(directory.shortened(id)) == [id])
            #expect(directory.shortened(id).utf8.last != UInt8(ascii: "-"))
        }
    }

    @Test func shortenedIDsOfManyAreUniqueAndLeadBack() {
        var state: UInt64 = 42
        let ids = (0..<2_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let digits = String(state >> 40, radix: 16)
            return "0194f2a1-" + String(repeating: "0", count: 8 - digits.count) + digits
        }
        let directory = IDDirectory(Array(Set(ids)))
        for id in Set(ids) { #expect(directory.matches(directory.shortened(id)) == [id], "seed 42") }
    }

    @Test func everyMatchIsFound() {
        let directory = IDDirectory([d, c, b, a])
        #expect(directory.matches("0194f2a1") == [a, b, c])
        #expect(directory.matches("7") == [d])
        #expect(directory.matches("8").isEmpty)
        #expect(directory.matches("ffffffff").isEmpty)
    }

    @Test func aWholeIDNeedsNoSearch() {
        let outside = journal([a])
        #expect(outside.run("show", a.uppercased()) == .success)
        #expect(outside.sent == [.init(method: "mood.get", params: "{\"id\":\"\(a)\"}")])
    }

    @Test func aBeginningIsLookedUpOverAllPages() {
        let outside = journal([d, c, b, a])
        #expect(outside.run("show", "0194F2A1-0000-7000-8000-00000000000") == .success)
        #expect(outside.sent.map(\.method) == ["mood.list", "mood.list", "mood.get"])
        #expect(outside.sent.last?.params == "{\"id\":\"\(a)\"}")
    }

    @Test func anAmbiguousBeginningNamesTheIDs() {
        let outside = journal([d, c, b, a])
        #expect(outside.run("show", "0194f2a1") == .badData)
        #expect(outside.error.contains("begins the ids of 3 moods"))
        for id in [a, b, c] { #expect(outside.error.contains(id)) }
        #expect(!outside.error.contains(d))
        #expect(outside.output.isEmpty)
    }

    @Test(arguments: ["ffff", "xyz", "Happy", "7da60963x"])
    func anUnknownBeginningIsNotFound(_ word: String) {
        let outside = journal([d, a])
        #expect(outside.run("show", word) == .notFound)
        #expect(outside.error.contains("'\(word)'"))
        #expect(outside.error.contains("'mood list'"))

        let program = journal([d, a])
        #expect(program.run("show", word, "--json") == .notFound)
        #expect(program.error.contains("\"kind\":\"notFound\"") && program.error.contains("\"id\":\"\(word)\""))
    }

    @Test func lastIsTheNewestByTimestamp() {
        let outside = journal([d, a])
        #expect(outside.run("show", "@last") == .success)
        #expect(outside.sent.first?.params == #"{"limit":1,"sort":"timestamp","order":"desc"}"#)
        #expect(outside.sent.last?.params == "{\"id\":\"\(d)\"}")
    }

    @Test func lastOfAnEmptyJournalIsNotFound() {
        let outside = journal([])
        #expect(outside.run("show", "@last") == .notFound)
    }

    @Test func anEmptyIDIsUsage() {
        #expect(journal([a]).run("show", "") == .usage)
    }

    @Test func aCursorThatLeadsNowhereIsNotFollowedForEver() {
        let outside = Outside(["mood.list": Canned.page([Canned.mood(a)], next: "same")])
        #expect(outside.run("show", "0194") == .hostUnavailable)
    }

    @Test func whatWasDoneIsToldEvenIfTheHostDiesThen() {
        let outside = Outside { (method, _) throws(ClientError) in
            guard method == "mood.create" else { throw .unavailable("Gone.", advice: nil) }
            return .result(Array(Canned.mood(a).utf8))
        }
        #expect(outside.run("add", "😊", "Happy") == .success)
        #expect(outside.output == "Added 😊 Happy (\(a))\n")
    }

    @Test func inALargeJournalTheListAsksOnlyOnce() {
        let outside = Outside(["mood.list": Canned.page([Canned.mood(a), Canned.mood(d)], total: 20_001, next: "more")])
        #expect(outside.run("list") == .success)
        #expect(outside.sent.count == 2)
        #expect(outside.output.contains(a) && outside.output.contains(d))
    }

    @Test func inALargeJournalIDsAreShownWhole() {
        let outside = Outside([
            "mood.create": Canned.mood(a), "mood.list": Canned.page([Canned.mood(a)], total: 20_001, next: "more"),
        ])
        #expect(outside.run("add", "😊", "Happy") == .success)
        #expect(outside.output == "Added 😊 Happy (\(a))\n")
        #expect(outside.sent.count == 2)
    }
}
