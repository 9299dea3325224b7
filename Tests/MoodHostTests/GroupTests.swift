import JSONCodec
import Testing

@testable import MoodHost

/// A group of requests whose common sync fails.
@Suite struct GroupTests {
    private static let noSpace: Int32 = 28
    private static let ioError: Int32 = 5

    private static func create(_ id: Int, _ number: Int) -> String {
        request(id, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"Mood \#(number)"}"#)
    }

    private static func get(_ id: Int, _ number: Int) -> String {
        request(id, "mood.get", #"{"id":"\#(testID(number))"}"#)
    }

    @Test(arguments: [
        ("fdatasync", ioError, "outcomeUnknown"), ("pwrite", ioError, "outcomeUnknown"),
        ("pwrite", noSpace, "storageFull"),
    ])
    func allAnswersOfAGroupWithoutItsSyncAreMadeAnew(call: String, code: Int32, kind: String) throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        #expect(try session.answers(Self.create(1, 1)).map(\.outcome) == ["ok"])
        fault.set(call, code)
        let answers = try session.answers(
            Self.create(1, 2), Self.get(2, 2), request(3, "mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#),
            Self.get(4, 1), request(5, "mood.list"), request(6, "host.ping"), request(7, "store.info"),
            "[" + Self.create(8, 3) + "," + Self.get(9, 1) + "]")
        #expect(answers.count == 8)
        #expect(answers.dropLast().map(\.id) == [1, 2, 3, 4, 5, 6, 7])
        #expect(answers.dropLast().map(\.outcome) == [kind, "notFound", kind, "ok", "ok", "ok", "ok"])
        #expect(answers[7].array?.map(\.outcome) == [kind, "ok"])
        #expect(answers[0]["error"]?["data"]?["retryable"]?.boolean == true)
        // The reads show the durable state.
        #expect(answers[3]["result"]?["isFavorite"]?.boolean == false)
        #expect(answers[4]["result"]?["total"]?.integer == 1)
        #expect(answers[6]["result"]?["revision"]?.integer == 1)
        // And the store can be written again.
        #expect(try session.answers(Self.create(1, 4)).map(\.outcome) == ["ok"])
    }

    /// Then the host reads more at once.
    @Test func aSyncIsSharedWhereSeveralRequestsWaitForIt() throws {
        let session = TestSession(TestDirectory())
        _ = try session.answers(Self.create(1, 1))
        #expect(!session.hasSharedSync)
        _ = try session.answers(Self.create(1, 2), Self.get(2, 1))
        #expect(session.hasSharedSync)
        _ = try session.answers(Self.get(1, 1), Self.get(2, 2))
        #expect(!session.hasSharedSync)
        let memory = TestSession()
        _ = try memory.answers(Self.create(1, 1), Self.create(2, 2))
        #expect(!memory.hasSharedSync)
    }

    @Test func whatWasAcknowledgedIsThereAfterAFailure() throws {
        let directory = TestDirectory()
        let fault = Fault()
        do {
            let session = TestSession(directory, fault.fileSystem)
            #expect(try session.answers(Self.create(1, 1)).map(\.outcome) == ["ok"])
            fault.set("fdatasync", Self.ioError)
            #expect(try session.answers(Self.create(1, 2)).map(\.outcome) == ["outcomeUnknown"])
            #expect(try session.answers(Self.create(1, 3)).map(\.outcome) == ["ok"])
        }
        let list = try TestSession(directory).result("mood.list", #"{"sort":"label","order":"asc"}"#)
        #expect(list["items"]?.array?.map { $0["label"]?.string } == ["Mood 1", "Mood 3"])
    }

    /// They go with the moods of their file: where those are not durable, nothing else is.
    @Test(arguments: [true, false]) func settingsOfAFileAreKeptOnlyWithItsMoods(isAlone: Bool) throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        #expect(try session.answers(Self.create(1, 1)).map(\.outcome) == ["ok"])
        let file =
            #"{\"settings\":{\"dayStartsAt\":\"04:00\"}}\n{\"id\":\"\#(testID(2))\",\"emoji\":\"😊\",\"label\":\"A\",\"timestamp\":\"2026-01-01T00:00:00Z\"}\n"#
        let lines = [request(1, "store.import", #"{"format":"jsonl","text":"\#(file)"}"#), request(2, "settings.get")]
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(isAlone ? lines.joined(separator: "\n") : "[\(lines.joined(separator: ","))]")
        let both = isAlone ? answers : answers.first?.array ?? []
        #expect(both.map(\.outcome) == ["outcomeUnknown", "ok"])
        #expect(both.last?["result"]?["dayStartsAt"]?.string == "00:00")
        #expect(try session.result("store.info")["moods"]?.integer == 1)
        // That file is taken when the disk works again.
        #expect(try session.answers(lines[0]).map(\.outcome) == ["ok"])
        #expect(try session.result("settings.get")["dayStartsAt"]?.string == "04:00")
    }

    /// A repeated `opId` gets the first answer again, so that answer has to be true of the settings, too.
    @Test func settingsThatCannotBeWrittenRefuseTheirMoods() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        #expect(try session.answers(Self.create(1, 1)).map(\.outcome) == ["ok"])
        let file =
            #"{\"settings\":{\"dayStartsAt\":\"04:00\"}}\n{\"id\":\"\#(testID(2))\",\"emoji\":\"😊\",\"label\":\"A\",\"timestamp\":\"2026-01-01T00:00:00Z\"}\n"#
        let line = request(1, "store.import", #"{"format":"jsonl","opId":"a","text":"\#(file)"}"#)
        fault.set("rename", Self.noSpace)
        #expect(try session.answers(line).map(\.outcome) == ["storageFull"])
        #expect(try session.result("store.info")["moods"]?.integer == 1)
        let again = try session.answers(line)
        #expect(again.first?["result"]?["created"]?.integer == 1)
        #expect(try session.result("settings.get")["dayStartsAt"]?.string == "04:00")
        #expect(try session.answers(line).first?["result"]?.text == again.first?["result"]?.text)
    }

    @Test func settingsAloneMakeAStoreOrAreRefused() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        let file = #"{\"settings\":{\"dayStartsAt\":\"04:00\"}}\n"#
        let dry = #"{"format":"jsonl","text":"\#(file)","dryRun":true}"#
        #expect(try session.answers(request(1, "store.import", dry)).map(\.outcome) == ["ok"])
        #expect(try session.result("settings.get")["dayStartsAt"]?.string == "00:00")
        _ = try session.result("store.import", #"{"format":"jsonl","text":"\#(file)"}"#)
        #expect(try session.result("settings.get")["dayStartsAt"]?.string == "04:00")
        #expect(try TestSession(directory).result("settings.get")["dayStartsAt"]?.string == "04:00")
    }

    @Test func theRoutersGoBackWithTheGroup() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.answers(Self.create(1, 1), request(2, "nav.navigate", #"{"route":{"name":"crudList"}}"#))
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(
            Self.create(1, 2),
            request(2, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(2))"}}"#),
            request(3, "nav.navigate", #"{"route":{"name":"observation"}}"#), request(4, "nav.goBack"),
            request(5, "nav.navigate", #"{"route":{"name":"architecture"},"router":"other"}"#))
        #expect(answers.map(\.outcome) == ["outcomeUnknown", "notFound", "ok", "ok", "ok"])
        let state = try session.result("nav.state")
        #expect(state["path"]?.text == #"[{"name":"crudList"}]"#)
        #expect(try session.result("nav.state", #"{"router":"other"}"#)["depth"]?.integer == 1)
    }

    @Test func notificationsOfALostGroupStaySilent() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        fault.set("fdatasync", Self.ioError)
        let output = session.output(
            for: notification("mood.create", #"{"emoji":"😊","label":"A"}"#) + "\n" + request(1, "mood.list") + "\n")
        let answer = try JSONValue(parsing: String(output.dropLast()))
        #expect(answer.id == 1)
        #expect(answer["result"]?["total"]?.integer == 0)
    }

    @Test func aGroupLostWithinCompactionIsAnsweredAnew() throws {
        for method in ["store.compact", "store.verify"] {
            let directory = TestDirectory()
            let fault = Fault()
            let session = TestSession(directory, fault.fileSystem)
            _ = try session.answers(Self.create(1, 1))
            fault.set("fdatasync", Self.ioError)
            let answers = try session.answers(Self.create(1, 2), request(2, method), Self.create(3, 3))
            // The long request ends the lost group; it and later requests see the durable state.
            #expect(answers.map(\.id) == [1, 3, 2])
            #expect(answers.map(\.outcome) == ["outcomeUnknown", "ok", "ok"], "\(method)")
            #expect(try session.result("store.info")["moods"]?.integer == 2)
        }
    }

    @Test func aShutdownInALostGroupShutsDown() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        fault.set("fdatasync", Self.ioError)
        let answers = try session.answers(Self.create(1, 1), request(2, "host.shutdown"))
        #expect(answers.map(\.outcome) == ["outcomeUnknown", "ok"])
        #expect(session.isShuttingDown)
    }

    @Test func aStoreThatCannotBeWrittenAnyMoreSaysSoAndIsRead() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.answers(Self.create(1, 1))
        // The sync fails, and so does the beginning of a new generation.
        fault.set("fdatasync", Self.ioError)
        let faults = fault
        _ = try session.answers(Self.create(1, 2))
        faults.set("fsync", Self.ioError, count: .max)
        _ = try session.answers(request(1, "store.compact"))
        faults.set("", 0)
        let answers = try session.answers(Self.get(1, 1), request(2, "store.info"))
        #expect(answers[0].outcome == "ok")
        #expect(answers[1].outcome == "ok")
    }

    @Test func aDryRunInAGroupKeepsNothingOfItself() throws {
        let directory = TestDirectory()
        do {
            let session = TestSession(directory)
            let answers = try session.answers(
                Self.create(1, 1),
                request(2, "mood.create", #"{"id":"\#(testID(2))","emoji":"😊","label":"B","dryRun":true}"#),
                request(3, "mood.clear", #"{"confirm":true,"dryRun":true}"#), Self.get(4, 2), Self.get(5, 1),
                Self.create(6, 3))
            #expect(answers.map(\.outcome) == ["ok", "ok", "ok", "notFound", "ok", "ok"])
            #expect(answers[1]["result"]?["revision"]?.integer == 2)
            #expect(answers[2]["result"]?["deleted"]?.integer == 1)
            #expect(answers[5]["result"]?["revision"]?.integer == 2)
        }
        #expect(try TestSession(directory).result("store.info")["moods"]?.integer == 2)
    }

    @Test func aFailedRequestInAGroupKeepsNothingOfItself() throws {
        let directory = TestDirectory()
        do {
            let session = TestSession(directory)
            let answers = try session.answers(
                Self.create(1, 1), Self.create(2, 2),
                request(3, "mood.deleteMany", #"{"ids":["\#(testID(1))","\#(testID(9))"]}"#),
                request(4, "mood.updateMany", #"{"ids":["\#(testID(1))","\#(testID(9))"],"set":{"label":"X"}}"#),
                request(5, "mood.setFavorite", #"{"id":"\#(testID(1))","isFavorite":true,"ifRevision":2}"#))
            #expect(answers.map(\.outcome) == ["ok", "ok", "notFound", "notFound", "conflict"])
            #expect(answers[4]["error"]?["data"]?["currentRevision"]?.integer == 1)
        }
        let info = try TestSession(directory).result("store.info")
        #expect(info["moods"]?.integer == 2 && info["revision"]?.integer == 2 && info["favorites"]?.integer == 0)
    }

    @Test func whatChangesNothingMakesNoCommit() throws {
        let session = TestSession()
        let created = try session.answers(Self.create(1, 1))
        let answers = try session.answers(
            request(1, "mood.setFavorite", #"{"id":"\#(testID(1))","isFavorite":false}"#),
            request(2, "mood.setNotes", #"{"id":"\#(testID(1))","notes":""}"#),
            request(3, "mood.update", #"{"id":"\#(testID(1))","set":{}}"#),
            request(4, "mood.update", #"{"id":"\#(testID(1))","set":{"label":" Mood 1 ","valence":null}}"#),
            Self.create(5, 1))
        for answer in answers { #expect(answer["result"]?.text == created[0]["result"]?.text) }
        #expect(try session.result("store.info")["revision"]?.integer == 1)
    }
}
