import FuzzTargets
import Seeds
import Testing

/// A short, repeatable search of `Tests/Fuzz`; people run the long ones.
@Suite struct FuzzTests {
    @Test(arguments: SeededRandom.seeds)
    func migrationHoldsItsPropertiesForAnyBytes(seed: UInt64) throws {
        var search = FuzzSearch(.migration, seed: seed)
        #if DEBUG
            try search.run(executions: 5_000)
        #else
            try search.run(executions: 100_000)
        #endif
    }

    @Test(arguments: Fixture.older)
    func migrationHoldsItsPropertiesForTheFixtures(fixture: Fixture) throws {
        var target = FuzzTarget(.migration)
        #expect(throws: Never.self) { try target.check(fixture.document) }
    }
}
