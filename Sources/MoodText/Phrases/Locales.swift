import Foundation

/// The known locales, each with one spelling.
///
/// The locale data of ICU decides. It is read on the first call, not at start-up. The number of canonical identifiers
/// is fixed (about a thousand), so a peer that invents combinations fills no cache.
public enum Locales {
    /// Longer identifiers are refused unread.
    public static let identifierBytesMax = 64

    /// Foundation's spelling of `identifier`; nil for an unknown locale.
    ///
    /// `en-US`, `en_US` and `EN_us` are `en_US`; `zh-Hans-CN` is `zh_Hans_CN`. A known language in a real region
    /// without data of its own is the language alone (`fi-SE` is `fi`), or the language in the script that is used
    /// there (`zh-TW` is `zh_Hant_TW`). Extensions and keywords (`-u-…`, `@calendar=…`) are not accepted.
    public static func canonical(_ identifier: String) -> String? {
        guard let tags = tags(of: identifier) else { return nil }
        let whole = joined(tags.language, tags.script, tags.region, tags.variant)
        if known.contains(whole) { return whole }
        guard tags.variant == nil, let region = tags.region else { return nil }
        let language = joined(tags.language, tags.script)
        guard known.contains(language), Locale.Region(region).isISORegion else { return nil }
        guard tags.script == nil else { return language }
        guard let script = Locale.Language(identifier: whole).script?.identifier else { return language }
        let scripted = joined(tags.language, script, region)
        if known.contains(scripted) { return scripted }
        let withoutRegion = joined(tags.language, script)
        return known.contains(withoutRegion) ? withoutRegion : language
    }

    private static let known = Set(Locale.availableIdentifiers)

    private struct Tags {
        var language: String
        var script: String?
        var region: String?
        var variant: String?
    }

    /// Parses RFC 5646 section 2.1, but only language, script, region and one variant, with either separator and in any
    /// case.
    private static func tags(of identifier: String) -> Tags? {
        let bytes = identifier.utf8
        guard bytes.count <= identifierBytesMax, bytes.allSatisfy({ isTagByte($0) || $0 == 0x2D || $0 == 0x5F }) else {
            return nil
        }
        var parts = bytes.split(omittingEmptySubsequences: false) { $0 == 0x2D || $0 == 0x5F }[...]
        guard let language = parts.popFirst(), 2...3 ~= language.count, language.allSatisfy(isLetter) else {
            return nil
        }
        var tags = Tags(language: String(decoding: language, as: UTF8.self).lowercased())
        if let script = parts.first, script.count == 4, script.allSatisfy(isLetter) {
            tags.script = String(decoding: script, as: UTF8.self).capitalized
            parts.removeFirst()
        }
        if let region = parts.first,
            region.count == 2 && region.allSatisfy(isLetter) || region.count == 3 && !region.contains(where: isLetter)
        {
            tags.region = String(decoding: region, as: UTF8.self).uppercased()
            parts.removeFirst()
        }
        if let variant = parts.first, 5...8 ~= variant.count {
            tags.variant = String(decoding: variant, as: UTF8.self).uppercased()
            parts.removeFirst()
        }
        return parts.isEmpty ? tags : nil
    }

    private static func joined(_ parts: String?...) -> String {
        parts.compactMap(\.self).joined(separator: "_")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || 0x30...0x39 ~= byte
    }
}
