import Seeds
import StoreTorture
import Testing

/// A short stretch of the long program `Torture`, with fixed seeds; `.ci/long` adds some new ones.
@Suite struct TortureTests {
    @Test(arguments: [1] + SeededRandom.further)
    func keepsEveryPromise(first: UInt64) {
        var figures = TortureFigures()
        for seed in first..<first + 1000 {
            var torture = Torture(seed: seed)
            do throws(TortureFailure) {
                try torture.run(&figures)
            } catch {
                Issue.record("\(error)")
            }
        }
        // Without faults the promises would be easy to keep.
        #expect(figures.seeds == 1000 && figures.acknowledged > 5000)
        #expect(figures.kills > 100 && figures.powerCuts > 500 && figures.faults > 300 && figures.compactions > 300)
    }

    @Test func theSameSeedIsTheSameRun() {
        func trace() -> [String] {
            var torture = Torture(seed: 77)
            torture.disk.keepTrace()
            var figures = TortureFigures()
            try? torture.run(&figures)
            return torture.disk.trace
        }
        let first = trace()
        #expect(first.count > 100 && trace() == first)
    }
}
