import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import Platform
import PluginHost
import Versions

/// `mood_delete`. Before deleting several moods it asks the user, if the client can.
extension Dispatcher {
    private static let namedMax = 10

    mutating func delete(
        _ call: inout ToolCall, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var ids: [String] = []
        call.arguments["ids"]?.forEachElement { element in
            guard let id = element.text?.string.lowercased(), !ids.contains(id) else { return }
            ids.append(id)
        }
        if ids.count > 1, !call.facts.isDryRun {
            if call.facts.revision.isStateless, call.given.meta.elicits {
                switch Self.answer(call.given.inputResponses) {
                case .refused(let reason):
                    return out.toolError(
                        "mood_delete: \(reason). Nothing was deleted.", version: Version.program)
                case .agreed:
                    // The consent is for the moods of the question, whatever else the call names.
                    guard let asked = try agreed(call.given.requestState, among: ids, request) else { fallthrough }
                    ids = asked
                case nil: return try carryOut(Self.question(ids, call), call.given, request, to: &out)
                }
            } else if call.arguments.integer("confirm") != ids.count {
                let reason =
                    "must be \(ids.count), the number of ids, to say that so many moods are meant to be deleted. Ask the person first"
                return out.toolError(call.tool.text(reason, at: "/confirm"), version: Version.program)
            }
        }
        call.arguments.understand("ids", as: .array(ids.map { .string($0) }))
        let outcome = try ask(&call, request)
        guard case .success = outcome else { return Self.write(outcome, of: call.tool, to: &out) }
        noteChange(&call)
        call.tool.writeDeleted(ids, call.facts, to: &out)
    }

    /// The ids of the question, which the client returns as `requestState`; nil if this process has not asked it, or
    /// if a mood has changed since: a question is good for what it showed, and so good once.
    private mutating func agreed(
        _ state: ValidJSON?, among ids: [String], _ request: borrowing Request
    ) throws -> [String]? {
        guard let state = state?.text?.string else { return nil }
        let asked = state.split(separator: " ").dropLast().map { String($0) }
        guard asked.allSatisfy(ids.contains) else { return nil }
        var shown: [ShownMood] = []
        for id in asked {
            let params = KeptBytes(Array(JSONValue.object([.init("id", .string(id))]).text.utf8))
            guard case .success(let mood) = try params.withJSON({ try ask("mood.get", .whole($0), for: request) })
            else { return nil }
            shown.append(ShownMood(JSONValue(mood)))
        }
        return ShownMood.state(of: shown) == state ? asked : nil
    }

    private enum Answer {
        case agreed
        case refused(String)
    }

    /// The user's answer; nil if there is none.
    private static func answer(_ responses: ValidJSON?) -> Answer? {
        guard let answer = responses.flatMap({ JSONValue($0)["delete"] }) else { return nil }
        guard answer["action"]?.string == "accept" else { return .refused("the person has not agreed") }
        switch answer["content"]?["delete"]?.boolean {
        case true?: return .agreed
        case false?: return .refused("the person has not agreed")
        case nil: return .refused("the accepted form lacks its member delete: true or false. Ask the person again")
        }
    }

    /// Asks the client to ask the user. The client then repeats the call with the answer.
    private static func question(_ ids: [String], _ call: ToolCall) -> ModelPlan {
        let calls = ids.map { NativeCall("mood.get", ["id": .string($0)]) }
        let (tool, count) = (call.tool, ids.count)
        return ModelPlan(calls) { (_, outcomes, out) throws in
            var shown: [ShownMood] = []
            for outcome in outcomes {
                switch outcome {
                case .success(let bytes): shown.append(ShownMood(JSONValue(bytes: bytes)))
                case .failure(let error): return out.toolError(tool.text(of: error), version: Version.program)
                }
            }
            let names = shown.prefix(Self.namedMax).map(\.name)
            let more = count > names.count ? " and \(count - names.count) more" : ""
            let question: JSONValue = [
                "method": "elicitation/create",
                "params": [
                    "mode": "form",
                    "message": .string("Delete \(count) moods? \(names.joined(separator: ", "))\(more)"),
                    "requestedSchema": [
                        "type": "object",
                        "properties": [
                            "delete": [
                                "type": "boolean", "title": "Delete them",
                                "description": "They can be brought back with undo.",
                            ]
                        ],
                        "required": ["delete"],
                    ],
                ],
            ]
            out.raw("{\"resultType\":\"input_required\"")
            out.member("inputRequests", JSONValue.object([.init("delete", question)]))
            out.member("requestState", ShownMood.state(of: shown))
            out.endModelResult(version: Version.program)
        }
    }
}

/// A mood as a question shows it.
private struct ShownMood {
    private let id: String
    private let revision: Int
    let name: String

    init(_ mood: JSONValue) {
        (id, revision) = (mood["id"]?.string ?? "", mood["revision"]?.integer ?? 0)
        let day = mood["timestamp"]?.string?.prefix(10) ?? ""
        name = "\(mood["emoji"]?.string ?? "") \(mood["label"]?.string ?? "") (\(day))"
    }

    /// The key of this process, so that no client can make a `requestState`.
    private static let key = (0..<4).map { _ in RandomWords().next() }

    /// The ids, and a seal on them and their revisions.
    static func state(of moods: [ShownMood]) -> String {
        (moods.map(\.id) + [seal(seal(moods.map { "\($0.id) \($0.revision)" }.joined(separator: "\n")))])
            .joined(separator: " ")
    }

    /// A hash with the key; twice, because the first one could be continued without the key.
    private static func seal(_ text: String) -> String {
        var hash = SHA256()
        for word in key { withUnsafeBytes(of: word) { hash.update($0) } }
        hash.update(text)
        return hash.hex()
    }
}
