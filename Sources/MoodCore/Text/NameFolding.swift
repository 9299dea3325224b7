import JSONCodec
import MoodText

/// The comparison of labels and tags in filters and the palette: `cafe\u{301}` equals `CAFÉ`, but not `cafe`.
///
/// Canonical decomposition with marks in canonical order, then simple case folding, in no locale. Emojis compare
/// without their variation selectors. All text must be valid UTF-8. (Unicode Standard, sections 3.11 and 3.13.)
public enum NameFolding {
    /// The key of a text: equal for all texts that compare as equal.
    public static func key(_ utf8: UnsafeRawBufferPointer) -> [UInt8] {
        var key: [UInt8] = []
        if utf8.allSatisfy({ $0 < 0x80 }) {
            CaseFolding.appendFolded(utf8: utf8, to: &key)
            return key
        }
        var decomposed = CanonicalForm.decomposed(String(decoding: utf8, as: UTF8.self))
        decomposed.withUTF8 { CaseFolding.appendFolded(utf8: UnsafeRawBufferPointer($0), to: &key) }
        return key
    }

    /// The key of a text without the white space around it.
    public static func key(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { key(TextRule.trimmed(UnsafeRawBufferPointer($0))) }
    }

    /// Whether a text has this key.
    public static func has(_ key: [UInt8], _ utf8: UnsafeRawBufferPointer) -> Bool {
        for (index, byte) in utf8.enumerated() {
            // A later mark may combine with an earlier letter, but no ASCII letter becomes another one.
            guard byte < 0x80 else { return Self.key(utf8) == key }
            guard index < key.count, key[index] == (byte &- 0x41 < 26 ? byte | 0x20 : byte) else { return false }
        }
        return utf8.count == key.count
    }

    /// An emoji without its variation selectors, U+FE0E and U+FE0F.
    public static func emojiKey(_ utf8: UnsafeRawBufferPointer) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(utf8.count)
        var index = 0
        while index < utf8.count {
            if isSelector(utf8, at: index) {
                index += 3
            } else {
                key.append(utf8[index])
                index += 1
            }
        }
        return key
    }

    public static func emojiKey(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { emojiKey(UnsafeRawBufferPointer($0)) }
    }

    /// Whether an emoji has this key.
    public static func has(emojiKey key: [UInt8], _ utf8: UnsafeRawBufferPointer) -> Bool {
        utf8.elementsEqual(key) || utf8.count > key.count && emojiKey(utf8) == key
    }

    private static func isSelector(_ utf8: UnsafeRawBufferPointer, at index: Int) -> Bool {
        utf8[index] == 0xef && utf8.count - index >= 3 && utf8[index + 1] == 0xb8 && utf8[index + 2] & 0xfe == 0x8e
    }
}
