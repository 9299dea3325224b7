import JSONCodec
import MoodProtocol
import Testing

@testable import MoodHost

/// `editor.*`: the form of the session.
@Suite struct EditorTests {
    private static let ioError: Int32 = 5

    private static func create(_ number: Int, _ more: String = "") -> String {
        #"{"id":"\#(testID(number))","emoji":"🐝","label":"Busy"\#(more)}"#
    }

    @Test func aMoodIsRecordedInOneCommit() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            _ = try session.result("editor.begin")
            _ = try session.result("editor.selectEmoji", #"{"emoji":"😌"}"#)
            let state = try session.result("editor.set", #"{"label":" Calm ","notes":"n","tags":["sea "]}"#)
            #expect(state["canSubmit"]?.boolean == true && state["label"]?.string == " Calm ")
            #expect(try session.result("store.info")["revision"]?.integer == 0)
            let answer = try session.result("editor.submit")
            #expect(answer["state"]?["isPresented"]?.boolean == false)
            let mood = try #require(answer["mood"])
            #expect(mood["label"]?.string == "Calm" && mood["tags"]?.text == #"["sea"]"#)
            #expect(mood["emoji"]?.string == "😌" && mood["revision"]?.integer == 1)
            #expect(mood["timestamp"]?.string == "2026-01-02T03:04:05.678Z")
            #expect(try session.result("mood.list")["items"]?.array?.first?.text == mood.text)
            #expect(try session.call("editor.submit").outcome == "refused")
        }
    }

