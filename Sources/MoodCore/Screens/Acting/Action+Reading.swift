import JSONCodec

extension Action {
    /// Reads the form that `write(to:)` gives; nil if it is no action.
    ///
    /// It does not check texts: the schema has checked a request's action.
    public init?(_ value: JSONValue) {
        guard let type = value["type"]?.string, let action = Self.read(type, Payload(value: value)) else { return nil }
        self = action
    }

    private static func read(_ type: String, _ payload: Payload) -> Action? {
        switch type {
        case "toggleFavorite": payload.id.map { .toggleFavorite($0) }
        case "setFavorite": payload.marked.map { .setFavorite($0, $1) }
        case "editNotes": payload.id(with: "notes").map { .editNotes($0, notes: $1) }
        case "delete": payload.id.map { .delete($0) }
        case "navigate": payload.route.map { .navigate($0, router: payload.router) }
        case "replace": payload.route.map { .replace($0, router: payload.router) }
        case "goBack": .goBack(router: payload.router)
        case "goBackToRoot": .goBackToRoot(router: payload.router)
        case "edit": payload.id.map { .edit($0) }
        case "add": .add
        case "share": payload.id.map { .share($0, payload.text("format").flatMap(ShareFormat.named)) }
        case "shareCoordinates": payload.coordinates.map { .shareCoordinates($0, label: payload.text("label")) }
        case "exportEvent": payload.attached.map { .exportEvent($0, attachment: $1) }
        case "openURL": payload.text("url").map { .openURL($0) }
        case "openEmail": payload.text("address").map { .openEmail($0) }
        case "showMap": payload.coordinates.map { .showMap($0, label: payload.text("label")) }
        case "showImage":
            payload.source.map {
                .showImage($0, aspectRatio: payload.number("aspectRatio"), alt: payload.text("alt"))
            }
        case "playAudio": payload.attached.map { .playAudio($0, attachment: $1) }
        case "pauseAudio": payload.attached.map { .pauseAudio($0, attachment: $1) }
        case "showEvents": payload.text("hostName").map { .showEvents(hostName: $0) }
        case "selectEmoji": payload.text("emoji").map { .selectEmoji($0) }
        case "submit": .submit
        case "cancel": .cancel
        case "clear": payload.value["confirm"]?.boolean == true ? .clear : nil
        case "insertSamples": .insertSamples
        case "subscribe": payload.topics.map { .subscribe($0) }
        default: nil
        }
    }

    /// The members besides the type; nil if missing or of another kind.
    private struct Payload {
        let value: JSONValue

        func text(_ name: String) -> String? { value[name]?.string }
        func number(_ name: String) -> Double? { value[name]?.double }

        var id: MoodID? { text("id").flatMap { MoodID($0) } }
        var router: String? { text("router") }
        var source: Attachment.Source? { Attachment.Source(value) }

        var marked: (MoodID, Bool)? {
            guard let id, let isFavorite = value["isFavorite"]?.boolean else { return nil }
            return (id, isFavorite)
        }

        var attached: (MoodID, Int)? {
            guard let id, let place = value["attachment"]?.integer else { return nil }
            return (id, place)
        }

        var coordinates: Coordinates? {
            guard let latitude = number("latitude"), let longitude = number("longitude") else { return nil }
            return Coordinates(latitude: latitude, longitude: longitude)
        }

        var route: Route? {
            guard let name = value["route"]?["name"]?.string else { return nil }
            return Route(name: name, id: value["route"]?["id"]?.string.flatMap { MoodID($0) })
        }

        var topics: [Topic]? {
            guard let names = value["topics"]?.array else { return nil }
            let topics = names.compactMap { $0.string.flatMap { Topic(rawValue: $0) } }
            return topics.count == names.count ? topics : nil
        }

        func id(with name: String) -> (MoodID, String)? {
            guard let id, let text = text(name) else { return nil }
            return (id, text)
        }
    }
}
