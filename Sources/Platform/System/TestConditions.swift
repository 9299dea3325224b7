/// A fixed time and fixed random numbers for a process, so that tests can compare all its output byte for byte:
/// `MOODBOARD_TEST=clock:2026-11-25T18:17:57Z,seed:7`. Each part may be absent. Both programs obey it.
public struct TestConditions: Equatable, Sendable {
    public static let variable = "MOODBOARD_TEST"
    public static let example = "clock:2026-11-25T18:17:57Z,seed:7"

    /// The starting time, not parsed here.
    public private(set) var clock: String?
    /// The seed of the random numbers.
    public private(set) var seed: String?

    /// Parses the value of the variable; nil for another form.
    public init?(_ text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: ":", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            switch pair[0] {
            case "clock": clock = String(pair[1])
            case "seed": seed = String(pair[1])
            default: return nil
            }
        }
    }
}
