import JSONCodec

/// A place that a client can show. It carries an id, not the mood, because routes are sent and saved.
/// (SwiftUI: a value in a `NavigationPath`; React Router: a location; Compose: a destination with its arguments.)
public enum Route: Sendable, Equatable {
    case menu
    case introState
    case observation
    case architecture
    case crudList
    case moodDetail(MoodID)

    /// The names of all routes, in the order of the menu.
    public static let names = ["menu", "introState", "observation", "architecture", "crudList", "moodDetail"]

    /// The route of this name; nil if the name is unknown, an id is missing, or an id is superfluous.
    public init?(name: String, id: MoodID?) {
        switch (name, id) {
        case ("menu", nil): self = .menu
        case ("introState", nil): self = .introState
        case ("observation", nil): self = .observation
        case ("architecture", nil): self = .architecture
        case ("crudList", nil): self = .crudList
        case ("moodDetail", let id?): self = .moodDetail(id)
        default: return nil
        }
    }

    public var name: StaticString {
        switch self {
        case .menu: "menu"
        case .introState: "introState"
        case .observation: "observation"
        case .architecture: "architecture"
        case .crudList: "crudList"
        case .moodDetail: "moodDetail"
        }
    }

    public var id: MoodID? {
        guard case .moodDetail(let id) = self else { return nil }
        return id
    }

    /// Writes `{name, id?}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        if let id {
            writer.member("id", id.text)
        }
        writer.endObject()
    }
}
