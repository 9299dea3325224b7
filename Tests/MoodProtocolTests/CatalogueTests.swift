import JSONCodec
import JSONRPC
import MoodCore
import Testing

@testable import MoodProtocol

@Suite struct CatalogueTests {
    private static let methods = MethodCatalogue.standard.methods

    private static func find(_ name: String) -> Int? {
        var name = name
        return name.withUTF8 {
            MethodCatalogue.standard.find(JSONText(raw: UnsafeRawBufferPointer($0), isEscaped: false))
        }
    }

    /// The rows of the contract that carry no mark.
    @Test func holdsTheMethodsOfTheContract() {
        #expect(
            Set(Self.methods.map { "\($0.name)" }) == [
                "host.info", "host.ping", "host.shutdown", "rpc.discover", "mood.create", "mood.get", "mood.list",
                "mood.update", "mood.updateMany", "mood.delete", "mood.deleteMany", "mood.clear", "mood.setFavorite",
                "mood.toggleFavorite", "mood.setNotes", "mood.history", "mood.share", "mood.detail", "action.perform",
                "editor.begin", "editor.set", "editor.selectEmoji", "editor.cancel", "editor.state", "editor.submit",
                "nav.state", "nav.navigate",
                "nav.replace",
                "nav.goBack", "nav.goBackToRoot", "nav.open", "nav.url", "nav.menu", "nav.screen", "nav.log",
                "nav.save", "nav.restore", "events.subscribe", "events.unsubscribe", "store.info",
                "store.insertSamples", "store.undo", "store.redo",
                "store.compact", "store.verify", "store.salvage", "store.accept", "store.reset",
            ])
        #expect(Set(Self.methods.map { "\($0.name)" }).count == Self.methods.count, "names are unique")
    }

    @Test func findsEveryMethodByItsNameAndNoOther() {
        for (number, method) in Self.methods.enumerated() {
            #expect(Self.find("\(method.name)") == number)
            #expect(Self.find("\(method.name)x") == nil)
            #expect(Self.find(String("\(method.name)".dropLast())) == nil)
            #expect(Self.find("\(method.name)".uppercased()) == nil)
        }
        #expect(Self.find("") == nil)
        #expect(Self.find(String(repeating: "mood.get", count: 100_000)) == nil)
    }

    @Test func findsAnEscapedName() {
        let raw = Array(#"mood\u002eget"#.utf8)
        let number = raw.withUnsafeBytes { MethodCatalogue.standard.find(JSONText(raw: $0, isEscaped: true)) }
        #expect(number == Self.find("mood.get"))
    }

    @Test(arguments: [
        ("mood.creat", "mood.create"), ("mod.create", "mood.create"), ("create", "mood.create"), ("list", "mood.list"),
        ("mood.favorite", "mood.setFavorite"), ("MOOD.LIST", "mood.list"), ("mood.lsit", "mood.list"),
        ("nav.back", "nav.goBack"), ("host.pong", "host.ping"), ("discover", "rpc.discover"),
    ])
    func suggestsTheNameThatWasMeant(name: String, meant: String) {
        let suggestions = MethodCatalogue.standard.suggestions(for: name)
        #expect(suggestions.contains(meant) && suggestions.count <= 3, "\(suggestions)")
    }

    @Test func suggestsNothingForWhatIsNearNothing() {
        #expect(MethodCatalogue.standard.suggestions(for: "").isEmpty)
        #expect(MethodCatalogue.standard.suggestions(for: "textDocument/completion").isEmpty)
        #expect(MethodCatalogue.standard.suggestions(for: String(repeating: "m", count: 1_000_000)).isEmpty)
    }

    @Test func everyMethodIsDeclaredWhole() {
        for method in Self.methods {
            #expect(!method.summary.isEmpty && method.summary.hasSuffix("."), "\(method.name)")
            let names = method.fields.map { "\($0.name)" }
            #expect(Set(names).count == names.count, "\(method.name)")
            #expect(method.fields.count <= 64, "a bit for each")
            #expect(Array(names.prefix(method.params.count)) == method.params.map { "\($0.name)" })
            #expect(method.since == "1.0")
            for field in method.fields { #expect(!field.summary.isEmpty, "\(method.name) \(field.name)") }
            // By position, what may be absent comes last.
            let required = method.fields.map(\.isRequired)
            #expect(required == required.sorted { $0 && !$1 }, "\(method.name)")
        }
    }

    @Test func whatChangesMoodsTakesDryRun() {
        for method in Self.methods {
            // These deal with files as a whole, and are confirmed instead.
            let isRepair = ["store.accept", "store.reset"].contains("\(method.name)")
            let changesMoods =
                method.effect == .write && !isRepair
                && ["mood.", "store.", "editor.submit"].contains { "\(method.name)".hasPrefix($0) }
            let names = method.fields.map { "\($0.name)" }
            #expect(names.contains("dryRun") == changesMoods, "\(method.name)")
            #expect(names.contains("progressToken") == (method.effect == .long), "\(method.name)")
            let ofOne = ["update", "delete", "setFavorite", "toggleFavorite", "setNotes"].map { "mood.\($0)" }
            #expect(names.contains("ifRevision") == ofOne.contains("\(method.name)"), "\(method.name)")
        }
    }

    @Test func everyDefaultIsValidByItsOwnSchema() {
        for method in Self.methods {
            for field in method.fields {
                guard let value = field.defaultValue else { continue }
                #expect(!field.isRequired)
                let found = firstProblem(value.text, field.schema)
                #expect(found == nil, "\(method.name) \(field.name): \(found?.reason ?? "")")
            }
        }
    }

    @Test func everyErrorCodeIsThatOfTheContract() {
        let contract: [(Int, String, Bool)] = [
            (1001, "notFound", false), (1002, "conflict", false), (1003, "refused", false), (1010, "storeBusy", true),
            (1011, "storeReadOnly", false), (1012, "storageFull", true), (1013, "outcomeUnknown", true),
            (1014, "storeUnavailable", false), (1015, "storeCorrupt", false), (1020, "limitExceeded", false),
            (-32700, "parseError", false), (-32600, "invalidRequest", false), (-32600, "messageTooLarge", false),
            (-32600, "batchTooLarge", false), (-32601, "methodNotFound", false), (-32602, "invalidParams", false),
            (-32603, "internalError", false), (-32800, "cancelled", false), (-32802, "shuttingDown", false),
        ]
        let ours: [ErrorCode] = [
            .notFound, .conflict, .refused, .storeBusy, .storeReadOnly, .storageFull, .outcomeUnknown,
            .storeUnavailable,
            .storeCorrupt, .limitExceeded, .parseError, .invalidRequest, .messageTooLarge, .batchTooLarge,
            .methodNotFound, .invalidParams, .internalError, .cancelled, .shuttingDown,
        ]
        #expect(ours.map { "\($0.number) \($0.name) \($0.isRetryable)" } == contract.map { "\($0.0) \($0.1) \($0.2)" })
        for method in Self.methods {
            for code in method.errors { #expect(ours.contains(code), "\(method.name)") }
            let names = method.errors.map(\.name)
            #expect(Set(names).count == names.count, "\(method.name)")
        }
    }

    @Test func everyLimitHasTheDefaultOfTheContract() {
        let defaults: [String: Int] = [
            "messageBytes": 4 << 20, "depth": 64, "batch": 128, "idBytes": 256, "label": 200, "notesBytes": 65_536,
            "tags": 32, "attachments": 32, "listPage": 1000, "queuedOutputBytes": 8 << 20, "pluginAnswerBytes": 4 << 20,
        ]
        #expect(Dictionary(uniqueKeysWithValues: Limits.Name.allCases.map { ($0.rawValue, Limits()[$0]) }) == defaults)
    }

    @Test(arguments: Limits.Name.allCases)
    func aLimitIsSetWithinItsRangeOnly(name: Limits.Name) {
        var limits = Limits()
        #expect(name.range.contains(name.defaultValue))
        for value in [name.range.lowerBound, name.range.upperBound] {
            let problem = limits.set(name, to: value)
            #expect(problem == nil)
            #expect(limits[name] == value)
        }
        for value in [name.range.lowerBound - 1, name.range.upperBound + 1, .min, .max] {
            let problem = limits.set(name, to: value)
            #expect(problem?.contains(name.rawValue) == true)
            #expect(limits[name] == name.range.upperBound, "a refused value changes nothing")
        }
        for other in Limits.Name.allCases where other != name { #expect(limits[other] == other.defaultValue) }
    }
}
