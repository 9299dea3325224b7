import JSONCodec
import JSONRPC

extension Session {
    /// Finds the cancellations in the input before handling any of it: they overtake the queue.
    mutating func scanForCancellations(isAtEnd: Bool) {
        let mark = frames.mark
        var number = 0
        // An earlier scan counted from an earlier message.
        cancellations.forget(before: frameNumber)
        while let frame = frames.next(isAtEnd: isAtEnd) {
            number += 1
            guard case .message(let range, _) = frame else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard Cancellations.mayContain(bytes), let envelope = Envelope.read(bytes, &validator),
                let (id, isSilent) = Cancellations.read(envelope)
            else { continue }
            cancellations.note(id, isSilent: isSilent, at: number)
            dispatcher.pending.cancel(id, of: .client, isSilent: isSilent)
        }
        frames.rewind(to: mark)
    }
}
