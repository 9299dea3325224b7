import Testing

@testable import Platform

@Suite struct EventSourcesTests {
    private let first = EventSources.Name(1)
    private let second = EventSources.Name(2)

    @Test func tellsOfEachThatIsReadyAndOfNoOther() throws {
        let (one, oneWriter) = try Pipe.make()
        let (two, twoWriter) = try Pipe.make()
        defer { for end in [one, oneWriter, two, twoWriter] { close(end) } }
        var sources = EventSources()
        sources.listen(to: one, as: first, for: .reading)
        sources.listen(to: two, as: second, for: .reading)
        _ = write(twoWriter, "!", 1)
        #expect(sources.next() == .readable(second))
        _ = write(oneWriter, "!", 1)
        #expect(sources.next() == .readable(first) && sources.next() == .readable(second))
        sources.forget(first)
        #expect(sources.next() == .readable(second) && sources.next() == .readable(second))
    }

    /// The last poll's result for a descriptor does not apply to the one in its place.
    @Test func whatIsForgottenOrReplacedIsNotToldOf() throws {
        let (one, oneWriter) = try Pipe.make()
        let (two, twoWriter) = try Pipe.make()
        defer { for end in [one, oneWriter, two, twoWriter] { close(end) } }
        for end in [oneWriter, twoWriter] { _ = write(end, "!", 1) }
        var sources = EventSources()
        sources.listen(to: one, as: first, for: .reading)
        sources.listen(to: two, as: second, for: .reading)
        #expect(sources.next() == .readable(first))
        sources.forget(second)
        #expect(sources.next() == .readable(first))
        let (three, threeWriter) = try Pipe.make()
        defer { for end in [three, threeWriter] { close(end) } }
        sources.listen(to: two, as: second, for: .reading)
        #expect(sources.next() == .readable(first))
        sources.listen(to: three, as: second, for: .reading)
        #expect(sources.next() == .readable(first))
    }

    @Test func deadlinesComeInTimeAndOnce() throws {
        var sources = EventSources()
        let now = Clock.monotonicMilliseconds
        sources.setDeadline(first, at: now + 20)
        sources.setDeadline(second, at: now + 10)
        #expect(sources.next() == .due(second))
        #expect(Clock.monotonicMilliseconds >= now + 10)
        sources.setDeadline(second, at: now + 10_000)
        sources.setDeadline(second, at: nil)
        #expect(sources.next() == .due(first))
        #expect(Clock.monotonicMilliseconds >= now + 20)
    }

    /// An event in time is reported first, even if the thread was busy until after the deadline.
    @Test func whatCameBeforeADeadlineIsToldOfBefore() throws {
        let (one, oneWriter) = try Pipe.make()
        let (two, twoWriter) = try Pipe.make()
        defer { for end in [one, oneWriter, two, twoWriter] { close(end) } }
        _ = write(oneWriter, "!", 1)
        var sources = EventSources()
        sources.listen(to: one, as: first, for: .reading)
        sources.listen(to: two, as: second, for: .reading)
        let deadline = Clock.monotonicMilliseconds + 50
        sources.setDeadline(first, at: deadline)
        #expect(sources.next() == .readable(first))
        _ = write(twoWriter, "!", 1)
        while Clock.monotonicMilliseconds <= deadline { usleep(1000) }
        #expect(sources.next() == .readable(first) && sources.next() == .readable(second))
        #expect(sources.next() == .due(first))
    }

    /// A deadline that is set again unchanged does not have the thread spin. Another one comes in time.
    @Test func anUnhandledDeadlineComesWithPauses() {
        var sources = EventSources()
        let start = Clock.monotonicMilliseconds
        sources.setDeadline(second, at: start + 50)
        var count = 0
        while true {
            sources.setDeadline(first, at: start - 1)
            if sources.next() == .due(second) { break }
            count += 1
        }
        #expect((1...6).contains(count))
        sources.setDeadline(first, at: start + 55)
        #expect(sources.next() == .due(first))
        #expect(Clock.monotonicMilliseconds < start + 1000)
    }

    /// A descriptor that is always ready does not put off a deadline.
    @Test func aBusyDescriptorStarvesNobody() throws {
        let (one, oneWriter) = try Pipe.make()
        defer { for end in [one, oneWriter] { close(end) } }
        _ = write(oneWriter, "!", 1)
        var sources = EventSources()
        sources.listen(to: one, as: first, for: .reading)
        sources.setDeadline(second, at: Clock.monotonicMilliseconds - 1)
        #expect([sources.next(), sources.next()].contains(.due(second)))
    }

    /// Between two patient ones the others have their turn, but not more.
    @Test func patientOnesWaitAndAreNotForgotten() throws {
        let ends = try (0..<3).map { _ in try Pipe.make() }
        defer { for (one, other) in ends { for end in [one, other] { close(end) } } }
        let third = EventSources.Name(3)
        var sources = EventSources()
        for (name, number) in [(second, 1), (third, 2)] {
            sources.listen(to: ends[number].readEnd, as: name, for: .reading, isPatient: true)
            _ = write(ends[number].writeEnd, "!", 1)
        }
        sources.listen(to: ends[0].readEnd, as: first, for: .reading)
        #expect(sources.next() == .readable(second))
        _ = write(ends[0].writeEnd, "!", 1)
        for name in [first, third, first, second, first, third] { #expect(sources.next() == .readable(name)) }
        sources.forget(third)
        #expect(sources.next() == .readable(first) && sources.next() == .readable(second))
        sources.forget(first)
        #expect(sources.next() == .readable(second) && sources.next() == .readable(second))
    }

    @Test func aClosedReaderIsToldOfWithoutAnInterest() throws {
        let (reader, writer) = try Pipe.make()
        defer { close(writer) }
        var sources = EventSources()
        sources.listen(to: writer, as: first, for: [])
        close(reader)
        #expect(sources.next() == .closed(first))
        sources.listen(to: writer, as: first, for: .writing)
        #expect(sources.next() == .closed(first))
    }

    /// Bytes of a peer come before its hang-up.
    @Test func theEndOfASocketComesAfterItsBytes() throws {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        #expect(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        _ = write(ends[1], "!", 1)
        close(ends[1])
        var sources = EventSources()
        sources.listen(to: ends[0], as: second, for: [])
        sources.listen(to: ends[0], as: first, for: .reading)
        #expect(sources.next() == .readable(first))
        #expect(sources.next() == .readable(first))
        sources.forget(first)
        #expect(sources.next() == .closed(second))
        close(ends[0])
    }
}
