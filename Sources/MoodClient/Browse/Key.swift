/// Input from a terminal: a key, a click, or pasted text. (ECMA-48 and xterm's control sequences)
enum Key: Equatable {
    case character(Character)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// A key with Ctrl: `c` for Ctrl-C.
    case control(Character)
    /// A click; line and column count from 0.
    case click(line: Int, column: Int)
    case wheelUp, wheelDown
    case paste(String)

    /// Takes keys from the front of the bytes. An unfinished sequence stays. If nothing more will come, it is the
    /// Escape key.
    static func take(_ bytes: inout [UInt8], isComplete: Bool) -> [Key] {
        var keys: [Key] = []
        var at = 0
        while at < bytes.count {
            guard let (key, count) = read(bytes[at...], isComplete) else { break }
            if let key { keys.append(key) }
            at += count
        }
        bytes.removeFirst(at)
        return keys
    }

    /// Reads a key and its number of bytes. A nil key is a sequence without meaning here; nil needs more bytes.
    private static func read(_ bytes: ArraySlice<UInt8>, _ isComplete: Bool) -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1b: return escape(bytes, isComplete)
        case 0x0d, 0x0a: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7f, 0x08: return (.backspace, 1)
        case 0x00: return (nil, 1)
        case 0x01...0x1a: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0x1c...0x1f: return (nil, 1)
        default: return character(bytes, first, isComplete)
        }
    }

    private static func character(_ bytes: ArraySlice<UInt8>, _ first: UInt8, _ isComplete: Bool) -> (Key?, Int)? {
        let count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
        guard bytes.count >= count else { return isComplete ? (nil, bytes.count) : nil }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self), let character = text.first else {
            return (nil, 1)
        }
        return (.character(character), count)
    }

    private static func escape(_ bytes: ArraySlice<UInt8>, _ isComplete: Bool) -> (Key?, Int)? {
        let bytes = Array(bytes)
        guard bytes.count > 1 else { return isComplete ? (.escape, 1) : nil }
        switch bytes[1] {
        case UInt8(ascii: "["): return sequence(bytes, isComplete)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return isComplete ? (.escape, 2) : nil }
            return (named(bytes[2]), 3)
        case 0x1b: return (.escape, 1)
        // Alt-Enter is a line end in a text; Alt with another key means nothing.
        case 0x0d: return (.control("j"), 2)
        default: return (nil, 2)
        }
    }

    /// `ESC [ params final`
    private static func sequence(_ bytes: [UInt8], _ isComplete: Bool) -> (Key?, Int)? {
        guard let end = bytes.indices.dropFirst(2).first(where: { (0x40...0x7e).contains(bytes[$0]) }) else {
            return isComplete ? (nil, bytes.count) : nil
        }
        let params = String(decoding: bytes[2..<end], as: UTF8.self)
        let count = end + 1
        if bytes[end] == UInt8(ascii: "~") {
            if params == "200" { return paste(bytes, from: count, isComplete) }
            return (numbered(params.prefix { $0 != ";" }), count)
        }
        if params.hasPrefix("<") { return (mouse(params.dropFirst(), isPress: bytes[end] == UInt8(ascii: "M")), count) }
        return (named(bytes[end]), count)
    }

    private static func named(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    private static func numbered(_ text: Substring) -> Key? {
        switch text {
        case "1", "7": .home
        case "3": .delete
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }

    private static func mouse(_ params: Substring, isPress: Bool) -> Key? {
        let numbers = params.split(separator: ";").compactMap { Int($0) }
        guard isPress, numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
        switch numbers[0] {
        case 0: return .click(line: numbers[2] - 1, column: numbers[1] - 1)
        case 64: return .wheelUp
        case 65: return .wheelDown
        default: return nil
        }
    }

    /// Text between `ESC [ 200 ~` and `ESC [ 201 ~`.
    private static func paste(_ bytes: [UInt8], from start: Int, _ isComplete: Bool) -> (Key?, Int)? {
        let mark = Array("\u{1b}[201~".utf8)
        var at = start
        while at + mark.count <= bytes.count {
            if bytes[at..<at + mark.count].elementsEqual(mark) {
                return (.paste(String(decoding: bytes[start..<at], as: UTF8.self)), at + mark.count)
            }
            at += 1
        }
        return isComplete ? (nil, bytes.count) : nil
    }
}
