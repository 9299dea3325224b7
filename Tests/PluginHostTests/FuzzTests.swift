import FuzzTargets
import Testing

/// A short search of `Tests/Fuzz`, the same each time; the long ones are run by hand.
@Suite struct FuzzTests {
    @Test(arguments: [FuzzTarget.Name.answer, .life, .manifest, .schema], [1, 20_260_102] as [UInt64])
    func holdsItsPropertiesForRandomBytes(name: FuzzTarget.Name, seed: UInt64) throws {
        var search = FuzzSearch(name, seed: seed)
        #if DEBUG
            try search.run(executions: 5_000)
        #else
            try search.run(executions: 100_000)
        #endif
    }
}
