import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost

/// The effects of each action, with fake services: no store, no clock, no session.
@Suite struct CoordinatorTests {
    private static let id = testID(1)
    private static let other = testID(2)
    private let coordinator = Coordinator(services: .fake)

    private func mood(_ number: Int) throws -> MoodID { try #require(MoodID(testID(number))) }

    private func perform(_ action: Action, in world: inout FakeWorld) throws -> JSONValue {
        var out = JSONWriter()
        try coordinator.perform(action, in: &world, &out)
        return try JSONValue(parsing: String(decoding: out.buffer.bytes, as: UTF8.self))
    }

    /// Expects the answer of an action, and its calls of services.
    private func expect(
        _ action: Action, answers expected: JSONValue, asking calls: [String], in world: FakeWorld = FakeWorld(),
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        var world = world
        let answer = try perform(action, in: &world)
        #expect(answer.isEqual(to: expected), "\(answer.text)", sourceLocation: place)
        #expect(world.calls == calls, sourceLocation: place)
    }

    @Test func whatChangesAMoodAnswersWithIt() throws {
        let id = try mood(1)
        try expect(
            .toggleFavorite(id), answers: ["effects": [], "mood": "toggled"], asking: ["setFavorite \(id.text) other"])
        try expect(
            .setFavorite(id, true), answers: ["effects": [], "mood": "marked"], asking: ["setFavorite \(id.text) true"])
        try expect(
            .setFavorite(id, false), answers: ["effects": [], "mood": "unmarked"],
            asking: ["setFavorite \(id.text) false"])
        try expect(
            .editNotes(id, notes: "a\n\"b\""), answers: ["effects": [], "mood": "a\n\"b\""],
            asking: ["setNotes \(id.text)"])
    }

    @Test func whatIsDeletedIsGone() throws {
        try expect(.delete(try mood(1)), answers: ["effects": []], asking: ["delete \(Self.id)"])
    }

    @Test func whatMovesARouterAnswersWithIt() throws {
        let route = Route.moodDetail(try mood(1))
        for (action, call) in [
            (Action.navigate(route, router: "r"), "navigate moodDetail r"),
            (.navigate(.crudList, router: nil), "navigate crudList main"),
            (.replace(route, router: nil), "replace moodDetail main"), (.goBack(router: "r"), "goBack r"),
            (.goBackToRoot(router: nil), "goBackToRoot main"),
        ] {
            try expect(action, answers: ["effects": [], "navigation": .string(call)], asking: [call])
        }
    }

    @Test func editingAndAddingOpenTheForm() throws {
        try expect(.edit(try mood(1)), answers: ["effects": [], "editor": "form"], asking: ["begin \(Self.id)"])
        try expect(.add, answers: ["effects": [], "editor": "form"], asking: ["begin"])
    }

    @Test func theFormIsChangedClosedOrSubmitted() throws {
        try expect(.selectEmoji("😢"), answers: ["effects": [], "editor": "form"], asking: ["selectEmoji 😢"])
        try expect(.cancel, answers: ["effects": [], "editor": "form"], asking: ["cancel"])
        try expect(.submit, answers: ["effects": [], "editor": "form", "mood": "made"], asking: ["submit"])
    }

    @Test func allMoodsGoAndSamplesCome() throws {
        try expect(.clear, answers: ["effects": []], asking: ["deleteAll"])
        try expect(.insertSamples, answers: ["effects": []], asking: ["insertSamples"])
    }

    @Test func theClientIsToldOfWhatItChose() throws {
        try expect(
            .subscribe([.mood, .nav]), answers: ["effects": [], "subscription": "begun"], asking: ["subscribe mood nav"]
        )
    }

    @Test func aMoodIsSharedAsTextFromTheClocksTime() throws {
        let id = try mood(1)
        for (format, mediaType) in [
            (nil, "text/plain; charset=utf-8"), (ShareFormat.text, "text/plain; charset=utf-8"),
            (.markdown, "text/markdown; charset=utf-8"), (.html, "text/html; charset=utf-8"),
            (.json, "application/json; charset=utf-8"), (.ics, "text/calendar; charset=utf-8"),
        ] {
            let effect: JSONValue = [
                "type": "present", "what": "shareSheet", "text": "text", "mediaType": .string(mediaType),
            ]
            try expect(
                .share(id, format), answers: ["effects": [effect]],
                asking: ["text \(id.text) \((format ?? .text).name) 2026-01-02T03:04:05.678Z"])
        }
    }

    @Test func aPlaceIsSharedAsTextAndAddress() throws {
        let place = Coordinates(latitude: 60.1699, longitude: -24.5)
        func effect(_ text: String) -> JSONValue {
            [
                "type": "present", "what": "shareSheet", "text": .string(text),
                "mediaType": "text/plain; charset=utf-8", "url": "place:60.1699",
            ]
        }
        try expect(
            .shareCoordinates(place, label: "Home"),
            answers: ["effects": [effect("Home\n60.1699, -24.5\nplace:60.1699")]], asking: [])
        try expect(
            .shareCoordinates(place, label: nil), answers: ["effects": [effect("60.1699, -24.5\nplace:60.1699")]],
            asking: [])
    }

    @Test func anEventIsExportedByTheCalendar() throws {
        try expect(
            .exportEvent(try mood(1), attachment: 1),
            answers: [
                "effects": [
                    [
                        "type": "present", "what": "calendarEvent",
                        "text": .string("calendar of Tea at 1 in \(Self.id)"),
                        "mediaType": "text/calendar; charset=utf-8",
                    ]
                ]
            ], asking: ["record \(Self.id)"])
    }

    @Test func whatOnlyAClientCanDoIsHandedOn() throws {
        let place = Coordinates(latitude: 1, longitude: 2)
        for action in [
            Action.openURL("https://example.org/?a=b"), .openEmail("a@b.org"), .showMap(place, label: "Home"),
            .showMap(place, label: nil), .showImage(.path("/a.png"), aspectRatio: 1.5, alt: "A cat"),
            .showImage(.url("https://example.org/a.png"), aspectRatio: nil, alt: nil),
        ] {
            var written = JSONWriter()
            action.write(to: &written)
            let same = try JSONValue(parsing: String(decoding: written.buffer.bytes, as: UTF8.self))
            try expect(action, answers: ["effects": [same]], asking: [])
        }
    }

    @Test func theEventsOfAHostAreShown() throws {
        let time = "2026-01-02T03:04:05.678Z"
        try expect(
            .showEvents(hostName: "Ann"),
            answers: [
                "effects": [
                    [
                        "type": "showEvents", "hostName": "Ann",
                        "events": [
                            [
                                "moodId": .string(Self.other), "title": "Supper", "start": .string(time),
                                "end": .string(time),
                            ]
                        ],
                    ]
                ]
            ], asking: ["events Ann"])
    }

    // MARK: Audio

    private static func audio(_ type: String, _ id: String, _ place: Int, _ title: String) -> JSONValue {
        [
            "type": .string(type), "id": .string(id), "attachment": .number(String(place)),
            "path": .string("/\(place).m4a"), "title": .string(title),
        ]
    }

    @Test func whatPlaysIsKnownUntilItIsPaused() throws {
        var world = FakeWorld()
        let id = try mood(1)
        let play = try perform(.playAudio(id, attachment: 2), in: &world)
        #expect(play.isEqual(to: ["effects": [Self.audio("playAudio", Self.id, 2, "Song")]]), "\(play.text)")
        #expect(world.playing?.mood == id && world.playing?.attachment == 2)
        let again = try perform(.playAudio(id, attachment: 2), in: &world)
        #expect(again.isEqual(to: play), "what plays is not paused by itself")
        let pause = try perform(.pauseAudio(id, attachment: 2), in: &world)
        #expect(pause.isEqual(to: ["effects": [Self.audio("pauseAudio", Self.id, 2, "Song")]]), "\(pause.text)")
        #expect(world.playing == nil)
        #expect(try perform(.pauseAudio(id, attachment: 2), in: &world).isEqual(to: pause), "it does no harm")
    }

    @Test func whatBeginsToPlayPausesTheOther() throws {
        var world = FakeWorld()
        _ = try perform(.playAudio(try mood(1), attachment: 2), in: &world)
        let answer = try perform(.playAudio(try mood(2), attachment: 3), in: &world)
        #expect(
            answer.isEqual(to: [
                "effects": [
                    Self.audio("pauseAudio", Self.id, 2, "Song"), Self.audio("playAudio", Self.other, 3, "😊 Happy"),
                ]
            ]), "\(answer.text)")
        let pause = try perform(.pauseAudio(try mood(1), attachment: 2), in: &world)
        #expect(pause["effects"]?.array?.count == 1)
        #expect(world.playing?.attachment == 3, "what does not play is paused, and the other plays on")
    }

