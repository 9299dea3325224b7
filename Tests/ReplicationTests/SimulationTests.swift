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
            // A setup comes again.
            ("ab", 168), ("ab", 220), ("ab", 407), ("abx", 269), ("abx", 703), ("aw", 541), ("ay", 168),
            ("pklrcsutbywmgfenxa", 1),
        ] as [(String, UInt64)])
    func namesAreTheJournals(features: String, seed: UInt64) {
        var simulation = Simulation(seed: seed, SimulationFeatures(features))
        #expect(simulation.run() == [])
    }

    /// Seeds of all troubles that have found something, by its cause.
    @Test(
        arguments: [
            "a branch of another machine came in under the own id, and changes followed": [3972, 8331, 10_258, 4995],
            "a store was put back and its process died as it took another id": [16_447, 23_064, 18_506, 33_111],
            "a commit has a record under each of two names": [
                40_181, 125_307, 62_593, 98_165, 525_487, 573_965, 595_034, 602_617,
            ],
            "another branch came, and the journal lost the commit that brought it in": [
                105_364, 125_570, 522_312, 579_590, 581_500, 126_005, 608_636,
            ],
            "a record that was made again differs from the one that the journal names": [87_757, 594_874, 510_600],
            "no commit makes records again that the place has lost, too": [558_182, 635_453, 646_733, 5_245],
            "the journal names records of its commits that are made again under another name": [266_640],
            "a record is left whose predecessor is gone": [862_670],
            "a branch that the journal names is gone": [85_335, 165_415, 250_400, 775_193, 958_837],
            "what a store waits for, its journal makes or a store that waits itself": [
                207_124, 698_442, 779_684, 819_512, 905_733,
            ],
        ] as KeyValuePairs<String, [UInt64]>)
    func nothingIsLostWhere(cause: String, seeds: [UInt64]) {
        for seed in seeds {
            var simulation = Simulation(seed: seed, .all)
            #expect(simulation.run() == [], "seed \(seed): \(cause)")
        }
    }

    @Test(arguments: ["bK", "bwcgmrD", "mgfW", "peF", "mgfV", "pklrcsutO", "pN", "abS"])
    func plantedMistakesAreFound(features: String) {
        let found = (1...UInt64(200)).contains { seed in
            var simulation = Simulation(seed: seed, SimulationFeatures(features))
            return !simulation.run().isEmpty
        }
        #expect(found)
    }
}
