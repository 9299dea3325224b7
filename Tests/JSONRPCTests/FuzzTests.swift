import FuzzTargets
import Testing

/// A short search of `Tests/Fuzz` with fixed seeds; the long ones are run by hand.
@Suite struct FuzzTests {
    @Test(arguments: [1, 20_260_102] as [UInt64])
    func holdsItsPropertiesForRandomBytes(seed: UInt64) throws {
        var search = FuzzSearch(.frame, seed: seed)
        #if DEBUG
            try search.run(executions: 10_000)
        #else
            try search.run(executions: 200_000)
        #endif
    }

    @Test func holdsItsPropertiesForTheCases() throws {
        var target = FuzzTarget(.frame)
        for one in FrameCase.all {
            for head: [UInt8] in [[64, 3], [8, 7], [0, 11], [255, 1]] {
                #expect(throws: Never.self, "\(one.name)") { try target.check(head + one.stream) }
            }
        }
    }
}
