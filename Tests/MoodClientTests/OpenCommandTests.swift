import Testing

@testable import MoodClient

@Suite struct OpenCommandTests {
    private static let id = "0194f2a1-0000-7000-8000-000000000001"
    private static let navigation =
        #"{"router":"main","path":[],"current":{"name":"menu"},"canGoBack":false,"depth":0}"#

    private static func outside(_ screen: String) -> Outside {
        Outside([
            "nav.open": navigation, "nav.screen": screen,
            "mood.list": Canned.page([Canned.mood()], total: 1),
        ])
    }

    private static func screen(_ cells: String, _ more: String = #""actions":[],"footer":[]"#) -> String {
        #"{"route":{"name":"menu"},"title":"Title","cells":[\#(cells)],"toolbar":[],\#(more)}"#
    }

    private static func output(_ cells: String, _ more: String = #""actions":[],"footer":[]"#) -> String {
        let outside = outside(screen(cells, more))
        #expect(outside.run("open", "moodboard://moods") == .success)
        #expect(outside.error.isEmpty)
        return outside.output
    }

    @Test func theAddressIsOpenedAndItsScreenShown() {
        let outside = Self.outside(Self.screen(#"{"id":"a","type":"text","text":"Hello","style":"body"}"#))
        #expect(
            outside.run(
                "open", "moodboard://moods", "--locale", "fi_FI", "--time-zone", "UTC", "--now", "2026-01-02T03:04:05Z")
                == .success)
        #expect(outside.output == "Title\nHello\n")
        #expect(
            outside.sent == [
                .init(method: "nav.open", params: #"{"url":"moodboard://moods"}"#),
                .init(
                    method: "nav.screen",
                    params: #"{"locale":"fi_FI","timeZone":"UTC","now":"2026-01-02T03:04:05Z"}"#),
            ])
    }

    @Test func programsGetTheScreenAsItCame() {
        let screen = Self.screen(#"{"id":"a","type":"new","text":"x"}"#)
        let outside = Self.outside(screen)
        #expect(outside.run("open", "moodboard://moods", "--json") == .success)
        #expect(outside.output == screen + "\n")
    }

    @Test func aMoodIsShownCloseUp() {
        let cells = #"""
            {"id":"hero","type":"hero","emoji":"😊"},{"id":"label","type":"text","text":"Title","style":"largeTitle"},
            {"id":"relativeTime","type":"relativeTime","text":"2 hours ago","timestamp":"2026-01-02T03:04:05.678Z"},
            {"id":"recorded","type":"info","icon":"clock","title":"Recorded","value":"January 2","color":"red"},
            {"id":"favorite","type":"info","icon":"heart","title":"Favorite","value":"Yes","color":"red"},
            {"id":"notes","type":"notes","text":"one\ntwo","isPlaceholder":false},
            {"id":"attachment-0","type":"link","url":"https://a.example","title":"A"},
            {"id":"attachment-1","type":"schedule","title":"Tea","text":"Monday\nTuesday"},
            {"id":"attachment-2","type":"relationship","title":"😢 Sad","relation":"after","moodId":"x"},
            {"id":"hint","type":"hint","text":"Do it."}
            """#
        let outside = Self.outside(
            #"{"title":"Title","cells":[\#(cells)],"toolbar":[{"type":"favoriteButton","isFavorite":true}],"actions":[{"label":"Share"},{"label":"Edit"}],"footer":[]}"#
        )
        #expect(outside.run("open", "moodboard://mood/\(Self.id)") == .success)
        #expect(
            outside.output == """
                😊 Title ★
                2 hours ago

                  Recorded  January 2
                  Favorite  Yes

                  one
                  two

                  link   https://a.example (A)
                  Tea    Monday
                         Tuesday
                  after  😢 Sad

                Do it.

                [Share] [Edit]

                """)
    }

    @Test func aListIsATableWithWhatToDo() {
        let row = #"""
            {"id":"mood-1","type":"moodRow","moodId":"\#(Canned.id)","emoji":"😊","title":"Happy","text":"now","isFavorite":true}
            """#
        let text = Self.output(
            row + #",{"id":"more","type":"more","count":7,"text":"7 moods more"}"#,
            #""actions":[{"label":"New mood"}],"footer":["Tap it."]"#)
        #expect(
            text == """
                Title

                ID        ★  MOOD      WHEN
                00000001  ★  😊 Happy  now
                7 moods more

                [New mood]

                Tap it.

                """)
    }

    @Test func theMenuAndTheFormAreShown() {
        let menu = Self.output(
            #"""
            {"id":"s","type":"section","title":"Basics","footer":"Below"},
            {"id":"i","type":"menuItem","number":"01","title":"One","description":"About"}
            """#)
        #expect(menu == "Title\n\nBasics\nBelow\nNUMBER  SCREEN  ABOUT\n01      One     About\n")
        let form = Self.output(
            #"""
            {"id":"c1","type":"choice","text":"😊","isSelected":true},{"id":"c2","type":"choice","text":"😢","isSelected":false},
            {"id":"f1","type":"field","name":"label","title":"Label","text":"","problem":"Too short."},
            {"id":"f2","type":"field","name":"tags","title":"Tags","text":"a, b"}
            """#)
        #expect(form == "Title\n  [😊] 😢\n\n  Label  (Too short.)\n  Tags   a, b\n")
        let empty = Self.output(#"{"id":"e","type":"empty","title":"None","text":"Add one."}"#)
        #expect(empty == "Title\n\nNone\nAdd one.\n")
        #expect(Self.output(#"{"id":"e","type":"error","kind":"notFound","text":"Gone."}"#) == "Title\nGone.\n")
    }

    /// Later versions may have more types, whose common members are shown.
    @Test func aCellOfALaterVersionIsShownAsFarAsItCan() {
        #expect(Self.output(#"{"id":"n","type":"chart","title":"Week","text":"up"}"#) == "Title\nWeek: up\n")
        #expect(Self.output(#"{"id":"n","type":"chart","values":[1]}"#) == "Title\n")
    }

    @Test func whatWouldSteerATerminalIsEscaped() {
        let text = Self.output(
            #"""
            {"id":"a","type":"text","text":"a\u001b[2J"},{"id":"b","type":"info","title":"t\u0007","value":"v\u202e"},
            {"id":"c","type":"moodRow","moodId":"\u001b","emoji":"\u001b","title":"\u001b","text":"\u001b"}
            """#, #""actions":[{"label":"\u001b"}],"footer":["\u001b"]"#)
        #expect(!text.unicodeScalars.contains { Escaping.isControl($0) && $0 != "\n" }, "\(text)")
    }

    @Test func whatTheHostRefusesIsSaidAndHasItsExitCode() {
        for (code, exit) in [(-32602, ExitCode.badData), (1001, .notFound), (1003, .failure)] {
            let outside = Outside { _, _ in
                .failure(RemoteError(json: Array(#"{"code":\#(code),"message":"No."}"#.utf8)))
            }
            #expect(outside.run("open", "moodboard://x") == exit)
            #expect(outside.output.isEmpty && outside.error.contains("No."))
            #expect(outside.sent.count == 1, "nothing is shown then")
        }
        #expect(Outside().run("open") == .usage)
        #expect(Outside().run("open", "a", "b") == .usage)
        let odd = Outside(["nav.open": Self.navigation, "nav.screen": "[]"])
        #expect(odd.run("open", "moodboard://menu") == .hostUnavailable)
    }
}
