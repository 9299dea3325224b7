import ReplicationTorture
import Testing

@Suite struct SimulationTests {
    /// The long run is a program of its own: `Replicate`.
    @Test(arguments: [("pklrcsutx", 1), ("pklrcsutx", UInt64.random(in: 1_000_000...UInt64.max / 2))])
    func nothingIsLostAndNothingDiverges(features: String, first: UInt64) {
        for seed in first..<first + 60 {
            var simulation = Simulation(seed: seed, SimulationFeatures(features))
            #expect(simulation.run() == [], "seed \(seed)")
        }
    }

    @Test(arguments: ["C", "O", "N"])
    func plantedMistakesAreFound(mistake: String) {
        let found = (1...UInt64(100)).contains { seed in
            var simulation = Simulation(seed: seed, SimulationFeatures("pklrcsut" + mistake))
            return !simulation.run().isEmpty
        }
        #expect(found)
    }
}
