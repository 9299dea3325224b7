import Foundation
import JSONCodec

/// The rules for every answer of the host, whatever a transcript expects.
enum AnswerRules {
    /// The host's errors and notifications. The runners in other languages read this file too.
    private static let words: JSONValue = {
        let path = ConformanceTests.folder + "/../Conformance/words.json"
        return (try? JSONValue(parsing: String(contentsOfFile: path, encoding: .utf8))) ?? .null
    }()

    private static func list(_ name: String) -> [String] { words[name]?.array?.compactMap(\.string) ?? [] }

    static func check(_ answer: JSONValue) throws(Pattern.Mismatch) {
        if let batch = answer.array {
            if batch.isEmpty { throw Pattern.Mismatch("an empty array is no answer") }
            for member in batch {
                guard member.object != nil else { throw Pattern.Mismatch("a member of a batch answer is no object") }
                try check(member)
            }
            return
        }
        guard let members = answer.object?.map(\.name) else {
            throw Pattern.Mismatch("not an answer: \(answer.short)")
        }
        guard Set(members) == ["jsonrpc", "id", "result"] || Set(members) == ["jsonrpc", "id", "error"] else {
            if Set(members) == ["jsonrpc", "method", "params"] { return try check(notification: answer) }
            throw Pattern.Mismatch("an answer has jsonrpc, id and result or error, not \(members)")
        }
        guard answer["jsonrpc"]?.string == "2.0" else { throw Pattern.Mismatch("jsonrpc is not \"2.0\"") }
        if let error = answer["error"] { try check(error: error) }
    }

    private static func check(notification: JSONValue) throws(Pattern.Mismatch) {
        let method = notification["method"]?.string ?? ""
        let members = Set(notification["params"]?.object?.map(\.name) ?? [])
        let needed = words["notifications"]?[method]?.array?.compactMap(\.string)
        guard let needed, members.isSuperset(of: needed) else {
            throw Pattern.Mismatch("no notification \(method) with these params: \(notification.short)")
        }
    }

    private static func check(error: JSONValue) throws(Pattern.Mismatch) {
        guard Set(error.object?.map(\.name) ?? []) == ["code", "message", "data"], let data = error["data"] else {
            throw Pattern.Mismatch("an error has the members code, message and data: \(error.short)")
        }
        guard let code = error["code"]?.integer, let kind = data["kind"]?.string,
            let needed = words["errors"]?["\(code)"]?[kind]?.object
        else { throw Pattern.Mismatch("this code does not go with this kind: \(error.short)") }
        guard error["message"]?.string?.contains(where: { !$0.isWhitespace }) == true else {
            throw Pattern.Mismatch("an error has a message")
        }
        let isRetryable = data["retryable"]?.boolean
        let isEither = list("maybeRetryable").contains(kind) && isRetryable != nil
        guard isEither || isRetryable == list("retryable").contains(kind) else {
            throw Pattern.Mismatch("retryable is wrong for \(kind): \(error.short)")
        }
        for member in needed {
            let names = member.name.split(separator: "|").map(String.init)
            guard names.contains(where: { isOfType(data[$0], member.value.string ?? "") }) else {
                throw Pattern.Mismatch("\(kind) needs data.\(member.name): \(error.short)")
            }
        }
    }

    private static func isOfType(_ value: JSONValue?, _ type: String) -> Bool {
        switch type {
        case "string": value?.string != nil
        case "number": value?.double != nil
        case "integer": value?.integer != nil
        case "array": value?.array != nil
        case "any": value != nil
        default: false
        }
    }
}
