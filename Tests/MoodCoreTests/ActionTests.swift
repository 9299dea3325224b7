import JSONCodec
import RandomMoods
import Seeds
import Testing

@testable import MoodCore

/// Actions to JSON and back.
@Suite struct ActionTests {
    @Test(arguments: SeededRandom.seeds)
    func whatIsWrittenIsReadAgain(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var types: Set<String> = []
            var action = RandomAction.next(after: nil, &random)
            while let present = action {
                let json = written { present.write(to: &$0) }
                let read = Action(try JSONValue(parsing: json))
                #expect(read == present, "seed \(seed): \(json)")
                if let read { #expect(written { read.write(to: &$0) } == json, "seed \(seed)") }
                types.insert("\(present.type)")
                action = RandomAction.next(after: present, &random)
            }
            #expect(types.count == 26)
        }
    }

    /// A required member may be missing or of another kind; then there is no action, whatever else is there.
    @Test(arguments: SeededRandom.seeds)
    func withoutWhatItNeedsItIsNoAction(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let optional: Set = ["router", "label", "format", "aspectRatio", "alt"]
        var action = RandomAction.next(after: nil, &random)
        while let present = action {
            let members = try JSONValue(parsing: written { present.write(to: &$0) }).object ?? []
            for left in members.indices where !optional.contains(members[left].name) {
                var fewer = members
                fewer.remove(at: left)
                #expect(Action(.object(fewer)) == nil, "without \(members[left].name): \(present)")
                var wrong = members
                wrong[left] = .init(members[left].name, .array([.null]))
                #expect(Action(.object(wrong)) == nil, "with another \(members[left].name): \(present)")
            }
            action = RandomAction.next(after: present, &random)
        }
    }

    @Test(arguments: [
        "{}", "[]", "null", #""add""#, #"{"type":"Add"}"#, #"{"type":"add "}"#, #"{"type":"clear"}"#,
        #"{"type":"clear","confirm":false}"#,
        #"{"type":"subscribe","topics":["mood","news"]}"#, #"{"type":"subscribe"}"#, #"{"type":1}"#,
        #"{"type":"navigate","route":{"name":"moodDetail"}}"#, #"{"type":"navigate","route":{"name":"nowhere"}}"#,
        #"{"type":"navigate","route":"menu"}"#, #"{"type":"delete","id":"1"}"#,
        #"{"type":"playAudio","id":"0194f2a1-0000-7000-8000-000000000001","attachment":0.5}"#,
    ])
    func whatIsNoActionIsNotRead(json: String) throws {
        #expect(Action(try JSONValue(parsing: json)) == nil)
    }

    @Test func nullIsAsAbsent() throws {
        let back = try JSONValue(parsing: #"{"type":"goBack","router":null}"#)
        #expect(Action(back) == .goBack(router: nil))
        let map = try JSONValue(parsing: #"{"type":"showMap","latitude":1,"longitude":2,"label":null}"#)
        #expect(Action(map) == .showMap(Coordinates(latitude: 1, longitude: 2), label: nil))
    }
}

/// Every kind of action, with any payload.
enum RandomAction {
    /// The kind after another, so that a new one cannot be forgotten; nil after the last.
    static func next(after action: Action?, _ random: inout SeededRandom) -> Action? {
        let id = RandomMood.id(&random)
        let text = RandomMood.text(&random)
        let maybe = Bool.random(using: &random) ? text : nil
        let place = Int.random(in: 0...40, using: &random)
        let there = Coordinates(
            latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
        return switch action {
        case nil: .toggleFavorite(id)
        case .toggleFavorite: .setFavorite(id, Bool.random(using: &random))
        case .setFavorite: .editNotes(id, notes: text)
        case .editNotes: .delete(id)
        case .delete: .navigate(route(id, &random), router: maybe)
        case .navigate: .replace(route(id, &random), router: maybe)
        case .replace: .goBack(router: maybe)
        case .goBack: .goBackToRoot(router: maybe)
        case .goBackToRoot: .edit(id)
        case .edit: .add
        case .add: .share(id, maybe.flatMap { _ in ShareFormat.all.randomElement(using: &random) })
        case .share: .shareCoordinates(there, label: maybe)
        case .shareCoordinates: .exportEvent(id, attachment: place)
        case .exportEvent: .openURL(text)
        case .openURL: .openEmail(text)
        case .openEmail: .showMap(there, label: maybe)
        case .showMap:
            .showImage(
                Bool.random(using: &random) ? .path(text) : .url(text),
                aspectRatio: maybe.map { _ in .random(in: 0.1...10, using: &random) }, alt: maybe)
        case .showImage: .playAudio(id, attachment: place)
        case .playAudio: .pauseAudio(id, attachment: place)
        case .pauseAudio: .showEvents(hostName: text)
        case .showEvents: .selectEmoji(text)
        case .selectEmoji: .submit
        case .submit: .cancel
        case .cancel: .clear
        case .clear: .insertSamples
        case .insertSamples: .subscribe(Action.Topic.allCases.shuffled(using: &random).dropLast(place % 4).map(\.self))
        case .subscribe: nil
        }
    }

    private static func route(_ id: MoodID, _ random: inout SeededRandom) -> Route {
        [.menu, .introState, .observation, .architecture, .crudList, .moodDetail(id)].randomElement(using: &random)
            ?? .menu
    }
}
