// A MoodBoard plugin: which words the notes use most, and how the moods with each of them felt.
//
// It asks the host for the moods, page by page, while it works on a call.

import Foundation

typealias Object = [String: Any]

/// What goes wrong, in words for the caller.
struct Failure: Error {
    let code: Int
    let message: String
}

func send(_ message: Object) throws {
    let whole = message.merging(["jsonrpc": "2.0"]) { $1 }
    let line = try JSONSerialization.data(withJSONObject: whole, options: [.sortedKeys, .withoutEscapingSlashes])
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

/// The next message of the host; nil at its end. `readLine` keeps what it has read for the next call.
func receive() throws -> Object? {
    guard let line = readLine() else { return nil }
    return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Object ?? [:]
}

/// Asks the host. Between question and answer it sends notifications only, because one call is served at a time.
func ask(_ method: String, _ params: Object) throws -> Object {
    try send(["id": "asked", "method": method, "params": params])
    while let message = try receive() {
        if let error = message["error"] as? Object {
            throw Failure(code: 1, message: error["message"] as? String ?? "The host refused.")
        }
        if let result = message["result"] as? Object { return result }
    }
    exit(0)  // the host has gone
}

/// The words of a text, each once, in lower case; short ones say little.
func words(of text: String) -> Set<String> {
    let parts = text.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "’" }
    return Set(parts.filter { $0.count > 3 }.map(String.init))
}

func frequent(_ params: Object) throws -> Object {
    var counts: [String: Int] = [:]
    var valences: [String: [Double]] = [:]
    var moods = 0
    var page: Object = ["limit": 1000, "filter": params.filter { ["from", "to"].contains($0.key) }]
    while true {
        let result = try ask("mood.list", page)
        for mood in result["items"] as? [Object] ?? [] {
            moods += 1
            for word in words(of: mood["notes"] as? String ?? "") {
                counts[word, default: 0] += 1
                if let valence = mood["valence"] as? Double { valences[word, default: []].append(valence) }
            }
        }
        guard let cursor = result["nextCursor"] else { break }
        page["cursor"] = cursor
    }
    let sorted = counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    let rows = sorted.prefix(params["limit"] as? Int ?? 10).map { word, count in
        let values = valences[word] ?? []
        let average: Object = values.isEmpty ? [:] : ["average": values.reduce(0, +) / Double(values.count)]
        return ["word": word, "count": count].merging(average) { $1 }
    }
    return ["moods": moods, "words": rows]
}

func answer(_ method: String, _ params: Object) throws -> Object {
    switch method {
    case "plugin.hello": ["protocol": 1, "name": "Words", "version": "1.0.0"]
    case "frequent": try frequent(params)
    default: throw Failure(code: -32601, message: "There is no method \(method).")
    }
}

while let request = try receive() {
    guard let id = request["id"] else { continue }  // a notification: plugin.goodbye, or a cancellation
    do {
        let result = try answer(request["method"] as? String ?? "", request["params"] as? Object ?? [:])
        try send(["id": id, "result": result])
    } catch let failure as Failure {
        try send(["id": id, "error": ["code": failure.code, "message": failure.message] as Object])
    }
}
