import JSONCodec
import JSONRPC
import Testing

@testable import MoodHost
@testable import MoodProtocol

/// The common properties of all declarations.
@Suite struct DeclarationTests {
    private static let methods = MethodTable().all

    /// The rows of the contract without a mark.
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
                "store.insertSamples", "store.undo", "store.redo", "store.log", "store.export", "store.import",
                "mood.deleted", "mood.undelete",
                "mood.resolve",
                "store.compact", "store.verify", "store.salvage", "store.accept", "store.reset",
                "time.parse", "settings.get", "settings.set", "stats.summary", "stats.year", "stats.month",
                "stats.onThisDay", "stats.render",
                "mood.tags",
                "plugin.list", "plugin.info", "plugin.trust", "plugin.untrust", "plugin.enable", "plugin.disable",
                "plugin.restart", "plugin.configure", "plugin.log",
                "sync.setup", "sync.now", "sync.status", "sync.conflicts", "sync.settle", "sync.leave", "sync.forget",
            ])
        #expect(Set(Self.methods.map { "\($0.name)" }).count == Self.methods.count, "names are unique")
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
            // By position, optional params come last.
            let required = method.fields.map(\.isRequired)
            #expect(required == required.sorted { $0 && !$1 }, "\(method.name)")
        }
    }

    @Test func whatChangesMoodsTakesDryRun() {
        for method in Self.methods {
            // These work on whole files, and need confirmation instead.
            let isRepair = ["store.accept", "store.reset"].contains("\(method.name)")
            let changesMoods =
                method.effect == .write && !isRepair
                && ["mood.", "store.", "editor.submit", "action.perform"].contains { "\(method.name)".hasPrefix($0) }
            let names = method.fields.map { "\($0.name)" }
            #expect(names.contains("dryRun") == changesMoods, "\(method.name)")
            // These changes may take long.
            let isLongChange = ["store.import", "store.undo", "store.redo", "sync.setup"].contains("\(method.name)")
            let isLong = method.effect == .long || isLongChange
            #expect(names.contains("progressToken") == isLong, "\(method.name)")
            let ofOne = ["update", "delete", "setFavorite", "toggleFavorite", "setNotes"].map { "mood.\($0)" }
            #expect(names.contains("ifRevision") == ofOne.contains("\(method.name)"), "\(method.name)")
        }
    }

    /// The methods that a plugin with these permissions may call; all others are for the client alone.
    @Test func permissionsAreThoseOfTheContract() {
        let reading = [
            "host.info", "host.ping", "rpc.discover", "store.info", "events.subscribe", "events.unsubscribe",
            "time.parse",
            "settings.get",
        ]
        for method in Self.methods {
            let name = "\(method.name)"
            let expected: MethodDeclaration.Permission =
                if reading.contains(name) || name.hasPrefix("stats.")
                    || (name.hasPrefix("mood.") && method.effect == .read)
                {
                    .readMoods
                } else if name.hasPrefix("nav.") {
                    .navigation
                } else if ["store.undo", "store.redo"].contains(name)
                    || (name.hasPrefix("mood.") && name != "mood.clear")
                {
                    .writeMoods
                } else {
                    .owner
                }
            #expect(method.permission == expected, "\(name)")
        }
    }

    @Test func everyDefaultIsValidByItsOwnSchema() {
        for method in Self.methods {
            for field in method.fields {
                guard let value = field.defaultValue else { continue }
                #expect(!field.isRequired)
                var json = value.text
                let found = json.withUTF8 { bytes in
                    var reader = JSONReader(ValidJSON(trusting: UnsafeRawBufferPointer(bytes)))
                    return field.schema.check(&reader, Limits())
                }
                #expect(found == nil, "\(method.name) \(field.name): \(found?.reason ?? "")")
            }
        }
    }

    @Test func everyErrorCodeIsThatOfTheContract() {
        let contract: [(Int, String, Bool)] = [
            (1001, "notFound", false), (1002, "conflict", false), (1003, "refused", false), (1010, "storeBusy", true),
            (1011, "storeReadOnly", false), (1012, "storageFull", true), (1013, "outcomeUnknown", true),
            (1014, "storeUnavailable", false), (1015, "storeCorrupt", false), (1020, "limitExceeded", false),
            (1030, "pluginUnavailable", false), (1031, "pluginFailed", false), (1032, "pluginTimeout", false),
            (-32700, "parseError", false), (-32600, "invalidRequest", false), (-32600, "messageTooLarge", false),
            (-32600, "batchTooLarge", false), (-32601, "methodNotFound", false), (-32602, "invalidParams", false),
            (-32603, "internalError", false), (-32800, "cancelled", false), (-32802, "shuttingDown", false),
        ]
        let ours: [ErrorCode] = [
            .notFound, .conflict, .refused, .storeBusy, .storeReadOnly, .storageFull, .outcomeUnknown,
            .storeUnavailable,
            .storeCorrupt, .limitExceeded, .pluginUnavailable, .pluginFailed, .pluginTimeout, .parseError,
            .invalidRequest, .messageTooLarge, .batchTooLarge,
            .methodNotFound, .invalidParams, .internalError, .cancelled, .shuttingDown,
        ]
        #expect(ours.map { "\($0.number) \($0.name) \($0.isRetryable)" } == contract.map { "\($0.0) \($0.1) \($0.2)" })
        for method in Self.methods {
            for code in method.errors { #expect(ours.contains(code), "\(method.name)") }
            let names = method.errors.map(\.name)
            #expect(Set(names).count == names.count, "\(method.name)")
        }
    }
}
