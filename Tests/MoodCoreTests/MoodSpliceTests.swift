import JSONCodec
import RandomMoods
import Seeds
import Testing

@testable import MoodCore

@Suite struct MoodSpliceTests {
    /// The patched record, and the one written as a whole.
    private static func both(
        _ record: String, isFavorite: Bool, updatedAt: Timestamp, revision: Int
    ) throws -> (spliced: String?, whole: String) {
        let spliced = withBytes(record) { bytes in
            var writer = JSONWriter()
            let isDone = MoodSplice.write(
                bytes, isFavorite: isFavorite, updatedAt: updatedAt, revision: revision, to: &writer)
            return isDone ? String(decoding: writer.buffer.bytes, as: UTF8.self) : nil
        }
        let whole = try withMood(record) { mood in
            var mood = try #require(mood, "\(record)")
            mood.isFavorite = isFavorite
            mood.updatedAt = MoodTime(updatedAt)
            mood.revision = revision
            return written { mood.write(to: &$0) }
        }
        return (spliced, whole)
    }

    @Test(arguments: SeededRandom.seeds)
    func isTheSameAsWritingTheMoodAnew(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let record = RandomMood.record(&random)
            let (spliced, whole) = try Self.both(
                record, isFavorite: .random(using: &random), updatedAt: RandomMood.time(&random),
                revision: .random(in: 1...Int.max, using: &random))
            // Members of a later version come last; such a record must be written as a whole.
            let isPlain = try JSONValue(parsing: record).object?.last?.name == "revision"
            #expect(isPlain ? spliced == whole : spliced == nil, "seed \(seed): \(record)")
        }
    }

    @Test(arguments: [true, false])
    func replacesNothingButTheThreeValues(isFavorite: Bool) throws {
        let time = try #require(Timestamp("2027-07-07T07:07:07.007Z"))
        let (spliced, _) = try Self.both(fullRecord, isFavorite: isFavorite, updatedAt: time, revision: 9)
        let expected =
            fullRecord
            .replacing("\"isFavorite\":true", with: "\"isFavorite\":\(isFavorite)")
            .replacing("\"updatedAt\":\"2026-01-02T03:04:07.000Z\"", with: "\"updatedAt\":\"2027-07-07T07:07:07.007Z\"")
            .replacing("\"revision\":42", with: "\"revision\":9")
        #expect(spliced == expected)
    }

    @Test func writesBehindOtherValuesWithAComma() throws {
        let time = try #require(Timestamp("2027-07-07T07:07:07.007Z"))
        let text = withBytes(plainRecord) { bytes in
            written { writer in
                writer.beginArray()
                _ = MoodSplice.write(bytes, isFavorite: true, updatedAt: time, revision: 2, to: &writer)
                _ = MoodSplice.write(bytes, isFavorite: true, updatedAt: time, revision: 3, to: &writer)
                writer.endArray()
            }
        }
        let values = try JSONValue(parsing: text).array ?? []
        #expect(values.map { $0["revision"]?.integer } == [2, 3])
    }

    /// Records that a person edited are refused, so that the store writes them as a whole.
    @Test(arguments: [
        #"{"updatedAt":"2026-01-02T03:04:07.000Z","isFavorite":true,"revision":1}"#,
        #"{"revision":1,"isFavorite":true,"updatedAt":"2026-01-02T03:04:07.000Z"}"#,
        #"{"isFavorite":1,"updatedAt":"2026-01-02T03:04:07.000Z","revision":1}"#,
        #"{"isFavorite":true,"updatedAt":null,"revision":1}"#, #"{"isFavorite":true,"revision":1}"#,
        #"{"isFavorite":true,"updatedAt":"x","revision":"1"}"#, #"{"isFavorite":true}"#, "{}", "[]", "1",
    ])
    func refusesOtherOrdersAndKinds(record: String) {
        let isDone = withBytes(record) { bytes in
            var writer = JSONWriter()
            return MoodSplice.write(bytes, isFavorite: true, updatedAt: .minimum, revision: 2, to: &writer)
        }
        #expect(!isDone)
    }
}
