import JSONCodec
import MoodText

/// The cells, in the order of the protocol.
extension Detail {
    func writeCells(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        writeHead(to: &writer)
        try writeTimes(&phrases, to: &writer)
        try writeFacts(&phrases, to: &writer)
        writeNotes(to: &writer)
        if !attachments.isEmpty { try writeAttachments(&phrases, to: &writer) }
    }

    private func writeHead(to writer: inout JSONWriter) {
        let gradient =
            mood.emoji?.withDecoded { Gradient.of(valence: mood.valence?.double, emoji: $0) }
            ?? Gradient.ofValence[2]
        writer.cell("hero", "hero", Accessible("\(emoji) \(label)", .image)) { writer in
            writer.member("emoji", emoji)
            writer.key("gradient")
            gradient.write(to: &writer)
        }
        writer.cell("label", "text", Accessible(label, .header)) { writer in
            writer.member("text", label)
            writer.member("style", literal: "largeTitle")
        }
    }

    private func writeTimes(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        let relative = try phrases.relative(
            from: time.milliseconds, to: context.now.milliseconds, locale: context.locale, timeZone: context.timeZone)
        writer.cell("relativeTime", "relativeTime", Accessible("\(words.recorded) \(relative)", .staticText)) {
            writer in
            writer.member("text", relative)
            writer.member("timestamp", time.text)
        }
        let moment = try phrases.moment(time.milliseconds, locale: context.locale, timeZone: context.timeZone)
        info("recorded", "clock", words.recorded, moment, "secondary", to: &writer)
    }

    private func writeFacts(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        info(
            "favorite", isFavorite ? "heart.fill" : "heart", words.favorite, isFavorite ? words.yes : words.no,
            isFavorite ? "red" : "gray", to: &writer)
        let tags = mood.tags.flatMap { $0.bytes.count > 2 ? JSONValue($0).array : nil }?.compactMap(\.string) ?? []
        if !tags.isEmpty { info("tags", "tag", words.tags, tags.joined(separator: ", "), "secondary", to: &writer) }
        if let valence = mood.valence?.double {
            // Clamped, because a record may come from a version with other limits.
            let hundredths = Int((min(max(valence, -1_000), 1_000) * 100).rounded())
            let text = try phrases.signed(
                hundredths: hundredths, locale: context.locale, timeZone: context.timeZone)
            let color: StaticString = valence > 0 ? "green" : valence < 0 ? "red" : "secondary"
            info("valence", "gauge", words.valence, text, color, to: &writer)
        }
        for field in MoodField.ready {
            guard let value = mood[field] else { continue }
            let text: String
            switch field.kind {
            case .flag: text = value.raw.first == UInt8(ascii: "t") ? words.yes : words.no
            case .number:
                text = try phrases.number(
                    JSONNumber(raw: value.raw).double ?? 0, locale: context.locale, timeZone: context.timeZone)
            default: text = value.string
            }
            info("\(field.name)", "square.text.square", words.title(of: field), text, "secondary", to: &writer)
        }
        for (place, scale) in Scales.all(of: mood).enumerated() {
            let text = try phrases.number(scale.value, locale: context.locale, timeZone: context.timeZone)
            info("scale-\(place)", "ruler", scale.name, text, "secondary", to: &writer)
        }
    }

    private func info(
        _ id: String, _ icon: StaticString, _ title: String, _ value: String, _ color: StaticString,
        to writer: inout JSONWriter
    ) {
        writer.cell(id, "info", Accessible("\(title): \(value)", .staticText)) { writer in
            writer.member("icon", icon)
            writer.member("title", title)
            writer.member("value", value)
            writer.member("color", color)
        }
    }

    private func writeNotes(to writer: inout JSONWriter) {
        let isHidden = surroundings.hidesNotes
        let isPlaceholder = isHidden || notes.isEmpty
        let text = isHidden ? words.notesLeftOut : isPlaceholder ? words.noNotes : notes
        let label = "\(words.notes): \(text)"
        writer.cell(
            "notes", "notes",
            isHidden ? Accessible(label, .staticText) : Accessible(label, hint: words.editNotesHint, .button),
            action: isHidden ? nil : .editNotes(id, notes: notes)
        ) { writer in
            writer.member("text", text)
            writer.member("isPlaceholder", isPlaceholder)
        }
    }
}

// MARK: - Attachments

extension Detail {
    /// Writes attachments by kind, and within a kind in the mood's order.
    private func writeAttachments(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        for (place, attachment) in attachments {
            switch attachment.content {
            case .image(let source, let aspectRatio, let alt):
                write(image: source, aspectRatio, alt, at: place, to: &writer)
            case .audio(let source, let title): write(audio: source, title, at: place, to: &writer)
            default: break
            }
        }
        for (place, attachment) in attachments {
            switch attachment.content {
            case .link(let url, let title): write(link: url, title, at: place, to: &writer)
            case .email(let address, let label): write(email: address, label, at: place, to: &writer)
            default: break
            }
        }
        for (place, attachment) in attachments {
            guard case .place(let latitude, let longitude, let label, let address) = attachment.content else {
                continue
            }
            let coordinates = Coordinates(latitude: latitude, longitude: longitude)
            write(place: coordinates, label, address, at: place, to: &writer)
        }
        for (place, attachment) in attachments {
            guard case .relation(let other, let type) = attachment.content else { continue }
            write(relation: type, to: other, at: place, to: &writer)
        }
        for (place, attachment) in attachments {
            guard case .event(let event) = attachment.content else { continue }
            try write(event: event, at: place, &phrases, to: &writer)
        }
        var hosts: Set<String> = []
        for (place, attachment) in attachments {
            guard case .event(let event) = attachment.content, let host = event.hostName,
                let others = surroundings.hostEvents[host], others.count > 0, hosts.insert(host).inserted
            else { continue }
            write(others, of: host, at: place, to: &writer)
        }
    }

