import JSONCodec

/// A typed value of a mood besides its text, from a closed set.
public struct Attachment: Sendable {
    public var content: Content
    /// Members that this version does not know. They stay as they are.
    public var unknown: [JSONValue.Member]

    public enum Content: Sendable {
        case link(url: String, title: String?)
        case email(address: String, label: String?)
        /// Degrees: latitude -90…90, longitude -180…180.
        case place(latitude: Double, longitude: Double, label: String?, address: String?)
        case image(Source, aspectRatio: Double?, alt: String?)
        case audio(Source, title: String?)
        case event(Event)
        case relation(moodID: MoodID, type: String)
    }

    /// The place of a picture's or recording's bytes; this program never opens either.
    public enum Source: Sendable, Equatable {
        case path(String)
        case url(String)
    }

    /// An event at certain times.
    public struct Event: Sendable {
        public var title: String
        public var occurrences: [Occurrence]
        public var location: String?
        public var description: String?
        public var hostName: String?
        public var url: String?
    }

    public struct Occurrence: Sendable {
        public var start: Timestamp
        public var end: Timestamp
    }

    public static let countMax = 32
    public static let occurrencesMax = 32

    /// Writes the `attachments` of a mood, each in its canonical form. An unreadable one stays as it is: requests are
    /// checked, so it comes from a later version or an editor.
    static func write(all array: ValidJSON, to writer: inout JSONWriter) {
        for element in JSONValue(array).array ?? [] {
            if let attachment = Attachment(element) {
                attachment.write(to: &writer)
            } else {
                element.write(to: &writer)
            }
        }
    }

    /// The readable attachments of a mood, each with its place among all of them, from 0.
    public static func all(of mood: MoodMembers) -> [(place: Int, attachment: Attachment)] {
        guard let array = mood.attachments, array.bytes.count > 2 else { return [] }
        return (JSONValue(array).array ?? []).enumerated().compactMap { place, value in
            Attachment(value).map { (place, $0) }
        }
    }

    /// Reads an attachment; nil if the value is not one.
    public init?(_ value: JSONValue) {
        guard let kind = value["kind"]?.string, let content = Content(kind: kind, value) else { return nil }
        self.content = content
        let known = content.memberNames
        unknown = (value.object ?? []).filter { member in !known.contains { $0.utf8.elementsEqual(member.name.utf8) } }
    }

    public func write(to writer: inout JSONWriter) {
        JSONValue.object(content.members + unknown).write(to: &writer)
    }
}

extension Attachment.Content {
    fileprivate init?(kind: String, _ value: JSONValue) {
        func text(_ name: String) -> String? { value[name]?.string }
        switch kind {
        case "link":
            guard let url = text("url") else { return nil }
            self = .link(url: url, title: text("title"))
        case "email":
            guard let address = text("address") else { return nil }
            self = .email(address: address, label: text("label"))
        case "place":
            guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
                (-90...90).contains(latitude), (-180...180).contains(longitude)
            else { return nil }
            self = .place(latitude: latitude, longitude: longitude, label: text("label"), address: text("address"))
        case "image":
            guard let source = Attachment.Source(value) else { return nil }
            self = .image(source, aspectRatio: value["aspectRatio"]?.double, alt: text("alt"))
        case "audio":
            guard let source = Attachment.Source(value) else { return nil }
            self = .audio(source, title: text("title"))
        case "event":
            guard let event = Attachment.Event(value) else { return nil }
            self = .event(event)
        case "relation":
            guard let id = text("moodId").flatMap({ MoodID($0) }), let type = text("type") else { return nil }
            self = .relation(moodID: id, type: type)
        default: return nil
        }
    }

    public var kind: String {
        switch self {
        case .link: "link"
        case .email: "email"
        case .place: "place"
        case .image: "image"
        case .audio: "audio"
        case .event: "event"
        case .relation: "relation"
        }
    }

    fileprivate var memberNames: [String] {
        switch self {
        case .link: ["kind", "url", "title"]
        case .email: ["kind", "address", "label"]
        case .place: ["kind", "latitude", "longitude", "label", "address"]
        case .image: ["kind", "path", "url", "aspectRatio", "alt"]
        case .audio: ["kind", "path", "url", "title"]
        case .event: ["kind", "title", "occurrences", "location", "description", "hostName", "url"]
        case .relation: ["kind", "moodId", "type"]
        }
    }

    fileprivate var members: [JSONValue.Member] {
        var members = [JSONValue.Member("kind", .string(kind))]
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name, value)) }
        }
        switch self {
        case .link(let url, let title):
            add("url", .string(url))
            add("title", title.map { .string($0) })
        case .email(let address, let label):
            add("address", .string(address))
            add("label", label.map { .string($0) })
        case .place(let latitude, let longitude, let label, let address):
            add("latitude", .double(latitude))
            add("longitude", .double(longitude))
            add("label", label.map { .string($0) })
            add("address", address.map { .string($0) })
        case .image(let source, let aspectRatio, let alt):
            members.append(source.member)
            add("aspectRatio", aspectRatio.map { .double($0) })
            add("alt", alt.map { .string($0) })
        case .audio(let source, let title):
            members.append(source.member)
            add("title", title.map { .string($0) })
        case .event(let event):
            add("title", .string(event.title))
            add(
                "occurrences",
                .array(
                    event.occurrences.map {
                        .object([.init("start", .string($0.start.text)), .init("end", .string($0.end.text))])
                    }))
            add("location", event.location.map { .string($0) })
            add("description", event.description.map { .string($0) })
            add("hostName", event.hostName.map { .string($0) })
            add("url", event.url.map { .string($0) })
        case .relation(let moodID, let type):
            add("moodId", .string(moodID.text))
            add("type", .string(type))
        }
        return members
    }
}

extension Attachment.Source {
    init?(_ value: JSONValue) {
        if let path = value["path"]?.string {
            self = .path(path)
        } else if let url = value["url"]?.string {
            self = .url(url)
        } else {
            return nil
        }
    }

    fileprivate var member: JSONValue.Member {
        switch self {
        case .path(let path): .init("path", .string(path))
        case .url(let url): .init("url", .string(url))
        }
    }
}

extension Attachment.Event {
    fileprivate init?(_ value: JSONValue) {
        guard let title = value["title"]?.string, let times = value["occurrences"]?.array else { return nil }
        self.title = title
        occurrences = times.compactMap { time in
            guard let start = time["start"]?.string.flatMap({ Timestamp($0) }),
                let end = time["end"]?.string.flatMap({ Timestamp($0) }), time.object?.count == 2
            else { return nil }
            return Attachment.Occurrence(start: start, end: end)
        }
        guard occurrences.count == times.count else { return nil }
        location = value["location"]?.string
        description = value["description"]?.string
        hostName = value["hostName"]?.string
        url = value["url"]?.string
    }
}
