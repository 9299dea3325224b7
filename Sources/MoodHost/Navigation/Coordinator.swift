import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol

/// The one place that carries out actions. It uses its services for the host's part, and returns the client's part as
/// effects. (UIKit: a coordinator; Redux: a middleware; Elm: `update`, which returns commands.)
///
///     let coordinator = Coordinator(services: .ofCore)
///     try coordinator.perform(.openURL("https://example.org"), in: &core, &answer)
///     // {"effects":[{"type":"openURL","url":"https://example.org"}]}
///
/// Invariants
/// 1. An action changes the store in one commit or not at all: it calls at most one service that changes it, once.
/// 2. At most one recording plays. Another one is paused first.
/// 3. The coordinator passes on paths and addresses, and never opens them.
struct Coordinator<World: ~Copyable>: Sendable {
    let services: CoordinatorServices<World>

    /// Carries out an action and writes `{effects, mood?, navigation?, editor?, subscription?}`.
    /// - Throws: errors of the services; `invalidParams` at `/action/attachment` for an attachment that is missing or
    ///   of the wrong kind.
    func perform(_ action: Action, in world: inout World, _ out: inout JSONWriter) throws {
        out.beginObject()
        switch action {
        case .toggleFavorite(let id):
            Self.write([], then: "mood", &out)
            try services.data.setFavorite(&world, id, nil, &out)
        case .setFavorite(let id, let isFavorite):
            Self.write([], then: "mood", &out)
            try services.data.setFavorite(&world, id, isFavorite, &out)
        case .editNotes(let id, let notes):
            Self.write([], then: "mood", &out)
            try services.data.setNotes(&world, id, notes, &out)
        case .delete(let id): Self.write(try delete(id, in: &world), &out)
        case .clear: Self.write(try deleteAll(in: &world), &out)
        case .insertSamples:
            try services.data.insertSamples(&world)
            Self.write([], &out)
        case .navigate(let route, let router):
            Self.write([], then: "navigation", &out)
            try services.navigation.move(&world, .navigate, route, router, &out)
        case .replace(let route, let router):
            Self.write([], then: "navigation", &out)
            try services.navigation.move(&world, .replace, route, router, &out)
        case .goBack(let router):
            Self.write([], then: "navigation", &out)
            try services.navigation.move(&world, .goBack, nil, router, &out)
        case .goBackToRoot(let router):
            Self.write([], then: "navigation", &out)
            try services.navigation.move(&world, .goBackToRoot, nil, router, &out)
        case .edit(let id):
            Self.write([], then: "editor", &out)
            try services.editor.begin(&world, id, &out)
        case .add:
            Self.write([], then: "editor", &out)
            try services.editor.begin(&world, nil, &out)
        case .selectEmoji(let emoji):
            Self.write([], then: "editor", &out)
            try services.editor.selectEmoji(&world, emoji, &out)
        case .cancel:
            Self.write([], then: "editor", &out)
            try services.editor.cancel(&world, &out)
        case .submit:
            Self.write([], &out)
            try services.editor.submit(&world, &out)
        case .share(let id, let format): Self.write([try share(id, format ?? .text, in: &world)], &out)
        case .shareCoordinates(let place, let label): Self.write([share(place, label)], &out)
        case .exportEvent(let id, let place): Self.write([try export(place, of: id, in: &world)], &out)
        case .openURL(let url): Self.write([.openURL(url)], &out)
        case .openEmail(let address): Self.write([.openEmail(address)], &out)
        case .showMap(let place, let label): Self.write([.showMap(place, label: label)], &out)
        case .showImage(let source, let aspectRatio, let alt):
            Self.write([.showImage(source, aspectRatio: aspectRatio, alt: alt)], &out)
        case .playAudio(let id, let place): Self.write(try play(place, of: id, in: &world), &out)
        case .pauseAudio(let id, let place): Self.write([try pause(place, of: id, in: &world)], &out)
        case .showEvents(let hostName):
            Self.write([.showEvents(hostName: hostName, try services.data.events(&world, hostName))], &out)
        case .subscribe(let topics):
            Self.write([], then: "subscription", &out)
            try services.events.subscribe(&world, topics, &out)
        }
        out.endObject()
    }

    /// Writes the effects, and the name of the changed value, if it is written next.
    private static func write(_ effects: [Effect], then name: StaticString? = nil, _ out: inout JSONWriter) {
        out.member("effects", array: effects) { effect, out in effect.write(to: &out) }
        if let name { out.key(name) }
    }
}

// MARK: - Moods

extension Coordinator where World: ~Copyable {
    private func delete(_ id: MoodID, in world: inout World) throws -> [Effect] {
        let playing = services.audio.playing(world)
        try services.data.delete(&world, id)
        guard let playing, playing.mood == id else { return [] }
        services.audio.setPlaying(&world, nil)
        return [.pauseAudio(playing)]
    }

