import JSONCodec

/// What somebody who does not see the screen is told of a thing on it. (SwiftUI: `accessibilityLabel`, `…Hint`, `…Traits`;
/// the web: ARIA.)
struct Accessible {
    enum Trait: String {
        case button, header, image, link, isSelected, playsSound, staticText
    }

    var label: String
    var hint: String?
    var traits: [Trait]

    init(_ label: String, hint: String? = nil, _ traits: Trait...) {
        self.label = label
        self.hint = hint
        self.traits = traits
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("label", label)
        writer.member("hint", hint)
        writer.key("traits")
        writer.beginArray()
        for trait in traits { writer.string(trait.rawValue) }
        writer.endArray()
        writer.endObject()
    }
}

/// What a person can do, with its look: the one shape of it everywhere. (SwiftUI: a `Button` in a `swipeActions` or `Menu`.)
struct Offer {
    enum Edge: String { case leading, trailing }

    var label: String
    /// The name of an SF Symbol, for clients that have them.
    var icon: StaticString
    /// A semantic colour.
    var color: StaticString?
    var isDestructive = false
    var edge: Edge?
    var action: Action

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("label", label)
        writer.key("icon")
        writer.string(icon)
        if let color {
            writer.key("color")
            writer.string(color)
        }
        writer.key("destructive")
        writer.boolean(isDestructive)
        if let edge { writer.member("edge", edge.rawValue) }
        writer.key("action")
        action.write(to: &writer)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a cell `{id, type, …, accessibility, action?}`; `body` writes the members of its type.
    /// - Parameter id: the same from call to call.
    mutating func cell(
        _ id: String, _ type: StaticString, _ accessible: Accessible, action: Action? = nil,
        _ body: (inout JSONWriter) -> Void
    ) {
        beginObject()
        member("id", id)
        key("type")
        string(type)
        body(&self)
        key("accessibility")
        accessible.write(to: &self)
        if let action {
            key("action")
            action.write(to: &self)
        }
        endObject()
    }
}
