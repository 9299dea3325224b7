import Platform

/// Random numbers that depend only on the seed: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014). A test prints its seed, so that a failure can be repeated.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to and without `bound`, which is at least 1. The bias does not matter here, the speed does.
    public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }

    /// True once in so many times.
    public mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    /// One of several values; `values` is not empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// `MOODBOARD_SEEDS=long` runs every random test in its full length; `new`, which `.ci/long` sets, also with a seed that
    /// was never tried, which a failing test names. Without it the runs are short, and test the sources and not the day.
    private static let wanted = ProcessFacts.environment("MOODBOARD_SEEDS")

    public static let further: [UInt64] = wanted == "new" ? [.random(in: 1_000_000 ... .max / 2)] : []

    public static let seeds: [UInt64] = (wanted == nil ? [1] : [1, 2, 3]) + further

    /// The repetitions or cases of a test: a few of them in the suite, all in a long run.
    public static func some(_ few: Int, of all: Int) -> Int { wanted == nil ? few : all }

    /// The distance of the cases that a test takes of all: 1 in a long run.
    public static func step(_ distance: Int) -> Int { some(distance, of: 1) }

    /// A generator with a further seed, or with a fixed one.
    public static func fresh() -> SeededRandom { SeededRandom(seed: further.first ?? 1) }
}
