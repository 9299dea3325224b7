import JSONCodec

/// The feature menu: the root screen, as data.
public enum Menu {
    public struct Section: Sendable {
        public let title: String
        public let footer: String?
        public let items: [Item]
    }

    public struct Item: Sendable {
        public let number: String
        public let title: String
        public let description: String
        /// The name of an SF Symbol, for clients that have them.
        public let icon: String
        /// A semantic color.
        public let color: String
        public let route: Route
    }

    public static let sections = [
        Section(
            title: "Basics",
            footer: "Start here: state that lives as long as a screen, then state that others watch.",
            items: [
                Item(
                    number: "01", title: "Intro State",
                    description: "Compose a mood in a form whose state is gone when you leave it",
                    icon: "hand.tap", color: "blue", route: .introState),
                Item(
                    number: "02", title: "Observation",
                    description: "Watch the list change while moods are recorded",
                    icon: "eye", color: "purple", route: .observation),
            ]),
        Section(
            title: "Architecture & Navigation",
            footer: nil,
            items: [
                Item(
                    number: "03", title: "Architecture",
                    description: "Follow one mood through form, model and store",
                    icon: "building.columns", color: "orange", route: .architecture)
            ]),
        Section(
            title: "Data Operations & Navigation",
            footer: "Open a mood in the list to see its detail and to mark it as a favorite.",
            items: [
                Item(
                    number: "04-05", title: "CRUD + Detail",
                    description: "Add, edit and delete moods, and look at each of them closely",
                    icon: "list.bullet.clipboard", color: "green", route: .crudList)
            ]),
    ]

    /// A menu item of a plugin.
    public struct PluginItem: Sendable {
        public let title: String
        public let description: String
        public let icon: String?
        public let color: String?
        /// `x.<id>.<name>`.
        public let action: String

        public init(title: String, description: String, icon: String?, color: String?, action: String) {
            self.title = title
            self.description = description
            self.icon = icon
            self.color = color
            self.action = action
        }
    }

    /// Writes `{sections: [...]}`.
    public static func write(plugins: [PluginItem] = [], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.beginArray("sections")
        for section in sections {
            writer.beginObject()
            writer.member("title", section.title)
            writer.member("footer", section.footer)
            writer.beginArray("items")
            for item in section.items { item.write(to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        if !plugins.isEmpty { write(plugins, &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ plugins: [PluginItem], _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", literal: "Plugins")
        writer.beginArray("items")
        for (place, item) in plugins.enumerated() { item.write(String(place + 1), to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension Menu.PluginItem {
    fileprivate func write(_ number: String, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in [
            ("number", "P\(number)"), ("title", title), ("description", description), ("icon", icon ?? "puzzlepiece"),
            ("color", color ?? "gray"),
        ] {
            writer.key(text: name)
            writer.string(value)
        }
        writer.beginObject("action")
        writer.member("type", action)
        writer.member("params", raw: "{}")
        writer.endObject()
        writer.endObject()
    }
}

extension Menu.Item {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", number)
        writer.member("title", title)
        writer.member("description", description)
        writer.member("icon", icon)
        writer.member("color", color)
        writer.key("route")
        route.write(to: &writer)
        writer.endObject()
    }
}
