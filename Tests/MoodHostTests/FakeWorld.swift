import JSONCodec
import JSONRPC
import MoodCore

@testable import MoodHost

/// A fake session for the coordinator.
struct FakeWorld {
    var calls: [String] = []
    var playing: Recording?
    var fails = false
    /// The attachments of every mood.
    var attachments = #"""
        [{"kind":"link","url":"https://a.b"},
        {"kind":"event","title":"Tea","occurrences":[{"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:05Z"}]},
        {"kind":"audio","path":"/2.m4a","title":"Song"},{"kind":"audio","path":"/3.m4a"},{"kind":"later"}]
        """#

    mutating func call(_ text: String) throws(RPCError) {
        calls.append(text)
        if fails { throw RPCError(.storeBusy, "Somebody else has it.") }
    }
}

extension CoordinatorServices where World == FakeWorld {
    static var fake: Self {
        Self(
            clock: .init(now: { _ in Timestamp("2026-01-02T03:04:05.678Z") ?? .minimum }),
            place: .init(url: { "place:\($0.latitudeText)" }),
            calendar: .init(
                text: { event, place, mood, _ in "calendar of \(event.title) at \(place) in \(mood.id?.text ?? "")" },
                bytesMax: { _ in .max }),
            audio: .init(playing: { $0.playing }, setPlaying: { $0.playing = $1 }), data: data, navigation: navigation,
            editor: editor,
            events: .init(subscribe: { world, topics, out throws(RPCError) in
                try world.call((["subscribe"] + topics.map(\.rawValue)).joined(separator: " "))
                out.string("begun" as StaticString)
            }))
    }

    private static var data: Data {
        Data(
            record: { world, id throws(RPCError) in
                try world.call("record \(id.text)")
                let attachments = world.attachments
                return Array(#"{"id":"\#(id.text)","emoji":"😊","label":"Happy","attachments":\#(attachments)}"#.utf8)
            },
            setFavorite: { world, id, isFavorite, out throws(RPCError) in
                try world.call("setFavorite \(id.text) \(isFavorite.map { "\($0)" } ?? "other")")
                out.string(isFavorite.map { $0 ? "marked" : "unmarked" } ?? "toggled")
            },
            setNotes: { world, id, notes, out throws(RPCError) in
                try world.call("setNotes \(id.text)")
                out.string(notes)
            },
            delete: { world, id throws(RPCError) in try world.call("delete \(id.text)") },
            deleteAll: { world throws(RPCError) in try world.call("deleteAll") },
            insertSamples: { world throws(RPCError) in try world.call("insertSamples") },
            text: { world, id, format, now throws(RPCError) in
                try world.call("text \(id.text) \(format.name) \(now.text)")
                return "text"
            },
            events: { world, host throws(RPCError) in
                try world.call("events \(host)")
                let time = Timestamp("2026-01-02T03:04:05.678Z") ?? .minimum
                var events = HostEvents(now: time)
                if let id = MoodID(testID(2)) { events.add(.init(mood: id, title: "Supper", start: time, end: time)) }
                events.finish()
                return events
            })
    }

    private static var editor: Editor {
        Editor(
            begin: { world, id, out throws(RPCError) in
                try world.call((["begin"] + [id?.text].compactMap(\.self)).joined(separator: " "))
                out.string("form" as StaticString)
            },
            selectEmoji: { world, emoji, out throws(RPCError) in
                try world.call("selectEmoji \(emoji)")
                out.string("form" as StaticString)
            },
            cancel: { world, out throws(RPCError) in
                try world.call("cancel")
                out.string("form" as StaticString)
            },
            submit: { world, out throws(RPCError) in
                try world.call("submit")
                out.raw("\"editor\":\"form\",\"mood\":\"made\"")
            })
    }

    private static var navigation: Navigation {
        Navigation(move: { world, action, route, router, out throws(RPCError) in
            let name = route.map { " \($0.name)" } ?? ""
            let call = "\(action.rawValue)\(name) \(router ?? "main")"
            try world.call(call)
            out.string(call)
        })
    }
}
