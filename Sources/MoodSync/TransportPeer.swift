/// The way to plugins that are transports.
public struct TransportPeer: Sendable {
    /// What plugins that may run bring.
    public let schemes: [String]
    /// Asks the plugin of a scheme, and waits for its answer: `(scheme, method, params)`, both JSON. Its answer is JSON that was
    /// checked. What it answers with an error is `offline`, but for `notFound`.
    let ask: @Sendable (String, String, [UInt8]) throws(SyncError) -> [UInt8]

    public init(
        schemes: [String], ask: @escaping @Sendable (String, String, [UInt8]) throws(SyncError) -> [UInt8]
    ) {
        (self.schemes, self.ask) = (schemes, ask)
    }

    /// Where there are no plugins.
    public static let none = TransportPeer(schemes: []) { (_, _, _) throws(SyncError) in
        throw .offline(reason: "No plugin may run.")
    }
}
