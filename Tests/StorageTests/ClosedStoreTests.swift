import JSONCodec
import Platform
import Testing

@testable import Storage

/// A closed store takes no change and answers no question.
@Suite struct ClosedStoreTests {
    private static let reason = StorageError.unavailable(reason: "It is closed.", advice: "Open it.")
    private static let record = TestRecord(
        id: RecordID(high: 1, low: 2), time: 3, updated: 4, text: "a", isMarked: false)

    /// The error of a call; nil if it throws nothing.
    private func refusal(_ body: (inout RecordStore) throws -> Void) -> StorageError? {
        var store = RecordStore.closed(.test, because: Self.reason)
        do {
            try body(&store)
            return nil
        } catch {
            return error as? StorageError
        }
    }

    @Test func refusesEveryChange() {
        let json = ByteBuffer(copying: Array(Self.record.json.utf8))
        #expect(refusal { try $0.put(Self.record.head, json.bytes) } == Self.reason)
        #expect(refusal { _ = try $0.remove(Self.record.id) } == Self.reason)
        #expect(refusal { try $0.removeAll() } == Self.reason)
        #expect(refusal { try $0.replace(.navigation, with: json.bytes) } == Self.reason)
        #expect(refusal { _ = try $0.compact() } == Self.reason)
        #expect(refusal { _ = try $0.shortenHistory(to: nil) } == Self.reason)
        #expect(refusal { try $0.catchUp() } == Self.reason)
    }

    @Test func saysNotThatSomethingIsMissing() {
        #expect(refusal { _ = try $0.record(Self.record.id) } == Self.reason)
        #expect(refusal { _ = try $0.bytes(Self.record.id) } == Self.reason)
        #expect(refusal { _ = try $0.contains(Self.record.id) } == Self.reason)
        #expect(refusal { try $0.walk(.time, isDescending: false, after: nil) { _ in true } } == Self.reason)
        #expect(refusal { _ = try $0.history(of: Self.record.id, before: 9, limit: 9, bytesMax: 999) } == Self.reason)
        #expect(refusal { _ = try $0.read(.navigation, bytesMax: 9) } == Self.reason)
        let key = OperationTests.key(1)
        #expect(refusal { _ = try $0.outcome(of: key) } == Self.reason)
    }

    @Test func isNeitherOpenNorInMemory() {
        let store = RecordStore.closed(.test, because: Self.reason)
        #expect(!store.isOpen && !store.isInMemory)
        #expect(store.refusal == Self.reason && store.storeID == nil)
    }

    /// A record that no snapshot could hold is refused at once, and nothing changes; up to the limit everything works.
    @Test func refusesARecordThatNoLineTakes() throws {
        let directory = TestDirectory()
        let store = try TestRecords(settings(directory))
        var record = Self.record
        let fill = RecordStore.recordBytesMax - record.json.utf8.count + 1
        record.text = String(repeating: "b", count: fill + 1)
        do {
            try store.put(record)
            Issue.record("it was taken")
        } catch let error as StorageError {
            #expect(error == .recordTooLarge(byteCount: RecordStore.recordBytesMax + 1))
        }
        #expect(!store.with { $0.isCommitOpen } && store.count == 0)
        record.text = String(repeating: "b", count: fill)
        try store.put(record)
        try store.endCommit()
        try store.flush()
        _ = try store.with { try $0.compact() }
        let again = try TestRecords(settings(directory))
        #expect(again.contents[record.id] == record && again.revision == 1)
    }
}
