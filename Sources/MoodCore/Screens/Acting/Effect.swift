import JSONCodec

/// An action's task for the client, because only the client can do it: show, open or play something. (Elm: a `Cmd`;
/// Redux: a side effect as data; SwiftUI: `openURL` and a `ShareLink`.)
///
/// Its JSON: `{"type":"openURL","url":"https://example.org"}`.
public enum Effect: Sendable, Equatable {
    /// Text for a part of the client's system.
    case present(Presentation)
    case openURL(String)
    case openEmail(String)
    case showMap(Coordinates, label: String?)
    case showImage(Attachment.Source, aspectRatio: Double?, alt: String?)
    case playAudio(Recording)
    case pauseAudio(Recording)
    case showEvents(hostName: String, HostEvents)

    public struct Presentation: Sendable, Equatable {
        public enum Place: String, Sendable {
            /// A sheet in which a person chooses a receiver.
            case shareSheet
            /// A calendar that takes an iCalendar object.
            case calendarEvent
        }

        public var place: Place
        public var text: String
        public var mediaType: String
        /// The text as a URL, if it has one.
        public var url: String?

        public init(_ place: Place, text: String, mediaType: String, url: String? = nil) {
            self.place = place
            self.text = text
            self.mediaType = mediaType
            self.url = url
        }
    }

    /// Writes the effect as an object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .present(let presentation):
            writer.raw("\"type\":\"present\"")
            writer.member("what", presentation.place.rawValue)
            writer.member("text", presentation.text)
            writer.member("mediaType", presentation.mediaType)
            writer.member("url", presentation.url)
        case .openURL(let url):
            writer.raw("\"type\":\"openURL\"")
            writer.member("url", url)
        case .openEmail(let address):
            writer.raw("\"type\":\"openEmail\"")
            writer.member("address", address)
        case .showMap(let place, let label):
            writer.raw("\"type\":\"showMap\"")
            place.writeMembers(to: &writer)
            writer.member("label", label)
        case .showImage(let source, let aspectRatio, let alt):
            writer.raw("\"type\":\"showImage\"")
            source.writeMember(to: &writer)
            writer.member("aspectRatio", aspectRatio)
            writer.member("alt", alt)
        case .playAudio(let recording):
            writer.raw("\"type\":\"playAudio\"")
            recording.writeMembers(to: &writer)
        case .pauseAudio(let recording):
            writer.raw("\"type\":\"pauseAudio\"")
            recording.writeMembers(to: &writer)
        case .showEvents(let hostName, let events):
            writer.raw("\"type\":\"showEvents\"")
            writer.member("hostName", hostName)
            events.writeMembers(to: &writer)
        }
        writer.endObject()
    }
}

/// A player's data of an audio attachment. It is complete, so that the player can stop even after the mood was deleted.
public struct Recording: Sendable, Equatable {
    public var mood: MoodID
    /// The index among the attachments of its mood, from 0.
    public var attachment: Int
    public var source: Attachment.Source
    public var title: String

    public init(mood: MoodID, attachment: Int, source: Attachment.Source, title: String) {
        self.mood = mood
        self.attachment = attachment
        self.source = source
        self.title = title
    }

    /// Whether two values name one recording. Its title and its index may have changed.
    public func isSame(as other: Recording) -> Bool { mood == other.mood && source == other.source }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", mood)
        writer.member("attachment", attachment)
        source.writeMember(to: &writer)
        writer.member("title", title)
    }
}
