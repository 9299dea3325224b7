import JSONCodec
import Seeds
import Testing

@testable import MoodHost

/// The past of a store in memory, which it keeps itself, against that of a store on disk, which reads it from journals.
@Suite struct MemoryPastTests {
    /// An answer without times, and with ids in one order.
    private static func plain(_ value: JSONValue) -> String {
        switch value {
        case .object(let members):
            let kept = members.filter { !["at", "timestamp", "createdAt", "updatedAt"].contains($0.name) }
            return "{" + kept.map { $0.name + ":" + plain($0.value) }.joined(separator: ",") + "}"
        case .array(let elements):
            let texts = elements.map(plain)
            return "[" + (elements.first?.string == nil ? texts : texts.sorted()).joined(separator: ",") + "]"
        default: return value.text
        }
    }

    private static func change(_ step: Int, _ scope: String, _ random: inout SeededRandom) -> (String, String) {
        func number() -> Int { Int(random.next() % 6) + 1 }
        let id = testID(number())
        let named = #"{"id":"\#(id)"}"#
        switch random.next() % 16 {
        case 0...4: return ("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"n\#(step)"}"#)
        case 5...7: return ("mood.update", #"{"id":"\#(id)","set":{"label":"u\#(step)"}}"#)
        case 8: return ("mood.delete", named)
        case 9: return ("mood.deleteMany", #"{"ids":["\#(id)","\#(testID(number()))"]}"#)
        case 10: return ("mood.clear", #"{"confirm":true}"#)
        case 11: return ("mood.undelete", named)
        case 12: return ("store.redo", "{\(scope)}")
        default: return ("store.undo", #"{\#(scope)\#(scope.isEmpty ? "" : ",")"steps":\#(random.next() % 2 + 1)}"#)
        }
    }

    /// All pages of a method's answer.
    private static func pages(_ session: TestSession, _ method: String, _ params: String) throws -> String {
        var found = ""
        var cursor = ""
        repeat {
            let answer = try session.call(method, "{\(params)\(cursor)}")
            found += plain(answer["result"].map { $0["items"] ?? $0 } ?? answer["error"] ?? .null)
            guard let next = answer["result"]?["nextCursor"]?.string else { return found }
            cursor = #","cursor":"\#(next)""#
        } while true
    }

    @Test(arguments: 1...UInt64(SeededRandom.some(2, of: 8))) func isThatOfAStoreOnDisk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        let (memory, disk) = (TestSession(), TestSession(directory))
        let scope = seed % 2 == 0 ? #""scope":"store""# : ""
        for step in 0..<60 {
            let (method, params) = Self.change(step, scope, &random)
            let answers = try (memory.call(method, params), disk.call(method, params))
            #expect(Self.plain(answers.0) == Self.plain(answers.1), "seed \(seed), step \(step): \(method) \(params)")
        }
        let limit = #""limit":\#(random.next() % 7 + 1)"#
        for (method, params) in (1...6).map({ ("mood.history", #""id":"\#(testID($0))",\#(limit)"#) })
            + [("store.log", limit), ("mood.deleted", limit)]
        {
            #expect(
                try Self.pages(memory, method, params) == Self.pages(disk, method, params), "seed \(seed): \(method)")
        }
    }

    @Test func keepsTheLastHundredCommits() throws {
        let session = TestSession()
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        for number in 1...450 {
            _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"\#(number)"}"#)
        }
        let items = try session.result("mood.history", #"{"id":"\#(testID(1))","limit":1000}"#)["items"]?.array ?? []
        #expect((101...202).contains(items.count) && items.first?["mood"]?["notes"]?.string == "450")
        #expect(
            zip(items, items.dropFirst()).allSatisfy { $0["revision"]?.integer == ($1["revision"]?.integer ?? 0) + 1 })
        let log = try session.result("store.log", #"{"limit":1000}"#)["items"]?.array ?? []
        #expect((100...200).contains(log.count))
    }
}
