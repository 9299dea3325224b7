import JSONCodec
import Platform
import Storage

@testable import Storage

/// Inspects a record of the tests: `{"id":"…","label":"…"}` with optional further members. All have one time.
func inspect(_ bytes: UnsafeRawBufferPointer) -> RecordFinding {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let value = try? JSONValue(parsing: text) else { return .problem("is not JSON") }
    guard let id = value["id"]?.string else { return .problem("lacks \"id\"") }
    guard value["label"]?.string?.isEmpty == false else { return .problem("lacks \"label\"") }
    var copy = id
    guard let key = copy.withUTF8({ RecordID(UnsafeRawBufferPointer($0)) }) else {
        return .problem("has a wrong \"id\"")
    }
    return .record(id: key, time: 0, revision: value["revision"]?.integer ?? 0)
}

var examination: RecordExamination { RecordExamination(inspect: inspect, progress: { _, _ in }) }

/// Seals an edited record in the form of the tests' records.
func seal(_ bytes: UnsafeRawBufferPointer, _ revision: Int, _ buffer: inout ByteBuffer) -> StoreFiles.EditedRecord {
    switch inspect(bytes) {
    case .problem(let what):
        return .problem(offset: 0, what)
    case .record(let id, let time, _):
        let value = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        let label = value?["label"]?.string ?? ""
        buffer.append(utf8: "{\"id\":\"\(value?["id"]?.string ?? "")\",\"label\":\"\(label)\"}")
        return .record(id: id, time: time, isCompleted: false)
    }
}

func accept(_ settings: StoreSettings) throws(RepairError) -> AcceptReport {
    try StoreFiles.accept(settings, seal: seal, inspect: inspect)
}

func salvage(_ settings: StoreSettings, to target: String) throws(RepairError) -> SalvageReport {
    try StoreFiles.salvage(settings, to: target, examination)
}

/// The labels of a table by number.
func labels(_ table: Table) -> [Int: String] {
    Dictionary(
        uniqueKeysWithValues: table.records.map { id, text in
            (Int(id.suffix(12)) ?? -1, (try? JSONValue(parsing: text))?["label"]?.string ?? "?")
        })
}

/// Damage of a store that leaves something to save.
enum Damage: String, CaseIterable {
    case none, headerLine, recordLine, closingLine, cutSnapshot, noSnapshot, journalHeader, journalLine, noJournal
    case everything

    func apply(to directory: TestDirectory) {
        func replace(_ name: String, _ old: String, _ new: String) {
            directory.write(name, directory.text(name).replacing(old, with: new))
        }
        switch self {
        case .none: break
        case .headerLine: replace("moods.json", "{\"format\":\"moodboard\"", "{\"format\":\"moo!board\"")
        case .recordLine: replace("moods.json", "\"label\":\"second", "\"label:\"second")
        case .closingLine: replace("moods.json", "],\"crc\"", "],\"crd\"")
        case .cutSnapshot: directory.write("moods.json", directory.read("moods.json").dropLast(60).map { $0 })
        case .noSnapshot: directory.remove("moods.json")
        case .journalHeader: replace("journal-2.jsonl", "moodboard-journal", "moodboard_journal")
        case .journalLine: replace("journal-2.jsonl", "third", "THIRD")
        case .noJournal: directory.remove("journal-2.jsonl")
        case .everything:
            for damage in [Damage.headerLine, .recordLine, .closingLine, .journalHeader, .journalLine] {
                damage.apply(to: directory)
            }
        }
    }
}
