import FuzzTargets
import Seeds
import Testing

/// A short search of `Tests/Fuzz` with fixed seeds; the long ones are run by hand.
@Suite struct FuzzTests {
    @Test(arguments: SeededRandom.seeds)
    func holdsItsPropertiesForRandomBytes(seed: UInt64) throws {
        var search = FuzzSearch(.json, seed: seed)
        #if DEBUG
            try search.run(executions: 20_000)
        #else
            try search.run(executions: 200_000)
        #endif
    }

    @Test func holdsItsPropertiesForTheCorpus() throws {
        var target = FuzzTarget(.json)
        for one in try Corpus.cases() where one.text.count < 20_000 {
            #expect(throws: Never.self, "\(one.testDescription)") { try target.check(one.text) }
        }
    }
}
