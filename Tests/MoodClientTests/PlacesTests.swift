import JSONCodec
import Testing

@testable import MoodClient

/// The zone and the language of a command's surroundings.
@Suite struct PlacesTests {
    private func added(
        _ arguments: [String] = [], zone: String? = "Europe/Berlin", setting: String? = nil, config: String? = nil,
        refused: String? = nil
    ) -> [String] {
        let outside = Outside { method, params in
            if method == "time.parse" {
                return .result(Array(#"{"start":"s","end":"e","at":"2026-01-01T09:00:00Z","isSpan":false}"#.utf8))
            }
            if let refused, method == "mood.create", params.contains(refused) {
                return Canned.failure(Canned.error(-32602, "invalidParams", more: #","path":"/timeZone""#))
            }
            let settings = setting.map { #"{"timeZone":"\#($0)"}"# } ?? "{}"
            return .result(Array((method == "settings.get" ? settings : Canned.mood()).utf8))
        }
        outside.timeZoneName = zone
        outside.environment = ["HOME": "/home/ada"]
        if let config { outside.files["/home/ada/.config/moodboard/config.json"] = Array(config.utf8) }
        #expect(outside.run(["add", "😊", "Happy"] + arguments) == .success)
        return outside.sent.filter { $0.method == "mood.create" }.map(\.params)
    }

    @Test func addKeepsTheZoneByWhichTheTimeWasRead() {
        let kept = #""timeZone":"Europe/Berlin"}"#
        #expect(added()[0].hasSuffix(kept))
        #expect(added(["--at", "yesterday 9pm"])[0].hasSuffix(kept) && added(["@2h"])[0].hasSuffix(kept))
        #expect(added(setting: "Asia/Tokyo")[0].hasSuffix(#""timeZone":"Asia/Tokyo"}"#))
        #expect(added(["--time-zone", "Asia/Tokyo"])[0].contains(#""timeZone":"Asia/Tokyo"}"#))
    }

    @Test func aZoneWithoutANameIsNotKept() {
        #expect(!added(zone: nil)[0].contains("timeZone"))
        for time in ["2026-01-02T05:04:00+02:00", "2026-01-02T05:04:00Z", "2026-01-02 10:00 +0200", "9pm UTC"] {
            #expect(!added(["--at", time])[0].contains("timeZone"), "\(time)")
        }
        #expect(!Client.namesOffset("2026-11-20") && !Client.namesOffset("21:30") && !Client.namesOffset("2026-W47"))
    }

    @Test func keepZoneFalseTurnsThatOff() {
        #expect(!added(config: #"{"keepZone": false}"#)[0].contains("timeZone"))
        #expect(added(config: #"{"keepZone": true, "sync": false}"#)[0].contains("timeZone"))
    }

    @Test func aZoneThatTheHostDoesNotKnowIsLeftOffWithoutAWord() {
        let sent = added(zone: "Mars/Base", refused: "Mars/Base")
        #expect(sent.count == 2 && sent[0].contains("Mars/Base") && !sent[1].contains("timeZone"))
    }

    @Test(
        arguments: [
            (["LANG": "de_DE.UTF-8"], "de_DE", "de_DE"), (["LC_ALL": "fi_FI@euro", "LANG": "de_DE"], "fi_FI", "fi_FI"),
            (["LC_TIME": "fr_FR", "LANG": "de_DE"], "de_DE", "fr_FR"),
            (["LC_MESSAGES": "fr_FR", "LANG": "de_DE"], "fr_FR", "de_DE"),
            (["LC_ALL": "C.UTF-8", "LANG": "de_DE"], nil, nil), (["LANG": "POSIX"], nil, nil), ([:], nil, nil),
            (["LC_ALL": "", "LANG": "en_GB.UTF-8"], "en_GB", "en_GB"),
        ] as [([String: String], String?, String?)])
    func theEnvironmentNamesTheLanguage(_ environment: [String: String], _ words: String?, _ dates: String?) {
        #expect(Client.locale(.words) { environment[$0] } == words)
        #expect(Client.locale(.dates) { environment[$0] } == dates)
    }

    private func shared(_ arguments: [String], _ settings: String, refuses: Bool = false) -> [String] {
        let outside = Outside { method, params in
            if refuses, params.contains("locale") {
                return Canned.failure(Canned.error(-32602, "invalidParams", more: #","path":"/locale""#))
            }
            return .result(Array((method == "settings.get" ? settings : #"{"text":"Hallo"}"#).utf8))
        }
        outside.environment = ["LANG": "de_DE.UTF-8"]
        #expect(outside.run(arguments) == .success)
        return outside.sent.map(\.params)
    }

    @Test func optionAndSettingComeBeforeTheEnvironment() {
        let share = ["share", Canned.id]
        #expect(shared(share, "{}")[0].contains(#""locale":"de_DE""#))
        #expect(!shared(share, #"{"locale":"fi_FI"}"#)[0].contains("locale"))
        #expect(shared(share + ["--locale", "fr_FR"], "{}")[0].contains(#""locale":"fr_FR""#))
        let unknown = shared(share, "{}", refuses: true)
        #expect(unknown.count == 2 && !unknown[1].contains("locale"), "an unknown one is English")
    }
}
