import JSONCodec
import JSONRPC
import MoodProtocol

/// Batches: one array in, one array out.
extension Session {
    /// What the shortest error that says why takes without its id, and the comma after it.
    private static let errorBytes = 320
    /// The most bytes that one byte of an id takes as it is written.
    private static let escapedBytes = 6

    /// JSON-RPC 2.0, section 6.
    mutating func answerBatch(_ batch: JSONOutline) {
        let count = batch.count
        if count == 0 {
            return output.errorResponse(id: nil, RPCError(.invalidRequest, "A batch needs at least one request."))
        }
        if count > limits[.batch] {
            return refuse(
                "A batch may have at most \(limits[.batch]) requests; this one has \(count).", over: .batch)
        }
        let longest = batch.parts.lazy.map { $0.valueEnd - $0.valueStart }.max() ?? 0
        let errorBytes = Self.errorBytes + min(longest, Self.escapedBytes * limits[.idBytes] + 2)
        if count * errorBytes > limits[.messageBytes] {
            return refuse(
                "The errors of \(count) requests may be longer than \(limits[.messageBytes]) bytes. Send fewer at a time.",
                over: .messageBytes)
        }
        let mark = output.count
        output.buffer.append(UInt8(ascii: "["))
        // The members are read one by one, for which the validator takes the outline's memory.
        let parts = Array(batch.parts)
        // Where each answer stands; empty for one that comes later.
        var answers: [Range<Int>] = []
        var late = 0
        // What was done of it before it had to wait for hooks.
        let done = batchProgress?.answers ?? []
        var progress = BatchProgress()
        for (number, part) in parts.enumerated() {
            let memberMark = output.count
            if memberMark > mark + 1 { output.buffer.append(UInt8(ascii: ",")) }
            let start = output.count
            // Room for the errors of later members is kept free.
            let room = limits[.messageBytes] - (start - mark) - (count - number - 1 + late) * errorBytes - 1
            let staged = dispatcher.pending.staged.count
            let member = batch.text[part].bytes
            if number < done.count, let answer = done[number] {
                answer.withUnsafeBytes { output.buffer.append($0) }
            } else if member.first == UInt8(ascii: "{") {
                answer(member, room: room, Destination(framing: framing, batch: (nextBatch, answers.count)))
            } else {
                output.errorResponse(
                    id: nil, RPCError(.invalidRequest, "Every member of a batch is a request, which is an object."))
            }
            if core.wantedRound != nil {
                batchProgress = progress
                return
            }
            core.notices.keep()
            let isLate = dispatcher.pending.staged.count > staged
            if output.count == start { output.rewind(to: memberMark) }
            if isLate { late += 1 }
            progress.answers.append(
                isLate ? nil : Array(output.buffer.bytes[min(start, output.count)...]))
            if isLate || output.count > start { answers.append(min(start, output.count)..<output.count) }
        }
        batchProgress = nil
        if late > 0 { return hold(answers, late, from: mark, errorBytes) }
        if output.count == mark + 1 {
            output.rewind(to: mark)
        } else {
            output.buffer.append(UInt8(ascii: "]"))
        }
    }

    /// Answers a batch of which nothing is done.
    private mutating func refuse(_ reason: String, over limit: Limits.Name) {
        output.errorResponse(
            id: nil,
            RPCError(
                .batchTooLarge, reason,
                [.init("limit", .string(limit.rawValue)), .init("value", .number(String(limits[limit])))]))
    }

    /// Keeps the answers of a batch until those that are missing have come.
    private mutating func hold(_ answers: [Range<Int>], _ missing: Int, from mark: Int, _ errorBytes: Int) {
        let bytes = output.buffer.bytes
        batches.append(
            HeldBatch(
                number: nextBatch, framing: framing, errorBytes: errorBytes, answers: answers.map { Array(bytes[$0]) },
                missing: missing))
        nextBatch += 1
        output.rewind(to: mark)
    }
}

/// What was done of a batch that waits for the hooks of one of its members.
struct BatchProgress {
    /// By place; empty for a member that is not answered, nil for one that has to be begun again.
    var answers: [[UInt8]?] = []
}
