import Platform
import ReplicationTorture

/// The simulation of replicas as a program; `Docs/Sync.md` shows its output.
@main
enum ReplicationTortureProgram {
    private static let usage = """
        Usage: Replicate SEEDS [FIRST [FEATURES]]

        Runs SEEDS histories from the seed FIRST on (1 when left out), with the troubles that FEATURES names by letters
        (pklrcsutbywmgfenx when left out, and a; K, W, F, V, D, O, N and S plant mistakes), and prints what was found. Exit code 1 if something was.

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let seeds = arguments.first.flatMap({ UInt64($0) }), seeds > 0, arguments.count <= 3,
            let first = UInt64(arguments.count > 1 ? arguments[1] : "1")
        else {
            StandardStreams.writeError(usage)
            exit(64)
        }
        let features = arguments.count > 2 ? SimulationFeatures(arguments[2]) : .all
        let start = ContinuousClock.now
        var found: [String: (count: Int, seed: UInt64)] = [:]
        for seed in first..<first + seeds {
            var simulation = Simulation(seed: seed, features)
            for what in simulation.run() { found[what, default: (0, seed)].count += 1 }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let text = found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count) (seed \($0.value.seed))" }
        StandardStreams.writeOutput(
            "\(seeds) seeds: \(text.isEmpty ? "nothing found" : text.joined(separator: ", "))\n"
                + "\(Int(seconds)) s, \(Int(Double(seeds) / max(seconds, 0.001))) seeds/s\n")
        exit(found.isEmpty ? 0 : 1)
    }
}
