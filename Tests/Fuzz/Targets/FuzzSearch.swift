/// A seeded search without instrumentation: a seed always tries equal inputs. It needs no tool, so it is part of the
/// test suites too; a coverage-guided search with libFuzzer finds rarer ways.
public struct FuzzSearch: ~Copyable {
    public struct Failure: Error, CustomStringConvertible {
        public let violation: Violation
        public let input: [UInt8]
        /// The number of the execution, from 1.
        public let execution: Int
        public let seed: UInt64

        public var description: String {
            let digits = input.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "seed \(seed), execution \(execution): \(violation)\ninput (hex): \(digits)"
        }
    }

    private var target: FuzzTarget
    private var mutator: Mutator
    private let seeds: [[UInt8]]
    private let seed: UInt64

    public init(_ name: FuzzTarget.Name, seed: UInt64) {
        self.seed = seed
        seeds = FuzzTarget.seeds(name)
        target = FuzzTarget(name)
        mutator = Mutator(seeds: seeds, tokens: FuzzTarget.tokens(name), inputBytesMax: 1024, seed: seed)
    }

    /// - Parameter willTry: gets every input before the trial, so that a record of it survives a trap.
    public mutating func run(executions: Int, willTry: ([UInt8]) -> Void = { _ in }) throws(Failure) {
        for execution in 1...max(executions, 1) {
            let input = execution <= seeds.count ? seeds[execution - 1] : mutator.next()
            willTry(input)
            do throws(Violation) {
                try target.check(input)
            } catch {
                throw Failure(violation: error, input: input, execution: execution, seed: seed)
            }
            // Without coverage no input is known as new, so a sample of them is mutated further.
            if execution % 16 == 0 { mutator.keep(input) }
        }
    }
}
