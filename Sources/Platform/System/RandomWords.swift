import Synchronization

/// Random numbers of the system, or after `seed` a fixed sequence: identifiers are made of them.
public struct RandomWords: RandomNumberGenerator, Sendable {
    private static let isSeeded = Atomic(false)
    private static let state = Atomic<UInt64>(0)

    public init() {}

    /// Sets the seed of the whole process, before the first number is taken.
    public static func seed(_ number: UInt64) {
        state.store(number, ordering: .relaxed)
        isSeeded.store(true, ordering: .relaxed)
    }

    public func next() -> UInt64 {
        guard Self.isSeeded.load(ordering: .relaxed) else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        return Self.mix(Self.state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue)
    }

    /// Spreads a number over all 64 bits: SplitMix64 (Steele, Lea, Flood 2014). 0 stays 0.
    public static func mix(_ number: UInt64) -> UInt64 {
        var word = (number ^ number >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
