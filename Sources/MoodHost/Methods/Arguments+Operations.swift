import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import Storage

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
