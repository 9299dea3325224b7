import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `action.perform`, and the coordinator's services in a session.
extension Core {
    static let actionHandlers: InlineArray<_, Handler> = [
        Handler(
            ActionMethods.perform,
            check: { try $0.need(of: Action(JSONValue($2[ActionMethods.action]))) },
            routes: { (_, arguments) throws in
                switch Action(JSONValue(arguments[ActionMethods.action])) {
                case .navigate(let route, let router), .replace(let route, let router):
                    return [(route, router ?? NavigationState.mainName)]
                default: return []
                }
            },
            maybe: { (core, request, arguments, out) throws in
                let asked = JSONValue(arguments[ActionMethods.action])
                if let later = try core.performByPlugin(asked, arguments) { return later }
                guard let action = Action(asked) else {
                    throw Arguments.error("is no action", at: "/action")
                }
                let coordinator = Coordinator(services: .ofCore(request.caller, request.ways, request.round))
                try coordinator.perform(action, in: &core, &out)
                return nil
            }
        )
    ]

    /// The needs of an action; none for an action that is not the host's.
    private mutating func need(of action: Action?) throws -> Need {
        switch action {
        case .toggleFavorite, .setFavorite, .editNotes, .delete, .clear, .insertSamples: return .changes
        case .submit:
            try checkForm()
            return .changes
        case .share, .exportEvent, .playAudio, .showEvents, .subscribe: return .reads
        case .edit: return .reads
        case .navigate(let route, _), .replace(let route, _): return route.id == nil ? [] : .reads
        default: return []
        }
    }
}

extension CoordinatorServices where World == Core {
    /// The services of a session, for one request.
    static func ofCore(_ caller: Caller, _ ways: Ways, _ hooks: HookRound?) -> Self {
        // Only the loop reads it, while it carries out this request.
        nonisolated(unsafe) let round = hooks
        return Self(
            clock: .init(now: { $0.now }), place: .init(url: { $0.url }),
            calendar: .init(
                text: { ICalendar.text(of: $0, at: $1, in: $2, bytesMax: $3) },
                bytesMax: { $0.options.limits[.messageBytes] }),
            audio: .init(
                playing: { $0.state.playing },
                setPlaying: { core, recording in core.changeState { $0.playing = recording } }),
            data: data(ways, round), navigation: navigation, editor: editor(round),
            events: .init(subscribe: { core, topics, out throws in
                try core.subscribe(EventTopics(topics), since: nil, by: caller, &out)
            }))
    }

    private static func data(_ ways: Ways, _ hooks: HookRound?) -> Data {
        nonisolated(unsafe) let round = hooks
        return Data(
            record: { core, id throws in try core.copiedRecord(id) },
            setFavorite: { core, id, isFavorite, out throws in
                try core.store.setFavorite(id, to: isFavorite, ifRevision: nil, at: core.now, to: &out)
            },
            setNotes: { core, id, notes, out throws in try core.setNotes(id, to: notes, &out) },
            delete: { core, id throws in try core.store.delete(id, ifRevision: nil) },
            deleteAll: { core throws in _ = try core.store.clear() },
            insertSamples: { core throws in _ = try core.insertSamples(round) },
            text: { core, id, format, now throws in try core.text(of: id, format, now, ways) },
            events: { core, host throws in try core.events(of: host, except: nil, now: core.now) })
    }

    private static var navigation: Navigation {
        Navigation(move: { try $0.move($3 ?? NavigationState.mainName, $1, to: $2, &$4) })
    }
}

extension CoordinatorServices where World == Core {
    private static func editor(_ hooks: HookRound?) -> Editor {
        nonisolated(unsafe) let round = hooks
        return Editor(
            begin: { core, id, out throws in
                try core.beginEditing(id)
                core.writeEditor(&out)
            },
            selectEmoji: { core, emoji, out throws in try core.setForm(emoji: emoji, &out) },
            cancel: { $0.cancelForm(&$1) },
            submit: { core, out throws in try core.submitForm(as: "editor", round, &out) })
    }
}

extension Core {
    fileprivate mutating func copiedRecord(_ id: MoodID) throws -> [UInt8] {
        try open()
        return try store.record(id).bytes.map(\.self)
    }

    fileprivate mutating func setNotes(
        _ id: MoodID, to notes: String, _ out: inout JSONWriter
    ) throws {
        // Encoded as in a request, because the store applies JSON texts to a mood.
        var text = JSONWriter(capacity: notes.utf8.count + 16)
        text.string(notes)
        defer { extendLifetime(text) }
        let set = MoodMembers(notes: ValidJSON(trusting: text.buffer.bytes).text)
        try store.update(id, with: set, ifRevision: nil, at: now, to: &out)
    }

    /// A mood as text in the host's language and the mood's zone.
    fileprivate mutating func text(
        of id: MoodID, _ format: ShareFormat, _ now: Timestamp, _ ways: Ways
    ) throws -> String {
        let record = try copiedRecord(id)
        let (locale, timeZone) = (locale(nil), timeZone(nil))
        return try record.withUnsafeBytes { bytes in
            var mood = MoodMembers(trusting: ValidJSON(trusting: bytes))
            let isWhole = !ways.contains(.withoutNotes)
            if !isWhole { mood.notes = nil }
            let context = ReadingContext(locale: locale, timeZone: mood.timeZone?.string ?? timeZone, now: now)
            return try Share(mood, record: isWhole ? bytes : nil, context: context).text(format, &phrases)
        }
    }
}

extension EventTopics {
    fileprivate init(_ topics: [Action.Topic]) {
        self = []
        for topic in topics {
            switch topic {
            case .mood: insert(.mood)
            case .nav: insert(.nav)
            case .store: insert(.store)
            case .plugin: insert(.plugin)
            }
        }
    }
}
