import Synchronization
import Testing

@testable import Platform

@Suite struct HelperThreadTests {
    @Test func doesOnePieceAfterTheOtherAndIsWaitedFor() throws {
        let helper = HelperThread()
        #expect(helper.descriptor < 0 && !helper.isRunning)
        #expect(helper.wait(milliseconds: 0), "nothing is at work")
        let (readEnd, writeEnd) = try Pipe.make()
        defer { close(readEnd) }
        let order = Mutex<[Int]>([])
        for number in 1...3 {
            let isTaken = helper.run {
                var byte: UInt8 = 0
                _ = read(readEnd, &byte, 1)
                order.withLock { $0.append(number) }
            }
            #expect(isTaken && helper.isRunning)
        }
        #expect(!helper.wait(milliseconds: 1))
        _ = write(writeEnd, "!!!", 3)
        #expect(helper.wait(milliseconds: 60_000))
        #expect(!helper.isRunning && order.withLock { $0 } == [1, 2, 3])
        #expect(helper.run { order.withLock { $0.append(4) } }, "the thread has ended, and another one begins")
        #expect(helper.wait(milliseconds: 60_000) && order.withLock { $0.count } == 4)
        close(writeEnd)
    }

    @Test func wakesWhoListensAtTheEndAndInBetween() throws {
        let helper = HelperThread()
        let (readEnd, writeEnd) = try Pipe.make()
        defer { close(readEnd) }
        _ = helper.run {
            helper.wake()
            var byte: UInt8 = 0
            _ = read(readEnd, &byte, 1)
        }
        var sources = EventSources()
        let name = EventSources.Name(1)
        sources.listen(to: helper.descriptor, as: name, for: .reading)
        #expect(sources.next() == .readable(name))
        helper.drain()
        #expect(helper.isRunning)
        _ = write(writeEnd, "!", 1)
        #expect(sources.next() == .readable(name))
        #expect(helper.wait(milliseconds: 60_000))
        close(writeEnd)
    }
}
