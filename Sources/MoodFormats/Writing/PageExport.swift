import JSONCodec
import MoodCore

/// Moods as pages for people: Markdown, and HTML as one file that loads nothing.
enum PageExport {
    static func appendMarkdown(_ mood: MoodMembers, _ clock: inout WallClock, to text: inout ByteBuffer) {
        let local = clock.text(of: mood)
        let star = mood.isFavorite == true ? " ★" : ""
        text.append(
            utf8: "\n## \(local.prefix(10)) \(local.dropFirst(11).prefix(5)) "
                + "\(Share.markdownEscaped(mood.emojiText + " " + mood.labelText))\(star)\n")
        if !mood.notesText.isEmpty {
            text.append("\n")
            for line in mood.notesText.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                text.append(utf8: "> " + Share.markdownLine(String(line)) + "\n")
            }
        }
        if !mood.tagTexts.isEmpty {
            text.append(utf8: "\nTags: " + mood.tagTexts.map(Share.markdownEscaped).joined(separator: ", ") + "\n")
        }
    }

    static let beginning = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Moods</title>
        <style>
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem;
          color: #1c1c1e; background: #fff; overflow-wrap: anywhere; }
        article { border-top: 1px solid #8886; padding: .75rem 0; break-inside: avoid; }
        h2 { font-size: 1.1rem; margin: 0; }
        time, ul { color: #545458; }
        p { white-space: pre-wrap; margin: .5rem 0; }
        ul { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .5rem; }
        @media (prefers-color-scheme: dark) { body { color: #f2f2f7; background: #1c1c1e; } time, ul { color: #c7c7cc; } }
        @media print { body { color: #000; background: #fff; } time, ul { color: #333; } }
        </style>
        </head>
        <body>
        <main>
        <h1>Moods</h1>

        """

    static let ending = "</main>\n</body>\n</html>\n"

    static func appendHTML(_ mood: MoodMembers, _ clock: inout WallClock, to text: inout ByteBuffer) {
        let local = clock.text(of: mood)
        let star = mood.isFavorite == true ? " <span title=\"Favorite\">★</span>" : ""
        text.append(
            utf8: "<article><h2>\(Share.htmlEscaped(mood.emojiText + " " + mood.labelText))\(star)</h2>"
                + "<time datetime=\"\(mood.timestamp.value?.text ?? "")\">\(local.prefix(10)) \(local.dropFirst(11).prefix(5))</time>"
        )
        if !mood.notesText.isEmpty { text.append(utf8: "<p>\(Share.htmlEscaped(mood.notesText))</p>") }
        if !mood.tagTexts.isEmpty {
            text.append(utf8: "<ul>" + mood.tagTexts.map { "<li>\(Share.htmlEscaped($0))</li>" }.joined() + "</ul>")
        }
        text.append("</article>\n")
    }
}
