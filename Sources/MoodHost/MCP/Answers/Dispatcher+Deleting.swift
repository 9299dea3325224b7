import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
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
                // The consent is for the moods of the question, whatever else the call names.
                let asked = Self.asked(call.given.requestState)
                let answer = Self.consent(call.given.inputResponses)
                if answer == false {
                    return out.toolError(
                        "mood_delete: the person has not agreed. Nothing was deleted.", version: Version.program)
                }
                guard answer == true, !asked.isEmpty, asked.allSatisfy(ids.contains) else {
                    return try carryOut(Self.question(ids, call), call.given, request, to: &out)
                }
                ids = asked
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

    /// The ids of the question, which the client returns as `requestState`.
    private static func asked(_ state: ValidJSON?) -> [String] {
        (state?.text?.string ?? "").split(separator: " ").map { String($0) }
    }

    /// The user's answer; nil if there was no question.
    private static func consent(_ responses: ValidJSON?) -> Bool? {
        guard let answer = responses.flatMap({ JSONValue($0)["delete"] }) else { return nil }
        return answer["action"]?.string == "accept" && answer["content"]?["delete"]?.boolean == true
    }

    /// Asks the client to ask the user. The client then repeats the call with the answer.
    private static func question(_ ids: [String], _ call: ToolCall) -> ModelPlan {
        let calls = ids.prefix(Self.namedMax).map { NativeCall("mood.get", ["id": .string($0)]) }
        let (tool, count) = (call.tool, ids.count)
        return ModelPlan(calls) { (_, outcomes, out) throws in
            var names: [String] = []
            for outcome in outcomes {
                switch outcome {
                case .success(let bytes):
                    let mood = JSONValue(bytes: bytes)
                    names.append(
                        "\(mood["emoji"]?.string ?? "") \(mood["label"]?.string ?? "") (\(mood["timestamp"]?.string?.prefix(10) ?? ""))"
                    )
                case .failure(let error): return out.toolError(tool.text(of: error), version: Version.program)
                }
            }
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
            out.member("requestState", ids.joined(separator: " "))
            out.endModelResult(version: Version.program)
        }
    }
}
