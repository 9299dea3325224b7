import JSONCodec
import JSONRPC
import MoodProtocol

/// Batches: one array in, one array out.
extension Session {
    /// What the error of one member of a batch may take, and a little more.
    private static let errorBytes = 1024

    /// JSON-RPC 2.0, section 6.
    mutating func answerBatch(_ batch: JSONOutline) {
        let count = batch.parts.count
        if count == 0 {
            return output.errorResponse(id: nil, RPCError(.invalidRequest, "A batch needs at least one request."))
        }
        if count > limits[.batch] {
            return output.errorResponse(
                id: nil,
                RPCError(
                    .batchTooLarge, "A batch may have at most \(limits[.batch]) requests; this one has \(count).",
                    [.init("limit", "batch"), .init("value", .number(String(limits[.batch])))]))
        }
        let mark = output.count
        output.buffer.append(UInt8(ascii: "["))
        // The members are read one by one, for which the validator takes the outline's memory.
        let parts = Array(batch.parts)
        let errorBytes = min(Self.errorBytes, limits[.messageBytes] / (2 * count))
        for (number, part) in parts.enumerated() {
            let memberMark = output.count
            if memberMark > mark + 1 { output.buffer.append(UInt8(ascii: ",")) }
            let start = output.count
            // Room for the errors of those that come behind is kept free.
            let room = limits[.messageBytes] - (start - mark) - (count - number) * errorBytes
            let member = batch.text[part].bytes
            if member.first == UInt8(ascii: "{") {
                answer(member, room: max(room, 0))
            } else {
                output.errorResponse(
                    id: nil, RPCError(.invalidRequest, "Every member of a batch is a request, which is an object."))
            }
            core.notices.keep()
            if output.count == start { output.rewind(to: memberMark) }
        }
        if output.count == mark + 1 {
            output.rewind(to: mark)
        } else {
            output.buffer.append(UInt8(ascii: "]"))
        }
    }
}
