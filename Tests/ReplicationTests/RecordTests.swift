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
        #expect(inbox.next(after: other) == nil)
        #expect(other.apply(second) == nil)
        inbox.add(first)
        while let record = inbox.next(after: other) { other.apply(record) }
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
        #expect(try #require(Conflict.ID(conflict.id.text)).isSame(as: conflict.id))
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

    /// The phone's clock is behind: the store has the new value, while the fold would show a remaining one.
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
        // An empty fold takes the other's state unchanged.
        var new = Fold()
        #expect(new.join(read.fold) == [Self.mood])
        #expect(SnapshotText.text(new, journal: Self.journal) == SnapshotText.text(other, journal: Self.journal))
        // Known operations touch nothing, whatever else comes with them.
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

    // MARK: A journal whose records were lost

    /// The records that are made of a phone's commits. Between them, a mark names records and a new id.
    private static func made(_ mark: Vector, waiting: [Record] = []) -> [Record] {
        let id = UUID(high: 4, low: 4)
        var recorder = LocalRecorder(
            journal: journal, storeID: "s", ids: [phone, id], seen: Vector(), own: [:], names: [:])
        var (fold, shown): (Fold, [UUID: MoodDocument?]) = (Fold(), [:])
        for record in waiting { recorder.waiting.add(record) }
        for step in [
            .local(revision: 1, crc: 1, put("Tea")), .seen(mark, id, after: 2),
            .local(revision: 3, crc: 3, put("Coffee", at: 2000)),
        ] as [LocalRecorder.Step] {
            _ = recorder.take(step, in: &fold, shown: &shown) { $0 < 2 ? phone : id }
        }
        let made = recorder.takeMade()
        return (made[phone] ?? []) + (made[id] ?? [])
    }

    /// The mark names a record that no commit before it makes: of another branch of the phone's, or of another replica.
    /// What was done before it is recorded, for a store that waits for it.
    @Test(arguments: [phone, laptop]) func whatFollowsAMarkWaitsForTheRecordsThatItNames(replica: UUID) throws {
        var fold = Fold()
        var shown: [UUID: MoodDocument?] = [:]
        let other = fold.record(
            Self.put("Black tea", at: 1500), of: replica, in: Self.journal,
            upTo: .init(storeID: "s", revision: 2, crc: 9), shownBefore: &shown
        ).record
        var mark = Vector()
        mark.add(.init(number: 1, crc: other.crc), of: replica)
        let first = try #require(Self.made(Vector()).first)
        mark.add(.init(number: 1, crc: first.crc), of: Self.phone)
        #expect(Self.made(mark).map(\.crc) == [first.crc])
        let made = Self.made(mark, waiting: [other])
        #expect(made.count == 2)
        #expect(made.last?.needs == mark)
    }

    @Test func aRecordThatIsMadeAgainMayDifferFromTheLostOne() {
        var mark = Vector()
        mark.add(.init(number: 1, crc: 7), of: Self.phone)
        #expect(Self.made(mark).count == 2)
    }

    // MARK: Branches

    /// A machine was cloned with all of its ids: both continue with number 2.
    @Test func twoRecordsOfOneNumberAreTwo() throws {
        var phone = Fold()
        let first = Self.record(&phone, Self.phone, Self.put("Tea"))
        var clone = phone
        let left = Self.record(&phone, Self.phone, Self.put("Green tea", at: 2000))
        let right = Self.record(&clone, Self.phone, Self.put("Black tea", at: 3000))
        #expect(left.number == 2 && right.number == 2 && left.crc != right.crc)
        // The continuation of either branch covers nothing of the other.
        let later = Self.record(&clone, Self.phone, Self.put("Black tea", tags: #"["sea"]"#, at: 4000))
        var folds: [Fold] = []
        for order in [[first, left, right, later], [later, right, left, first], [right, first, later, left]] {
            var (fold, inbox) = (Fold(), Inbox())
            for record in order { inbox.add(try Self.again(record)) }
            inbox.drop(knownTo: fold)
            while let record = inbox.next(after: fold) { fold.apply(record) }
            #expect(inbox.isEmpty)
            folds.append(fold)
        }
        for fold in folds {
            #expect(fold.shown(Self.mood)?.bytes == folds[0].shown(Self.mood)?.bytes)
            #expect(fold.conflicts.map(\.other) == [Array(#""Green tea""#.utf8)])
            #expect(fold.known.count == 5)
        }
        // Settling the conflict names both, and an older reader ignores the details.
        let conflict = try #require(folds[0].conflicts.first)
        let chosen = try #require(folds[0].settled(conflict, takesOther: true))
        let at = try #require(Timestamp(milliseconds: 10))
        let settling = Self.record(&folds[0], Self.laptop, [.put(at: at, chosen, .settling(conflict.id.member))])
        #expect(String(decoding: settling.line, as: UTF8.self).contains(#""setCrc":{"label":["#))
        for place in 1..<3 { #expect(folds[place].apply(try Self.again(settling)) != nil) }
        for fold in folds { #expect(fold.conflicts.isEmpty) }
        // A snapshot brings all of it.
        let read = try #require(SnapshotText.fold(SnapshotText.text(folds[1], journal: Self.journal))).fold
        #expect(read.known.covers(folds[1].vector))
        var new = Fold()
        new.apply(first)
        new.apply(left)
        _ = new.join(read)
        #expect(new.conflicts.isEmpty && new.shown(Self.mood)?.bytes == folds[1].shown(Self.mood)?.bytes)
    }

    /// An older host wrote no checksums: a number stands for the branch that was known first.
    /// An older host did not write the checksum of a commit, and the record is made again from the commit.
    @Test func aRecordThatWasMadeAgainDisputesNothing() throws {
        func made(_ crc: UInt32) -> Record {
            var (fold, shown): (Fold, [UUID: MoodDocument?]) = (Fold(), [:])
            return fold.record(
                Self.put("Tea", tags: #"["sea"]"#), of: Self.phone, in: Self.journal,
                upTo: .init(storeID: "s", revision: 1, crc: crc), shownBefore: &shown
            ).record
        }
        let (old, new) = (made(0), made(7))
        #expect(old.crc != new.crc)
        var fold = Fold()
        for record in [old, new] { #expect(try fold.apply(Self.again(record)) != nil) }
        #expect(fold.shown(Self.mood)?.bytes == Self.document("Tea", tags: #"["sea"]"#)?.bytes)
        #expect(fold.conflicts.isEmpty)
        _ = Self.record(&fold, Self.laptop, Self.put("Coffee", at: 2000))
        #expect(fold.shown(Self.mood)?.bytes == Self.document("Coffee")?.bytes)
        #expect(fold.conflicts.isEmpty)
    }

    @Test func aNumberAloneStandsForWhatWasKnownFirst() throws {
        var phone = Fold()
        _ = Self.record(&phone, Self.phone, Self.put("Tea"))
        let text = String(decoding: SnapshotText.text(phone, journal: Self.journal), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        lines[0] = lines[0].replacing(/,"sawCrc":\{[^}]*\}/, with: "").replacing(/,"known":\{.*\]\}\}/, with: "")
        var head = ByteBuffer(capacity: 256)
        head.append(utf8: String(lines[0].prefix(lines[0].utf8.count - 18)))
        lines[0] = String(decoding: Seal.sealed(&head), as: UTF8.self)
        let old = try #require(SnapshotText.fold(Array((lines.joined(separator: "\n") + "\n").utf8))).fold
        #expect(old.known.contains(Self.phone, 1, 0) && old.vector[Self.phone] == 1)
        // A change by a newer host replaces the older one's value.
        var laptop = Fold()
        _ = laptop.join(old)
        let change = Self.record(&laptop, Self.laptop, Self.put("Coffee", at: 2000))
        #expect(laptop.conflicts.isEmpty)
        #expect(phone.apply(try Self.again(change)) != nil)
        #expect(phone.conflicts.isEmpty && phone.shown(Self.mood)?.bytes == laptop.shown(Self.mood)?.bytes)
        _ = laptop.join(phone)
        #expect(laptop.conflicts.isEmpty)
        #expect(laptop.known.covers(phone.vector) && phone.known.covers(laptop.vector))
    }
}
