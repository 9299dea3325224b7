/// Settings that a file to import holds beside its moods, as JSON texts.
public struct GivenSettings: Sendable {
    public let texts: [[UInt8]]
    /// Whether they replace what is chosen here.
    public let replaces: Bool

    public init(texts: [[UInt8]], replaces: Bool) {
        (self.texts, self.replaces) = (texts, replaces)
    }
}
