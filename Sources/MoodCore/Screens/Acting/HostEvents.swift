import JSONCodec

/// Events of one host, limited to what a person can look at: the next ones, then, if there is room, the latest past
/// ones.
public struct HostEvents: Sendable, Equatable {
    /// The most events to show.
    public static let shownMax = 50

    /// The events by start.
    public private(set) var shown: [DetailSurroundings.HostEvent] = []
    /// The number of all events.
    public private(set) var count = 0
    private let now: Timestamp

    /// - Parameter now: an event before it is past.
    public init(now: Timestamp) { self.now = now }

    public mutating func add(_ event: DetailSurroundings.HostEvent) {
        count += 1
        shown.append(event)
        if shown.count >= 8 * Self.shownMax { trim() }
    }

    /// Ends adding, and sorts.
    public mutating func finish() {
        trim()
        shown.sort { ($0.start, $0.end, $0.mood) < ($1.start, $1.end, $1.mood) }
    }

    private mutating func trim() {
        guard shown.count > Self.shownMax else { return }
        shown.sort { first, second in
            let (isOver, isSecondOver) = (first.end < now, second.end < now)
            if isOver != isSecondOver { return isSecondOver }
            let (a, b) = isOver ? (second, first) : (first, second)
            return (a.start, a.end, a.mood) < (b.start, b.end, b.mood)
        }
        shown.removeLast(shown.count - Self.shownMax)
    }

    /// Writes `events`, and `more` if some are left out.
    func writeMembers(to writer: inout JSONWriter) {
        writer.beginArray("events")
        for event in shown { event.write(to: &writer) }
        writer.endArray()
        guard count > shown.count else { return }
        writer.member("more", count - shown.count)
    }
}
