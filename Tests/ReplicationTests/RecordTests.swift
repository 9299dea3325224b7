import JSONCodec
import MoodCore
import Replication
import Testing

@Suite struct RecordTests {
    static let journal = UUID(high: 1, low: 1)
    static let phone = UUID(high: 2, low: 2)
    static let laptop = UUID(high: 3, low: 3)
    static let mood = UUID(high: 9, low: 9)

    static func document(_ label: String, tags: String = "[]", more: String = "") -> MoodDocument? {
        let text = """
            {"id":"\(mood.text)","emoji":"😊","label":"\(label)","timestamp":"2026-01-02T03:04:05.000Z","isFavorite":false,\
            "notes":"","tags":\(tags),"attachments":[],"createdAt":"2026-01-02T03:04:05.000Z",\
            "updatedAt":"2026-01-02T03:04:05.000Z","revision":7\(more)}
            """
        return Array(text.utf8).withUnsafeBytes { MoodDocument(ValidJSON(trusting: $0)) }
    }

    static func put(_ label: String, tags: String = "[]", more: String = "", at: Int64 = 1000) -> [LocalChange] {
        guard let document = document(label, tags: tags, more: more), let at = Timestamp(milliseconds: at) else {
            return []
        }
        return [.put(at: at, document, .usual)]
    }

    static func record(_ fold: inout Fold, _ replica: UUID, _ changes: [LocalChange]) -> Record {
        var shown: [UUID: MoodDocument?] = [:]
        return fold.record(
            changes, of: replica, in: journal, upTo: .init(storeID: "s", revision: 1), shownBefore: &shown
        ).record
    }

    static func again(_ record: Record) throws(RecordFault) -> Record {
        let line = ByteBuffer(copying: record.line)
        return try Record(line: line.bytes)
    }

