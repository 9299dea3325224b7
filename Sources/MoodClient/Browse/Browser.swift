import JSONCodec
import Platform

/// The functions of a terminal that the browser uses: closures, so that tests can press keys.
struct BrowseTerminal {
    let size: () -> (columns: Int, lines: Int)
    /// Waits for a key, the other descriptor, or a new size.
    let wait: (_ other: Int32?, _ milliseconds: Int) -> TerminalScreen.Ready
    /// Reads the typed bytes; none when the terminal is gone.
    let read: () throws(SystemError) -> [UInt8]
    /// Writes the bytes in one call.
    let write: ([UInt8]) throws(SystemError) -> Void
    /// Gives the terminal to the shell until the program goes on.
    let stop: () throws(SystemError) -> Void
}

/// `mood browse`: the app in a terminal. It draws every screen from `nav.screen` alone and uses only the actions
/// offered there, which shows that the protocol is enough for an app.
///
/// A class because the host's notifications and the keys change the same state.
final class Browser {
    enum Mode {
        case choosing
        /// The person types a text for the closure.
        case typing(title: String, LineEditor, (Browser, String) throws(ClientError) -> Void)
        case confirming(BrowseLayout.Offer)
        /// A text is shown until a key is pressed.
        case reading(title: String, String)
    }

    let client: Client
    let terminal: BrowseTerminal
    private let style: Style
    var mode = Mode.choosing
    /// A line below the screen, until the next key.
    var message = ""
    private(set) var layout = BrowseLayout(.null, width: 80)
    /// The index of the chosen target.
    var focus = 0
    private var scroll = 0
    /// Whether the form is open. It is drawn over a screen that does not contain it.
    var isEditing = false
    private(set) var isFormOver = false
    /// Whether the person has done something in the form since it was opened.
    var isFormTouched = false
    /// The label that came with the chosen emoji.
    var suggestedLabel: String?
    /// The search in the list; nil shows the whole list.
    var search: String?
    private var route = ""
    /// Whether the list of moods is the current screen.
    private(set) var isOnList = false
    /// The newest revision that this person made or saw.
    private var seenRevision = 0
    var mustLoad = true
    private var isDone = false
    private var shownFrame: BrowseFrame?
    private var clickable: [(line: Int, columns: Range<Int>, offer: BrowseLayout.Offer)] = []
    private var typed: [UInt8] = []

    init(_ client: Client, _ terminal: BrowseTerminal) {
        self.client = client
        self.terminal = terminal
        style = client.style
    }

    /// Runs until the person leaves, or the terminal is gone.
    func run() throws(ClientError) {
        try subscribe()
        try openList()
        while !isDone {
            if mustLoad { try load() }
            try draw()
            // Typed bytes may be the beginning of a key. Without any, draw at times: relative times grow old.
            let ready = terminal.wait(try client.eventDescriptor(), typed.isEmpty ? 20_000 : 40)
            if ready.isChanged {
                shownFrame = nil
                mustLoad = true
            }
            if ready.hasInput {
                let bytes = (try? terminal.read()) ?? []
                guard !bytes.isEmpty else { return }
                typed += bytes
            }
            for key in Key.take(&typed, isComplete: !ready.hasInput) where !isDone { try take(key) }
            try hear(isReady: ready.hasOther)
            if !ready.hasInput, !ready.hasOther, typed.isEmpty { mustLoad = true }
        }
    }

    // MARK: The host

    private func subscribe() throws(ClientError) {
        let answer = try client.tree(
            client.call("events.subscribe", ["topics": ["mood", "store", "nav"]]))
        seenRevision = answer.number(of: "revision")
    }

    /// Handles the host's notifications: after any change it requests the screen again.
    private func hear(isReady: Bool) throws(ClientError) {
        var isLagging = false
        try client.hear(reading: isReady) { method, params in
            guard method == "events.event", let event = try? JSONValue.parse(params) else { return }
            self.mustLoad = true
            if event["lagged"] != nil { isLagging = true }
            guard event["topic"]?.string == "mood", let revision = event["seq"]?.integer, revision > self.seenRevision
            else { return }
            self.seenRevision = revision
            self.message = "Changed elsewhere: \(Self.told(event.list(of: "changes")))"
        }
        if isLagging { try subscribe() }
    }

    private static func told(_ changes: [JSONValue]) -> String {
        guard changes.count == 1, let change = changes.first else { return Client.count(changes.count) }
        let mood = change["mood"].flatMap(MoodView.init)?.title ?? "a mood"
        return "\(mood) \(change["type"]?.string ?? "changed")"
    }

    /// Notes that this person made or saw the commits up to now.
    func noteRevision() throws(ClientError) {
        seenRevision = max(seenRevision, try client.tree(client.call("store.info"))["revision"]?.integer ?? 0)
        mustLoad = true
    }

