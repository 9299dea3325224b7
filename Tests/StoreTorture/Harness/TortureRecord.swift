import JSONCodec
import Storage

/// The records of the torture: JSON of a fixed layout, which is cheap to read.
///
/// `{"id":"…","time":"dddddd","version":"dddddddd","text":"dddd","fill":"…"}`: the variable fields have fixed offsets,
/// and the version differs between any two records of one run.
public enum TortureRecord {
    static let timeOffset = 7 + 36 + 10
    static let versionOffset = timeOffset + 6 + 13
    static let textOffset = versionOffset + 8 + 10
    static let byteCountMin = textOffset + 4 + 10 + 2

    /// One of few identifiers, so the torture often replaces and removes records.
    public static func id(_ slot: Int) -> RecordID {
        RecordID(high: 0x4000, low: 0x8000_0000_0000_0000 | UInt64(truncatingIfNeeded: slot))
    }

    public static func slot(of id: RecordID) -> Int? {
        guard id.high == 0x4000, id.low >> 48 == 0x8000 else { return nil }
        return Int(id.low & 0xffff_ffff_ffff)
    }

    public static func bytes(slot: Int, time: Int, version: Int, text: Int, fill: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCountMin + fill)
        bytes += Array("{\"id\":\"00000000-0000-4000-8000-".utf8)
        append(slot, digits: 12, radix: 16, to: &bytes)
        bytes += Array("\",\"time\":\"".utf8)
        append(time, digits: 6, radix: 10, to: &bytes)
        bytes += Array("\",\"version\":\"".utf8)
        append(version, digits: 8, radix: 10, to: &bytes)
        bytes += Array("\",\"text\":\"".utf8)
        append(text, digits: 4, radix: 10, to: &bytes)
        bytes += Array("\",\"fill\":\"".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: "a") + UInt8(truncatingIfNeeded: version % 26), count: fill)
        bytes += Array("\"}".utf8)
        return bytes
    }

    private static func append(_ number: Int, digits: Int, radix: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += [UInt8](repeating: UInt8(ascii: "0"), count: digits)
        var rest = number
        for index in (start..<start + digits).reversed() where rest > 0 {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            bytes[index] = digit < 10 ? digit + 48 : digit + 87
            rest /= radix
        }
    }

    public static func head(_ bytes: UnsafeRawBufferPointer) -> RecordHead? {
        guard bytes.count >= byteCountMin, bytes[0] == UInt8(ascii: "{"), bytes[bytes.count - 1] == UInt8(ascii: "}"),
            let slot = number(bytes, at: 31, digits: 12, radix: 16),
            let time = number(bytes, at: timeOffset, digits: 6, radix: 10),
            let version = number(bytes, at: versionOffset, digits: 8, radix: 10),
            let text = number(bytes, at: textOffset, digits: 4, radix: 10)
        else { return nil }
        return RecordHead(
            id: id(slot), time: Int64(time), updated: Int64(version), textPrefix: Int64(text / 100),
            isMarked: version % 3 == 0)
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, digits: Int, radix: Int) -> Int? {
        var number = 0
        for index in offset..<offset + digits {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number * radix + Int(bytes[index] - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16: number = number * 16 + Int(bytes[index] - 87)
            default: return nil
            }
        }
        return number
    }

    public static let extractor = RecordExtractor(
        head: { head($0) },
        compareTexts: { a, b in text(a) - text(b) },
        compareText: { record, text in
            Self.text(record) - text.withUnsafeBytes { number($0, at: 0, digits: 4, radix: 10) ?? 0 }
        },
        id: { head($0)?.id },
        headAndText: { record, text in
            guard let head = head(record) else { return nil }
            // The four digits sort by bytes as by number.
            text.append(UnsafeRawBufferPointer(rebasing: record[textOffset..<textOffset + 4]))
            return head
        })

    static var examination: RecordExamination {
        RecordExamination(
            inspect: { record in
                guard let head = head(record) else { return .problem("is not a record") }
                return .record(id: head.id, time: head.time, revision: 0)
            }, progress: { _, _ in })
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> Int {
        number(bytes, at: textOffset, digits: 4, radix: 10) ?? 0
    }
}