    @Test func aMoodThatIsDeletedStopsPlaying() throws {
        var world = FakeWorld()
        _ = try perform(.playAudio(try mood(1), attachment: 2), in: &world)
        #expect(try perform(.delete(try mood(2)), in: &world).isEqual(to: ["effects": []]))
        #expect(world.playing != nil)
        let answer = try perform(.delete(try mood(1)), in: &world)
        #expect(answer.isEqual(to: ["effects": [Self.audio("pauseAudio", Self.id, 2, "Song")]]), "\(answer.text)")
        #expect(world.playing == nil)
    }

    @Test func withAllMoodsGoneNothingPlays() throws {
        var world = FakeWorld()
        _ = try perform(.playAudio(try mood(1), attachment: 2), in: &world)
        let answer = try perform(.clear, in: &world)
        #expect(answer.isEqual(to: ["effects": [Self.audio("pauseAudio", Self.id, 2, "Song")]]), "\(answer.text)")
        #expect(world.playing == nil)
    }

    @Test func whatPlaysIsPausedAlsoWhenItIsNoLongerAttached() throws {
        var world = FakeWorld()
        _ = try perform(.playAudio(try mood(1), attachment: 2), in: &world)
        world.attachments = "[]"
        let answer = try perform(.pauseAudio(try mood(1), attachment: 2), in: &world)
        #expect(answer.isEqual(to: ["effects": [Self.audio("pauseAudio", Self.id, 2, "Song")]]), "\(answer.text)")
    }