    private func load() throws(ClientError) {
        mustLoad = false
        let width = terminal.size().columns
        var screen = try client.tree(client.call("nav.screen", client.screenParams(), in: .words))
        isOnList = screen["route"]?["name"]?.string == "crudList"
        if isOnList, let search { screen = try found(search, in: screen) }
        let now = screen["route"]?.text ?? ""
        var next = BrowseLayout(screen, width: width, hidesProblems: !isFormTouched)
        isFormOver = false
        if isEditing, !next.hasFields {
            // The form comes from the screen that is the form.
            screen = try client.tree(
                client.call(
                    "nav.screen", try ["route": ["name": "introState"] as Params] + client.screenParams(), in: .words))
            next = BrowseLayout(screen, width: width, hidesProblems: !isFormTouched)
            isFormOver = next.hasFields
        }
        let place = now + (isFormOver ? "+form" : "")
        let chosen = focus < layout.targets.count ? layout.targets[focus].id : ""
        layout = next
        if place == route {
            focus = next.targets.firstIndex { $0.id == chosen } ?? min(focus, max(next.targets.count - 1, 0))
        } else {
            route = place
            // In a form people fill in the label first.
            focus = isFormOver ? next.targets.firstIndex { $0.field?.name == "label" } ?? 0 : 0
            scroll = 0
        }
    }

    // MARK: Keys

    private func take(_ key: Key) throws(ClientError) {
        if key == .control("z") { return try stop() }
        if key == .control("l") {
            shownFrame = nil
            return
        }
        switch mode {
        case .choosing:
            message = ""
            try choose(key)
        case .reading: mode = .choosing
        case .confirming(let offer):
            mode = .choosing
            if key == .character("y") || key == .character("Y") {
                try perform(offer.action)
            } else {
                message = "Left as it was."
            }
        case .typing(let title, var editor, let done):
            switch key {
            case .escape, .control("c"): mode = .choosing
            case .enter:
                mode = .choosing
                try done(self, editor.string)
            default:
                _ = editor.take(key)
                mode = .typing(title: title, editor, done)
            }
        }
    }

    private func choose(_ key: Key) throws(ClientError) {
        let page = max(height - 2, 1)
        switch key {
        case .control("c"), .control("d"), .character("q"): isDone = true
        case .up, .character("k"), .wheelUp: move(lines: -1)
        case .down, .character("j"), .wheelDown: move(lines: 1)
        case .pageUp, .control("b"): move(lines: -page)
        case .pageDown, .control("f"): move(lines: page)
        case .home: focus = 0; scroll = 0
        case .end: focus = max(layout.targets.count - 1, 0)
        case .tab: if !layout.targets.isEmpty { focus = (focus + 1) % layout.targets.count }
        case .backTab: if !layout.targets.isEmpty { focus = (focus + layout.targets.count - 1) % layout.targets.count }
        case .left, .character("h"): if !moveInLine(-1) { try goBack() }
        case .right, .character("l"): if !moveInLine(1) { try activate() }
        case .enter, .character(" "): try activate()
        case .escape, .backspace: try goBack()
        case .click(let line, let column): try click(line, column)
        case .character("?"): mode = .reading(title: "Keys", BrowseKeys.help)
        case .character("/") where !isFormOver: askForSearch()
        case .character("u") where !isFormOver: try reverse("store.undo")
        case .character("U") where !isFormOver, .control("r") where !isFormOver: try reverse("store.redo")
        case .character(let letter):
            if let offer = keys.offer(for: letter) {
                try take(offer)
            } else {
                message = "No key '\(letter)' here; ? shows the keys."
            }
        default: break
        }
    }

    private func stop() throws(ClientError) {
        try? terminal.stop()
        shownFrame = nil
        mustLoad = true
    }

    /// Goes back. In a form that cancels it.
    func goBack() throws(ClientError) {
        if isOnList, !isFormOver, search != nil {
            search = nil
            return mustLoad = true
        }
        if isFormOver, let cancel = layout.offers.first(where: { $0.action["type"]?.string == "cancel" }) {
            return try perform(cancel.action)
        }
        if let dismissal = layout.dismissal { try perform(dismissal.action) }
    }

    // MARK: Moving

    var target: BrowseLayout.Target? { layout.targets.indices.contains(focus) ? layout.targets[focus] : nil }

    private func line(of target: Int) -> Int? { layout.lines.firstIndex { $0.contains { $0.target == target } } }

    /// Moves to the nearest line with a target, so many lines away. Without one, the text moves.
    private func move(lines count: Int) {
        guard let here = line(of: focus) else { return scroll = scroll + count }
        let places = layout.lines.indices.filter { index in layout.lines[index].contains { $0.target != nil } }
        let wanted = here + count
        let next =
            count > 0 ? places.first { $0 >= wanted } ?? places.last : places.last { $0 <= wanted } ?? places.first
        guard let next, next != here, let first = layout.lines[next].lazy.compactMap(\.target).first else {
            return scroll = scroll + count
        }
        focus = first
    }

    private func moveInLine(_ step: Int) -> Bool {
        guard let here = line(of: focus), layout.lines[here].contains(where: { $0.target == focus + step }) else {
            return false
        }
        focus += step
        return true
    }

