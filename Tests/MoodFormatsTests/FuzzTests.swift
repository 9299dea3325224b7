import FuzzTargets
import Seeds
import Testing

@Suite struct FuzzTests {
    /// The long search is the program Fuzz.
    @Test(arguments: SeededRandom.seeds) func anyBytesAreReadToTheirEnd(_ seed: UInt64) throws {
        var search = FuzzSearch(.formats, seed: seed)
        try search.run(executions: 2_500)
    }
}
