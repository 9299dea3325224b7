/// Finds the number of the top-level member `schemaVersion` in a JSON document of any layout, in one pass and without
/// memory: only asked when a snapshot is not of the form that this program writes, to be able to say what it is.
struct SchemaProbe {
    private enum Place { case beforeDocument, beforeKey, inKey, behindKey, inValue, behindDocument, notAnObject }

    private static let wanted = Array("schemaVersion".utf8)

    private var place = Place.beforeDocument
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var key: [UInt8] = []
    private var isVersion = false
    private var digits = 0

    private(set) var version: Int?
    /// Whether every bracket was closed and nothing came after.
    var isComplete: Bool { place == .behindDocument }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { read(byte) }
    }

    private mutating func read(_ byte: UInt8) {
        if isInString { return readInString(byte) }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D:
            break
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if place == .behindDocument || (depth == 0 && byte == UInt8(ascii: "[")) { place = .notAnObject }
            if place == .beforeDocument { place = .beforeKey }
            isVersion = false
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth < 0 { place = .notAnObject }
            if depth == 0, place != .notAnObject { place = .behindDocument }
        case UInt8(ascii: "\""):
            isInString = true
            isVersion = false
            if depth == 1, place == .beforeKey {
                place = .inKey
                key = []
            }
        case UInt8(ascii: ":") where depth == 1 && place == .behindKey:
            place = .inValue
            isVersion = key == Self.wanted
            digits = 0
        case UInt8(ascii: ",") where depth == 1 && place == .inValue:
            place = .beforeKey
            isVersion = false
        case UInt8(ascii: "0")...UInt8(ascii: "9") where isVersion && digits < 9:
            digits += 1
            version = (digits == 1 ? 0 : version ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        default:
            isVersion = false
            if depth == 0 { place = .notAnObject }
        }
    }

    private mutating func readInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if place == .inKey { place = .behindKey }
            return
        }
        if place == .inKey, key.count <= Self.wanted.count { key.append(byte) }
    }
}
