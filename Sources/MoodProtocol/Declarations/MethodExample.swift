/// An example call of a method in the published document. ``ExampleResults`` has the answers, from an ``ExampleHost``
/// that was started new and has got its moods and then `after`.
public struct MethodExample: Sendable {
    /// A call of a host. Its params are a JSON object.
    struct Call: Sendable {
        let method: StaticString
        let params: StaticString
        let host: ExampleHost

        init(_ method: StaticString, _ params: StaticString, host: ExampleHost = .journal) {
            (self.method, self.params, self.host) = (method, params, host)
        }
    }

    /// The params, a JSON object.
    let params: StaticString
    /// The earlier calls, in this order.
    let after: [Call]
    /// Members of the result that differ between runs or machines, as JSON Pointers.
    let varying: [String]

    init(_ params: StaticString = "{}", after: [Call] = [], varying: [String] = []) {
        (self.params, self.after, self.varying) = (params, after, varying)
    }
}

/// A host for examples. Its time and ids are fixed, so its answers are always equal.
enum ExampleHost: String, CaseIterable {
    /// The host that answers, unless a call names the other.
    case journal
    /// A host on another machine with a separate, empty store. It starts when a call names it.
    case laptop

    /// The placeholder of a folder that is empty at first, in arguments, params, files and results.
    static let folder = "/home/me"

    var arguments: [String] {
        let seed =
            switch self {
            case .journal: "1"
            case .laptop: "2"
            }
        return [
            "--store", "\(Self.folder)/\(rawValue)", "--plugins", "\(Self.folder)/plugins", "--time-zone", "UTC",
            "--test-clock", "2026-01-02T03:04:05.678Z", "--test-seed", seed,
        ]
    }

    /// The moods of the journal.
    static let moods: [MethodExample.Call] = [
        .init(
            "mood.create",
            #"{"id":"019b7c65-1a3e-7000-8000-000000000003","emoji":"😢","label":"Sad","timestamp":"2025-12-31T21:00:00Z","notes":"Missed the train.","tags":["travel"],"valence":-0.5}"#
        ),
        .init(
            "mood.create",
            #"{"id":"019b7c65-1a3e-7000-8000-000000000002","emoji":"😌","label":"Calm","timestamp":"2026-01-01T08:30:00Z","tags":["home","tea"],"valence":0.4,"isFavorite":true}"#
        ),
        .init(
            "mood.create",
            #"{"id":"019b7c65-1a3e-7000-8000-000000000001","emoji":"😊","label":"Happy","timestamp":"2026-01-01T19:15:00Z","notes":"Dinner with Ada.","tags":["friends"],"valence":0.8}"#
        ),
    ]

    /// The files in the folder before a host starts: a plugin.
    static let files: [(path: String, text: String)] = [
        (
            "\(folder)/plugins/org.example.poem/plugin.json",
            """
            {"manifestVersion":1,"id":"org.example.poem","name":"Poem","version":"1.0.0","protocol":[1],"exec":["sh","./poem.sh"],\
            "config":{"type":"object","properties":{"lines":{"type":"integer","default":4}}},"permissions":{"moods":"read"}}

            """
        ),
        (
            "\(folder)/plugins/org.example.poem/poem.sh",
            #"""
            # Answers the first request, and goes with the end of its input.
            read -r line
            printf '{"jsonrpc":"2.0","id":0,"result":{"protocol":1}}\n'
            cat > /dev/null

            """#
        ),
    ]
}
