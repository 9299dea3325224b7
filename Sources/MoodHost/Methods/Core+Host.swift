import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage
import Versions

/// `host.*` and `rpc.discover`.
extension Core {
    static let hostHandlers: InlineArray<_, Handler> = [
        Handler(HostMethods.info, .tolerates, { $0.writeHostInfo(&$3) }),
        Handler(HostMethods.ping, { $3.raw("{}") }),
        Handler(
            HostMethods.shutdown,
            { (core, _, _, out) in
                core.isShuttingDown = true
                out.raw("{}")
            }),
        Handler(
            HostMethods.discover,
            { (core, _, _, out) throws in
                core.addPluginMethods()
                OpenRPC.document(of: core.methods.all, version: Version.program).write(to: &out)
            }
        ),
    ]

    /// The features of this version, which clients check before they use them.
    private static let features: [StaticString] = [
        "batch", "cancel", "dryRun", "events", "framing.header", "framing.line", "history", "ifRevision", "opId",
        "mcp", "plugins", "progress",
        "undo",
    ]

    private mutating func writeHostInfo(_ out: inout JSONWriter) {
        out.beginObject()
        out.member("name", "moodboard")
        out.member("version", Version.program)
        out.member("protocolVersion", Version.wire)
        out.member("pid", ProcessFacts.processID)
        out.key("store")
        writeStoreInfo(&out)
        out.member("limits") { out in
            for name in Limits.Name.allCases {
                out.key(text: name.rawValue)
                out.integer(options.limits[name])
            }
        }
        out.member("features", array: Self.features) { feature, out in out.string(feature) }
        out.endObject()
    }
}
