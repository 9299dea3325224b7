import Testing

@testable import MoodClient

/// Cases of daily use.
@Suite struct DailyUseTests {
    @Test func timesAreToldByTheZoneThatWasChosen() {
        let outside = Outside(["settings.get": #"{"timeZone":"Asia/Tokyo"}"#, "mood.get": Canned.mood()])
        #expect(outside.run("show", Canned.id) == .success)
        #expect(outside.output.contains("2026-01-02 14:04 JST"))
        let unset = Outside(["settings.get": "{}", "mood.get": Canned.mood()])
        #expect(unset.run("show", Canned.id) == .success)
        #expect(unset.output.contains("2026-01-02 06:04 CET"))
    }

    @Test func theDaysOfAListAreThoseOfTheZoneThatIsNamed() {
        let page = Canned.page([Canned.mood()], total: 1, next: nil)
        let outside = Outside(["mood.list": page])
        #expect(outside.run("list", "--time-zone", "Asia/Tokyo") == .success)
        #expect(outside.started.first?.more == ["--time-zone", "Asia/Tokyo"])
        #expect(Outside(["mood.list": page]).run("list", "--time-zone", "Nope/Zone") == .usage)
    }

    @Test func tagsWithAccentsAreTagsOfTheirOwn() {
        let outside = Outside(["mood.create": Canned.mood()])
        #expect(outside.run("add", "😊", "Happy", "-t", "é,E,e") == .success)
        #expect(outside.sent.first?.params.contains(#""tags":["é","E"]"#) == true)
    }

    @Test func aSpanThatEndsBeforeItBeginsIsSaidInOptions() {
        let outside = Outside { method, params in
            let day = params.contains("2024-02") ? "2024-02-01" : "2024-01-01"
            return .result(
                Array(
                    #"{"start":"x","end":"y","isSpan":true,"dayFrom":"\#(day)","dayTo":"\#(day)"}"#.utf8))
        }
        #expect(outside.run("list", "--from", "2024-02-01", "--to", "2024-01-01") == .usage)
        #expect(outside.error.contains("--to must not be before --from"))
    }

    @Test func favouriteIsSpelledInBothWays() {
        let outside = Outside(["mood.list": Canned.page([Canned.mood()], total: 1, next: nil)])
        #expect(outside.run("list", "--favourite") == .success)
        #expect(outside.sent.first?.params.contains(#""isFavorite":true"#) == true)
    }
}
