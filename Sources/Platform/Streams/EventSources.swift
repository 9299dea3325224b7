import CPlatform

/// The descriptors and deadlines that a thread waits for, each under a name. They may change between two waits.
/// (poll(2); libuv: the handles and timers of a loop.)
///
///     sources.listen(to: descriptor, as: .input, for: .reading)
///     sources.setDeadline(.farewell, at: Clock.monotonicMilliseconds + 500)
///     switch sources.next() { … }
///
/// It closes nothing, and only one thread may use it.
public struct EventSources: ~Copyable {
    /// The loop's name for a source. A descriptor and a deadline may have the same name.
    public struct Name: Equatable, Sendable {
        public let number: Int
        public init(_ number: Int) { self.number = number }
    }

    /// The events to wait for. A hang-up by the other side is always reported, and without an interest nothing else is.
    public struct Interest: OptionSet, Sendable {
        public let rawValue: Int16
        public init(rawValue: Int16) { self.rawValue = rawValue }
        public static let reading = Interest(rawValue: Int16(POLLIN))
        public static let writing = Interest(rawValue: Int16(POLLOUT))
    }

    public enum Occurrence: Equatable, Sendable {
        /// It can be read, perhaps to the end of the stream.
        case readable(Name)
        /// It takes bytes, or a write reports why it never will.
        case writable(Name)
        /// The other side has closed it.
        case closed(Name)
        /// The deadline has passed, and is no longer set.
        case due(Name)
    }

    /// The poll entries, those without patience first.
    private var polls: [pollfd] = []
    private var patientStart = 0
    private var names: [Name] = []
    /// `asked` is the time as it was set; later than that is `time` for one that was reported before.
    private var deadlines: [(name: Name, asked: Int, time: Int)] = []
    /// The last deadline of each name that was reported, and the time at which the same one may be reported again.
    private var reported: [(name: Name, asked: Int, again: Int)] = []
    /// The pause between two reports of one deadline that was set again unchanged, so that the thread does not spin.
    private static let pauseMilliseconds = 10
    /// Index of the first poll result that was not handled yet.
    private var cursor = 0
    /// Whether the last occurrence came from a patient descriptor.
    private var isLookDue = false
    /// Whether the last poll has led to an occurrence.
    private var hasTold = false
    /// Time of the last poll. A deadline after it is reported only after the next poll: events that came in time are
    /// reported first, even if the thread was busy meanwhile.
    public private(set) var pollTime = Int.min
    /// The descriptor that hung up, reported when there is nothing else: data sent before comes first.
    private var hungUp: Name?

    public init() {}

    /// Waits for a descriptor from now on, in place of an earlier one of this name.
    /// - Parameter isPatient: whether other descriptors go first: between two patient ones the others are polled again.
    ///   A name is always patient, or never.
    public mutating func listen(
        to descriptor: Int32, as name: Name, for interest: Interest, isPatient: Bool = false
    ) {
        guard let place = names.firstIndex(of: name) else {
            let place = isPatient ? names.count : patientStart
            names.insert(name, at: place)
            polls.insert(pollfd(fd: descriptor, events: interest.rawValue, revents: 0), at: place)
            if place < cursor { cursor += 1 }
            if !isPatient { patientStart += 1 }
            return
        }
        if polls[place].fd != descriptor { polls[place].revents = 0 }
        polls[place].fd = descriptor
        polls[place].events = interest.rawValue
    }

    /// Stops waiting for the descriptor of this name.
    public mutating func forget(_ name: Name) {
        guard let place = names.firstIndex(of: name) else { return }
        names.remove(at: place)
        polls.remove(at: place)
        if place < cursor { cursor -= 1 }
        if place < patientStart { patientStart -= 1 }
    }

    /// Sets a deadline, or removes it with nil.
    /// - Parameter time: by `Clock.monotonicMilliseconds`; 0: at once.
    public mutating func setDeadline(_ name: Name, at asked: Int?) {
        let place = deadlines.firstIndex { $0.name == name }
        guard let asked else {
            if let place { deadlines.remove(at: place) }
            return
        }
        let before = asked > 0 ? reported.first { $0.name == name && $0.asked == asked } : nil
        let deadline = (name, asked, before?.again ?? asked)
        if let place { deadlines[place] = deadline } else { deadlines.append(deadline) }
    }

    /// Waits until something happens, without limit, and returns one occurrence.
    public mutating func next() -> Occurrence {
        while true {
            while cursor < polls.count {
                if isLookDue, polls[cursor].revents != 0, let occurrence = lookAgain() { return occurrence }
                cursor += 1
                guard let occurrence = take(cursor - 1) else { continue }
                hasTold = true
                isLookDue = cursor > patientStart
                return occurrence
            }
            if !hasTold, let name = hungUp.take() { return .closed(name) }
            if let name = takeDue() { return .due(name) }
            wait()
        }
    }

    /// Polls the descriptors without patience again. After that a patient one has its turn in any case.
    private mutating func lookAgain() -> Occurrence? {
        isLookDue = false
        let count = patientStart
        let found = polls.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t(count), 0) }
        guard found > 0 else { return nil }
        for place in 0..<count {
            if let occurrence = take(place) { return occurrence }
        }
        return nil
    }

    private mutating func take(_ place: Int) -> Occurrence? {
        let found = polls[place].revents
        if found == 0 { return nil }
        polls[place].revents = 0
        let (name, interest) = (names[place], Interest(rawValue: polls[place].events))
        if interest.contains(.reading) { return .readable(name) }
        if found & Int16(POLLERR | POLLNVAL) != 0 { return .closed(name) }
        if interest.contains(.writing) { return .writable(name) }
        hungUp = name
        return nil
    }

    private mutating func takeDue() -> Name? {
        guard let first = deadlines.indices.min(by: { deadlines[$0].time < deadlines[$1].time }),
            deadlines[first].time <= pollTime
        else { return nil }
        let due = deadlines.remove(at: first)
        let report = (due.name, due.asked, pollTime + Self.pauseMilliseconds)
        if let place = reported.firstIndex(where: { $0.name == due.name }) {
            reported[place] = report
        } else {
            reported.append(report)
        }
        return due.name
    }

    private mutating func wait() {
        var timeout: Int32 = -1
        if let first = deadlines.lazy.map(\.time).min() {
            timeout = Int32(clamping: max(first - Clock.monotonicMilliseconds, 0))
        }
        hasTold = false
        isLookDue = false
        hungUp = nil
        let found = polls.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), timeout) }
        if !deadlines.isEmpty { pollTime = Clock.monotonicMilliseconds }
        // A poll that a signal interrupted has found nothing.
        cursor = found > 0 ? 0 : polls.count
    }
}
