/// What a plugin is known by: two or more labels joined by dots, such as `org.example.poem`; also its folder's name.
///
/// A label is made of the letters a-z, digits and hyphens, with no hyphen at its ends. (Counterparts: a bundle identifier
/// of Apple's systems, an application id of Android.)
public struct PluginID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public static let bytesMax = 100

    public let text: String

    /// Nil where the text is no id.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
        self.text = text
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard let first = label.first, let last = label.last, first != hyphen, last != hyphen else { return false }
        return label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen: true
            default: false
            }
        }
    }

    /// `poem` of `org.example.poem`.
    public var lastLabel: String { text.split(separator: ".").last.map(String.init) ?? text }

    public var description: String { text }

    public static func < (a: PluginID, b: PluginID) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }
}
