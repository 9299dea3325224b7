import FuzzTargets
import Testing

/// A short search of `Tests/Fuzz` with fixed seeds; the long ones are run by hand.
@Suite struct IndexFuzzTests {
    @Test(arguments: [1, 20_260_102] as [UInt64])
    func holdsItsPropertiesForRandomBytes(seed: UInt64) throws {
        var search = FuzzSearch(.index, seed: seed)
        #if DEBUG
            try search.run(executions: 300)
        #else
            try search.run(executions: 10_000)
        #endif
    }
}
