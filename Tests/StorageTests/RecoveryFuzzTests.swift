import FuzzTargets
import Seeds
import Testing

/// Short searches of `Tests/Fuzz` with fixed seeds; the long ones are run by hand.
@Suite struct RecoveryFuzzTests {
    @Test(arguments: [FuzzTarget.Name.journal, .snapshot], SeededRandom.seeds)
    func holdsItsPropertiesForRandomBytes(name: FuzzTarget.Name, seed: UInt64) throws {
        var search = FuzzSearch(name, seed: seed)
        #if DEBUG
            try search.run(executions: 2_000)
        #else
            try search.run(executions: 50_000)
        #endif
    }
}
