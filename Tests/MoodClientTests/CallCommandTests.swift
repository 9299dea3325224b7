import Testing

@testable import MoodClient

@Suite struct NavigateCommandTests {
    private let state = #"{"router":"main","path":[{"name":"crudList"},{"name":"moodDetail","id":"x"}],"depth":2}"#

    @Test(arguments: [
        (["nav"], "nav.state", ""), (["nav", "state"], "nav.state", ""), (["nav", "back"], "nav.goBack", ""),
        (["nav", "root"], "nav.goBackToRoot", ""),
        (["nav", "go", "menu"], "nav.navigate", #"{"route":{"name":"menu"}}"#),
        (
            ["nav", "go", "moodDetail", Canned.id], "nav.navigate",
            #"{"route":{"name":"moodDetail","id":"\#(Canned.id)"}}"#
        ),
        (["nav", "open", "moodboard://menu"], "nav.open", #"{"url":"moodboard://menu"}"#),
    ])
    func stepsShowTheStateAndSayWhoseItIs(_ arguments: [String], _ method: String, _ params: String) {
        let outside = Outside([method: state])
        #expect(outside.run(arguments) == .success)
        #expect(outside.sent == [.init(method: method, params: params)])
        #expect(outside.output == "menu › crudList › moodDetail x\n")
        #expect(outside.error.contains("its own session"))

        let program = Outside([method: state])
        #expect(program.run(arguments + ["--json"]) == .success)
        #expect(program.output == state + "\n")
        #expect(program.error.isEmpty)
    }

    @Test func urlsAndTheMenuNeedNoSession() {
        let url = Outside(["nav.url": #"{"url":"moodboard://moods"}"#])
        #expect(url.run("nav", "url", "crudList") == .success)
        #expect(url.output == "moodboard://moods\n")
        #expect(url.error.isEmpty)

        let menu = Outside([
            "nav.menu":
                #"{"sections":[{"title":"Basics","footer":"F","items":[{"number":"01","title":"Intro","description":"D","#
                + #""icon":"hand.tap","color":"blue","route":{"name":"introState"}}]},{"title":"Rest","items":[]}]}"#
        ])
        #expect(menu.run("nav", "menu") == .success)
        #expect(
            menu.output == "Basics\nNUMBER  SCREEN  ROUTE       ABOUT\n01      Intro   introState  D\nF\n\nRest\n\n")
    }

    @Test func aSlipIsNoticed() {
        let outside = Outside()
        #expect(outside.run("nav", "opne", "x") == .usage)
        #expect(outside.error.contains("Did you mean 'open'?"))
    }
}

@Suite struct CallCommandTests {
    @Test func anyMethodIsSentAndItsResultPrinted() {
        let outside = Outside { _, _ in .result(Array(#"{"a" : 1.50}"#.utf8)) }
        #expect(outside.run("rpc", "x.y", "[1,\n 2.0,\r\n\"a\\n\"]") == .success)
        #expect(outside.sent == [.init(method: "x.y", params: #"[1,  2.0,  "a\n"]"#)])
        #expect(outside.output == "{\"a\" : 1.50}\n")
    }

    @Test func paramsComeFromStdin() {
        let outside = Outside { _, _ in .result(Array("null".utf8)) }
        outside.input = Array("{\"id\": 1}\n".utf8)
        #expect(outside.run("rpc", "x", "-") == .success)
        #expect(outside.sent[0].params == "{\"id\": 1}")
        #expect(outside.output == "null\n")
    }

    @Test(arguments: ["", "{", "{a:1}", "[1,]", "nope", "{\"a\":\"\n\"}"])
    func paramsThatAreNotJSONAreNotSent(_ params: String) {
        let outside = Outside()
        #expect(outside.run("rpc", "x", params) == .badData)
        #expect(outside.started.isEmpty)
        #expect(outside.error.contains("PARAMS is not JSON at byte"))
    }

    @Test func withoutAMethodStdinGoesToTheHost() {
        let outside = Outside()
        #expect(outside.run("rpc", "--store", "d") == .success)
        #expect(outside.passedThrough == 1)
        #expect(outside.started == [HostLaunch(program: nil, store: .directory("d"))])
        #expect(outside.sent.isEmpty && outside.output.isEmpty && outside.error.isEmpty)
    }

    @Test func aTerminalGetsControlsAsEscapes() {
        let outside = Outside { _, _ in .result(Array("\"\u{9b}\u{202e}\"".utf8)) }
        outside.isOutputTerminal = true
        #expect(outside.run("rpc", "x") == .success)
        #expect(outside.output == "\"\\u009b\\u202e\"\n")
    }
}
