#if !LIBFUZZER
    import FuzzTargets
    import Platform

    /// The search as a program. `Docs/Testing.md` shows its output.
    @main
    enum Fuzz {
        private static let usage = """
            Usage: Fuzz answer|formats|frame|index|journal|json|life|manifest|migration|schema|snapshot EXECUTIONS [SEED] [--keep-input]
                   Fuzz answer|formats|frame|index|journal|json|life|manifest|migration|schema|snapshot --input FILE
                   Fuzz answer|formats|frame|index|journal|json|life|manifest|migration|schema|snapshot --corpus DIRECTORY

            Tries EXECUTIONS inputs, the same ones for the same SEED (1 when left out). An input for which a property
            does not hold is written to TARGET-failure in the current directory, and the exit code is 1.
            --keep-input writes every input to TARGET-input before it is tried (slow): the one that traps stays there.
            --input tries what FILE holds.
            --corpus writes what the search starts from, a file each, for libFuzzer.

            """

        static func main() {
            var arguments = CommandLine.arguments.filter { $0 != "--keep-input" }[1...]
            let keepsInput = CommandLine.arguments.contains("--keep-input")
            guard let name = arguments.popFirst().flatMap(FuzzTarget.Name.init), let first = arguments.popFirst() else {
                return fail(usage, 64)
            }
            if first == "--input", let path = arguments.popFirst() {
                retry(name, path)
            } else if first == "--corpus", let path = arguments.popFirst() {
                for (number, seed) in FuzzTarget.seeds(name).enumerated() { write(seed, to: "\(path)/\(number)") }
            } else if let executions = Int(first), executions > 0, let seed = UInt64(arguments.popFirst() ?? "1") {
                search(name, executions, seed, keepsInput: keepsInput)
            } else {
                fail(usage, 64)
            }
        }

        private static func search(_ name: FuzzTarget.Name, _ executions: Int, _ seed: UInt64, keepsInput: Bool) {
            let start = ContinuousClock.now
            var search = FuzzSearch(name, seed: seed)
            do throws(FuzzSearch.Failure) {
                if keepsInput {
                    try search.run(executions: executions) { write($0, to: "\(name)-input") }
                } else {
                    try search.run(executions: executions)
                }
            } catch {
                write(error.input, to: "\(name)-failure")
                fail("\(name): \(error)\n", 1)
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let rate = Int(Double(executions) / max(seconds, 0.001))
            StandardStreams.writeOutput(
                "\(name): \(executions) executions, seed \(seed), \(Int(seconds)) s, \(rate) executions/s, no failure\n"
            )
        }

        private static func retry(_ name: FuzzTarget.Name, _ path: String) {
            var target = FuzzTarget(name)
            do {
                let file = try File(path, .read, in: .system)
                var bytes = [UInt8](repeating: 0, count: try file.status().size)
                let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
                try target.check(Array(bytes[..<count]))
                StandardStreams.writeOutput("\(name): no failure\n")
            } catch {
                fail("\(name): \(error)\n", 1)
            }
        }

        private static func write(_ input: [UInt8], to path: String) {
            do {
                let file = try File(path, .readWriteOrCreate, in: .system)
                try file.truncate(to: 0)
                try input.withUnsafeBytes { try file.write($0, at: 0) }
            } catch {
                fail("\(error)\n", 1)
            }
        }

        private static func fail(_ text: String, _ code: Int32) {
            StandardStreams.writeError(text)
            exit(code)
        }
    }
#endif
