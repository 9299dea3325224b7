/// The rules for one emoji: a text that is drawn as a single picture. UTS #51, "Unicode Emoji", section 1.4.
///
/// The grammar, by code points:
///
///     emoji    = flag | keycap | modifier | sequence
///     flag     = two regional indicators
///     sequence = element (joiner element)*         the later ones may lack their selector
///     element  = base modifier | base selector | a code point that is a picture by itself; then tags
public enum Emoji {
    /// The longest emoji, in bytes; the longest in use (two people with skin tones, kissing) has 35.
    public static let bytesMax = 128

    /// The problem of a text as an emoji, in words for people; nil if it is one.
    public static func problem(_ text: UnsafeRawBufferPointer) -> String? {
        if text.isEmpty { return "must be one emoji, such as 😊; it is empty" }
        if isCommonPicture(text) { return nil }
        if text.count > bytesMax { return "must be one emoji of at most \(bytesMax) bytes; it has \(text.count)" }
        var scalars = Scalars(text)
        guard matches(&scalars) else {
            var all = Scalars(text)
            guard let only = all.next(), all.next() == nil, only.value > 0x7f, only.properties.isEmoji else {
                return "must be exactly one emoji, such as 😊"
            }
            return isRegionalIndicator(only)
                ? "must be one emoji; this is half of a flag, which has two letters, such as 🇫🇮"
                : "must be drawn as an emoji; add the variation selector U+FE0F after this symbol"
        }
        return nil
    }

    /// The problem of a text whose variation selector after the first code point may be missing or the other one.
    public static func problem(_ text: UnsafeRawBufferPointer, selectorMayLack: Bool) -> String? {
        let reason = problem(text)
        guard let reason, selectorMayLack, text.count <= bytesMax else { return reason }
        var scalars = String(decoding: NameFolding.emojiKey(text), as: UTF8.self).unicodeScalars
        guard let first = scalars.first, !first.isASCII else { return reason }
        scalars.insert("\u{fe0f}", at: scalars.index(after: scalars.startIndex))
        var completed = String(scalars)
        return completed.withUTF8 { problem(UnsafeRawBufferPointer($0)) } == nil ? nil : reason
    }

    /// Runs of the block U+1F000-1FFFF in which every code point is drawn as an emoji by itself, as offsets from its
    /// start. Most moods have one of these, and need no lookup of character properties.
    static let pictures: [ClosedRange<Int>] = [
        0x600...0x64f, 0x910...0x93a, 0x947...0x9ff, 0x442...0x4fc, 0x300...0x320, 0x337...0x37c, 0x37e...0x393,
        0x3a0...0x3ca, 0x3e0...0x3f0, 0x3f8...0x3fa, 0x400...0x43e, 0x4ff...0x53d, 0x680...0x6c5,
    ]

    private static func isCommonPicture(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == 4, text[0] == 0xf0, text[1] == 0x9f else { return false }
        let low = Int(text[2] & 0x3f) << 6 | Int(text[3] & 0x3f)
        if low >= 0x600 && low <= 0x64f { return true }
        for picture in pictures where picture.contains(low) { return true }
        return false
    }

    private static func matches(_ scalars: inout Scalars) -> Bool {
        guard let first = scalars.next() else { return false }
        if isRegionalIndicator(first) {
            guard let second = scalars.next(), isRegionalIndicator(second) else { return false }
            return scalars.next() == nil
        }
        guard element(first, &scalars, isJoined: false) else { return false }
        if !isJoinable(first) { return scalars.next() == nil }
        while let joiner = scalars.next() {
            guard joiner.value == 0x200d, let part = scalars.next(), isJoinable(part),
                element(part, &scalars, isJoined: true)
            else { return false }
        }
        return true
    }

    /// Whether a joiner can be beside a scalar. With a keycap or a lone skin tone it makes two pictures. (UAX #29,
    /// GB11)
    private static func isJoinable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 && !scalar.properties.isEmojiModifier
    }

    private static func element(_ first: Unicode.Scalar, _ scalars: inout Scalars, isJoined: Bool) -> Bool {
        let isKeycapBase = first.value < 0x80
        guard first.properties.isEmoji, !isRegionalIndicator(first) else { return false }
        var isPicture = first.properties.isEmojiPresentation || isJoined
        let following = scalars.peek()
        if following?.value == 0xfe0f {
            scalars.advance()
            isPicture = true
        } else if !isKeycapBase, let following, following.properties.isEmojiModifier {
            guard first.properties.isEmojiModifierBase else { return false }
            scalars.advance()
            isPicture = true
        }
        if scalars.peek()?.value == 0x20e3 {
            guard isKeycapBase else { return false }
            scalars.advance()
            return true
        }
        if isKeycapBase { return false }
        return isPicture && tags(&scalars)
    }

    /// Reads tag characters (flags of regions), which end with the cancel tag. UTS #51, ED-14a.
    private static func tags(_ scalars: inout Scalars) -> Bool {
        var count = 0
        while let tag = scalars.peek(), tag.value >= 0xe0020, tag.value <= 0xe007e {
            scalars.advance()
            count += 1
        }
        guard count > 0 else { return true }
        return scalars.next()?.value == 0xe007f
    }

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x1f1e6 && scalar.value <= 0x1f1ff
    }

    /// Code points with a lookahead of one.
    private struct Scalars {
        private var rest: UnsafeRawBufferPointer.Iterator
        private var decoder = Unicode.UTF8()
        private var ahead: Unicode.Scalar?
        private var isAhead = false

        init(_ text: UnsafeRawBufferPointer) { rest = text.makeIterator() }

        mutating func peek() -> Unicode.Scalar? {
            if !isAhead {
                ahead = decode()
                isAhead = true
            }
            return ahead
        }

        mutating func next() -> Unicode.Scalar? {
            let scalar = peek()
            isAhead = false
            return scalar
        }

        mutating func advance() { _ = next() }

        private mutating func decode() -> Unicode.Scalar? {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar): scalar
            case .emptyInput: nil
            case .error: "\u{fffd}"
            }
        }
    }
}
