/// The way to plugins that are transports.
public struct TransportPeer: Sendable {
    /// The schemes of plugins that may run.
    public let schemes: [String]
    /// Asks the plugin of a scheme, and waits for its answer: `(scheme, method, params)`, both JSON. The answer is
    /// checked JSON. An error of the plugin becomes `offline`, apart from `notFound`.
    let ask: @Sendable (String, String, [UInt8]) throws(SyncError) -> [UInt8]

    public init(
        schemes: [String], ask: @escaping @Sendable (String, String, [UInt8]) throws(SyncError) -> [UInt8]
    ) {
        (self.schemes, self.ask) = (schemes, ask)
    }

    /// The value without plugins.
    public static let none = TransportPeer(schemes: []) { (_, _, _) throws(SyncError) in
        throw .offline(reason: "No plugin may run.")
    }
}