    @Test func isTheSameWhenItIsReadAgain() throws {
        var fold = Fold()
        let first = Self.record(
            &fold, Self.phone,
            Self.put("Café", tags: #"["sea","Work"]"#, more: #","scales":{"sleep":7},"weather":{"c":3}"#))
        let second = Self.record(&fold, Self.laptop, Self.put("Tea", tags: #"["Work"]"#))
        var other = Fold()
        for record in [first, second] {
            let again = try Self.again(record)
            #expect(again.line == record.line)
            #expect(other.apply(again) == [Self.mood])
        }
        #expect(other.shown(Self.mood)?.bytes == fold.shown(Self.mood)?.bytes)
        let line = String(decoding: second.line, as: UTF8.self)
        #expect(line.contains(#""saw":{"\#(Self.phone.text)":1}"#))
        #expect(line.contains(#""label":["\#(Self.phone.text)/1/0"]"#))
        #expect(line.contains(#""tags-sea":["\#(Self.phone.text)/1/0"]"#))
        #expect(line.contains(#""scales.sleep":["\#(Self.phone.text)/1/0"]"#))
        #expect(!line.contains("revision\":7"))
    }

    @Test func refusesWhatWasCutOrChanged() {
        var fold = Fold()
        let line = Self.record(&fold, Self.phone, Self.put("Tea")).line
        for place in line.indices {
            var changed = line
            changed[place] ^= 1
            let buffer = ByteBuffer(copying: changed)
            #expect(throws: RecordFault.self) { try Record(line: buffer.bytes) }
            let cut = ByteBuffer(copying: Array(line[..<place]))
            #expect(throws: RecordFault.self) { try Record(line: cut.bytes) }
        }
    }

    @Test func waitsForWhatItSaw() {
        var fold = Fold()
        let first = Self.record(&fold, Self.phone, Self.put("Tea"))
        let second = Self.record(&fold, Self.laptop, Self.put("Coffee"))
        var other = Fold()
        var inbox = Inbox()
        inbox.add(second)
        #expect(inbox.next(after: other.vector) == nil)
        #expect(other.apply(second) == nil)
        inbox.add(first)
        while let record = inbox.next(after: other.vector) { other.apply(record) }
        #expect(inbox.isEmpty)
        #expect(other.vector == fold.vector)
    }

    @Test func keepsTwoValuesUntilOneIsChosen() throws {
        var phone = Fold()
        let first = Self.record(&phone, Self.phone, Self.put("Tea"))
        var laptop = Fold()
        laptop.apply(first)
        let left = Self.record(&phone, Self.phone, Self.put("Green tea", at: 2000))
        let right = Self.record(&laptop, Self.laptop, Self.put("Black tea", at: 3000))
        phone.apply(right)
        laptop.apply(left)
        #expect(phone.shown(Self.mood)?.bytes == laptop.shown(Self.mood)?.bytes)
        let conflict = try #require(phone.conflicts.first)
        #expect(conflict.shown == Array(#""Black tea""#.utf8))
        #expect(conflict.other == Array(#""Green tea""#.utf8))
        #expect(Conflict.ID(conflict.id.text) == conflict.id)
        let chosen = try #require(phone.settled(conflict, takesOther: true))
        let at = try #require(Timestamp(milliseconds: 10))
        let settling = Self.record(&phone, Self.phone, [.put(at: at, chosen, .settling(conflict.id.member))])
        laptop.apply(settling)
        for fold in [phone, laptop] {
            #expect(fold.conflicts.isEmpty)
            #expect(fold.shown(Self.mood)?.value(of: conflict.id.member) == conflict.other)
        }
    }

    @Test func anEditSurvivesADeletionThatDidNotKnowOfIt() throws {
        var home = Fold()
        let first = Self.record(&home, Self.phone, Self.put("Tea"))
        var train = Fold()
        train.apply(first)
        let at = try #require(Timestamp(milliseconds: 5000))
        let deletion = Self.record(&home, Self.phone, [.delete(at: at, [Self.mood])])
        let edit = Self.record(&train, Self.laptop, Self.put("Coffee", at: 4000))
        #expect(home.shown(Self.mood) == nil)
        home.apply(edit)
        train.apply(deletion)
        #expect(home.shown(Self.mood)?.bytes == train.shown(Self.mood)?.bytes)
        #expect(home.shown(Self.mood) != nil)
    }

    /// The clock of the phone is behind: what it sets is in the store, and the fold would show what remained.
    @Test(arguments: [true, false]) func aLaterChangeReplacesNothingThatTheStoreDidNotShow(isOneCommit: Bool) throws {
        var phone = Fold()
        let first = Self.record(&phone, Self.phone, Self.put("Tea"))
        var laptop = Fold()
        laptop.apply(first)
        _ = Self.record(&phone, Self.phone, Self.put("Green tea", at: 2000))
        phone.apply(Self.record(&laptop, Self.laptop, Self.put("Black tea", at: 3000)))
        // Black tea is shown, and replaced; green tea remains, and has the later time.
        let label = Self.put("Coffee", at: 10)
        let tag = Self.put("Coffee", tags: #"["sea"]"#, at: 20)
        if isOneCommit {
            _ = Self.record(&phone, Self.phone, label + tag)
        } else {
            _ = Self.record(&phone, Self.phone, label)
            var shown: [UUID: MoodDocument?] = [:]
            for change in label { change.show(in: &shown) }
            let upTo = Record.Commit(storeID: "s", revision: 2)
            _ = phone.record(tag, of: Self.phone, in: Self.journal, upTo: upTo, shownBefore: &shown)
        }
        let conflict = try #require(phone.conflicts.first)
        #expect(conflict.shown == Array(#""Green tea""#.utf8))
        #expect(conflict.other == Array(#""Coffee""#.utf8))
    }

    @Test func aNameGoesWithTheFirstRecordAndWithSnapshots() throws {
        var phone = Fold()
        var shown: [UUID: MoodDocument?] = [:]
        let long = String(repeating: "x", count: 200)
        let record = phone.record(
            Self.put("Tea"), of: Self.phone, in: Self.journal, upTo: .init(storeID: "s", revision: 1),
            shownBefore: &shown, name: "my\nphone" + long
        ).record
        var other = Fold()
        other.apply(try Self.again(record))
        #expect(other.names == [Self.phone: "myphone" + long.prefix(93)])
        let read = try #require(SnapshotText.fold(SnapshotText.text(other, journal: Self.journal)))
        #expect(read.fold.names == other.names)
        var laptop = Fold()
        _ = Self.record(&laptop, Self.laptop, Self.put("Coffee"))
        _ = laptop.join(read.fold)
        #expect(laptop.names == other.names)
        // Who knows nothing takes what another one knows as it is.
        var new = Fold()
        #expect(new.join(read.fold) == [Self.mood])
        #expect(SnapshotText.text(new, journal: Self.journal) == SnapshotText.text(other, journal: Self.journal))
        // What it knows already touches nothing, whatever else comes with it.
        #expect(new.join(read.fold).isEmpty)
        #expect(new.join(laptop) == [Self.mood])
        #expect(new.join(laptop).isEmpty)
    }

    /// A part of a join came into the store; then the process died.
    @Test func aSecondChangeReplacesNothingThatAPartOfAJoinHid() throws {
        var phone = Fold()
        _ = Self.record(&phone, Self.phone, Self.put("Tea"))
        let shown = try #require(Self.document("Coffee"))
        let changes = [#"["sea"]"#, #"["sea","work"]"#].flatMap { Self.put("Coffee", tags: $0, at: 2000) }
        let upTo = Record.Commit(storeID: "s", revision: 1)
        var before: [UUID: MoodDocument?] = [Self.mood: .some(shown)]
        let made = phone.record(
            changes, of: Self.phone, in: Self.journal, upTo: upTo, shownBefore: &before)
        #expect(!String(decoding: made.record.line, as: UTF8.self).contains(#""label":["#))
        #expect(phone.shown(Self.mood)?.value(of: Member(name: Array("label".utf8))) == Array(#""Tea""#.utf8))
    }
}
