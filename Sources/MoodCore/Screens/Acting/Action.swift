import JSONCodec

/// A person's possible actions: a closed set. Each action has all that it needs, so the coordinator can perform an
/// offered one as it is. (SwiftUI: the payload of a button; Elm and Redux: a message.)
///
/// Its JSON: `{"type":"setFavorite","id":"…","isFavorite":true}`.
public enum Action: Sendable, Equatable {
    case toggleFavorite(MoodID)
    case setFavorite(MoodID, Bool)
    case editNotes(MoodID, notes: String)
    case delete(MoodID)
    case navigate(Route, router: String?)
    case replace(Route, router: String?)
    case goBack(router: String?)
    case goBackToRoot(router: String?)
    case edit(MoodID)
    case add
    case share(MoodID, ShareFormat?)
    case shareCoordinates(Coordinates, label: String?)
    /// `attachment` is an index among the mood's attachments, from 0, here and below.
    case exportEvent(MoodID, attachment: Int)
    case openURL(String)
    case openEmail(String)
    case showMap(Coordinates, label: String?)
    case showImage(Attachment.Source, aspectRatio: Double?, alt: String?)
    case playAudio(MoodID, attachment: Int)
    case pauseAudio(MoodID, attachment: Int)
    case showEvents(hostName: String)
    // Actions of screens other than a mood's.
    case selectEmoji(String)
    case submit
    case cancel
    case clear
    case insertSamples
    case subscribe([Topic])

    /// The topics of events.
    public enum Topic: String, Sendable, CaseIterable { case mood, nav, store, plugin }

    public var type: StaticString {
        switch self {
        case .toggleFavorite: "toggleFavorite"
        case .setFavorite: "setFavorite"
        case .editNotes: "editNotes"
        case .delete: "delete"
        case .navigate: "navigate"
        case .replace: "replace"
        case .goBack: "goBack"
        case .goBackToRoot: "goBackToRoot"
        case .edit: "edit"
        case .add: "add"
        case .share: "share"
        case .shareCoordinates: "shareCoordinates"
        case .exportEvent: "exportEvent"
        case .openURL: "openURL"
        case .openEmail: "openEmail"
        case .showMap: "showMap"
        case .showImage: "showImage"
        case .playAudio: "playAudio"
        case .pauseAudio: "pauseAudio"
        case .showEvents: "showEvents"
        case .selectEmoji: "selectEmoji"
        case .submit: "submit"
        case .cancel: "cancel"
        case .clear: "clear"
        case .insertSamples: "insertSamples"
        case .subscribe: "subscribe"
        }
    }
}

extension Action {
    /// Writes the action as an object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        writeMembers(to: &writer)
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .toggleFavorite(let id), .delete(let id), .edit(let id):
            writer.member("id", id)
        case .setFavorite(let id, let isFavorite):
            writer.member("id", id)
            writer.member("isFavorite", isFavorite)
        case .editNotes(let id, let notes):
            writer.member("id", id)
            writer.member("notes", notes)
        case .navigate(let route, let router), .replace(let route, let router):
            writer.key("route")
            route.write(to: &writer)
            writer.member("router", router)
        case .goBack(let router), .goBackToRoot(let router):
            writer.member("router", router)
        case .add, .submit, .cancel, .insertSamples: break
        case .share(let id, let format):
            writer.member("id", id)
            if let format {
                writer.member("format", format.name)
            }
        case .shareCoordinates(let place, let label), .showMap(let place, let label):
            place.writeMembers(to: &writer)
            writer.member("label", label)
        case .exportEvent(let id, let attachment), .playAudio(let id, let attachment),
            .pauseAudio(let id, let attachment):
            writer.member("id", id)
            writer.member("attachment", attachment)
        case .openURL(let url): writer.member("url", url)
        case .openEmail(let address): writer.member("address", address)
        case .showImage(let source, let aspectRatio, let alt):
            source.writeMember(to: &writer)
            writer.member("aspectRatio", aspectRatio)
            writer.member("alt", alt)
        case .showEvents(let hostName): writer.member("hostName", hostName)
        case .selectEmoji(let emoji): writer.member("emoji", emoji)
        case .clear:
            writer.member("confirm", true)
        case .subscribe(let topics):
            writer.beginArray("topics")
            for topic in topics { writer.string(topic.rawValue) }
            writer.endArray()
        }
    }
}

extension Coordinates {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("latitude", latitude)
        writer.member("longitude", longitude)
    }
}

extension Attachment.Source {
    func writeMember(to writer: inout JSONWriter) {
        switch self {
        case .path(let path): writer.member("path", path)
        case .url(let url): writer.member("url", url)
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ id: MoodID) {
        key(name)
        string(id.text)
    }
}
