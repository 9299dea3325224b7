import JSONCodec
import Storage

/// Requests that clients may repeat.
extension MoodRecords {
    /// The first answer to a request; nil if it is new, or no longer kept. The store must be open for writing.
    public mutating func answer(of key: OperationKey) throws(MoodStoreError) -> [UInt8]? {
        let outcome: OperationOutcome
        do throws(StorageError) { outcome = try records.outcome(of: key) } catch { throw .storage(error) }
        switch outcome {
        case .unknown: return nil
        case .answer(let bytes): return bytes
        case .taken: throw .operationTaken(current: records.revision)
        case .lost: throw .operationLost(current: records.revision)
        }
    }

    /// Keeps the answer to the present request, a JSON object, in its commit.
    public mutating func keepOutcome(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        records.keepOutcome(key, answer: answer)
    }
}
