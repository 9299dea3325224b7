import JSONCodec
import Testing

@testable import JSONRPC

@Suite struct RequestHeadTests {
    /// id, method, and what begins at the params.
    private func read(_ text: String, idBytesMax: Int = 256) -> [String?]? {
        Array(text.utf8).withUnsafeBytes { bytes in
            guard let head = RequestHead(bytes, idBytesMax: idBytesMax) else { return nil }
            return [
                head.id.map { String(decoding: $0, as: UTF8.self) }, String(decoding: head.method, as: UTF8.self),
                head.params.map { String(decoding: bytes[$0...], as: UTF8.self) },
            ]
        }
    }

    @Test func takesWhatNearlyEveryClientWrites() {
        #expect(
            read(#"{"jsonrpc":"2.0","id":7,"method":"mood.get","params":{"id":"x"}}"#)
                == ["7", "mood.get", #"{"id":"x"}}"#])
        #expect(read(#"{"jsonrpc":"2.0","id":0,"method":"a"}"#) == ["0", "a", nil])
        #expect(read(#"{"jsonrpc":"2.0","id":"a-1","method":"a","params":[]}"#) == [#""a-1""#, "a", "[]}"])
        #expect(read(#"{"jsonrpc":"2.0","method":"a","params":{}}"#) == [nil, "a", "{}}"])
    }

    @Test(arguments: [
        "", "{", #"{"jsonrpc":"2.0""#, #"{"jsonrpc":"1.0","id":7,"method":"a"}"#,
        #" {"jsonrpc":"2.0","id":7,"method":"a"}"#, #"{"jsonrpc": "2.0","id":7,"method":"a"}"#,
        #"{"id":7,"jsonrpc":"2.0","method":"a"}"#, #"{"jsonrpc":"2.0","method":"a","id":7}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"a"}"#, #"{"jsonrpc":"2.0","id":-1,"method":"a"}"#,
        #"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#, #"{"jsonrpc":"2.0","id":01,"method":"a"}"#,
        #"{"jsonrpc":"2.0","id":1234567890123456789,"method":"a"}"#, #"{"jsonrpc":"2.0","id":,"method":"a"}"#,
        #"{"jsonrpc":"2.0","id":"\u0061","method":"a"}"#, #"{"jsonrpc":"2.0","id":"ä","method":"a"}"#,
        #"{"jsonrpc":"2.0","id":"a,"method":"a"}"#, #"{"jsonrpc":"2.0","id":7,"method":"a"} "#,
        #"{"jsonrpc":"2.0","id":7,"method":"a","x":1}"#, #"{"jsonrpc":"2.0","id":7,"method":"a"#,
    ])
    func leavesEverythingElse(text: String) {
        #expect(read(text) == nil)
    }

    @Test func keepsTheLimitOfIds() {
        let text = #"{"jsonrpc":"2.0","id":"12345678","method":"a"}"#
        #expect(read(text, idBytesMax: 8) != nil)
        #expect(read(text, idBytesMax: 7) == nil)
    }
}
