import JSONCodec
import JSONRPC
import MoodProtocol

/// A batch with answers still to come.
struct HeldBatch {
    let number: Int
    let framing: Framing
    /// The bytes of one member's error, and a little more.
    let errorBytes: Int
    /// The answers by place; empty for a member without an answer, and for one whose answer is still to come.
    var answers: [[UInt8]]
    var missing: Int

    private var byteCount: Int { answers.reduce(0) { $0 + $1.count + 1 } + 1 }

    /// The most bytes of the next answer, so that all answers fit into `most`.
    func room(of most: Int) -> Int { max(most - byteCount - (missing - 1) * errorBytes, 0) }

    /// The array of the answers; empty if no member has one.
    var whole: [UInt8] {
        var whole: [UInt8] = []
        for answer in answers where !answer.isEmpty {
            whole.append(whole.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            whole += answer
        }
        if !whole.isEmpty { whole.append(UInt8(ascii: "]")) }
        return whole
    }
}

/// The place where a batch with a waiting member continues. The members before it stay done.
struct BatchPlace {
    /// The number of the held batch.
    let number: Int
    var next: Int
}

/// Batches: one array in, one array out.
extension Session {
    /// The bytes of the shortest error that gives a reason, without its id and with a comma.
    private static let errorBytes = 320
    /// The most bytes that one byte of an id takes when escaped.
    private static let escapedBytes = 6

    /// Answers a batch. JSON-RPC 2.0, section 6.
    /// - Parameter end: the member at which it stops, to continue there later.
    /// - Throws: the wait of a member; the batch continues at `place`.
    mutating func answerBatch(_ batch: JSONOutline, until end: Int) throws(Wait) {
        // The validator reads the members one by one, and reuses the outline's memory.
        let parts = Array(batch.parts)
        var members: [UnsafeRawBufferPointer] = []
        for part in parts { members.append(batch.text[part].bytes) }
        if let place = lane.place { return try goOn(members, from: place, until: end) }
        let count = batch.count
        if count == 0 {
            return output.errorResponse(id: nil, RPCError(.invalidRequest, "A batch needs at least one request."))
        }
        if count > limits[.batch] {
            return refuse(
                "A batch may have at most \(limits[.batch]) requests; this one has \(count).", over: .batch)
        }
        let longest = parts.lazy.map { $0.valueEnd - $0.valueStart }.max() ?? 0
        let errorBytes = Self.errorBytes + min(longest, Self.escapedBytes * limits[.idBytes] + 2)
        if count * errorBytes > limits[.messageBytes] {
            return refuse(
                "The errors of \(count) requests may be longer than \(limits[.messageBytes]) bytes. Send fewer at a time.",
                over: .messageBytes)
        }
        let mark = output.count
        output.buffer.append(UInt8(ascii: "["))
        // The range of each answer; empty for a later one, and for none.
        var answers: [Range<Int>] = []
        var late = 0
        for (number, member) in members.enumerated() {
            let memberMark = output.count
            if memberMark > mark + 1 { output.buffer.append(UInt8(ascii: ",")) }
            let start = output.count
            // Leaves room for the errors of later members.
            let room = limits[.messageBytes] - (start - mark) - (count - number - 1 + late) * errorBytes - 1
            let destination = Destination(framing: framing, batch: (nextBatch, number))
            let (isLate, wait) = number == end ? (false, .turn) : attempt(member, room: room, destination)
            if let wait {
                output.rewind(to: memberMark)
                lane.place = BatchPlace(number: nextBatch, next: number)
                hold(answers, of: count, late + count - number, from: mark, errorBytes)
                throw wait
            }
            if output.count == start { output.rewind(to: memberMark) }
            if isLate { late += 1 }
            answers.append(min(start, output.count)..<output.count)
        }
        if late > 0 { return hold(answers, of: count, late, from: mark, errorBytes) }
        if output.count == mark + 1 {
            output.rewind(to: mark)
        } else {
            output.buffer.append(UInt8(ascii: "]"))
        }
    }

    /// Continues a batch from the member that has waited.
    private mutating func goOn(
        _ members: [UnsafeRawBufferPointer], from place: BatchPlace, until end: Int
    ) throws(Wait) {
        guard let index = batches.firstIndex(where: { $0.number == place.number }) else { return lane.place = nil }
        for number in place.next..<members.count {
            lane.place = BatchPlace(number: place.number, next: number)
            if number == end { throw .turn }
            let mark = output.count
            let destination = Destination(framing: framing, batch: (place.number, number))
            let (isLate, wait) = attempt(
                members[number], room: batches[index].room(of: limits[.messageBytes]), destination)
            if let wait { throw wait }
            if !isLate {
                batches[index].answers[number] = Array(output.buffer.bytes[mark...])
                batches[index].missing -= 1
            }
            output.rewind(to: mark)
        }
        lane.place = nil
        guard batches[index].missing == 0 else { return }
        let whole = batches.remove(at: index).whole
        whole.withUnsafeBytes { output.buffer.append($0) }
    }

    /// Answers one member.
    /// - Returns: whether its answer comes later, and the wait that it stopped for.
    private mutating func attempt(
        _ member: UnsafeRawBufferPointer, room: Int, _ destination: Destination
    ) -> (isLate: Bool, wait: Wait?) {
        // A member whose answer comes later ends its group, as a message does: the next one sees what it does.
        if !dispatcher.pending.staged.isEmpty { return (false, .turn) }
        if member.first == UInt8(ascii: "{") {
            do throws(Wait) { try answerRequest(member, room: room, destination) } catch { return (false, error) }
        } else {
            output.errorResponse(
                id: nil, RPCError(.invalidRequest, "Every member of a batch is a request, which is an object."))
        }
        endRound()
        core.notices.keep()
        return (!dispatcher.pending.staged.isEmpty, nil)
    }

    /// Answers a batch with an error, without handling any member.
    private mutating func refuse(_ reason: String, over limit: Limits.Name) {
        output.errorResponse(id: nil, .over(limit.rawValue, limits[limit], reason, .batchTooLarge))
    }

    /// Keeps the answers of a batch until the missing ones have come.
    private mutating func hold(
        _ answers: [Range<Int>], of count: Int, _ missing: Int, from mark: Int, _ errorBytes: Int
    ) {
        let bytes = output.buffer.bytes
        var held = answers.map { Array(bytes[$0]) }
        held += Array(repeating: [], count: count - held.count)
        batches.append(
            HeldBatch(number: nextBatch, framing: framing, errorBytes: errorBytes, answers: held, missing: missing))
        nextBatch += 1
        output.rewind(to: mark)
    }
}
