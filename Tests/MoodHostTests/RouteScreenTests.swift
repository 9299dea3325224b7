import JSONCodec
import MoodCore
import MoodProtocol
import Platform
import Testing
import Versions

@testable import MoodHost

/// `nav.screen`: every route, in every relevant state, fits its schema and offers actions that can be performed.
@Suite struct RouteScreenTests {
    private static let routes = ["menu", "introState", "observation", "architecture", "crudList"]
    private static let locales = ["en_US", "de_DE", "es_MX", "fi_FI", "fr_FR", "ja_JP", "ar_EG"]

    /// The state of a session before its screens are checked.
    enum Situation: String, CaseIterable, CustomTestStringConvertible {
        case empty, moods, newForm, rightForm, editing

        var testDescription: String { rawValue }

        func prepare(_ session: TestSession) throws {
            if self == .empty { return }
            for number in 1...3 {
                _ = try session.result(
                    "mood.create",
                    #"{"id":"\#(testID(number))","emoji":"🐝","label":"Mood \#(number)","isFavorite":\#(number == 2),"timeZone":"Europe/Helsinki"}"#
                )
            }
            if self == .newForm || self == .rightForm { _ = try session.result("editor.begin") }
            if self == .rightForm { _ = try session.result("editor.set", #"{"label":"A","tags":["b"]}"#) }
            if self == .editing { _ = try session.result("editor.begin", #"{"id":"\#(testID(1))"}"#) }
        }
    }

    private static func screen(_ session: TestSession, _ route: String, _ more: String = "") throws -> JSONValue {
        try session.result("nav.screen", #"{"route":{"name":"\#(route)"}\#(more)}"#)
    }

    /// Every action anywhere in a value.
    private static func actions(_ value: JSONValue) -> [JSONValue] {
        (value.object ?? []).flatMap { member in
            (member.name == "action" ? [member.value] : []) + actions(member.value)
        } + (value.array ?? []).flatMap(actions)
    }

    @Test(arguments: Situation.allCases)
    func everyScreenIsAsItsDeclarationSays(situation: Situation) throws {
        let document = OpenRPC.document(of: MethodTable().all, version: Version.program)
        let method = try #require(document["methods"]?.array?.first { $0["name"]?.string == "nav.screen" })
        let schema = try #require(method["result"]?["schema"])
        let session = TestSession()
        try situation.prepare(session)
        for route in Self.routes {
            for locale in Self.locales {
                let screen = try Self.screen(session, route, #","locale":"\#(locale)""#)
                let problems = SchemaChecker(root: document).problems(of: screen, by: schema)
                #expect(problems.isEmpty, "\(route) \(locale): \(problems)")
                let ids = screen["cells"]?.array?.compactMap { $0["id"]?.string } ?? []
                #expect(Set(ids).count == ids.count, "ids are unique")
                let again = try Self.screen(session, route, #","locale":"en""#)
                #expect(again["cells"]?.array?.compactMap { $0["id"]?.string } == ids, "and the same from call to call")
                for cell in screen["cells"]?.array ?? [] {
                    #expect(cell["accessibility"]?["label"]?.string?.isEmpty == false, "\(cell.text)")
                }
            }
        }
    }

    /// All of them, unchanged, in a session in the state of the screen.
    @Test(arguments: Situation.allCases)
    func everyOfferCanBePerformed(situation: Situation) throws {
        for route in Self.routes {
            let session = TestSession()
            try situation.prepare(session)
            let offered = Self.actions(try Self.screen(session, route, #","router":"side""#))
            #expect(!offered.isEmpty, "\(route)")
            for action in offered {
                let fresh = TestSession()
                try situation.prepare(fresh)
                let answer = try fresh.call("action.perform", #"{"action":\#(action.text)}"#)
                #expect(answer.outcome == "ok", "\(route): \(action.text): \(answer.text)")
                if let navigation = answer["result"]?["navigation"] {
                    #expect(navigation["router"]?.string == "side", "\(action.text)")
                }
            }
        }
    }

    @Test func whatIsOfferedIsWhatTheSituationAllows() throws {
        func offers(_ situation: Situation, _ route: String) throws -> [String] {
            let session = TestSession()
            try situation.prepare(session)
            return try Self.screen(session, route)["actions"]?.array?.compactMap { $0["action"]?["type"]?.string } ?? []
        }
        #expect(try offers(.empty, "architecture") == ["add", "insertSamples"])
        #expect(try offers(.moods, "architecture") == ["add", "clear"])
        #expect(try offers(.newForm, "architecture") == ["cancel", "clear"])
        #expect(try offers(.rightForm, "introState") == ["submit", "cancel"])
        #expect(try offers(.editing, "introState") == ["submit", "cancel"])
        #expect(try offers(.empty, "crudList") == ["add", "insertSamples"])
        #expect(try offers(.moods, "crudList") == ["add"])
        #expect(try offers(.empty, "observation") == ["subscribe", "add", "insertSamples"])
        #expect(try offers(.moods, "menu") == [])
    }

    @Test func aDetailIsThatOfMoodDetail() throws {
        let session = TestSession()
        try Situation.moods.prepare(session)
        let id = testID(2)
        let detail = try session.result("mood.detail", #"{"id":"\#(id)","locale":"fi_FI"}"#)
        let screen = try session.result(
            "nav.screen", #"{"route":{"name":"moodDetail","id":"\#(id)"},"locale":"fi_FI"}"#)
        for member in ["title", "cells", "toolbar", "actions"] { #expect(screen[member]?.text == detail[member]?.text) }
        #expect(screen["footer"]?.text == "[]" && screen["mood"] == nil)
    }

    /// A router no longer shows a deleted mood, whichever process deleted it; a request for it gets an error.
    @Test func aMoodThatIsGoneIsNotShown() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        try Situation.moods.prepare(session)
        _ = try session.result("nav.open", #"{"url":"moodboard://mood/\#(testID(1))"}"#)
        _ = try TestSession(directory).result("mood.delete", #"{"id":"\#(testID(1))"}"#)
        #expect(try session.result("nav.screen")["route"]?["name"]?.string == "menu")
        let asked = #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#
        #expect(try session.call("nav.screen", asked).outcome == "notFound")
    }

    @Test func aLongListEndsWithHowManyFollow() throws {
        let session = TestSession()
        for number in 1...53 {
            session.now += 1000
            _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"🐝","label":"\#(number)"}"#)
        }
        for route in ["observation", "architecture", "crudList"] {
            let cells = try Self.screen(session, route)["cells"]?.array ?? []
            let rows = cells.filter { $0["type"]?.string == "moodRow" }
            #expect(rows.compactMap { $0["title"]?.string } == (4...53).reversed().map { "\($0)" })
            #expect(cells.last?["type"]?.string == "more" && cells.last?["count"]?.integer == 3)
            #expect(cells.last?["text"]?.string == "3 moods more")
        }
    }

    @Test func whatNeedsNoStoreIsShownWithoutOne() throws {
        let directory = TestDirectory()
        try FileSystem.system.makeDirectory(directory.path)
        directory.write("backup-1.json", "{}")
        let session = TestSession(directory)
        #expect(try Self.screen(session, "menu")["title"]?.string == "MoodBoard")
        #expect(try Self.screen(session, "introState")["title"]?.string == "Intro State")
        #expect(try session.call("nav.screen", #"{"route":{"name":"crudList"}}"#).outcome == "storeUnavailable")
    }

    /// The zone of a row is the call's, else the mood's, else the host's.
    @Test func aRowIsToldInTheZoneOfItsMood() throws {
        let session = TestSession()
        let mood = #""emoji":"🐝","label":"A","timestamp":"2026-01-14T09:00:00Z""#
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))",\#(mood),"timeZone":"Asia/Tokyo"}"#)
        _ = try session.result("mood.create", #"{"id":"\#(testID(2))",\#(mood),"timeZone":"Pacific/Honolulu"}"#)
        func texts(_ more: String) throws -> [String?] {
            try Self.screen(session, "crudList", #","now":"2026-01-15T12:00:00Z"\#(more)"#)["cells"]?.array?
                .map { $0["text"]?.string } ?? []
        }
        let own = try texts("")
        #expect(own.count == 2 && own[0] != own[1], "\(own)")
        let asked = try texts(#","timeZone":"UTC""#)
        #expect(asked[0] == asked[1], "\(asked)")
    }

    /// An empty list gives a reason, in the requested language.
    @Test func anEmptyListSpeaksTheLanguage() throws {
        let session = TestSession()
        func empty(_ params: String) throws -> [String?] {
            let empty = try session.result("mood.list", params)["empty"]
            return [empty?["title"]?.string, empty?["hint"]?.string]
        }
        #expect(
            try empty(#"{"locale":"de_DE"}"#) == [
                "Noch keine Stimmungen", "Erfasse die erste oder füge Beispiele hinzu.",
            ])
        #expect(try empty(#"{"locale":"ja_JP"}"#) == empty("{}"))
        _ = try session.result("store.insertSamples")
        let filter = #""filter":{"label":"none"}"#
        #expect(try empty("{\(filter)}")[0] == "No matching moods")
        for (locale, end) in [
            ("fi_FI", "niin näkyvissä on 5 mielialaa."), ("de_DE", "um 5 Stimmungen zu sehen."),
            ("es_ES", "para ver 5 estados de ánimo."), ("fr_FR", "pour voir 5 humeurs."),
        ] {
            #expect(try empty("{\(filter),\"locale\":\"\(locale)\"}")[1]?.hasSuffix(end) == true)
        }
        #expect(try empty(#"{"locale":"fi_FI"}"#) == [nil, nil])
    }
}
