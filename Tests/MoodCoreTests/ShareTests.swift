import Foundation
import JSONCodec
import MoodText
import Testing

@testable import MoodCore

@Suite struct ShareTests {
    private static let now = "2026-01-02T05:04:05.678Z"

    /// The shared text of a record, decoded.
    private func share(
        _ record: String, _ format: ShareFormat, template: String? = nil, locale: String = "en_US",
        timeZone: String? = "UTC", now: String = now
    ) throws -> String {
        var phrases = Phrases()
        let context = ReadingContext(locale: locale, timeZone: timeZone, now: try #require(Timestamp(now)))
        let template = try template.map { try #require(Self.template($0)) }
        return try withBytes(record) { bytes in
            let mood = try #require(MoodMembers(checking: ValidJSON(trusting: bytes)))
            let share = Share(mood, record: bytes, context: context)
            guard let template else { return try share.text(format, &phrases) }
            let json = try written { writer in
                let filled = try share.filled(template, &phrases)
                filled.write(to: &writer)
                #expect(filled.byteCount == writer.count, "known before it is written")
            }
            return try #require(try JSONValue(parsing: json).string)
        }
    }

    private static func template(_ text: String) -> ShareTemplate? {
        withBytes(text) { ShareTemplate(JSONText(raw: $0, isEscaped: false)) }
    }

    @Test func aPlainTextIsEmojiLabelAndWhen() throws {
        #expect(try share(plainRecord, .text) == "😊 Happy\nRecorded 2 hours ago")
        #expect(try share(fullRecord, .text) == "😊 Happy \"day\"\nRecorded 2 hours ago")
        #expect(try share(plainRecord, .text, locale: "fi_FI") == "😊 Happy\nKirjattu 2 tuntia sitten")
        #expect(try share(plainRecord, .text, now: "2026-01-02T03:04:05.678Z") == "😊 Happy\nRecorded now")
        #expect(try share(plainRecord, .text, now: "2026-01-03T12:00:00Z") == "😊 Happy\nRecorded yesterday")
    }

    /// Seconds from the moment to now; each is tried for the past and for the future.
    private static let offsets: [Double] = [
        0, 1, 5, 44, 45, 59, 60, 61, 89, 90, 119, 120, 600, 1_799, 1_800, 3_540, 3_599, 3_600, 5_399, 5_400, 7_200,
        18_000, 39_600, 43_200, 64_800, 82_800, 86_399, 86_400, 90_000, 129_600, 172_800, 259_200, 518_400, 604_800,
        777_600, 1_209_600, 2_332_800, 2_678_400, 5_184_000, 7_776_000, 17_280_000, 31_536_000, 34_560_000, 63_072_000,
        315_360_000, 3_153_600_000,
    ]

    private func withTimestamp(_ date: Date) throws -> (record: String, time: Timestamp) {
        let time = try #require(Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded())))
        return (plainRecord.replacing("2026-01-02T03:04:05.678Z", with: time.text), time)
    }

    /// A sentence has one language. If we have no words, the time stands alone.
    private static let recorded = [
        "en_US": "Recorded ", "de_DE": "Erfasst ", "fi_FI": "Kirjattu ", "fr_FR": "Noté ", "es_ES": "Registrado ",
        "ja_JP": "", "ar_EG": "",
    ]

    @Test(arguments: recorded.keys) func theSentenceAboutTheTimeIsOfOneLanguage(locale: String) throws {
        let word = try #require(Self.recorded[locale])
        let time = try relative(locale)
        #expect(try share(plainRecord, .text, locale: locale) == "😊 Happy\n\(word)\(time)")
        #expect(try share(plainRecord, .html, locale: locale).contains(">\(word)\(time)</time>"))
    }

    private func relative(_ locale: String) throws -> String {
        let style = Date.AnchoredRelativeFormatStyle(
            anchor: Date(timeIntervalSinceNow: -7_200), presentation: .named, locale: Locale(identifier: locale))
        return style.format(Date())
    }

    /// A line end in a note stays one.
    @Test func linesOfNotesStayLines() throws {
        let record = fullRecord.replacing(#"a\nb\u0001"#, with: #"one\ntwo\n\nthree"#)
        #expect(try share(record, .markdown).contains("> one\\\n> two\n> \n> three\n"))
        #expect(try share(record, .html).contains("<p>one<br>two<br><br>three</p>"))
    }

    /// The words for the time are Foundation's, in every language.
    @Test(arguments: ["en_US", "de_DE", "fi_FI", "ja_JP", "ar_EG"])
    func theTimeIsSaidAsFoundationSaysIt(locale: String) throws {
        #expect(Self.offsets.count >= 40)
        let zone = try #require(TimeZone(identifier: "Europe/Helsinki"))
        var calendar = Locale(identifier: locale).calendar
        calendar.timeZone = zone
        let now = Date(timeIntervalSince1970: 1_767_330_245.678)
        let nowText = try withTimestamp(now).time.text
        for offset in Self.offsets.flatMap({ [-$0, $0] }) {
            let date = now.addingTimeInterval(offset)
            let truth = Date.AnchoredRelativeFormatStyle(
                anchor: date, presentation: .named, locale: Locale(identifier: locale), calendar: calendar
            ).format(now)
            let record = try withTimestamp(date).record
            let text = try share(record, .text, locale: locale, timeZone: zone.identifier, now: nowText)
            #expect(text == "😊 Happy\n\(Self.recorded[locale] ?? "")\(truth)", "offset \(offset)")
        }
    }

    /// Compares with the call of an app, which uses the present moment: a moment before it and one after it enclose it.
    @Test(arguments: ["en_US", "de_DE", "fi_FI", "ja_JP", "ar_EG"])
    func theTimeIsSaidAsAnAppSaysIt(locale: String) throws {
        let zone = TimeZone.current.identifier
        // The default calendar is the process's, whose week may begin on another day.
        var calendar = Locale(identifier: locale).calendar
        calendar.timeZone = TimeZone.current
        let style = Date.RelativeFormatStyle(
            presentation: .named, locale: Locale(identifier: locale), calendar: calendar)
        var compared = 0
        for offset in Self.offsets.flatMap({ [-$0, $0] }) {
            let before = Date()
            let date = before.addingTimeInterval(offset)
            let said = date.formatted(style)
            let after = Date()
            let record = try withTimestamp(date).record
            let texts = try [before, after].map {
                try share(record, .text, locale: locale, timeZone: zone, now: try withTimestamp($0).time.text)
            }
            // If the words change between the two, either may be right.
            guard texts[0] == texts[1] else { continue }
            #expect(texts[0] == "😊 Happy\n\(Self.recorded[locale] ?? "")\(said)", "offset \(offset)")
            compared += 1
        }
        #expect(compared > Self.offsets.count)
    }

    /// The text copied from the record equals plain text, in the canonical layout and in another.
    @Test func theHeadlineIsThePlainText() throws {
        for record in [plainRecord, fullRecord, "{\"notes\":\"\"," + plainRecord.dropFirst()] {
            for hasZone in [false, true] {
                var phrases = Phrases()
                let now = try #require(Timestamp(Self.now))
                let context = ReadingContext(locale: "fi_FI", timeZone: "UTC", now: now)
                let json = try withBytes(record) { bytes in
                    let record = ValidJSON(trusting: bytes)
                    let headline = MoodHeadline(
                        record, at: MoodMembers(trusting: record).timestamp.value, hasZone: hasZone)
                    return try written { writer in try headline.write(context, &phrases, to: &writer) }
                }
                #expect(try JSONValue(parsing: json).string == share(record, .text, locale: "fi_FI"))
            }
        }
    }

    @Test(arguments: [
        ("{emoji} {label}", "😊 Happy \"day\""), ("", ""), ("plain", "plain"), ("{notes}", "a\nb\u{1}"),
        ("{tags}", "work, sun"), ("{timestamp}", "2026-01-02T03:04:05.678Z"), ("{relative}", "2 hours ago"),
        ("{{emoji}", "{emoji}"), ("{{{emoji}", "{😊"), ("}", "}"), ("}}", "}}"), ("{emoji}{emoji}", "😊😊"),
        ("{{{{", "{{"), ("a{{b}c", "a{b}c"), ("\"\\\u{1}\n{emoji}é", "\"\\\u{1}\n😊é"),
    ])
    func fillsATemplate(template: String, expected: String) throws {
        #expect(try share(fullRecord, .text, template: template) == expected)
    }

    @Test func datesInATemplateFollowLocaleAndZone() throws {
        let utc = try share(fullRecord, .text, template: "{date} {time}", timeZone: "UTC")
        let tokyo = try share(fullRecord, .text, template: "{date} {time}", timeZone: "Asia/Tokyo")
        let german = try share(fullRecord, .text, template: "{date}", locale: "de_DE")
        #expect(utc.contains("2026") && utc.contains("3:04"))
        #expect(tokyo.contains("12:04"))
        #expect(german.contains("2026") && german.contains("Januar"))
    }

    @Test(arguments: ["{", "{emoji", "{}", "{Emoji}", "{ emoji }", "{emoji{label}", "{nope}", "a {label", "{{{"])
    func refusesATemplateWithAnUnknownName(template: String) throws {
        #expect(Self.template(template) == nil)
        let problem = try #require(withBytes(template) { ShareTemplate.problem($0) })
        #expect(problem.contains("{"))
    }

    @Test func namesWhatATemplateMayHold() throws {
        let problem = try #require(withBytes("{nope}") { ShareTemplate.problem($0) })
        for name in ShareTemplate.Name.allCases { #expect(problem.contains("{\(name)}")) }
        let long = try #require(withBytes("{\(String(repeating: "x", count: 10_000))}") { ShareTemplate.problem($0) })
        #expect(long.utf8.count < 300)
        let marks = "{a" + String(repeating: "\u{301}", count: 100_000) + "}"
        #expect(try #require(withBytes(marks) { ShareTemplate.problem($0) }).utf8.count < 400)
    }

    @Test func jsonIsTheRecordItself() throws {
        #expect(try share(fullRecord, .json) == fullRecord)
    }

    @Test func markdownShowsLabelNotesAndTags() throws {
        let record = fullRecord.replacing(#"a\nb\u0001"#, with: #"one\n\ntwo"#)
        #expect(
            try share(record, .markdown) == """
                **😊 Happy \\"day\\"**

                Recorded 2 hours ago

                > one
                >\(" ")
                > two

                Tags: work, sun

                """)
        #expect(try share(plainRecord, .markdown) == "**😊 Happy**\n\nRecorded 2 hours ago\n")
    }

    @Test func htmlIsOneFigure() throws {
        #expect(
            try share(plainRecord, .html) == """
                <figure class="mood"><p>😊</p><figcaption><strong>Happy</strong> \
                <time datetime="2026-01-02T03:04:05.678Z">Recorded 2 hours ago</time></figcaption></figure>
                """)
        let full = try share(fullRecord, .html)
        #expect(full.contains("<strong>Happy &quot;day&quot;</strong>"))
        #expect(full.contains("<ul><li>work</li><li>sun</li></ul>"))
    }

    private static let hostile = [
        "<script>alert(1)</script>", "a & b", "\"quoted\" 'single'", "&amp;", "**bold** _it_ `code`", "[x](http://y)",
        "![i](u)", "# heading", "1. item", "1) item", "- item", "+ item", "> quote", "~~~", "===", "a\\", "<b>",
        "&copy;",
        "|a|b|", "http://a.b", "a*b", "\\*", "a\u{202e}b", "    *code*", "\t*code*",
    ]

    @Test(arguments: hostile)
    func htmlEscapesWhatItCarries(text: String) throws {
        let html = try share(try record(label: text, notes: text, tag: text), .html)
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        #expect(html.contains("<p>\(escaped)</p>"))
        #expect(html.contains("<li>\(try trimmed(escaped))</li>"))
        #expect(html.contains("<strong>\(try trimmed(escaped))</strong>"))
        // Only our own elements.
        let tags = html.split(separator: "<").map { String($0.prefix { $0.isLetter || $0 == "/" }) }
        let own: Set = ["figure", "/figure", "figcaption", "/figcaption", "strong", "/strong", "time", "/time"]
        #expect(Set(tags).subtracting(own.union(["p", "/p", "ul", "/ul", "li", "/li"])).isEmpty)
    }

    /// Undoing the escapes of CommonMark, section 2.4, gives the text back, and no unescaped character could be markup.
    @Test(arguments: hostile)
    func markdownEscapesWhatItCarries(text: String) throws {
        let markdown = try share(try record(label: text, notes: text, tag: text), .markdown)
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let quoted = try #require(lines.first { $0.hasPrefix("> ") }).dropFirst(2)
        #expect(unescaped(String(quoted)) == text)
        #expect(unescaped(String(try #require(lines.first).dropFirst(2).dropLast(2))) == "😊 " + (try trimmed(text)))
        let body = String(quoted)
        #expect(!body.hasPrefix("    ") && !body.hasPrefix("\t"), "indented text would be code, escapes and all")
    }

    @Test func theMediaTypesAreThoseOfTheContract() {
        #expect(
            ShareFormat.all.map { "\($0.name) \($0.mediaType)" } == [
                "text text/plain; charset=utf-8", "markdown text/markdown; charset=utf-8",
                "html text/html; charset=utf-8", "json application/json; charset=utf-8",
                "ics text/calendar; charset=utf-8",
            ])
    }

    @Test func anUnknownLocaleOrZoneIsAnError() throws {
        #expect(throws: TextError.self) { try share(plainRecord, .text, locale: "xx_YY") }
        #expect(throws: TextError.self) {
            try share(plainRecord, .text, timeZone: "Nowhere/Else", now: "2026-01-03T12:00:00Z")
        }
    }

    private func record(label: String, notes: String, tag: String) throws -> String {
        var members = try JSONValue(parsing: plainRecord).object ?? []
        for (name, value) in [
            ("label", JSONValue.string(try trimmed(label))), ("notes", .string(notes)),
            ("tags", .array([.string(try trimmed(tag))])),
        ] {
            let index = try #require(members.firstIndex { $0.name == name })
            members[index] = .init(name, value)
        }
        return JSONValue.object(members).text
    }

    private func trimmed(_ text: String) throws -> String {
        withBytes(text) { String(decoding: TextRule.trimmed($0), as: UTF8.self) }
    }

    private func unescaped(_ text: String) -> String {
        var result = ""
        var isEscape = false
        for scalar in text.replacing("&#32;", with: " ").replacing("&#9;", with: "\t").unicodeScalars {
            if scalar == "\\", !isEscape {
                isEscape = true
            } else {
                #expect(
                    isEscape || !"*_`[]<>#!|~&".unicodeScalars.contains(scalar), "\(scalar) is not escaped in \(text)")
                result.unicodeScalars.append(scalar)
                isEscape = false
            }
        }
        return result
    }
}
