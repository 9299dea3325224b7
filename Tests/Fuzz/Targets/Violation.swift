/// A violated property of an input: the aim of the search.
public struct Violation: Error, Sendable, CustomStringConvertible {
    public let claim: String

    public init(_ claim: String) { self.claim = claim }

    public var description: String { claim }
}

/// Claims a property of the present input.
@inline(__always)
func require(_ holds: Bool, _ claim: @autoclosure () -> String) throws(Violation) {
    if !holds { throw Violation(claim()) }
}
