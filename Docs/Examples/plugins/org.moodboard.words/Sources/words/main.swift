// A MoodBoard plugin: which words the notes use most, and how the moods with each of them felt. It asks the
// host for the moods, page by page, while it works on a call.

// FoundationEssentials has no tables of languages, which make a program four times as large; on macOS import Foundation alone.
import FoundationEssentials
import Glibc

/// What either side writes: a request, a notification or an answer, with the members that this plugin knows.
struct Message: Codable {
    var jsonrpc = "2.0"
    var id: ID?
    var method: String?
    var params: Params?
    var result: Result?
    var error: Failure?
}

/// An id is answered as it was asked.
enum ID: Codable {
    case number(Int), text(String)

    init(from decoder: any Decoder) throws {
        self = try (try? .number(Int(from: decoder))) ?? .text(String(from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let number): try number.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        }
    }
}

struct Params: Codable {
    var limit: Int?, cursor: String?
}

struct Result: Codable {
    var `protocol`: Int?
    var moods: Int?, words: [Word]?
    var items: [Mood]?, nextCursor: String?
}

struct Mood: Codable {
    var notes: String, valence: Double?
}

struct Word: Codable {
    var word: String, count: Int, average: Double?
}

struct Failure: Codable, Error {
    var code: Int, message: String
}

func send(_ message: Message) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(message), as: UTF8.self))
    fflush(nil)
}

/// The next message of the host; nil at its end.
func receive() throws -> Message? {
    try readLine().map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
}

/// The host, and what it asked while it was asked itself.
struct Host {
    var waiting: [Message] = []

    mutating func next() throws -> Message? { try waiting.isEmpty ? receive() : waiting.removeFirst() }

    mutating func ask(_ method: String, _ params: Params) throws -> Result {
        try send(Message(id: .text("asked"), method: method, params: params))
        while let message = try receive() {
            if let error = message.error { throw error }
            if let result = message.result { return result }
            if message.id != nil { waiting.append(message) }
        }
        throw Failure(code: 1, message: "The host has gone.")
    }
}

func frequent(_ params: Params, _ host: inout Host) throws -> Result {
    var valences: [String: [Double?]] = [:]
    var page = Params(limit: 1000)
    var moods = 0
    repeat {
        let result = try host.ask("mood.list", page)
        for mood in result.items ?? [] {
            moods += 1
            let parts = mood.notes.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "’" }
            for word in Set(parts.filter { $0.count > 3 }) { valences[String(word), default: []].append(mood.valence) }
        }
        page.cursor = result.nextCursor
    } while page.cursor != nil
    let sorted = valences.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let words = sorted.prefix(params.limit ?? 10).map { word, all in
        let known = all.compactMap(\.self)
        let average = known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        return Word(word: word, count: all.count, average: average)
    }
    return Result(moods: moods, words: words)
}

var host = Host()
while let request = try host.next() {
    // What has no id is a notification: plugin.goodbye, or a cancellation.
    guard let id = request.id, let method = request.method else { continue }
    do {
        switch method {
        case "plugin.hello": try send(Message(id: id, result: Result(protocol: 1)))
        case "frequent": try send(Message(id: id, result: try frequent(request.params ?? Params(), &host)))
        default: throw Failure(code: -32601, message: "There is no method \(method).")
        }
    } catch let failure as Failure {
        try send(Message(id: id, error: failure))
    }
}
