/// An emoji as people type it: the emoji, a sign that needs a selector, or `:smile:`.
enum TypedEmoji {
    /// - Returns: nil if the word is not meant as an emoji.
    /// - Throws: for a name between colons that is not known.
    static func read(_ word: String) throws(MoodWords.Fault) -> String? {
        if let code = code(word) {
            guard let emoji = codes[code] else {
                let nearest = Suggestion.nearest(to: code, among: codes.keys.sorted()).map { ":\($0):" }
                throw MoodWords.Fault(
                    "There is no emoji called '\(word)' here.\(Suggestion.question(nearest)) Type the emoji itself.")
            }
            return emoji
        }
        guard let first = word.first, isEmoji(first) else { return nil }
        return selected(word)
    }

    /// Reads a word that must be an emoji.
    /// - Parameter option: the option's name, for errors.
    static func required(_ word: String, option: String) throws(ClientError) -> String {
        do throws(MoodWords.Fault) {
            if let emoji = try read(word) { return emoji }
        } catch {
            throw .badInput("\(option): \(error.message)", advice: nil)
        }
        throw .badInput("\(option): '\(word)' is no emoji.", advice: "Give one such as 😊 or :smile:.")
    }

    /// Parts `😊Happy`, an emoji with a label right behind it; nil for any other word.
    static func parted(_ word: String) -> (emoji: String, label: String)? {
        guard let first = word.first, isEmoji(first) else { return nil }
        let label = word.dropFirst().drop { $0.isWhitespace }
        guard let start = label.first, start.isLetter || start.isNumber, !isEmoji(start) else { return nil }
        return (String(first), String(label))
    }

    /// Whether two emoji differ at most in variation selectors.
    static func isSame(_ a: String, _ b: String) -> Bool { bare(a).elementsEqual(bare(b)) }

    private static func bare(_ emoji: String) -> some Sequence<Unicode.Scalar> {
        emoji.unicodeScalars.lazy.filter { $0.value & ~1 != 0xfe0e }
    }

    /// The name between two colons.
    private static func code(_ word: String) -> String? {
        guard word.count > 2, word.hasPrefix(":"), word.hasSuffix(":") else { return nil }
        return String(word.dropFirst().dropLast()).lowercased()
    }

    private static func isEmoji(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        if scalars.contains(where: { $0.value == 0xfe0f || $0.value == 0x20e3 }) { return true }
        return scalars.first.map { !$0.isASCII && $0.properties.isEmoji } == true
    }

    /// Adds the selector U+FE0F after each sign that is text without it, such as ❤ and ☺. (UTS #51, 1.4.3)
    static func selected(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            result.append(scalar)
            guard !scalar.isASCII, scalar.properties.isEmoji, !scalar.properties.isEmojiPresentation else { continue }
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            let isSettled =
                next.map { $0.value == 0xfe0f || $0.value == 0xfe0e || $0.properties.isEmojiModifier } ?? false
            if !isSettled { result.append("\u{fe0f}") }
        }
        return String(result)
    }

    /// Names that chat programs have for feelings and activities.
    private static let codes: [String: String] = {
        var codes: [String: String] = [:]
        for row in table.split(whereSeparator: { $0 == "," || $0.isNewline }) {
            let words = row.split(separator: " ")
            for name in words.dropFirst() { codes[String(name)] = selected(String(words[0])) }
        }
        return codes
    }()

    private static let table = """
        😀 grinning, 😃 smiley, 😄 smile, 😁 grin, 😆 laughing satisfied, 😅 sweat_smile, 🤣 rofl, 😂 joy,
        🙂 slightly_smiling_face, 🙃 upside_down_face, 😉 wink, 😊 blush, 😇 innocent,
        🥰 smiling_face_with_three_hearts, 😍 heart_eyes, 🤩 star_struck, 😘 kissing_heart, ☺ relaxed, 😋 yum,
        😛 stuck_out_tongue, 😜 stuck_out_tongue_winking_eye, 🤪 zany_face, 🤗 hugs hugging, 🤭 hand_over_mouth,
        🤔 thinking, 😐 neutral_face, 😑 expressionless, 😶 no_mouth, 😏 smirk, 😒 unamused, 🙄 roll_eyes, 😬 grimacing,
        😌 relieved, 😔 pensive, 😪 sleepy, 😴 sleeping, 😷 mask, 🤒 face_with_thermometer, 🤕 face_with_head_bandage,
        🤢 nauseated_face, 🤮 vomiting_face, 🤧 sneezing_face, 🥵 hot_face, 🥶 cold_face, 😵 dizzy_face,
        🤯 exploding_head, 🥳 partying_face, 😎 sunglasses, 🤓 nerd_face, 😕 confused, 😟 worried,
        🙁 slightly_frowning_face, ☹ frowning_face, 😮 open_mouth, 😯 hushed, 😲 astonished, 😳 flushed,
        🥺 pleading_face, 😦 frowning, 😧 anguished, 😨 fearful, 😰 cold_sweat, 😥 disappointed_relieved, 😢 cry, 😭 sob,
        😱 scream, 😖 confounded, 😣 persevere, 😞 disappointed, 😓 sweat, 😩 weary, 😫 tired_face, 🥱 yawning_face,
        😤 triumph, 😡 rage pout, 😠 angry, 🤬 cursing_face, 💩 poop, ❤ heart, 💔 broken_heart, 💪 muscle,
        👍 +1 thumbsup, 👎 -1 thumbsdown, 👏 clap, 🙏 pray, 🔥 fire, ✨ sparkles, ⭐ star, 🌟 star2, 🎉 tada, 🎂 birthday,
        ☀ sunny, ☁ cloud, 🌧 cloud_with_rain, ⚡ zap, ❄ snowflake, 🌈 rainbow, 🌙 crescent_moon, 🌊 ocean, 🌱 seedling,
        🌸 cherry_blossom, ☕ coffee, 🍺 beer, 🍷 wine_glass, 🍕 pizza, 🏃 running runner, 🚶 walking, 🚴 bicyclist,
        🏊 swimmer, 🧘 lotus_position, 🎵 musical_note, 🎮 video_game, 📚 books, 💻 computer, 💼 briefcase, 🏠 house,
        ✈ airplane, 🐶 dog, 🐱 cat, 💊 pill, 💤 zzz
        """
}
