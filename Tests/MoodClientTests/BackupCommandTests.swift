import JSONCodec
import Platform
import Testing

@testable import MoodClient

/// `backup`: the copies that stay and those that are deleted.
@Suite struct BackupCommandTests {
    private static let store = "0194f2a1-0000-4000-8000-000000000001"
    private static let info = #"{"path":"/store","inMemory":false,"bytes":9}"#
    private static let whole = #"{"ok":true,"moods":1,"bytes":1,"problems":[]}"#

    private static func folder() -> String {
        let path =
            "/tmp/mood-backup-\(ProcessFacts.processID)-\(Clock.monotonicMilliseconds)-\(UInt64.random(in: 0 ... .max))"
        try? FileSystem.system.makeDirectory(path)
        return path
    }

    private static func names(_ folder: String) -> [String] { ((try? FileSystem.system.list(folder)) ?? []).sorted() }

    private static func remove(_ folder: String) {
        for name in names(folder) { try? FileSystem.system.unlink(folder + "/" + name) }
    }

    private static func sealed(_ line: String, after text: String) -> String {
        let bytes = Array((text + line).utf8)
        let digits = String(bytes.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        return line + "\"crc\":\"" + String(repeating: "0", count: 8 - digits.count) + digits + "\"}\n"
    }

    /// A copy with a number of moods.
    private static func copy(revision: Int, moods: Int = 1, store: String = store) -> String {
        let head =
            #"{"format":"moodboard-backup","version":1,"storeId":"\#(store)","schemaVersion":3,"revision":\#(revision),"at":"2026-01-02T12:00:00.000Z","history":null,"#
        var text = sealed(head, after: "")
        for number in 0..<moods { text += #"{"emoji":"😊","label":"\#(number)"}"# + "\n" }
        text += sealed(#"{"format":"moodboard-backup-end","count":\#(moods),"history":null,"#, after: text)
        return text
    }

    private static func exported(_ text: String) -> String { JSONValue.object([.init("text", .string(text))]).text }

    private static func write(_ path: String, _ text: String) throws {
        try File(path, .create, in: .system).write(Array(text.utf8), at: 0)
    }

    private static func outside(_ text: String, verify: String = whole) -> Outside {
        Outside(["store.export": exported(text), "store.info": info, "store.verify": verify])
    }

    /// Makes a backup at each revision.
    private static func backUp(_ revisions: [Int], in folder: String, keep: Int) {
        for revision in revisions {
            let outside = outside(copy(revision: revision))
            outside.now += revision * 60
            #expect(outside.run("backup", folder, "--keep", "\(keep)") == .success)
        }
    }

    private static func name(_ minute: String) -> String { "moods-0194f2a1-20260102T12\(minute)00Z.jsonl" }

    @Test func copiesAreNamedAfterStoreAndTimeAndOldOnesGo() {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        Self.backUp([1, 2, 3], in: folder, keep: 2)
        #expect(Self.names(folder) == [Self.name("02"), Self.name("03")])
        let outside = Self.outside(Self.copy(revision: 4))
        #expect(outside.run("backup", folder + "/one.jsonl") == .success)
        #expect(outside.output.contains("1 mood, "))
        #expect(outside.run("backup", folder + "/two.jsonl", "--keep", "2") == .usage)
        #expect(outside.sent.contains { $0.params == #"{"format":"jsonl","backup":true}"# })
    }

    @Test func theCopyJustMadeStaysWhateverTheClockSays() {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let ahead = Self.outside(Self.copy(revision: 1))
        ahead.now += 100 * 365 * 86400
        #expect(ahead.run("backup", folder) == .success)
        let first = Self.names(folder)
        #expect(Self.outside(Self.copy(revision: 2)).run("backup", folder, "--keep", "1") == .success)
        #expect(Self.names(folder) == [Self.name("00")] && first != Self.names(folder))
    }

    @Test func twoCopiesOfOneSecondHaveTwoNames() {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        for _ in 0..<3 { #expect(Self.outside(Self.copy(revision: 1)).run("backup", folder) == .success) }
        #expect(Self.names(folder).count == 3)
    }

    @Test func onlyWholeCopiesOfThisStoreAndPastGo() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let others: [(name: String, text: String)] = [
            ("moodboard-20260101T000000Z.jsonl", "a\n"), ("moods-0194f2a1-notes.jsonl", "mine\n"), ("x.jsonl", "x"),
            ("moods-0194f2a1-1.jsonl", Self.copy(revision: 9)),
            ("moods-0194f2a1-2.jsonl", Self.copy(revision: 1, store: "0194f2a1-ffff-4000-8000-000000000001")),
            ("moods-0194f2a1-3.jsonl", String(Self.copy(revision: 1).dropLast(20))),
            ("renamed.jsonl", Self.copy(revision: 1)),
        ]
        for (name, text) in others { try Self.write("\(folder)/\(name)", text) }
        try Self.write("\(folder)/moods-0194f2a1-4.jsonl", Self.copy(revision: 1))
        let outside = Self.outside(Self.copy(revision: 2))
        #expect(outside.run("backup", folder, "--keep", "1") == .success)
        #expect(Self.names(folder) == (others.map(\.name) + [Self.name("00")]).sorted())
        #expect(outside.error.contains("Deleted the old copy moods-0194f2a1-4.jsonl"))
        for name in ["moodboard-20260101T000000Z", "moods-0194f2a1-notes", "moods-0194f2a1-1", "moods-0194f2a1-3"] {
            #expect(outside.error.contains("Kept \(name).jsonl"), "\(name)")
        }
    }

    /// An unmounted disk or a damaged store must not push out old copies.
    @Test func nothingPushesOutACopyThatHasMoods() {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        Self.backUp([1], in: folder, keep: 1)
        let gone = Outside([
            "store.export": #"{"text":""}"#, "store.info": #"{"path":"/gone","inMemory":false,"bytes":0}"#,
        ])
        #expect(gone.run("backup", folder, "--keep", "1") == .badData)
        #expect(gone.error.contains("There is no store in /gone"))
        let empty = Self.outside(Self.copy(revision: 2, moods: 0))
        #expect(empty.run("backup", folder, "--keep", "1") == .success)
        #expect(empty.error.contains("all older ones are kept"))
        let damaged = Self.outside(
            Self.copy(revision: 3),
            verify: #"{"ok":false,"moods":1,"bytes":1,"problems":[{"file":"f","offset":1,"reason":"r"}]}"#)
        damaged.now += 3600
        #expect(damaged.run("backup", folder, "--keep", "1") == .failure)
        #expect(damaged.error.contains("no older copy was deleted"))
        let taken = Self.outside(Self.copy(revision: 4))
        taken.now += 7200
        #expect(taken.run("backup", folder, "--keep", "1", "--damaged") == .success)
        #expect(taken.sent.contains { $0.params == #"{"format":"jsonl","backup":true,"damaged":true}"# })
        #expect(Self.names(folder).count == 4)
    }

    @Test(arguments: [("😊", "😢"), ("-end\"", "-ent\""), ("\"count\":1", "\"count\":2")])
    func aCopyThatIsNotWholeIsNoticed(old: String, new: String) {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        Self.backUp([1], in: folder, keep: 1)
        let outside = Self.outside(Self.copy(revision: 2).replacing(old, with: new))
        outside.now += 3600
        #expect(outside.run("backup", folder, "--keep", "1") == .failure)
        #expect(outside.error.contains("is not whole"))
        #expect(Self.names(folder).count == 2)
    }

    @Test func aRefusalOfTheHostSaysWhatToDo() {
        let outside = Outside { method, _ in
            method == "store.info"
                ? .result(Array(Self.info.utf8))
                : .failure(
                    RemoteError(
                        json: Array(
                            #"{"code":1015,"message":"The store is not whole. To take what is there, say damaged:true.","data":{"kind":"storeCorrupt"}}"#
                                .utf8)))
        }
        for words in [["backup", "/tmp/x"], ["export"]] {
            #expect(outside.run(words) == .failure)
            #expect(outside.error.contains("give --damaged"))
        }
    }
}
