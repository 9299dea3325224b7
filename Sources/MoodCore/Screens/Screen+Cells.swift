import JSONCodec
import MoodText

// MARK: - The menu

extension Screen {
    /// The rows of the menu, below the headings of their sections.
    func writeMenu(to writer: inout JSONWriter) {
        var row = 0
        for (place, section) in Menu.sections.enumerated() {
            let title = texts.menu?.sections[place] ?? section.title
            let footer = texts.menu.map { $0.footers[place] } ?? section.footer ?? ""
            writer.cell("section-\(place + 1)", "section", Accessible(title, .header)) { writer in
                writer.member("title", title)
                writer.member("footer", footer.isEmpty ? nil : footer)
            }
            for item in section.items {
                write(item, texts.menu?.descriptions[row] ?? item.description, to: &writer)
                row += 1
            }
        }
    }

    private func write(_ item: Menu.Item, _ description: String, to writer: inout JSONWriter) {
        writer.cell(
            "item-\(item.number)", "menuItem",
            Accessible("\(item.title): \(description)", hint: texts.opensScreen, .button),
            action: .navigate(item.route, router: router)
        ) { writer in
            writer.member("number", item.number)
            writer.member("title", item.title)
            writer.member("description", description)
            writer.member("icon", item.icon)
            writer.member("color", item.color)
            writer.key("route")
            item.route.write(to: &writer)
        }
    }
}

// MARK: - The form

extension Screen {
    /// Writes the open form, or a sentence that none is open.
    func writeForm(to writer: inout JSONWriter) {
        guard let editor = content.editor, let rules = content.rules, editor.isPresented else {
            return write(empty: texts.form, "form", to: &writer)
        }
        let problems = editor.problems(rules)
        for emoji in editor.availableEmojis(rules) {
            let isSelected = emoji.utf8.elementsEqual(editor.selectedEmoji.utf8)
            writer.cell(
                "emoji-\(emoji)", "choice",
                Accessible(emoji, hint: texts.selects, isSelected ? [.button, .isSelected] : .button),
                action: .selectEmoji(emoji)
            ) { writer in
                writer.member("text", emoji)
                writer.member("isSelected", isSelected)
            }
        }
        field("emoji", texts.emoji, editor.selectedEmoji, problems, to: &writer)
        field("label", texts.label, editor.label, problems, to: &writer)
        field("notes", words.notes, editor.notes, problems, to: &writer)
        field("tags", words.tags, editor.tags.joined(separator: ", "), problems, values: editor.tags, to: &writer)
    }

    private func field(
        _ name: StaticString, _ title: String, _ text: String, _ problems: [MoodEditor.Problem],
        values: [String]? = nil, to writer: inout JSONWriter
    ) {
        let found = problems.first { $0.path == "/\(name)" || $0.path.hasPrefix("/\(name)/") }
        let problem = found.flatMap { found in content.rules.flatMap { texts.need(of: name, $0) } ?? found.message }
        let spoken = text.isEmpty ? title : "\(title): \(text)"
        writer.cell("field-\(name)", "field", Accessible(spoken, hint: problem, .staticText)) { writer in
            writer.member("name", name)
            writer.member("title", title)
            writer.member("text", text)
            if let values {
                writer.beginArray("values")
                for value in values { writer.string(value) }
                writer.endArray()
            }
            writer.member("problem", problem)
        }
    }

    private func write(empty piece: ScreenWords.Piece, _ id: String, to writer: inout JSONWriter) {
        let spoken = piece.text.isEmpty ? piece.title : "\(piece.title). \(piece.text)"
        writer.cell(id, "empty", Accessible(spoken, .staticText)) { writer in
            writer.member("title", piece.title)
            writer.member("text", piece.text)
        }
    }
}

// MARK: - The layers

extension Screen {
    func writeLayers(to writer: inout JSONWriter) {
        for (place, layer) in texts.layers.enumerated() {
            writer.cell(
                "layer-\(place + 1)", "layer", Accessible("\(layer.title): \(layer.text)", .staticText)
            ) { writer in
                writer.member("number", place + 1)
                writer.member("title", layer.title)
                writer.member("text", layer.text)
            }
        }
    }
}

// MARK: - The list

extension Screen {
    /// Writes the number of moods and the revision. A client that subscribes from that revision misses nothing.
    func writeCount(to writer: inout JSONWriter) {
        guard let moods = content.moods else { return }
        let text = texts.moods(moods.count)
        writer.cell("count", "count", Accessible(text, .staticText)) { writer in
            writer.member("value", moods.count)
            writer.member("text", text)
            writer.member("revision", moods.revision)
        }
    }

    /// Writes the newest moods and the number of others, or the reason why there are none.
    func writeMoods(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        guard let moods = content.moods else { return }
        if let problem = moods.problem {
            return write(empty: .init(texts.unreadable.title, problem), "empty", to: &writer)
        }
        if moods.count == 0 { return write(empty: texts.noMoods, "empty", to: &writer) }
        let offers = RowOffers(locale: context.locale, router: router)
        for row in moods.rows { try write(row, offers, &phrases, to: &writer) }
        let rest = moods.count - moods.rows.count
        guard rest > 0 else { return }
        let text = texts.more(rest)
        writer.cell("more", "more", Accessible(text, .staticText)) { writer in
            writer.member("count", rest)
            writer.member("text", text)
        }
    }

    private func write(
        _ row: Row, _ offers: RowOffers, _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        let zone = isZoneGiven ? context.timeZone : row.timeZone ?? context.timeZone
        let when = try phrases.relative(
            from: row.time.milliseconds, to: context.now.milliseconds, locale: context.locale, timeZone: zone)
        let spoken = "\(row.emoji) \(row.label), \(when)" + (row.isFavorite ? ", \(words.favorite)" : "")
        writer.cell(
            "mood-\(row.id.text)", "moodRow", Accessible(spoken, hint: words.open, .button),
            action: .navigate(.moodDetail(row.id), router: router)
        ) { writer in
            writer.member("moodId", row.id)
            writer.member("emoji", row.emoji)
            writer.member("title", row.label)
            writer.member("text", when)
            writer.member("timestamp", row.time.text)
            writer.member("isFavorite", row.isFavorite)
            writer.key("actions")
            offers.write(row.id, isFavorite: row.isFavorite, to: &writer)
        }
    }
}
