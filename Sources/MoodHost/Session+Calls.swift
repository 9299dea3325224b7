import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore

/// A request whose arguments have been read: carried out, answered, its commit ended.
extension Session {
    /// Answers with an error, and nothing has changed.
    mutating func fail(_ error: RPCError, _ id: UnsafeRawBufferPointer?, _ mark: Int) {
        output.rewind(to: mark)
        core.store.abandonCommit()
        core.revertStateOfRequest()
        core.notices.drop()
        output.errorResponse(id: id, error)
    }

    /// Carries out a method whose arguments have been read, and writes its answer.
    @inline(__always)
    mutating func perform(
        _ entry: CallableMethods.Entry, _ id: UnsafeRawBufferPointer?, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        if arguments.namesOperation(of: entry.method) {
            return try performOnce(entry, id, mark, room)
        }
        output.beginResponse(id: id)
        // Not in a batch, whose answer is one message, and only where nothing of before would be overtaken.
        let effect = entry.method.effect
        if effect == .long, room == .max, sent == mark { core.notices.beginStreaming(framing) }
        try entry.handler(&core, arguments, &output)
        output.endResponse()
        if output.count - mark > room { throw .answerTooLarge(bytesMax: limits[.messageBytes]) }
        if effect == .long { core.notices.endStreaming() }
        guard effect == .write else { return }
        try endCommit()
    }

    /// The same for a request that names its operation: done before, it is answered as it was then; else its outcome is
    /// kept in its commit.
    @inline(never)
    private mutating func performOnce(
        _ entry: CallableMethods.Entry, _ id: UnsafeRawBufferPointer?, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        try core.openForWriting()
        let key = arguments.operationKey(of: entry.method)
        output.beginResponse(id: id)
        let start = output.count
        if let answer = try core.answer(of: key) {
            answer.withUnsafeBytes { output.raw($0) }
        } else {
            try entry.handler(&core, arguments, &output)
            core.store.keepOutcome(key, answer: UnsafeRawBufferPointer(rebasing: output.buffer.bytes[start...]))
        }
        output.endResponse()
        if output.count - mark > room { throw .answerTooLarge(bytesMax: limits[.messageBytes]) }
        try endCommit()
    }

    /// Ends the commit that a method has opened.
    @inline(__always)
    private mutating func endCommit() throws(RPCError) {
        if arguments.boolean("dryRun") == true {
            core.store.abandonCommit()
            core.revertStateOfRequest()
        } else {
            let isToTell = core.isWatching && core.store.isCommitOpen
            do throws(MoodStoreError) { try core.store.endCommit() } catch { throw RPCError(error) }
            if isToTell { core.tellOfRequest() }
            core.keepStateOfRequest()
        }
    }
}
