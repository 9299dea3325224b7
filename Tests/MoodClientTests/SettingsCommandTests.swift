import JSONCodec
import Testing

@testable import MoodClient

@Suite struct SettingsCommandTests {
    private static let palette = #"""
        [{"emoji":"😊","label":"Happy","valence":0.8,"aliases":["good"]},{"emoji":"😌","label":"Calm","valence":0.5,"aliases":[]}]
        """#

    private func run(_ arguments: [String], config: String? = nil, failure: String? = nil) -> (ExitCode, Outside) {
        let outside = Outside { method, _ in
            switch method {
            case "settings.set" where failure != nil: Canned.failure(failure ?? "")
            case "settings.get", "settings.set":
                .result(
                    Array(#"{"palette":\#(Self.palette),"dayStartsAt":"04:00","weekStartsOn":"monday"}"#.utf8))
            default: .result(Array(#"{"path":"/s"}"#.utf8))
            }
        }
        outside.environment = ["HOME": "/home/ada", "PAGER": "more"]
        outside.timeZoneName = "Europe/Berlin"
        outside.files["/s/settings.json"] = Array(#"{"format":"moodboard-settings","dayStartsAt":"04:00"}"#.utf8)
        if let config { outside.files["/home/ada/.config/moodboard/config.json"] = Array(config.utf8) }
        return (outside.run(arguments), outside)
    }

    private func kept(_ outside: Outside) -> String {
        String(decoding: outside.files["/home/ada/.config/moodboard/config.json"] ?? [], as: UTF8.self)
    }

    private func changed(_ outside: Outside) -> JSONValue? {
        outside.sent.last { $0.method == "settings.set" }.flatMap { try? JSONValue.parse(Array($0.params.utf8)) }
    }

    @Test func allAreShownWithWhereEachComesFrom() {
        let (status, outside) = run(["settings"], config: #"{"color": "never"}"#)
        #expect(status == .success)
        for line in [
            "dayStartsAt\t04:00\tchosen", "weekStartsOn\tmonday\tdefault", "timeZone\tEurope/Berlin\tsystem",
            "color\tnever\t/home/ada/.config/moodboard/config.json", "pager\tmore\tenvironment: PAGER",
            "keepZone\ttrue\tdefault", "store\t/s\tdefault", "palette\t2 feelings: mood palette\tdefault",
        ] { #expect(outside.output.contains(line + "\n"), "\(line) in \(outside.output)") }
    }

    @Test func oneIsShownChosenAndUnset() {
        #expect(run(["settings", "day-starts-at"]).1.output == "04:00\n")
        let (status, outside) = run(["settings", "weekStartsOn", "Sunday"])
        #expect(status == .success && changed(outside)?["weekStartsOn"]?.string == "sunday")
        let unset = run(["settings", "--unset", "timeZone"]).1
        #expect(unset.sent.contains { $0.method == "settings.set" && $0.params == #"{"timeZone":null}"# })
    }

    @Test func thoseOfTheClientAreKeptInItsFileBesideTheOthers() {
        let (status, outside) = run(["settings", "keepZone", "no"], config: #"{"pager": "less -R"}"#)
        #expect(status == .success && outside.started.isEmpty)
        #expect(kept(outside) == "{\n  \"pager\": \"less -R\",\n  \"keepZone\": false\n}\n")
        #expect(kept(run(["settings", "--unset", "pager"], config: #"{"pager": "less -R"}"#).1) == "{}\n")
    }

    @Test func whatIsNoneIsRefusedAndNothingIsKept() {
        #expect(run(["settings", "nonsense"]).0 == .usage && run(["settings", "keepZone", "maybe"]).0 == .usage)
        let (status, outside) = run(["settings", "color", "red"])
        #expect(status == .badData && outside.error.contains("color: 'color' is auto, never or always, not 'red'."))
        #expect(kept(outside).isEmpty && run(["settings", "palette", "x"]).0 == .usage)
        let failure = Canned.error(-32602, "invalidParams", "/timeZone must be a zone", more: #","path":"/timeZone""#)
        let refused = run(["settings", "timeZone", "Mars"], failure: failure)
        #expect(refused.0 == .badData && refused.1.error.contains("timeZone: 'Mars' must be a zone"))
    }

    @Test func thePaletteIsShownAndChanged() {
        #expect(run(["palette"]).1.output == "😊\tHappy\t0.8\tgood\n😌\tCalm\t0.5\t\n")
        let added = run(["palette", "add", "🫠", "Melting", "--valence", "-0.2", "--alias", "gooey"])
        let entry = changed(added.1)?["palette"]?.array?.last
        #expect(added.0 == .success && entry?["label"]?.string == "Melting" && entry?["valence"]?.double == -0.2)
        #expect(entry?["aliases"]?.array?.first?.string == "gooey")
        let labels = { (outside: Outside) in
            (self.changed(outside)?["palette"]?.array ?? []).compactMap { $0["label"]?.string }
        }
        #expect(labels(run(["palette", "rm", "good"]).1) == ["Calm"])
        #expect(labels(run(["palette", "mv", "calm", "1"]).1) == ["Calm", "Happy"])
        #expect(labels(run(["palette", "mv", "😌", "1"]).1) == ["Calm", "Happy"])
    }

    @Test func aTakenNameIsRefusedWithTheFeelingThatHasIt() {
        let more = #","path":"/palette/2/aliases/0","reason":"is the name of Happy already""#
        let failure = Canned.error(-32602, "invalidParams", more: more)
        let (status, outside) = run(
            ["palette", "add", "🫠", "Melting", "--valence", "0", "--alias", "good"], failure: failure)
        #expect(status == .badData && outside.error.contains("'good' is the name of Happy already."))
    }

    @Test func whatCannotBeDoneToThePaletteIsSaid() {
        #expect(run(["palette", "rm", "nope"]).0 == .notFound && run(["palette", "mv", "calm", "9"]).0 == .badData)
        #expect(run(["palette", "add", "🫠", "Melting"]).0 == .usage && run(["palette", "paint"]).0 == .usage)
        let (status, outside) = run(["palette", "add", "not", "Melting", "--valence", "0"])
        #expect(status == .badData && outside.error.contains("'not' is no emoji"))
    }
}
