import Synchronization
import Testing

@testable import Platform

@Suite struct BackgroundTaskTests {
    @Test func doesOnePieceAtATimeAndIsWaitedFor() throws {
        let task = BackgroundTask()
        #expect(task.wait(milliseconds: 0), "nothing is at work")
        let (readEnd, writeEnd) = try Pipe.make()
        defer { close(readEnd) }
        let done = Atomic(0)
        for round in 1...3 {
            let hasBegun = task.start {
                var byte: UInt8 = 0
                _ = read(readEnd, &byte, 1)
                done.add(1, ordering: .relaxed)
            }
            #expect(hasBegun && task.isRunning)
            #expect(!task.start { done.add(100, ordering: .relaxed) }, "one piece at a time")
            #expect(!task.wait(milliseconds: 1))
            _ = write(writeEnd, "!", 1)
            #expect(task.wait(milliseconds: 60_000))
            #expect(!task.isRunning && done.load(ordering: .relaxed) == round)
        }
        close(writeEnd)
    }
}
