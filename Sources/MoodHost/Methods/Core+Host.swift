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
        Handler(
            HostMethods.info, .tolerates,
            { (core, _, _, out) throws(RPCError) in core.writeHostInfo(&out) }),
        Handler(HostMethods.ping, { (_, _, _, out) throws(RPCError) in out.raw("{}") }),
        Handler(
            HostMethods.shutdown,
            { (core, _, _, out) throws(RPCError) in
                core.isShuttingDown = true
                out.raw("{}")
            }
        ),
        Handler(
            HostMethods.discover,
            { (core, _, _, out) throws(RPCError) in
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
        out.key("name")
        out.string("moodboard")
        out.key("version")
        out.string(Version.program)
        out.key("protocolVersion")
        out.string(Version.wire)
        out.key("pid")
        out.integer(ProcessFacts.processID)
        out.key("store")
        writeStoreInfo(&out)
        out.key("limits")
        out.beginObject()
        for name in Limits.Name.allCases {
            out.key(text: name.rawValue)
            out.integer(options.limits[name])
        }
        out.endObject()
        out.key("features")
        out.beginArray()
        for feature in Self.features { out.string(feature) }
        out.endArray()
        out.endObject()
    }
}
