import JSONCodec

/// Two colors from top to bottom for a light screen and two for a dark one, as `#RRGGBB`. Black text on the light ones
/// and white text on the dark ones has a contrast far above the 4.5:1 of WCAG 2.2, success criterion 1.4.3; a test
/// measures it.
struct Gradient: Sendable {
    let light: (StaticString, StaticString)
    let dark: (StaticString, StaticString)

    /// Colors from red over gray to green.
    static let ofValence = [
        Gradient(light: ("#FECDCD", "#FAC3A8"), dark: ("#4F1717", "#351B0D")),
        Gradient(light: ("#FEE1CD", "#FAE6A8"), dark: ("#4F2E17", "#352B0D")),
        Gradient(light: ("#DFE4EC", "#C7C8DB"), dark: ("#2C323A", "#1C1D26")),
        Gradient(light: ("#CDFEF6", "#A8EDFA"), dark: ("#174F46", "#0D2E35")),
        Gradient(light: ("#CDFED5", "#A8FAD1"), dark: ("#174F20", "#0D3521")),
    ]

    /// Colors around the circle of hues.
    static let ofHue = [
        Gradient(light: ("#FECDCD", "#FAC3A8"), dark: ("#4F1717", "#351B0D")),
        Gradient(light: ("#FEE6CD", "#FAEDA8"), dark: ("#4F3317", "#352E0D")),
        Gradient(light: ("#FEFECD", "#DFFAA8"), dark: ("#4F4F17", "#28350D")),
        Gradient(light: ("#E6FECD", "#B6FAA8"), dark: ("#334F17", "#14350D")),
        Gradient(light: ("#CDFECD", "#A8FAC3"), dark: ("#174F17", "#0D351B")),
        Gradient(light: ("#CDFEE6", "#A8FAED"), dark: ("#174F33", "#0D352E")),
        Gradient(light: ("#CDFEFE", "#A8DFFA"), dark: ("#174F4F", "#0D2835")),
        Gradient(light: ("#CDE5FE", "#A8B6FA"), dark: ("#17334F", "#0D1435")),
        Gradient(light: ("#CDCDFE", "#C3A8FA"), dark: ("#17174F", "#1B0D35")),
        Gradient(light: ("#E5CDFE", "#EDA8FA"), dark: ("#33174F", "#2E0D35")),
        Gradient(light: ("#FECDFE", "#FAA8DF"), dark: ("#4F174F", "#350D28")),
        Gradient(light: ("#FECDE6", "#FAA8B6"), dark: ("#4F1733", "#350D14")),
    ]

    /// The gradient of a mood: by its valence, else by its emoji. Equal input gives equal gradients.
    static func of(valence: Double?, emoji: UnsafeRawBufferPointer) -> Gradient {
        if let valence { return ofValence[Int(((min(max(valence, -1), 1) + 1) * 2).rounded())] }
        // FNV-1a: any even spread will do.
        let hash = emoji.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return ofHue[Int(hash % UInt32(ofHue.count))]
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("light")
        Self.write(light, to: &writer)
        writer.key("dark")
        Self.write(dark, to: &writer)
        writer.endObject()
    }

    private static func write(_ colors: (StaticString, StaticString), to writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(colors.0)
        writer.string(colors.1)
        writer.endArray()
    }
}
