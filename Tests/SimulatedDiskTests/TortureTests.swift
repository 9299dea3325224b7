import Seeds
import StoreTorture
import Testing

/// A short stretch of the long program `Torture`, with fixed seeds; `.ci/long` runs more of them, and some new ones.
@Suite struct TortureTests {
    @Test(arguments: [1] + SeededRandom.further)
    func keepsEveryPromise(first: UInt64) {
        var figures = TortureFigures()
        let count = SeededRandom.some(150, of: 1000)
        for seed in first..<first + UInt64(count) {
            var torture = Torture(seed: seed)
            do throws(TortureFailure) {
                try torture.run(&figures)
            } catch {
                Issue.record("\(error)")
            }
        }
        // Without faults the promises would be easy to keep.
        #expect(figures.seeds == count && figures.acknowledged > 5 * count && figures.kills > count / 10)
        #expect(
            figures.powerCuts > count / 2 && figures.faults > count * 3 / 10 && figures.compactions > count * 3 / 10)
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
