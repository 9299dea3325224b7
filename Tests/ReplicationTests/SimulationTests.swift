import ReplicationTorture
import Seeds
import Testing

@Suite struct SimulationTests {
    /// The program `Replicate` does the long run.
    @Test(arguments: [1] + SeededRandom.further)
    func nothingIsLostAndNothingDiverges(first: UInt64) {
        for seed in first..<first + UInt64(SeededRandom.some(20, of: 60)) {
            var simulation = Simulation(seed: seed, .all)
            #expect(simulation.run() == [], "seed \(seed)")
        }
    }

    /// A part of a join, a crash, and several changes of a mood that the join had written.
    @Test func nothingIsLostWhereChangesFollowABrokenJoin() {
        var simulation = Simulation(seed: 1_098_651, .all)
        #expect(simulation.run() == [])
    }

    /// `sync/` was put back alone, or with moods of another time: changes belong to the replica that the journal names,
    /// and a new id is marked there at once.
    @Test(
        arguments: [
            ("w", 21), ("y", 390), ("y", 1431), ("pklrcsutbywmgfenx", 1155), ("bywmgx", 479),
        ] as [(String, UInt64)])
    func namesAreTheJournals(features: String, seed: UInt64) {
        var simulation = Simulation(seed: seed, SimulationFeatures(features))
        #expect(simulation.run() == [])
    }

    /// A branch of another machine came in under the own id, and changes followed before the store took another one; a record came and
    /// was brought in by no commit; a store has seen what is nowhere any more.
    @Test(arguments: [3972, 8331, 10_258, 4995] as [UInt64])
    func whatCameIsKnownToTheNextChange(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    /// A store was put back and its process died as it took another id; a place had records of two branches under one
    /// id; the same commits came under two ids.
    @Test(arguments: [16_447, 23_064, 18_506, 33_111] as [UInt64])
    func aRecordReplacesWhatItsStoreShowed(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    /// A commit has a record under each of two names, and what ended or replaced one of them knew only that.
    @Test(arguments: [40_181, 125_307, 62_593, 98_165, 525_487, 573_965, 595_034, 602_617] as [UInt64])
    func aCommitOfTwoNamesIsOne(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    /// A record of another branch came, and the journal lost the commit that brought it in.
    @Test(arguments: [105_364, 125_570, 522_312, 579_590, 581_500, 126_005, 608_636] as [UInt64])
    func anotherBranchIsNotSeenByItsNumber(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    /// `sync/` was put back, and a record that was made again differs from the one that the journal names; a process died
    /// before the store showed a snapshot that it had joined.
    @Test(arguments: [87_757, 594_874, 510_600] as [UInt64])
    func theJournalNamesARecordByItsChecksum(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    /// Moods were put back after their records were taken in, then `sync/` and the place lost these records: no commit
    /// makes them again.
    @Test(arguments: [558_182, 635_453, 646_733, 5_245] as [UInt64])
    func whatNoCommitMakesAgainIsMissing(seed: UInt64) {
        var simulation = Simulation(seed: seed, .all)
        #expect(simulation.run() == [])
    }

    @Test(arguments: ["bK", "bwcgmrD", "mgfW", "peF", "mgfV", "pklrcsutO", "pN"])
    func plantedMistakesAreFound(features: String) {
        let found = (1...UInt64(200)).contains { seed in
            var simulation = Simulation(seed: seed, SimulationFeatures(features))
            return !simulation.run().isEmpty
        }
        #expect(found)
    }
}