    private func click(_ line: Int, _ column: Int) throws(ClientError) {
        if let hit = clickable.first(where: { $0.line == line && $0.columns.contains(column) }) {
            return try take(hit.offer)
        }
        let index = line - 1 + scroll
        guard line > 0, line <= height, layout.lines.indices.contains(index) else { return }
        var at = 2
        var hit: Int?
        for span in layout.lines[index] {
            let end = at + DisplayWidth.of(span.text)
            if let target = span.target, hit == nil || (at..<end).contains(column) { hit = target }
            at = end
        }
        guard let hit else { return }
        if hit == focus { try activate() } else { focus = hit }
    }

    // MARK: Drawing

    /// The keys of all offers. The screen's come first, so that they stay while the cursor moves.
    private var keys: BrowseKeys {
        BrowseKeys(layout.offers + (target?.offers ?? []) + (isFormOver ? [] : layout.dismissal.map { [$0] } ?? []))
    }

    /// The number of lines for the screen itself.
    private var height: Int { max(terminal.size().lines - 2 - footer.count, 1) }

    private var footer: [[BrowseKeys.Entry]] {
        let width = terminal.size().columns - 1
        var lines: [[BrowseKeys.Entry]] = [[]]
        var used = 0
        for entry in keys.entries {
            let columns = DisplayWidth.of(entry.offer.label) + 4
            if used + columns > width, !(lines.last ?? []).isEmpty, lines.count < 3 {
                lines.append([])
                used = 0
            }
            lines[lines.count - 1].append(entry)
            used += columns
        }
        return lines
    }

    private func draw() throws(ClientError) {
        let size = terminal.size()
        let frame = frame(columns: size.columns, lines: size.lines)
        let bytes = frame.bytes(after: shownFrame)
        shownFrame = frame
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try terminal.write(bytes)
        } catch {
            throw .outputFailed(error)
        }
    }

    private func frame(columns: Int, lines count: Int) -> BrowseFrame {
        var lines = [style.apply(.heading, to: DisplayWidth.cut(" " + layout.title, to: columns - 1))]
        var cursor: (line: Int, column: Int)?
        if case .reading(let title, let text) = mode {
            lines = [style.apply(.heading, to: DisplayWidth.cut(" " + title, to: columns - 1))]
            let parts = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Paragraph.wrapped(Escaping.visible(String($0)), to: columns - 4)
            }
            lines += parts.prefix(max(count - 3, 1)).map { "  " + $0 }
        } else {
            keepInSight()
            for index in scroll..<scroll + height {
                lines.append(layout.lines.indices.contains(index) ? drawn(layout.lines[index], columns) : "")
            }
        }
        while lines.count < count - 1 - footer.count { lines.append("") }
        clickable = []
        for entries in footer {
            var text = " "
            for entry in entries {
                let shown = "\(entry.key) \(Escaping.visible(entry.offer.label))"
                let start = DisplayWidth.of(text)
                text += shown + "  "
                clickable.append((lines.count, start..<start + DisplayWidth.of(shown), entry.offer))
            }
            lines.append(style.apply(.quiet, to: DisplayWidth.cut(text, to: columns - 1)))
        }
        lines.append(statusLine(columns, lines.count, &cursor))
        return BrowseFrame(lines: Array(lines.prefix(count)), cursor: cursor)
    }

    /// Keys that mean the same everywhere.
    private var usualKeys: String { (isFormOver ? "" : "/ Search  u Undo  ") + "q Quit  ? Keys" }

    private func statusLine(_ columns: Int, _ line: Int, _ cursor: inout (line: Int, column: Int)?) -> String {
        switch mode {
        case .choosing:
            return DisplayWidth.cut(
                " " + (message.isEmpty ? usualKeys : Escaping.visible(message)), to: columns - 1)
        case .reading: return " Any key goes on."
        case .confirming(let offer):
            return style.apply(
                .failure,
                to: DisplayWidth.cut(" \(Escaping.visible(offer.label)): are you sure? [y/N]", to: columns - 1))
        case .typing(let title, let editor, _):
            let start = " \(title): "
            let width = DisplayWidth.of(start)
            let (text, column) = editor.shown(columns: max(columns - 2 - width, 1))
            cursor = (line, width + column)
            return style.apply(.heading, to: start) + text
        }
    }

    private func keepInSight() {
        if let line = line(of: focus) {
            if line < scroll { scroll = line }
            if line >= scroll + height { scroll = line - height + 1 }
            // The lines above the first target stay visible.
            if focus == 0, line < height { scroll = min(scroll, 0) }
        }
        scroll = max(min(scroll, layout.lines.count - height), 0)
    }

    /// Draws a line. A sign and reverse video mark the chosen target.
    private func drawn(_ spans: [BrowseLayout.Span], _ columns: Int) -> String {
        let isChosen = spans.contains { $0.target == focus && $0.target != nil }
        var text = isChosen ? "› " : "  "
        var rest = columns - 3
        for span in spans where rest > 0 {
            let shown = DisplayWidth.cut(span.text, to: rest)
            rest -= DisplayWidth.of(shown)
            if span.target == focus, span.target != nil {
                text += "\u{1b}[7m\(shown)\u{1b}[27m"
            } else {
                text += style.apply(span.role, to: shown)
            }
        }
        return text
    }
}
