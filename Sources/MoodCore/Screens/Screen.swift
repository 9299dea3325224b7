import JSONCodec
import MoodText

/// A route as a screen of typed cells, which any client can draw: `nav.screen`. A mood's own screen is `Detail`.
/// (SwiftUI: the `body` of the view that a `navigationDestination` gives; Compose: the composable of a destination.)
///
/// Every action is complete; one that moves a router names it, unless it is the main one. Ids of cells are stable
/// between calls. A list ends after `rowsMax` moods with a cell that states how many follow.
public struct Screen {
    /// The most moods on a screen.
    public static let rowsMax = 50

    /// A mood in a row.
    public struct Row: Sendable {
        public var id: MoodID
        public var emoji: String
        public var label: String
        public var time: Timestamp
        public var timeZone: String?
        public var isFavorite: Bool

        public init(
            id: MoodID, emoji: String, label: String, time: Timestamp, timeZone: String?, isFavorite: Bool
        ) {
            self.id = id
            self.emoji = emoji
            self.label = label
            self.time = time
            self.timeZone = timeZone
            self.isFavorite = isFavorite
        }
    }

    /// The moods on a screen.
    public struct Moods: Sendable {
        /// The newest moods, newest first.
        public var rows: [Row]
        public var count: Int
        /// The store's revision: the screen shows the state after this commit.
        public var revision: Int
        /// The reason why the moods could not be read.
        public var problem: String?
        /// The reason why some recorded data is not shown.
        public var damage: String?

        public init(rows: [Row], count: Int, revision: Int, problem: String?, damage: String? = nil) {
            self.rows = rows
            self.count = count
            self.revision = revision
            self.problem = problem
            self.damage = damage
        }
    }

    /// A screen's data besides words. Each route uses the part that it needs.
    public struct Content: Sendable {
        public var editor: MoodEditor?
        public var rules: MoodEditor.Rules?
        public var moods: Moods?

        public init() {}
    }

    let route: Route
    /// The router for its actions; nil is the main one.
    let router: String?
    /// The locale and the present moment. Without a requested zone each mood has its own.
    let context: ReadingContext
    let isZoneGiven: Bool
    let content: Content
    let words: Words
    let texts: ScreenWords

    public init(
        _ route: Route, router: String?, context: ReadingContext, isZoneGiven: Bool, _ content: Content
    ) {
        self.route = route
        self.router = router
        self.context = context
        self.isZoneGiven = isZoneGiven
        self.content = content
        words = Words.of(context.locale)
        texts = ScreenWords.of(context.locale)
    }

    /// Writes `{route, title, cells, toolbar, actions, footer}`. A `moodDetail` here is one whose mood was deleted.
    /// - Throws: if the locale or a zone is unknown.
    public func write(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        writer.beginObject()
        writer.key("route")
        route.write(to: &writer)
        writer.member("title", title)
        writer.beginArray("cells")
        try writeCells(&phrases, to: &writer)
        writer.endArray()
        writer.beginArray("toolbar")
        if route != .menu { words.writeDismiss(router: router, to: &writer) }
        writer.endArray()
        writer.beginArray("actions")
        for offer in offers { offer.write(to: &writer) }
        writer.endArray()
        writer.beginArray("footer")
        for text in footers { writer.string(text) }
        writer.endArray()
        writer.endObject()
    }

    private var title: String {
        switch route {
        case .menu: "MoodBoard"
        case .introState: "Intro State"
        case .observation: "Observation"
        case .architecture: "Architecture"
        case .crudList: texts.listTitle
        case .moodDetail: words.missingMood
        }
    }

    private func writeCells(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        switch route {
        case .menu: writeMenu(to: &writer)
        case .introState:
            write("lesson", texts.introLesson, "body", to: &writer)
            writeForm(to: &writer)
        case .observation:
            write("lesson", texts.observationLesson, "body", to: &writer)
            writeCount(to: &writer)
            try writeMoods(&phrases, to: &writer)
        case .architecture:
            write("lesson", texts.architectureLesson, "body", to: &writer)
            writeLayers(to: &writer)
            writeForm(to: &writer)
            try writeMoods(&phrases, to: &writer)
        case .crudList: try writeMoods(&phrases, to: &writer)
        case .moodDetail:
            writer.cell("error", "error", Accessible(texts.missing, .staticText)) { writer in
                writer.member("kind", "notFound")
                writer.member("text", texts.missing)
            }
        }
    }

    func write(_ id: String, _ text: String, _ style: StaticString, to writer: inout JSONWriter) {
        writer.cell(id, "text", Accessible(text, .staticText)) { writer in
            writer.member("text", text)
            writer.member("style", style)
        }
    }

    // MARK: What can be done

    private var offers: [Offer] {
        switch route {
        case .menu, .moodDetail: []
        case .introState: formOffers
        case .observation:
            [Offer(label: texts.watch, icon: "eye", color: "purple", action: .subscribe([.mood])), newMood]
                + sampleOffers
        case .architecture: formOffers + sampleOffers + clearOffers
        case .crudList: [newMood] + sampleOffers
        }
    }

    private var newMood: Offer { Offer(label: texts.newMood, icon: "plus", color: "blue", action: .add) }

    /// The form's offers. `submit` is there only if the form can be submitted.
    private var formOffers: [Offer] {
        guard let editor = content.editor, editor.isPresented else { return [newMood] }
        let cancel = Offer(label: texts.cancel, icon: "xmark", color: "gray", action: .cancel)
        guard let rules = content.rules, editor.problems(rules).isEmpty else { return [cancel] }
        return [Offer(label: texts.save, icon: "checkmark", color: "green", action: .submit), cancel]
    }

    private var sampleOffers: [Offer] {
        guard let moods = content.moods, moods.count == 0, moods.problem == nil else { return [] }
        return [Offer(label: texts.addSamples, icon: "sparkles", color: "blue", action: .insertSamples)]
    }

    private var clearOffers: [Offer] {
        guard let moods = content.moods, moods.count > 0 else { return [] }
        return [Offer(label: texts.clearAll, icon: "trash", color: "red", isDestructive: true, action: .clear)]
    }

    private var footers: [String] {
        (content.moods?.damage.map { ["\(texts.notWhole) \($0)"] } ?? []) + usualFooters
    }

    private var usualFooters: [String] {
        switch route {
        case .introState: texts.introFooters
        case .observation: texts.observationFooters
        case .crudList: content.moods?.rows.isEmpty == false ? texts.listFooters : []
        case .menu, .architecture, .moodDetail: []
        }
    }
}

extension Words {
    /// Writes the way back, in the form of a toolbar.
    func writeDismiss(router: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.raw("\"type\":\"dismiss\"")
        writer.key("accessibility")
        Accessible(self.close, hint: self.closeHint, .button).write(to: &writer)
        writer.key("action")
        Action.goBack(router: router).write(to: &writer)
        writer.endObject()
    }
}
