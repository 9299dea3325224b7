import FuzzTargets
import Seeds
import Testing

/// A short search of `Tests/Fuzz` with fixed seeds; the long ones are run by hand.
@Suite struct IndexFuzzTests {
    @Test(arguments: SeededRandom.seeds)
    func holdsItsPropertiesForRandomBytes(seed: UInt64) throws {
        var search = FuzzSearch(.index, seed: seed)
        #if DEBUG
            try search.run(executions: 300)
        #else
            try search.run(executions: 10_000)
        #endif
    }
}