    /// Members outside the form stay, and so do changes by other clients meanwhile.
    @Test func anEditKeepsTheRest() throws {
        let session = TestSession()
        _ = try session.result(
            "mood.create",
            Self.create(
                1,
                #","timestamp":"2020-01-01T00:00:00Z","valence":0.5,"timeZone":"UTC","isFavorite":true,"attachments":[{"kind":"link","url":"https://a"}]"#
            ))
        let state = try session.result("editor.begin", #"{"id":"\#(testID(1))"}"#)
        #expect(state["editing"]?.string == testID(1))
        #expect(state["availableEmojis"]?.array?.last?.string == "🐝")
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"meanwhile"}"#)
        _ = try session.result("editor.set", #"{"label":"Busier"}"#)
        session.now += 1000
        let mood = try #require(try session.result("editor.submit")["mood"])
        #expect(mood["label"]?.string == "Busier" && mood["notes"]?.string == "meanwhile")
        #expect(mood["valence"]?.double == 0.5 && mood["attachments"]?.array?.count == 1)
        #expect(mood["timestamp"]?.string == "2020-01-01T00:00:00.000Z" && mood["isFavorite"]?.boolean == true)
        #expect(mood["revision"]?.integer == 3 && mood["updatedAt"]?.string == "2026-01-02T03:04:06.678Z")
    }

    @Test func anEditThatChangesNothingMakesNoCommit() throws {
        let session = TestSession()
        let created = try session.result("mood.create", Self.create(1))
        _ = try session.result("editor.begin", #"{"id":"\#(testID(1))"}"#)
        _ = try session.result("editor.set", #"{"label":"Other","tags":[]}"#)
        _ = try session.result("editor.set", #"{"label":" Busy "}"#)
        #expect(try session.result("editor.submit")["mood"]?.text == created.text)
        #expect(try session.result("store.info")["revision"]?.integer == 1)
    }

    @Test func problemsKeepTheFormOpen() throws {
        let session = TestSession()
        _ = try session.result("editor.begin")
        let answer = try session.call("editor.submit")
        #expect(answer.code == 1003 && answer["error"]?["data"]?["by"]?.string == "editor")
        #expect(answer["error"]?["data"]?["problems"]?.array?.first?["path"]?.string == "/label")
        #expect(try session.result("editor.state")["isPresented"]?.boolean == true)
    }

    @Test func aMoodThatWasDeletedMeanwhileIsNotFoundAndTheFormStays() throws {
        let session = TestSession()
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("editor.begin", #"{"id":"\#(testID(1))"}"#)
        _ = try session.result("editor.set", #"{"label":"Busier"}"#)
        _ = try session.result("mood.delete", #"{"id":"\#(testID(1))"}"#)
        #expect(try session.call("editor.submit").outcome == "notFound")
        let state = try session.result("editor.state")
        #expect(state["isPresented"]?.boolean == true && state["label"]?.string == "Busier")
    }

    @Test func whatFailsLeavesTheFormAsItWas() throws {
        let session = TestSession()
        _ = try session.result("editor.begin")
        let before = try session.result("editor.set", #"{"label":"Calm"}"#)
        let tags = Array(repeating: #""a""#, count: 40_000).joined(separator: ",")
        for (method, params, outcome) in [
            ("editor.begin", #"{"id":"\#(testID(1))"}"#, "notFound"), ("editor.begin", #"{"id":1}"#, "invalidParams"),
            ("editor.set", #"{"label":"x","tags":[1]}"#, "invalidParams"),
            ("editor.set", #"{"label":"x","notes":7}"#, "invalidParams"),
            ("editor.set", #"{"label":"x","name":"y"}"#, "invalidParams"),
            ("editor.set", #"{"label":"\#(String(repeating: "x", count: 3 << 20))"}"#, "limitExceeded"),
            ("editor.set", #"{"tags":[\#(tags)]}"#, "limitExceeded"),
            ("editor.selectEmoji", "{}", "invalidParams"), ("editor.submit", #"{"state":1}"#, "invalidParams"),
        ] {
            #expect(try session.call(method, params).outcome == outcome, "\(method) \(params.prefix(60))")
            #expect(try session.result("editor.state").text == before.text)
        }
        #expect(try session.result("editor.set", #"{"label":null}"#).text == before.text)
    }

    @Test func aDryRunLeavesTheFormOpen() throws {
        let session = TestSession()
        _ = try session.result("editor.begin")
        _ = try session.result("editor.set", #"{"label":"Calm"}"#)
        let dry = try session.result("editor.submit", #"{"dryRun":true}"#)
        #expect(dry["mood"]?["label"]?.string == "Calm" && dry["state"]?["isPresented"]?.boolean == false)
        #expect(try session.result("editor.state")["label"]?.string == "Calm")
        #expect(try session.result("mood.list")["total"]?.integer == 0)
        #expect(try session.result("editor.submit")["mood"]?["revision"]?.integer == 1)
    }

    /// The form is lost with its session, but its submission is not.
    @Test func aSubmissionIsAnsweredAgain() throws {
        let directory = TestDirectory()
        let first: JSONValue
        do {
            let session = TestSession(directory)
            _ = try session.result("editor.begin")
            _ = try session.result("editor.set", #"{"label":"Calm"}"#)
            first = try session.result("editor.submit", #"{"opId":"a"}"#)
        }
        let session = TestSession(directory)
        #expect(try session.result("editor.state")["isPresented"]?.boolean == false)
        #expect(try session.result("editor.submit", #"{"opId":"a"}"#).text == first.text)
        #expect(try session.result("mood.list")["total"]?.integer == 1)
    }

    @Test func theFormGoesBackWithItsGroup() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("editor.begin")
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(
            request(1, "editor.set", #"{"label":"Calm"}"#), request(2, "editor.submit"), request(3, "editor.state"))
        #expect(answers.map(\.outcome) == ["ok", "outcomeUnknown", "ok"])
        #expect(answers[2]["result"]?["label"]?.string == "Calm", "open, to be submitted again")
        #expect(try session.result("editor.submit")["mood"]?["label"]?.string == "Calm")
    }

    /// Composing needs no store.
    @Test func aReadOnlyStoreRefusesTheSubmissionAlone() throws {
        let session = TestSession(HostOptions(place: .memory), .memory(isReadOnly: true))
        _ = try session.result("editor.begin")
        _ = try session.result("editor.set", #"{"label":"Calm"}"#)
        #expect(try session.call("editor.submit").outcome == "storeReadOnly")
        #expect(try session.result("editor.state")["canSubmit"]?.boolean == true)
    }
}
