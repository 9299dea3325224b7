import JSONCodec

/// The words of a cell for people who do not see it. (SwiftUI: `accessibilityLabel`, `…Hint`, `…Traits`; the web:
/// ARIA.)
struct Accessible {
    struct Traits: OptionSet {
        let rawValue: UInt8
        static let image = Traits(rawValue: 1)
        static let button = Traits(rawValue: 2)
        static let header = Traits(rawValue: 4)
        static let link = Traits(rawValue: 8)
        static let isSelected = Traits(rawValue: 16)
        static let playsSound = Traits(rawValue: 32)
        static let staticText = Traits(rawValue: 64)

        func write(to writer: inout JSONWriter) {
            writer.beginArray()
            if contains(.image) { writer.string("image" as StaticString) }
            if contains(.button) { writer.string("button" as StaticString) }
            if contains(.header) { writer.string("header" as StaticString) }
            if contains(.link) { writer.string("link" as StaticString) }
            if contains(.isSelected) { writer.string("isSelected" as StaticString) }
            if contains(.playsSound) { writer.string("playsSound" as StaticString) }
            if contains(.staticText) { writer.string("staticText" as StaticString) }
            writer.endArray()
        }
    }

    var label: String
    var hint: String?
    var traits: Traits

    init(_ label: String, hint: String? = nil, _ traits: Traits) {
        self.label = label
        self.hint = hint
        self.traits = traits
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("label", label)
        writer.member("hint", hint)
        writer.key("traits")
        traits.write(to: &writer)
        writer.endObject()
    }
}

/// An action with its look, in the one form for all screens. (SwiftUI: a `Button` in a `swipeActions` or `Menu`.)
struct Offer {
    enum Edge: String { case leading, trailing }

    var label: String
    /// The name of an SF Symbol, for clients that have them.
    var icon: StaticString
    /// A semantic color.
    var color: StaticString?
    var isDestructive = false
    var edge: Edge?
    var action: Action

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("label", label)
        writer.member("icon", icon)
        writer.member("color", color)
        writer.member("destructive", isDestructive)
        if let edge { writer.member("edge", edge.rawValue) }
        writer.key("action")
        action.write(to: &writer)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a cell `{id, type, …, accessibility, action?}`; `body` writes the members of its type.
    /// - Parameter id: stable between calls.
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
