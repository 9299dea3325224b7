import JSONCodec
import Platform
import Testing

@testable import MoodFormats

/// A copy of a store names its store, and its checks notice any missing part.
@Suite struct MoodCopyTests {
    private static let moods = #"{"emoji":"😊","label":"a"}"# + "\n" + #"{"emoji":"😢","label":"b"}"# + "\n"

    private static func copy(document: [JSONValue.Member] = []) -> [UInt8] {
        var text = ByteBuffer(capacity: 512)
        MoodCopy(
            storeID: "0194f2a1-0000-4000-8000-000000000001", schemaVersion: 3, revision: 7,
            time: "2026-01-02T03:04:05.678Z", document: document
        ).appendHead(to: &text)
        text.append(utf8: moods)
        let pages = Array(text.bytes)
        var last = ByteBuffer(capacity: 128)
        MoodCopy.appendEnd(count: 2, after: pages.withUnsafeBytes { CRC32C.checksum($0) }, to: &last)
        return pages + Array(last.bytes)
    }

    private static func judgement(_ bytes: [UInt8]) -> String {
        switch MoodCopy.examine(bytes) {
        case .whole: "whole"
        case .unchecked: "unchecked"
        case .damaged: "damaged"
        case .foreign: "foreign"
        }
    }

    @Test func formIsFixed() {
        let lines = String(decoding: Self.copy(), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.first?.hasPrefix(
                #"{"format":"moodboard-backup","version":1,"storeId":"0194f2a1-0000-4000-8000-000000000001","schemaVersion":3,"revision":7,"at":"2026-01-02T03:04:05.678Z","history":null,"crc":""#
            ) == true)
        #expect(lines.last?.hasPrefix(#"{"format":"moodboard-backup-end","count":2,"history":null,"crc":""#) == true)
    }

    @Test func knowsItsOwn() throws {
        guard case .whole(let copy) = MoodCopy.examine(Self.copy(document: [.init("theme", ["hue": 7])])) else {
            throw UnreadableFile("is not whole")
        }
        #expect(copy.revision == 7 && copy.schemaVersion == 3 && copy.time == "2026-01-02T03:04:05.678Z")
        #expect(JSONValue.object(copy.document).text == #"{"theme":{"hue":7}}"#)
    }

    @Test func noticesEveryPrefix() {
        let whole = Self.copy()
        // Without its last line feed it is whole too.
        for count in 0..<whole.count - 1 {
            #expect(Self.judgement(Array(whole[..<count])) != "whole", "\(count)")
        }
        #expect(Self.judgement(Array(whole.dropLast())) == "whole")
        #expect(Self.judgement(whole + [10, 10]) == "whole")
    }

    @Test func noticesEveryFlippedBit() {
        let whole = Self.copy()
        for at in 0..<whole.count - 1 {
            var flipped = whole
            flipped[at] ^= 1
            #expect(["damaged", "foreign"].contains(Self.judgement(flipped)), "byte \(at)")
        }
    }

    @Test(arguments: [
        (moods, "unchecked"), ("", "damaged"), (" \n", "damaged"), (#"{"settings":{}}"# + "\n", "unchecked"),
        (#"{"format":"moodboard","schemaVersion":3,"storeId":"x"#, "foreign"),
        (#"{"format":"moodboard-journal","schemaVersion":3"#, "foreign"),
        ("PK\u{3}\u{4}", "unchecked"), ("a,b\n1,2\n", "unchecked"),
    ])
    func judgesWhatIsNone(text: String, judgement: String) {
        #expect(Self.judgement(Array(text.utf8)) == judgement)
    }

    @Test func refusesLaterVersions() {
        var text = ByteBuffer(capacity: 128)
        text.append(
            utf8:
                #"{"format":"moodboard-backup","version":2,"storeId":"x","schemaVersion":3,"revision":1,"at":"y"}"#)
        guard case .foreign(let reason) = MoodCopy.examine(Array(text.bytes)) else {
            Issue.record("it is taken")
            return
        }
        #expect(reason.contains("newer"))
    }
}
