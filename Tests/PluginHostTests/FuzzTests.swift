import FuzzTargets
import Seeds
import Testing

/// A short, reproducible search of `Tests/Fuzz`; developers run the long ones by hand.
@Suite struct FuzzTests {
    @Test(arguments: [FuzzTarget.Name.answer, .life, .manifest, .schema], SeededRandom.seeds)
    func holdsItsPropertiesForRandomBytes(name: FuzzTarget.Name, seed: UInt64) throws {
        var search = FuzzSearch(name, seed: seed)
        #if DEBUG
            try search.run(executions: 5_000)
        #else
            try search.run(executions: 100_000)
        #endif
    }
}
