import JSONCodec
import MoodText
import Testing

@testable import MoodCore

/// The screen of one mood.
@Suite struct DetailTests {
    private static let id = "0194f2a1-0000-7000-8000-000000000001"
    private static let other = "0194f2a1-0000-7000-8000-000000000002"

    private static func record(
        isFavorite: Bool = false, notes: String = "", tags: String = "[]", more: String = "", attachments: String = "[]"
    ) -> String {
        """
        {"id":"\(id)","emoji":"😊","label":"Happy","timestamp":"2026-01-02T03:04:05.678Z","isFavorite":\(isFavorite),\
        "notes":"\(notes)","tags":\(tags),\(more)"attachments":\(attachments),\
        "createdAt":"2026-01-02T03:04:06.000Z","updatedAt":"2026-01-02T03:04:06.000Z","revision":3}
        """
    }

    private func detail(
        _ record: String, locale: String = "en_US", now: String = "2026-01-02T05:04:05.678Z",
        _ surroundings: DetailSurroundings = DetailSurroundings()
    ) throws -> JSONValue {
        var phrases = Phrases()
        let context = ReadingContext(locale: locale, timeZone: "UTC", now: try #require(Timestamp(now)))
        let json = try withBytes(record) { bytes in
            let mood = try #require(MoodMembers(checking: ValidJSON(trusting: bytes)))
            return try written { writer in
                try Detail(mood, Attachment.all(of: mood), context: context, surroundings).write(
                    record: bytes, &phrases, to: &writer)
            }
        }
        return try JSONValue(parsing: json)
    }

    private func cells(_ detail: JSONValue) -> [JSONValue] { detail["cells"]?.array ?? [] }

    private func cell(_ detail: JSONValue, _ id: String) throws -> JSONValue {
        try #require(cells(detail).first { $0["id"]?.string == id }, "there is no cell \(id)")
    }

    @Test func aPlainMoodShowsWhatItHas() throws {
        let detail = try detail(Self.record())
        #expect(detail["title"]?.string == "Happy")
        #expect(detail["mood"]?["id"]?.string == Self.id)
        #expect(
            cells(detail).compactMap { $0["type"]?.string }
                == ["hero", "text", "relativeTime", "info", "info", "notes", "hint"])
        #expect(try cell(detail, "relativeTime")["text"]?.string == "2 hours ago")
        #expect(try cell(detail, "recorded")["value"]?.string == "January 2, 2026 at 3:04\u{202F}AM")
        #expect(try cell(detail, "favorite")["value"]?.string == "No")
        #expect(try cell(detail, "notes")["isPlaceholder"]?.boolean == true)
        #expect(
            try cell(detail, "notes")["action"]?.isEqual(
                to: ["type": "editNotes", "id": .string(Self.id), "notes": ""]) == true)
        #expect(
            detail["actions"]?.array?.compactMap { $0["action"]?["type"]?.string } == ["share", "edit", "delete"])
        #expect(detail["actions"]?.array?.compactMap { $0["destructive"]?.boolean } == [false, false, true])
    }

    @Test(arguments: [true, false])
    func theFavoriteButtonSaysWhatItIsAndDoes(isFavorite: Bool) throws {
        let detail = try detail(Self.record(isFavorite: isFavorite))
        let button = try #require(detail["toolbar"]?.array?.first)
        #expect(
            button.isEqual(to: [
                "type": "favoriteButton", "isFavorite": .boolean(isFavorite),
                "symbol": isFavorite ? "heart.fill" : "heart", "color": isFavorite ? "red" : "gray",
                "accessibility": [
                    "label": isFavorite ? "Remove from favorites" : "Add to favorites",
                    "hint": "Double tap to toggle favorite status",
                    "traits": isFavorite ? ["button", "isSelected"] : ["button"],
                ],
                "animation": [
                    "spring": ["response": .double(0.3), "damping": .double(0.6)], "scale": .double(1.1),
                    "rotation": 360,
                ],
                "haptic": "light", "action": ["type": "toggleFavorite", "id": .string(Self.id)],
            ]), "\(button.text)")
        #expect(detail["toolbar"]?.array?.last?["type"]?.string == "dismiss")
        #expect(detail["toolbar"]?.array?.last?["action"]?.isEqual(to: ["type": "goBack"]) == true)
    }

    private static let everything = """
        [{"kind":"event","title":"Tea","occurrences":[{"start":"2026-01-03T15:00:00.000Z","end":"2026-01-03T16:00:00.000Z"}],\
        "location":"Garden","hostName":"Ann"},\
        {"kind":"relation","moodId":"\(other)","type":"before"},\
        {"kind":"relation","moodId":"0194f2a1-0000-7000-8000-000000000003","type":"after"},\
        {"kind":"place","latitude":60,"longitude":25,"label":"Home","address":"Street 1"},\
        {"kind":"email","address":"a@b.org"},{"kind":"link","url":"https://example.org","title":"Example"},\
        {"kind":"audio","path":"/a.m4a","title":"Song"},{"kind":"audio","url":"https://example.org/b.mp3"},\
        {"kind":"image","path":"/a.png","aspectRatio":1.5,"alt":"A cat"},\
        {"kind":"event","title":"Week","occurrences":[{"start":"2026-01-05T15:00:00.000Z","end":"2026-01-05T16:00:00.000Z"},\
        {"start":"2026-01-05T18:00:00.000Z","end":"2026-01-06T01:00:00.000Z"},\
        {"start":"2026-01-01T10:00:00.000Z","end":"2026-01-01T10:00:00.000Z"}]}]
        """

    private func surroundings() throws -> DetailSurroundings {
        var surroundings = DetailSurroundings()
        surroundings.location = Coordinates(latitude: 60, longitude: 24)
        let other = try #require(withBytes(Self.other) { MoodID($0) })
        surroundings.related[other] = .init(emoji: "😢", label: "Sad")
        var events = HostEvents(now: .minimum)
        events.add(
            .init(
                mood: other, title: "Supper", start: try #require(Timestamp("2026-01-04T18:00:00Z")),
                end: try #require(Timestamp("2026-01-04T20:00:00Z"))))
        events.finish()
        surroundings.hostEvents["Ann"] = events
        surroundings.playing = 6
        return surroundings
    }

    @Test func everyKindOfAttachmentHasItsCellsInOrder() throws {
        let detail = try detail(
            Self.record(tags: #"["a","b"]"#, more: #""valence":-0.5,"#, attachments: Self.everything), surroundings())
        let shown = cells(detail).compactMap { $0["type"]?.string }
        #expect(
            shown == [
                "hero", "text", "relativeTime", "info", "info", "info", "info", "notes", "audio", "audio", "image",
                "email", "link", "coordinates", "address", "distance", "relationship", "relationship", "event", "date",
                "schedule", "date", "eventRelationship", "hint",
            ])
        let ids = cells(detail).compactMap { $0["id"]?.string }
        #expect(Set(ids).count == shown.count, "ids are unique")
        #expect(try cell(detail, "tags")["value"]?.string == "a, b")
        #expect(try cell(detail, "valence")["value"]?.string == "−0.5")
        #expect(try cell(detail, "attachment-3-distance")["text"]?.string == "34.5 mi")
        let meters = try #require(try cell(detail, "attachment-3-distance")["meters"]?.double)
        #expect(abs(meters - 55_597.6) < 1)
        #expect(try cell(detail, "attachment-1")["title"]?.string == "😢 Sad")
        #expect(try cell(detail, "attachment-2")["isMissing"]?.boolean == true)
        #expect(try cell(detail, "attachment-2")["action"] == nil, "what is not there cannot be shown")
        #expect(try cell(detail, "attachment-6")["isPlaying"]?.boolean == true)
        #expect(try cell(detail, "attachment-6")["action"]?["type"]?.string == "pauseAudio")
        #expect(try cell(detail, "attachment-7")["action"]?["type"]?.string == "playAudio")
        #expect(
            try cell(detail, "attachment-0")["text"]?.string
                == "January 3, 2026, 3:00\u{202F}PM – 4:00\u{202F}PM")
        #expect(
            try cell(detail, "attachment-9")["text"]?.string == """
                January 1, 2026, 10:00\u{202F}AM
                January 5, 2026, 3:00\u{202F}PM – 4:00\u{202F}PM, 6:00\u{202F}PM – January 6, 2026 at 1:00\u{202F}AM
                """)
        #expect(try cell(detail, "attachment-9-date")["text"]?.string == "January 5, 2026")
        #expect(try cell(detail, "attachment-0-host")["events"]?.array?.first?["title"]?.string == "Supper")
        #expect(
            detail["actions"]?.array?.compactMap { $0["action"]?["attachment"]?.integer } == [0, 9],
            "both events can be exported")
    }

    /// Accessibility: every cell and every tool has words.
    @Test(arguments: ["en_US", "de_DE", "es_ES", "fi_FI", "fr_FR", "ja_JP"])
    func everythingIsSaidAlsoToThoseWhoDoNotSeeIt(locale: String) throws {
        let detail = try detail(Self.record(notes: "n", attachments: Self.everything), locale: locale, surroundings())
        for thing in cells(detail) + (detail["toolbar"]?.array ?? []) {
            #expect(thing["accessibility"]?["label"]?.string?.isEmpty == false, "\(thing.text)")
            #expect(thing["accessibility"]?["traits"]?.array?.isEmpty == false, "\(thing.text)")
        }
        let english = ["en_US", "ja_JP"].contains(locale)
        #expect((try cell(detail, "favorite")["title"]?.string == "Favorite") == english)
    }

    @Test func theGradientIsOfTheValenceElseOfTheEmoji() {
        let emoji = "😊"
        withBytes(emoji) { emoji in
            for (valence, index) in [(-1.0, 0), (-0.6, 1), (0, 2), (0.4, 3), (1, 4)] {
                #expect(
                    "\(Gradient.of(valence: valence, emoji: emoji).light.0)" == "\(Gradient.ofValence[index].light.0)")
            }
            let own = Gradient.of(valence: nil, emoji: emoji)
            #expect(Gradient.ofHue.contains { "\($0.light)" == "\(own.light)" })
            #expect("\(Gradient.of(valence: nil, emoji: emoji).light)" == "\(own.light)", "always the same")
        }
    }

    /// WCAG 2.2: relative luminance, and the contrast ratio of success criterion 1.4.3.
    @Test func colorsHaveEnoughContrast() throws {
        func luminance(_ color: String) throws -> Double {
            let bits = try #require(Int(color.dropFirst(), radix: 16))
            let parts = [16, 8, 0].map { shift in
                let part = Double(bits >> shift & 255) / 255
                // x to the power of 2.4 as e^(2.4 ln x), by the fifth root of x^12.
                return part <= 0.040_45 ? part / 12.92 : Self.power(part)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        func contrast(_ one: String, _ other: String) throws -> Double {
            let (a, b) = (try luminance(one), try luminance(other))
            return (max(a, b) + 0.05) / (min(a, b) + 0.05)
        }
        for gradient in Gradient.ofValence + Gradient.ofHue {
            for light in ["\(gradient.light.0)", "\(gradient.light.1)"] {
                #expect(try contrast(light, "#000000") >= 4.5)
                for dark in ["\(gradient.dark.0)", "\(gradient.dark.1)"] {
                    #expect(try contrast(dark, "#FFFFFF") >= 4.5)
                    #expect(try contrast(light, dark) >= 4.5)
                }
            }
        }
    }

    /// ((x + 0.055) / 1.055) to the power of 2.4, by Newton's method for the fifth root of the twelfth power.
    private static func power(_ part: Double) -> Double {
        let base = (part + 0.055) / 1.055
        var wanted = 1.0
        for _ in 0..<12 { wanted *= base }
        var root = base
        for _ in 0..<60 { root -= (root * root * root * root * root - wanted) / (5 * root * root * root * root) }
        return root
    }

    @Test func distancesAreThoseOfASphere() {
        let helsinki = Coordinates(latitude: 60.1699, longitude: 24.9384)
        let stockholm = Coordinates(latitude: 59.3293, longitude: 18.0686)
        #expect(abs(helsinki.distance(to: stockholm) - 395_656) < 1_000)
        #expect(helsinki.distance(to: helsinki) == 0)
        let half = Coordinates(latitude: 0, longitude: 0).distance(to: Coordinates(latitude: 0, longitude: 180))
        #expect(abs(half - .pi * Coordinates.earthRadius) < 0.001)
        #expect(DistanceText.of(850.4, locale: "fi_FI") == "850 m")
        #expect(DistanceText.of(12_345, locale: "de_DE") == "12,3 km")
        #expect(DistanceText.of(395_656, locale: "en_US") == "246 mi")
        #expect(DistanceText.of(30, locale: "en_US") == "98 ft")
    }

    /// A row is the stored mood with one more member, which replaces an unknown one of that name.
    @Test func aRowIsTheMoodWithItsActions() throws {
        let id = try #require(withBytes(Self.id) { MoodID($0) })
        for more in ["", #""actions":[1],"kept":2,"#] {
            let record = Self.record(more: more)
            let json = withBytes(record) { bytes in
                written { RowOffers(locale: "fr_FR").write(bytes, id, isFavorite: true, to: &$0) }
            }
            let row = try JSONValue(parsing: json)
            #expect(row.object?.count { $0.name == "actions" } == 1)
            #expect(row["actions"]?.array?.count == 4)
            #expect(row["actions"]?.array?.first?["label"]?.string == "Modifier")
            #expect(row["label"]?.string == "Happy" && row["revision"]?.integer == 3)
            #expect((row["kept"]?.integer == 2) == !more.isEmpty)
        }
    }
}
