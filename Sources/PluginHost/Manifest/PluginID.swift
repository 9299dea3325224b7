/// The id of a plugin: two or more labels joined by dots, such as `org.example.poem`; also its folder's name.
///
/// A label consists of the letters a-z, digits and hyphens, with no hyphen at its ends. (Counterparts: a bundle
/// identifier of Apple's systems, an application id of Android.)
public struct PluginID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public static let bytesMax = 100

    public let text: String

    /// Nil if the text is no id.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let (dot, hyphen) = (UInt8(ascii: "."), UInt8(ascii: "-"))
        // A text without a dot is no id, and before its first byte a label begins.
        var (hasDot, before) = (false, dot)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case hyphen where before != dot: break
            case dot where before != dot && before != hyphen: hasDot = true
            default: return nil
            }
            before = byte
        }
        guard hasDot, before != dot, before != hyphen else { return nil }
        self.text = text
    }

    /// `poem` of `org.example.poem`.
    public var lastLabel: String { text.split(separator: ".").last.map(String.init) ?? text }

    public var description: String { text }

    public static func < (a: PluginID, b: PluginID) -> Bool {
        // For ASCII texts the comparison by bytes and that of `String` agree, and the latter is faster.
        a.text < b.text
    }
}
