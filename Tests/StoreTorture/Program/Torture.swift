import Platform
import SimulatedDisk
import StoreTorture

/// The torture as a separate program; `Docs/Reliability.md` shows its output.
@main
enum TortureProgram {
    private static let usage = """
        Usage: Torture SEEDS [FIRST]
               Torture --seed SEED

        Runs SEEDS runs from the seed FIRST on (1 when left out) and prints what was done. A run in which a promise was
        not kept is named by its seed, and the exit code is 1; after ten of them it stops.
        --seed runs one seed and prints every call that it made.

        """

    private static let failuresMax = 10

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--seed", arguments.count == 2, let seed = arguments.last.flatMap({ UInt64($0) }) {
            trace(seed)
        } else if let seeds = arguments.first.flatMap({ Int($0) }), seeds > 0, arguments.count <= 2,
            let first = UInt64(arguments.dropFirst().first ?? "1")
        {
            run(seeds, from: first)
        } else {
            StandardStreams.writeError(usage)
            exit(64)
        }
    }

    private static func run(_ seeds: Int, from first: UInt64) {
        let start = ContinuousClock.now
        var figures = TortureFigures()
        var failures = 0
        for seed in first..<first + UInt64(seeds) where failures < failuresMax {
            var torture = Torture(seed: seed)
            do throws(TortureFailure) {
                try torture.run(&figures)
            } catch {
                failures += 1
                StandardStreams.writeError("\(error)\n")
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(figures.seeds) / max(seconds, 0.001))
        StandardStreams.writeOutput("\(figures)\n\(Int(seconds)) s, \(rate) seeds/s\n")
        exit(failures == 0 ? 0 : 1)
    }

    private static func trace(_ seed: UInt64) {
        var figures = TortureFigures()
        var torture = Torture(seed: seed)
        torture.disk.keepTrace()
        var failure: TortureFailure?
        do throws(TortureFailure) {
            try torture.run(&figures)
        } catch {
            failure = error
        }
        for line in torture.disk.trace { StandardStreams.writeOutput(line + "\n") }
        StandardStreams.writeOutput("\(figures)\n")
        if let failure {
            StandardStreams.writeError("\(failure)\n")
            exit(1)
        }
    }
}
