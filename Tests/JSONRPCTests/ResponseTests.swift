import JSONCodec
import JSONRPC
import Testing

@Suite struct ResponseTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.buffer.bytes, as: UTF8.self)
    }

    private func withID<Result>(_ id: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(id.utf8).withUnsafeBytes { body($0) }
    }

    @Test func answersWithTheIDAsItWasWritten() {
        for id in ["1.0", "1e2", #""\u0031""#, "null"] {
            let text = withID(id) { id in
                written { writer in
                    writer.beginResponse(id: id)
                    writer.beginObject()
                    writer.key("a")
                    writer.integer(1)
                    writer.endObject()
                    writer.endResponse()
                }
            }
            #expect(text == #"{"jsonrpc":"2.0","id":\#(id),"result":{"a":1}}"#)
        }
    }

    @Test func answersWithANullIDWhenThereIsNone() {
        let text = written { writer in
            writer.beginResponse(id: nil)
            writer.null()
            writer.endResponse()
        }
        #expect(text == #"{"jsonrpc":"2.0","id":null,"result":null}"#)
    }

    @Test func writesErrorsExactly() {
        let plain = withID("7") { id in
            written { $0.errorResponse(id: id, RPCError(.methodNotFound, "No \"x\".\n")) }
        }
        #expect(
            plain == #"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"No \"x\".\n","#
                + #""data":{"kind":"methodNotFound","retryable":false}}}"#)
        let busy = ErrorCode(1010, "storeBusy", isRetryable: true)
        let detailed = written {
            $0.errorResponse(
                id: nil, RPCError(busy, "Wait.", [.init("pid", 12), .init("names", ["a", "b\""]), .init("more", [:])]))
        }
        #expect(
            detailed == #"{"jsonrpc":"2.0","id":null,"error":{"code":1010,"message":"Wait.","#
                + #""data":{"kind":"storeBusy","retryable":true,"pid":12,"names":["a","b\""],"more":{}}}}"#)
    }

    @Test func saysWhereATextIsNotJSON() {
        let error = RPCError(parsing: JSONError(offset: 12, reason: .unexpectedByte(0x7d)))
        #expect(
            written { error.write(to: &$0) }
                == #"{"code":-32700,"message":"Not JSON at byte 12: unexpected '}'. "#
                + #"Send one JSON-RPC 2.0 message, a line each.","#
                + #""data":{"kind":"parseError","retryable":false,"offset":12,"reason":"unexpected '}'"}}"#)
    }

    @Test(arguments: [
        (ErrorCode.parseError, -32700, "parseError"), (.invalidRequest, -32600, "invalidRequest"),
        (.messageTooLarge, -32600, "messageTooLarge"), (.batchTooLarge, -32600, "batchTooLarge"),
        (.methodNotFound, -32601, "methodNotFound"), (.invalidParams, -32602, "invalidParams"),
        (.internalError, -32603, "internalError"), (.cancelled, -32800, "cancelled"),
        (.shuttingDown, -32802, "shuttingDown"),
    ])
    func keepsTheNumbersOfTheContract(_ code: ErrorCode, _ number: Int, _ kind: String) {
        #expect(code.number == number && code.name == kind && !code.isRetryable)
        #expect(code == ErrorCode(number, code.kind))
    }

    @Test func tellsCodesOfOneNumberApart() {
        #expect(ErrorCode.messageTooLarge != .invalidRequest && ErrorCode.messageTooLarge != .batchTooLarge)
    }

    @Test func writesRequestsAndNotifications() {
        #expect(
            written { $0.request(id: .number("1"), method: "m\"", params: ["a": [1]]) }
                == #"{"jsonrpc":"2.0","id":1,"method":"m\"","params":{"a":[1]}}"#)
        #expect(written { $0.request(id: nil, method: "m", params: nil) } == #"{"jsonrpc":"2.0","method":"m"}"#)
        let event = written { writer in
            writer.beginNotification(method: "events.event")
            writer.beginObject()
            writer.endObject()
            writer.endResponse()
        }
        #expect(event == #"{"jsonrpc":"2.0","method":"events.event","params":{}}"#)
    }

    @Test func framesEachAnswerAsItsRequestWas() {
        let text = written { writer in
            for (id, framing) in [("1", Framing.line), ("\"é\"", .header), ("3", .header), ("4", .line)] {
                let mark = writer.count
                withID(id) { writer.beginResponse(id: $0) }
                writer.string("😊" as String)
                writer.endResponse()
                writer.endMessage(from: mark, framing: framing)
            }
        }
        #expect(
            text == #"{"jsonrpc":"2.0","id":1,"result":"😊"}"# + "\n" + "Content-Length: 43\r\n\r\n"
                + #"{"jsonrpc":"2.0","id":"é","result":"😊"}"# + "Content-Length: 40\r\n\r\n"
                + #"{"jsonrpc":"2.0","id":3,"result":"😊"}"# + #"{"jsonrpc":"2.0","id":4,"result":"😊"}"# + "\n")
    }

    @Test func isReadByTheReaderOfFrames() throws {
        var writer = JSONWriter()
        for framing in [Framing.line, .header, .header, .line] {
            let mark = writer.count
            writer.request(id: .number("1"), method: "m", params: nil)
            writer.endMessage(from: mark, framing: framing)
        }
        var reader = FrameReader(messageBytesMax: 1_024)
        reader.buffer.append(writer.buffer.bytes)
        var seen: [String] = []
        while case .message(let range, let framing)? = reader.next(isAtEnd: false) {
            seen.append("\(framing) " + String(decoding: reader.buffer.bytes[range], as: UTF8.self))
        }
        let request = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#
        #expect(seen == ["line", "header", "header", "line"].map { "\($0) \(request)" })
    }
}
