import JSONCodec
import Storage

/// Requests that may be asked again.
extension MoodRecords {
    /// What a request was answered with when it was made the first time; nil when it was not, or is not kept any more. The
    /// store is open for writing.
    public mutating func answer(of key: OperationKey) throws(MoodStoreError) -> [UInt8]? {
        let outcome: OperationOutcome
        do throws(StorageError) { outcome = try records.outcome(of: key) } catch { throw .storage(error) }
        switch outcome {
        case .unknown: return nil
        case .answer(let bytes): return bytes
        case .taken: throw .operationTaken(current: records.revision)
        }
    }

    /// Keeps what the present request is answered with, a JSON object, in its commit.
    public mutating func keepOutcome(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        records.keepOutcome(key, answer: answer)
    }
}
