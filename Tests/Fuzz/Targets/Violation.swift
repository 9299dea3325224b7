/// A property that did not hold for an input: what the search is for.
public struct Violation: Error, Sendable, CustomStringConvertible {
    public let claim: String

    public init(_ claim: String) { self.claim = claim }

    public var description: String { claim }
}

/// States a claim about the input at hand.
@inline(__always)
func require(_ holds: Bool, _ claim: @autoclosure () -> String) throws(Violation) {
    if !holds { throw Violation(claim()) }
}