    private func write(
        image source: Attachment.Source, _ aspectRatio: Double?, _ alt: String?, at place: Int,
        to writer: inout JSONWriter
    ) {
        writer.cell(
            "attachment-\(place)", "image", Accessible(alt ?? words.image, [.image, .button]),
            action: .showImage(source, aspectRatio: aspectRatio, alt: alt)
        ) { writer in
            source.writeMember(to: &writer)
            writer.member("aspectRatio", aspectRatio)
            writer.member("alt", alt)
        }
    }

    private func write(audio source: Attachment.Source, _ title: String?, at place: Int, to writer: inout JSONWriter) {
        let isPlaying = surroundings.playing == place
        writer.cell(
            "attachment-\(place)", "audio",
            Accessible(title ?? words.audio, hint: isPlaying ? words.pause : words.play, [.button, .playsSound]),
            action: isPlaying ? .pauseAudio(id, attachment: place) : .playAudio(id, attachment: place)
        ) { writer in
            source.writeMember(to: &writer)
            writer.member("title", title ?? words.audio)
            writer.member("isPlaying", isPlaying)
        }
    }

    private func write(link url: String, _ title: String?, at place: Int, to writer: inout JSONWriter) {
        writer.cell(
            "attachment-\(place)", "link", Accessible(title ?? url, hint: words.link, .link), action: .openURL(url)
        ) { writer in
            writer.member("url", url)
            writer.member("title", title ?? url)
        }
    }

    private func write(email address: String, _ label: String?, at place: Int, to writer: inout JSONWriter) {
        writer.cell(
            "attachment-\(place)", "email", Accessible(label ?? address, hint: words.email, .link),
            action: .openEmail(address)
        ) { writer in
            writer.member("address", address)
            writer.member("label", label ?? address)
        }
    }

    private func write(
        place coordinates: Coordinates, _ label: String?, _ address: String?, at place: Int, to writer: inout JSONWriter
    ) {
        let text = "\(coordinates.latitudeText), \(coordinates.longitudeText)"
        writer.cell(
            "attachment-\(place)", "coordinates", Accessible("\(words.coordinates): \(label ?? text)", .button),
            action: .shareCoordinates(coordinates, label: label)
        ) { writer in
            coordinates.writeMembers(to: &writer)
            writer.member("label", label ?? text)
        }
        if let address {
            writer.cell(
                "attachment-\(place)-address", "address", Accessible("\(words.address): \(address)", .button),
                action: .showMap(coordinates, label: label ?? address)
            ) { writer in
                writer.member("text", address)
                writer.member("tappable", true)
            }
        }
        guard let here = surroundings.location else { return }
        let meters = here.distance(to: coordinates)
        let distance = DistanceText.of(meters, locale: context.locale)
        writer.cell(
            "attachment-\(place)-distance", "distance", Accessible("\(words.distance): \(distance)", .staticText)
        ) { writer in
            writer.member("meters", (meters * 10).rounded() / 10)
            writer.member("text", distance)
        }
    }

    private func write(relation type: String, to other: MoodID, at place: Int, to writer: inout JSONWriter) {
        let related = surroundings.related[other]
        let title = related.map { "\($0.emoji) \($0.label)" } ?? words.missingMood
        writer.cell(
            "attachment-\(place)", "relationship",
            Accessible("\(type): \(title)", related == nil ? .staticText : .button),
            // A missing mood cannot be shown.
            action: related == nil ? nil : .navigate(.moodDetail(other), router: surroundings.router)
        ) { writer in
            writer.member("title", title)
            writer.member("relation", type)
            writer.member("moodId", other)
            writer.member("isMissing", related == nil)
        }
    }

    private func write(
        event: Attachment.Event, at place: Int, _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        let days = try OccurrenceText.days(of: event.occurrences, context, &phrases)
        let text = days.joined(separator: "\n")
        let action = Action.exportEvent(id, attachment: place)
        if event.occurrences.count == 1, let only = event.occurrences.first {
            writer.cell(
                "attachment-\(place)", "event", Accessible("\(event.title), \(text)", hint: words.exportEvent, .button),
                action: action
            ) { writer in
                writer.member("title", event.title)
                writer.member("start", only.start.text)
                writer.member("end", only.end.text)
                writer.member("location", event.location)
                writer.member("hostName", event.hostName)
                writer.member("text", text)
            }
        } else {
            writer.cell(
                "attachment-\(place)", "schedule",
                Accessible("\(event.title), \(days.joined(separator: ", "))", hint: words.exportEvent, .button),
                action: action
            ) { writer in
                writer.member("title", event.title)
                writer.member("text", text)
            }
        }
        guard let next = OccurrenceText.next(of: event.occurrences, at: context.now) else { return }
        let day = try phrases.date(next.start.milliseconds, locale: context.locale, timeZone: context.timeZone)
        writer.cell("attachment-\(place)-date", "date", Accessible("\(words.date): \(day)", .staticText)) {
            $0.member("text", day)
        }
    }

    private func write(
        _ others: HostEvents, of host: String, at place: Int, to writer: inout JSONWriter
    ) {
        let title = "\(words.moreEventsOfHost) \(host)"
        writer.cell(
            "attachment-\(place)-host", "eventRelationship", Accessible(title, .button),
            action: .showEvents(hostName: host)
        ) { writer in
            writer.member("title", title)
            writer.member("hostName", host)
            others.writeMembers(to: &writer)
        }
    }
}
