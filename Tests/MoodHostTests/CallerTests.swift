import JSONCodec
import MoodProtocol
import MoodStore
import Testing

@testable import MoodHost

/// Callers other than the client on the pipe: they use the dispatcher as the session does.
@Suite struct CallerTests {
    /// A dispatcher that the macros of the tests can take.
    private final class Asked {
        private var dispatcher = Dispatcher(
            core: Core(HostOptions(place: .memory), .memory(isReadOnly: false)))

        var pendingCount: Int { dispatcher.pending.staged.count }
        /// Whether this call cancels the pending requests.
        func isCancelled(_ id: String, by caller: Caller) -> Bool {
            Array(id.utf8).withUnsafeBytes { dispatcher.pending.cancel($0, of: caller, isSilent: false) }
            return dispatcher.pending.staged.contains { ($0.work as? LongRequest)?.isCancelled == true }
        }

        func answer(_ caller: Caller, _ method: String, _ params: String = "{}") throws -> JSONValue? {
            var out = JSONWriter(capacity: 256)
            Array("7".utf8).withUnsafeBytes { id in
                Array(method.utf8).withUnsafeBytes { method in
                    Array(params.utf8).withUnsafeBytes { params in
                        let request = Request(
                            id: id, room: .max, caller: caller,
                            destination: Destination(framing: .line, batch: nil), round: nil, ways: [])
                        try? dispatcher.answer(
                            request, JSONText(raw: method, isEscaped: false), ValidJSON(trusting: params),
                            duplicate: nil, to: &out)
                    }
                }
            }
            return out.count == 0 ? nil : try JSONValue(parsing: String(decoding: out.buffer.bytes, as: UTF8.self))
        }
    }

    /// A plugin that may read moods, and one that may change them too.
    private let reader = Caller(session: 1, permissions: .readMoods)
    private let writer = Caller(session: 2, permissions: [.readMoods, .writeMoods])
    private let create = #"{"emoji":"😊","label":"A"}"#

    @Test func getsWhatItWasGrantedAndIsToldWhatItWasNot() throws {
        let asked = Asked()
        let answer = try #require(try asked.answer(reader, "mood.create", create))
        #expect(answer.code == 1040 && answer.kind == "permissionDenied")
        #expect(answer["error"]?["data"]?["permission"]?.string == "moods:write")
        #expect(try asked.answer(reader, "mood.list")?["result"]?["total"]?.integer == 0, "nothing was done")
        #expect(try asked.answer(writer, "mood.create", create)?.outcome == "ok")
        #expect(try asked.answer(reader, "mood.list")?["result"]?["total"]?.integer == 1)
        for method in ["nav.goBack", "store.compact", "host.shutdown"] {
            #expect(try asked.answer(writer, method)?.kind == "permissionDenied", "\(method)")
        }
        // MCP is for clients, and a name is no guess at itself.
        let unknown = try #require(try asked.answer(reader, "tools/list"))
        #expect(unknown.code == -32601 && unknown["error"]?["data"]?["suggestions"]?.array?.isEmpty == true)
        // Its params do not matter to a caller who may not call it.
        let refused = try #require(try asked.answer(reader, "mood.create"))
        #expect(refused.code == 1040 && refused["error"]?["data"]?["permission"]?.string == "moods:write")
        let owned = try #require(try asked.answer(writer, "plugin.trust"))
        #expect(owned.code == 1040 && owned["error"]?["message"]?.string?.contains("for people alone") == true)
        #expect(try asked.answer(.client, "store.compact") == nil, "it is answered later")
    }

    @Test func eachHasIDsOfItsOwn() throws {
        let asked = Asked()
        #expect(try asked.answer(.client, "store.verify") == nil && asked.pendingCount == 1)
        #expect(!asked.isCancelled("7", by: reader))
        #expect(asked.isCancelled("7", by: .client))
    }
}
