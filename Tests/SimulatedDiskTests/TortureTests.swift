import Seeds
import StoreTorture
import Testing

/// A short stretch of what the program `Torture` does for long: fixed seeds; in `.ci/long` some that nobody has tried yet.
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
        // It would be easy to keep promises where nothing goes wrong.
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
