import Foundation
import Testing

@testable import MoodText

@Suite struct LocalesTests {
    @Test(arguments: [
        ("en_US", "en_US"), ("en-US", "en_US"), ("EN-us", "en_US"), ("fi", "fi"), ("fi_FI", "fi_FI"),
        ("zh-Hans-CN", "zh_Hans_CN"), ("zh_Hans_CN", "zh_Hans_CN"), ("zh-TW", "zh_Hant_TW"), ("sr-Latn", "sr_Latn"),
        ("es-419", "es_419"), ("en_001", "en_001"), ("fi_SE", "fi"), ("en_US_POSIX", "en_US_POSIX"), ("yue", "yue"),
    ])
    func knows(identifier: String, canonical: String) {
        #expect(Locales.canonical(identifier) == canonical)
    }

    @Test(arguments: [
        "", "xx_YY", "xx", "english", "e", "en_YY", "en-", "-en", "en__US", "en_US.UTF-8", "en US", "C", "und", "root",
        "en_US@calendar=japanese", "en-US-u-ca-buddhist", "en_Latn_US_POSIX_x", "i-klingon", "en\u{0}US", "ｅｎ", "12",
        "../en",
        String(repeating: "en-", count: 1_000_000),
    ])
    func refuses(identifier: String) {
        #expect(Locales.canonical(identifier) == nil)
    }

    @Test func knowsEveryLocaleOfTheData() {
        for identifier in Locale.availableIdentifiers {
            #expect(Locales.canonical(identifier) == identifier)
            #expect(Locales.canonical(identifier.replacing("_", with: "-")) == identifier)
        }
    }

    @Test func namesNoLocaleThatTheDataLacks() {
        let known = Set(Locale.availableIdentifiers)
        for language in ["en", "zh", "sr", "fi", "pa", "uz", "az", "ks", "sd"] {
            for region in Locale.Region.isoRegions {
                guard let canonical = Locales.canonical(language + "_" + region.identifier) else { continue }
                #expect(known.contains(canonical))
            }
        }
    }
}

@Suite struct TimeZonesTests {
    @Test(arguments: [
        "Europe/Helsinki", "UTC", "GMT", "Etc/UTC", "Etc/GMT+2", "Etc/GMT-14", "Asia/Calcutta", "Asia/Kolkata",
        "Europe/Kyiv",
        "Europe/Kiev", "US/Pacific", "GB", "Zulu", "EST", "MST", "HST", "EST5EDT", "PST8PDT", "CET", "GMT0", "Cuba",
        "America/Argentina/ComodRivadavia", "America/North_Dakota/New_Salem", "America/Port-au-Prince",
    ])
    func knows(name: String) {
        #expect(TimeZones.isKnown(name))
    }

    @Test(arguments: [
        "", "EST5", "PST", "ACT", "BST", "GMT+2", "UTC+3", "GMT+25", "Z", "+02:00", "europe/helsinki", "Europe/Helsink",
        "../../etc/passwd", "/etc/localtime", "Europe/../UTC", "localtime", "posixrules", "right/UTC", "SystemV/PST8",
        "Etc/Unknown", "Europe/Helsinki\u{0}", "Europe/Helsinki ", " UTC", "Mars/Phobos", "Å/B", "zone.tab",
        String(repeating: "A", count: 65), String(repeating: "Europe/", count: 1_000_000),
    ])
    func refuses(name: String) {
        #expect(!TimeZones.isKnown(name))
    }

    @Test func knowsEveryNameOfTheList() {
        for name in TimeZone.knownTimeZoneIdentifiers { #expect(TimeZones.isKnown(name)) }
    }

    @Test func knowsTheZoneOfTheSystem() {
        #expect(TimeZones.isKnown(TimeZones.system))
    }
}
