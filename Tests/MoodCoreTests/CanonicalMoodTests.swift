import JSONCodec
import RandomMoods
import Seeds
import Testing

@testable import MoodCore

@Suite struct CanonicalMoodTests {
    /// The facts that both readers find in a record; nil if there are none.
    private struct Head: Equatable {
        var id: MoodID?
        var label: [UInt8]
        var times: [Timestamp?]
        var isFavorite: Bool?
        var hasTimeZone: Bool

        init?(fast record: UnsafeRawBufferPointer) {
            guard let mood = CanonicalMood(record) else { return nil }
            self.init(mood)
        }

        init?(known record: UnsafeRawBufferPointer) {
            guard let mood = CanonicalMood(known: record) else { return nil }
            self.init(mood)
        }

        private init(_ mood: CanonicalMood) {
            id = mood.id
            label = mood.label.withDecoded { Array($0) }
            times = [mood.timestamp, mood.updatedAt]
            isFavorite = mood.isFavorite
            hasTimeZone = mood.hasTimeZone
        }

        init?(slow record: UnsafeRawBufferPointer) {
            var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
            guard validator.accepts(record) else { return nil }
            guard let mood = MoodMembers(checking: ValidJSON(trusting: record)) else { return nil }
            id = mood.id
            label = mood.label?.withDecoded { Array($0) } ?? []
            times = [mood.timestamp.value, mood.updatedAt.value]
            isFavorite = mood.isFavorite
            hasTimeZone = mood.timeZone != nil
        }
    }

    private static func both(_ record: [UInt8]) -> (fast: Head?, slow: Head?) {
        record.withUnsafeBytes { (Head(fast: $0), Head(slow: $0)) }
    }

    @Test(arguments: SeededRandom.seeds)
    func takesEveryCanonicalRecordAsTheLongWayDoes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let record = RandomMood.record(&random)
            let (fast, slow) = Self.both(Array(record.utf8))
            // Members of a later version come last; the fast reader refuses such a record.
            let isPlain = try JSONValue(parsing: record).object?.last?.name == "revision"
            #expect(slow != nil && fast == (isPlain ? slow : nil), "seed \(seed): \(record)")
            let known = Array(record.utf8).withUnsafeBytes { Head(known: $0) }
            #expect(known == fast, "seed \(seed): \(record)")
        }
    }

    /// Changed bytes, mostly invalid JSON: if the fast reader answers, the slow one gives an equal answer.
    @Test(arguments: SeededRandom.seeds)
    func saysNothingElseOfMutatedRecords(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var taken = 0
        for _ in 0..<5_000 {
            var record = Array(RandomMood.record(&random).utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let at = Int.random(in: 0..<record.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: record[at] = .random(in: 0...255, using: &random)
                case 1: record[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: record.remove(at: at)
                default: record.insert("\"\\,:{}[]019Zt".utf8.randomElement(using: &random) ?? 0, at: at)
                }
            }
            let (fast, slow) = Self.both(record)
            // For bytes that are no mood any answer is right, but it stays within them.
            let known = record.withUnsafeBytes { Head(known: $0) }
            guard let fast else { continue }
            taken += 1
            #expect(fast == known, "seed \(seed): \(String(decoding: record, as: UTF8.self))")
            #expect(fast == slow, "seed \(seed): \(String(decoding: record, as: UTF8.self))")
        }
        #expect(taken > 50)
    }

    @Test(arguments: ["0", "-1", "0.5", "-0.25", "1e-05", "5E+3", "1e3", "10"])
    func takesANumberInAnyForm(number: String) {
        let record = fullRecord.replacing(/"valence":[^,]*/, with: "\"valence\":\(number)")
        let (fast, slow) = Self.both(Array(record.utf8))
        #expect(fast != nil && fast == slow)
    }

    @Test(arguments: ["01", "-", ".5", "1.", "1e", "1e+", "+1", "--1", "1,", "null", "NaN", "0x1", ""])
    func refusesWhatIsNoNumber(number: String) {
        let record = fullRecord.replacing(/"valence":[^,]*/, with: "\"valence\":\(number)")
        #expect(Self.both(Array(record.utf8)).fast == nil)
    }

    @Test func everyPrefixOfARecordIsNone() {
        let record = Array(plainRecord.utf8)
        for length in 0..<record.count {
            record[..<length].withUnsafeBytes { #expect(Head(fast: $0) == nil, "\(length)") }
        }
        #expect(Self.both(record).fast != nil)
    }

    @Test(arguments: SeededRandom.seeds)
    func readsCanonicalTimesAsTheOtherReaderDoes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            var text = Array(RandomMood.time(&random).text.utf8)
            if Bool.random(using: &random) {
                let digits = Array("0123456789:-TZ. /\u{7f}".utf8)
                text[.random(in: 0..<24, using: &random)] = digits.randomElement(using: &random) ?? 0
            }
            text.withUnsafeBytes { bytes in
                guard let time = Timestamp(canonical: bytes) else { return }
                #expect(time == Timestamp(rfc3339: bytes), "seed \(seed)")
            }
            let time = RandomMood.time(&random)
            withBytes(time.text) { #expect(Timestamp(canonical: $0) == time) }
        }
    }
}