    private func deleteAll(in world: inout World) throws -> [Effect] {
        let playing = services.audio.playing(world)
        try services.data.deleteAll(&world)
        guard let playing else { return [] }
        services.audio.setPlaying(&world, nil)
        return [.pauseAudio(playing)]
    }

    private func share(_ id: MoodID, _ format: ShareFormat, in world: inout World) throws -> Effect {
        let text = try services.data.text(&world, id, format, services.clock.now(world))
        return .present(.init(.shareSheet, text: text, mediaType: "\(format.mediaType)"))
    }

    /// The name, the coordinates and the address, for a reader who gets only the text.
    private func share(_ place: Coordinates, _ label: String?) -> Effect {
        let url = services.place.url(place)
        let lines = [label, "\(place.latitudeText), \(place.longitudeText)", url].compactMap(\.self)
        return .present(
            .init(
                .shareSheet, text: lines.joined(separator: "\n"), mediaType: "\(ShareFormat.text.mediaType)", url: url))
    }

    private func export(_ place: Int, of id: MoodID, in world: inout World) throws -> Effect {
        let bytesMax = services.calendar.bytesMax(world)
        let text = try withAttachment(place, of: id, in: &world) { content, mood throws in
            guard case .event(let event) = content else { throw Self.wrongKind(content, "an event") }
            return services.calendar.text(event, place, mood, bytesMax)
        }
        return .present(.init(.calendarEvent, text: text, mediaType: "\(ShareFormat.ics.mediaType)"))
    }
}

// MARK: - Audio

extension Coordinator where World: ~Copyable {
    /// Plays a recording. The effect comes even if this recording plays already, so that a client that has lost it
    /// begins again.
    private func play(_ place: Int, of id: MoodID, in world: inout World) throws -> [Effect] {
        let recording = try recording(place, of: id, in: &world)
        let other = services.audio.playing(world).flatMap { $0.isSame(as: recording) ? nil : $0 }
        services.audio.setPlaying(&world, recording)
        return (other.map { [.pauseAudio($0)] } ?? []) + [.playAudio(recording)]
    }

    /// Pauses a recording that plays, even if it is no longer attached. Otherwise nothing changes.
    private func pause(_ place: Int, of id: MoodID, in world: inout World) throws -> Effect {
        if let playing = services.audio.playing(world), playing.mood == id {
            // The recording or its mood may be deleted, or the recording moved.
            var isIt = playing.attachment == place
            if !isIt { isIt = try recording(place, of: id, in: &world).isSame(as: playing) }
            if isIt {
                services.audio.setPlaying(&world, nil)
                return .pauseAudio(playing)
            }
        }
        return .pauseAudio(try recording(place, of: id, in: &world))
    }

    /// The recording; without a title it gets the name of its mood.
    private func recording(_ place: Int, of id: MoodID, in world: inout World) throws -> Recording {
        try withAttachment(place, of: id, in: &world) { content, mood throws in
            guard case .audio(let source, let title) = content else { throw Self.wrongKind(content, "a recording") }
            let name = "\(mood.emoji?.string ?? "") \(mood.label?.string ?? "")"
            return Recording(mood: id, attachment: place, source: source, title: title ?? name)
        }
    }
}

// MARK: - Attachments

extension Coordinator where World: ~Copyable {
    /// Calls `body` with the attachment at this place of a mood.
    private func withAttachment<Result>(
        _ place: Int, of id: MoodID, in world: inout World,
        _ body: (Attachment.Content, MoodMembers) throws -> Result
    ) throws -> Result {
        let record = try services.data.record(&world, id)
        return try record.withUnsafeBytes { bytes in
            let mood = MoodMembers(trusting: ValidJSON(trusting: bytes))
            let all = mood.attachments.flatMap { JSONValue($0).array } ?? []
            guard all.indices.contains(place) else { throw Self.outOfRange(all.count) }
            guard let attachment = Attachment(all[place]) else { throw Self.unknownKind }
            return try body(attachment.content, mood)
        }
    }

    private static func wrong(_ reason: String) -> RPCError { Arguments.error(reason, at: "/action/attachment") }

    private static func outOfRange(_ count: Int) -> RPCError {
        switch count {
        case 0: wrong("names an attachment; the mood has none")
        case 1: wrong("must be 0, because the mood has 1 attachment")
        default: wrong("must be from 0 to \(count - 1), because the mood has \(count) attachments")
        }
    }

    private static var unknownKind: RPCError {
        wrong("names an attachment of a kind that this version does not know")
    }

    private static func wrongKind(_ content: Attachment.Content, _ wanted: String) -> RPCError {
        wrong("must be the place of \(wanted); the attachment there is of kind \(content.kind)")
    }
}
