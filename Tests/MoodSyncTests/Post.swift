import JSONCodec
import Platform
import Synchronization

@testable import MoodSync

/// A plugin together with its engine, in memory: it keeps everything, and returns it.
final class Post: Sendable {
    struct Element: Sendable {
        let replica: String
        let number: Int
        let part: Int
        let parts: Int
        let text: String
    }

    struct State: Sendable {
        var elements: [String: [Element]] = [:]
        var snapshots: [String: (parts: [Int: String], vector: JSONValue?)] = [:]
        var asked: [String] = []
        /// The longest message, in bytes.
        var longest = 0
        var isAway = false
        /// It goes away with this pull, counted from now; 0: with none.
        var pullsUntilAway = 0
        /// Every nth push takes only one element, and reports that.
        var takesOne = 0
        var pushes = 0
        /// Whether it brings only the first part of a long line, and always claims that there is more.
        var isStuck = false
    }

    let state = Mutex(State())
    private let pageBytes = 1 << 20

    func peer(_ scheme: String = "post") -> TransportPeer {
        TransportPeer(schemes: [scheme]) { (_, method, params) throws(SyncError) in
            try self.answer(method, params)
        }
    }

    private func answer(_ method: String, _ params: [UInt8]) throws(SyncError) -> [UInt8] {
        guard let given = try? JSONValue.parse(params) else { throw .refused(reason: "no JSON") }
        let result: Result<JSONValue, SyncError> = state.withLock { state in
            state.asked.append(method)
            state.longest = max(state.longest, params.count)
            if state.isAway { return .failure(.offline(reason: "post: away at \(given["url"]?.string ?? "")")) }
            switch method {
            case "transport.open": return .success(["journals": .array(Self.journals(state))])
            case "transport.push": return .success(Self.push(given, &state))
            case "transport.pull":
                if state.pullsUntilAway > 0 {
                    state.pullsUntilAway -= 1
                    state.isAway = state.pullsUntilAway == 0
                    if state.isAway { return .failure(.offline(reason: "post: away")) }
                }
                return .success(pull(given, state))
            case "transport.snapshots": return .success(["items": .array(Self.items(state))])
            case "transport.getPart":
                let id = given["id"]?.string ?? ""
                guard let text = state.snapshots[id]?.parts[given["part"]?.integer ?? 0] else {
                    return .failure(.notFound(id, reason: "no part"))
                }
                return .success(["text": .string(text)])
            case "transport.putPart":
                let id = given["id"]?.string ?? ""
                state.snapshots[id, default: ([:], nil)].parts[given["part"]?.integer ?? 0] =
                    given["text"]?.string ?? ""
                if let vector = given["vector"] { state.snapshots[id]?.vector = vector }
                return .success([:])
            case "transport.drop":
                let (replica, upTo) = (given["replica"]?.string ?? "", given["upTo"]?.integer ?? 0)
                state.elements[replica]?.removeAll { $0.number < upTo }
                for id in given["ids"]?.array ?? [] { state.snapshots[id.string ?? ""] = nil }
                return .success([:])
            default: return .failure(.refused(reason: "no such method"))
            }
        }
        return Array(try result.get().text.utf8)
    }

    private static func journals(_ state: State) -> [JSONValue] {
        let found = state.elements.values.flatMap { $0 }.compactMap { element in
            (try? JSONValue(parsing: element.text))?["journal"]?.string
        }
        return Set(found).sorted().map { .string($0) }
    }

    private static func last(_ elements: [Element]?) -> Int {
        elements?.last.map { $0.part + 1 == $0.parts ? $0.number : $0.number - 1 } ?? 0
    }

    private static func push(_ given: JSONValue, _ state: inout State) -> JSONValue {
        let replica = given["replica"]?.string ?? ""
        state.pushes += 1
        var taken = 0
        for record in given["records"]?.array ?? [] {
            if state.takesOne > 0, state.pushes % state.takesOne == 0, taken > 0 { break }
            let number = record["n"]?.integer ?? 0
            guard number == last(state.elements[replica]) + 1 else { continue }
            taken += 1
            state.elements[replica, default: []].append(
                Element(
                    replica: replica, number: number, part: record["part"]?.integer ?? 0,
                    parts: record["parts"]?.integer ?? 1, text: record["text"]?.string ?? ""))
        }
        return ["last": .number(String(last(state.elements[replica])))]
    }

    private func pull(_ given: JSONValue, _ state: State) -> JSONValue {
        var (records, size, more): ([JSONValue], Int, Bool) = ([], 0, false)
        for (replica, elements) in state.elements {
            let have = given["have"]?[replica]?.integer ?? 0
            let parts = given["parts"]?[replica]?.integer ?? 0
            guard elements.first.map({ $0.number <= have + 1 }) ?? false else { continue }
            for element in elements where element.number > have {
                if state.isStuck, element.part > 0 { continue }
                if !state.isStuck, element.number == have + 1, element.part < parts { continue }
                if size + element.text.utf8.count > pageBytes, size > 0 {
                    more = true
                    break
                }
                size += element.text.utf8.count
                var members: [JSONValue.Member] = [
                    .init("replica", .string(replica)), .init("n", .number(String(element.number))),
                    .init("text", .string(element.text)),
                ]
                if element.parts > 1 {
                    members.append(.init("part", .number(String(element.part))))
                    members.append(.init("parts", .number(String(element.parts))))
                }
                records.append(.object(members))
            }
        }
        let last = state.elements.map { JSONValue.Member($0.key, .number(String(Self.last($0.value)))) }
        return ["records": .array(records), "last": .object(last), "more": .boolean(more || state.isStuck)]
    }

    private static func items(_ state: State) -> [JSONValue] {
        state.snapshots.compactMap { id, snapshot in
            snapshot.vector.map { ["id": .string(id), "vector": $0, "parts": .number(String(snapshot.parts.count))] }
        }
    }
}
