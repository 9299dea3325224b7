import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import Storage

extension Core {
    /// The answer that the request got the first time; nil if it is new.
    mutating func answer(of key: OperationKey) throws(RPCError) -> [UInt8]? {
        do throws(MoodStoreError) { return try store.answer(of: key) } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
    }
}

extension Arguments {
    /// The key by which a repeated call is recognized.
    func operationKey(of method: Method) -> OperationKey {
        var id = JSONWriter(capacity: 128)
        self[CommonParams.operation]?.withDecoded { id.contents(utf8: $0) }
        return OperationKey(
            id: id.buffer.withBytes { Array($0) }, method: Array(method.name.bytes), params: paramsFingerprint,
            formerParams: formerParamsFingerprint)
    }
}