    /// An obedient player never has two recordings to play, and plays the session's.
    @Test(arguments: SeededRandom.seeds)
    func atMostOnePlays(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var world = FakeWorld()
        var player: Set<String> = []
        for _ in 0..<300 {
            let id = try mood(Int(random.next() % 3) + 1)
            let place = Int(random.next() % 2) + 2
            let action: Action =
                switch random.next() % 5 {
                case 0: .delete(id)
                case 1: .pauseAudio(id, attachment: place)
                default: .playAudio(id, attachment: place)
                }
            for effect in try perform(action, in: &world)["effects"]?.array ?? [] {
                let name = "\(effect["id"]?.string ?? "") \(effect["attachment"]?.integer ?? -1)"
                if effect["type"]?.string == "playAudio" { player.insert(name) } else { player.remove(name) }
                #expect(player.count <= 1, "seed \(seed)")
            }
            #expect(player == Set([world.playing].compactMap { $0.map { "\($0.mood.text) \($0.attachment)" } }))
        }
    }

    // MARK: Errors

    private func failure(_ action: Action, in world: inout FakeWorld) -> RPCError? {
        var out = JSONWriter()
        do { try coordinator.perform(action, in: &world, &out) } catch { return RPCError(error, .write) }
        return nil
    }

    @Test func anAttachmentMustBeThereAndOfTheRightKind() throws {
        let id = try mood(1)
        var world = FakeWorld()
        for (action, word) in [
            (Action.exportEvent(id, attachment: 0), "kind link"), (.playAudio(id, attachment: 1), "kind event"),
            (.pauseAudio(id, attachment: 0), "kind link"), (.exportEvent(id, attachment: 2), "kind audio"),
            (.exportEvent(id, attachment: 5), "from 0 to 4"), (.playAudio(id, attachment: .max), "from 0 to 4"),
            (.pauseAudio(id, attachment: 5), "5 attachments"), (.exportEvent(id, attachment: -1), "from 0 to 4"),
            (.exportEvent(id, attachment: 4), "does not know"),
        ] {
            let error = try #require(failure(action, in: &world), "\(action)")
            #expect(error.code == .invalidParams && error.message.contains(word), "\(error.message)")
            #expect(error.details.first { $0.name == "path" }?.value.string == "/action/attachment")
        }
        world.attachments = "[]"
        #expect(failure(.playAudio(id, attachment: 0), in: &world)?.message.contains("has none") == true)
        #expect(world.playing == nil)
    }

    /// The failing service is called last, and a recording plays on.
    @Test func whatAServiceThrowsIsTheAnswer() throws {
        let id = try mood(1)
        for action in [
            Action.toggleFavorite(id), .setFavorite(id, true), .editNotes(id, notes: ""), .delete(id),
            .navigate(.moodDetail(id), router: nil), .replace(.menu, router: nil), .goBack(router: nil),
            .goBackToRoot(router: nil), .edit(id), .add, .selectEmoji("😢"), .submit, .cancel, .clear, .insertSamples,
            .share(id, nil), .exportEvent(id, attachment: 1),
            .playAudio(id, attachment: 2), .pauseAudio(id, attachment: 3), .showEvents(hostName: "Ann"),
        ] {
            var world = FakeWorld()
            _ = try perform(.playAudio(id, attachment: 2), in: &world)
            let playing = world.playing
            world.calls = []
            world.fails = true
            #expect(failure(action, in: &world)?.code == .storeBusy, "\(action)")
            #expect(world.calls.count == 1 && world.playing == playing, "\(action)")
        }
    }
}
