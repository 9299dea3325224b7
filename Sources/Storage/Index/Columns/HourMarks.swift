import JSONCodec

/// The hours, of some 64, that have a record whose last text is `text`.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | the first of the hours, signed, counted from 1970, a multiple of 64 |
/// | 8 | 8 | a bit for each hour, the first is the lowest |
/// | 16 | 8 | number of the text, 0 for none |
public struct HourMark {
    public static let millisecondsOfHour: Int64 = 3_600_000
    private static let hoursMax: Int64 = 1 << 36

    public let firstHour: Int64
    public fileprivate(set) var bits: UInt64
    public let text: UInt32

    fileprivate init(hour: Int64, text: UInt32) {
        firstHour = hour & ~63
        bits = 1 << UInt64(hour & 63)
        self.text = text
    }

    init(_ entry: UnsafeRawBufferPointer, at offset: Int) {
        // No stored time is further from 1970 than this.
        firstHour = min(max(entry.integer(at: offset, Int64.self), -Self.hoursMax), Self.hoursMax)
        bits = entry.integer(at: offset + 8, UInt64.self)
        text = UInt32(truncatingIfNeeded: entry.integer(at: offset + 16, UInt64.self))
    }

    func append(to image: inout ByteBuffer) {
        image.append(word: UInt64(bitPattern: firstHour))
        image.append(word: bits)
        image.append(word: UInt64(text))
    }

    /// The hour that contains a time.
    static func hour(of time: Int64) -> Int64 {
        let hour = time / millisecondsOfHour
        return hour * millisecondsOfHour > time ? hour - 1 : hour
    }
}

/// The marks of records in order of time.
struct HourMarks {
    private(set) var marks: [HourMark]
    /// The index in `marks` of the latest mark of each text.
    private var places: [UInt32: Int] = [:]
    /// The index of the latest record's mark.
    private var place = -1

    init(_ marks: [HourMark] = []) { self.marks = marks }

    @inline(__always)
    mutating func add(_ time: Int64, _ text: UInt32) {
        let hour = HourMark.hour(of: time)
        if place < 0 || marks[place].text != text || marks[place].firstHour != hour & ~63 { find(hour, text) }
        marks[place].bits |= 1 << UInt64(hour & 63)
    }

    @inline(never)
    private mutating func find(_ hour: Int64, _ text: UInt32) {
        if let known = places[text], marks[known].firstHour == hour & ~63 { return place = known }
        place = marks.count
        places[text] = place
        marks.append(HourMark(hour: hour, text: text))
    }
}

/// The hours that have records, without reading each record.
public struct RecordHours {
    public var marks: [HourMark]
    /// The texts that the marks name.
    public let texts: ColumnTexts
    /// Hours whose marks may be wrong: a record in them was changed since.
    public var doubted: Set<Int64> = []
}

extension SnapshotIndex {
    func hourMarks() throws(IndexFault) -> [HourMark] {
        let section = image.header.sections.hours
        var buffer = ByteBuffer(capacity: section.byteCount)
        try buffer.append(upTo: section.byteCount) { (bytes) throws(IndexFault) in
            try image.read(bytes, at: section.offset)
            return bytes.count
        }
        guard buffer.count == section.byteCount, checksum.matches(buffer.bytes, at: section.offset) else {
            throw .indexDamaged(reason: "The index is damaged at byte \(section.offset).")
        }
        let bytes = buffer.bytes
        return (0..<image.header.hoursCount).map { HourMark(bytes, at: $0 * IndexFormat.hoursBytes) }
    }
}

extension LayeredRecords {
    /// - Complexity: linear in the hours that have a record, and in the changes since the snapshot.
    mutating func hours() throws(IndexFault) -> RecordHours {
        let extractor = table.extractor
        var hours = RecordHours(marks: [], texts: ColumnTexts())
        if canSeeBase, let index = takeBase() {
            let result: Result<RecordHours, IndexFault>
            do throws(IndexFault) {
                var found = RecordHours(marks: try index.hourMarks(), texts: try index.columnTexts())
                found.doubted = try hiddenHours(index)
                result = .success(found)
            } catch {
                result = .failure(error)
            }
            putBack(index)
            hours = try result.get()
        }
        var above = HourMarks()
        let texts = hours.texts
        table.walk(.time, isDescending: false, after: nil) { slot in
            let entry = texts.entry(slot.head, slot.bytes, extractor)
            above.add(entry.time, entry.texts[RecordTraits.textCount - 1])
            return true
        }
        hours.marks += above.marks
        return hours
    }

    /// The hours of the snapshot's hidden records.
    private func hiddenHours(_ index: borrowing SnapshotIndex) throws(IndexFault) -> Set<Int64> {
        var hours: Set<Int64> = []
        var entries: [ColumnEntry] = []
        var first = 0
        for row in hiddenRows {
            if row < first || row >= first + entries.count {
                first = try index.columns(from: row, pages: 1, into: &entries)
            }
            hours.insert(HourMark.hour(of: entries[row - first].time))
        }
        return hours
    }
}

extension RecordStore {
    /// The hours that have records, separate for each last text of their traits.
    /// - Throws: as `walk` does.
    public mutating func hours() throws(StorageError) -> RecordHours {
        try requireOpen()
        do throws(IndexFault) {
            return try layers.hours()
        } catch {
            try mend(error)
            throw .busy(reason: "The index of the store was damaged and has been made again. Try again.")
        }
    }
}
