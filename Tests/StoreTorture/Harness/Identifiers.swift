import Synchronization

/// UUIDs that never repeat in one run; one seed repeats them in the next run.
public final class Identifiers: Sendable {
    private let count = Atomic<Int>(0)
    private let prefix: String

    public init(seed: UInt64) {
        let digits = String(seed & 0xffff_ffff, radix: 16)
        prefix = String(repeating: "0", count: 8 - digits.count) + digits + "-0000-4000-8000-"
    }

    public func next() -> String {
        let digits = String(count.add(1, ordering: .relaxed).newValue, radix: 16)
        return prefix + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

/// A flag that code can set where it can change nothing else.
final class Note: Sendable {
    private let flag = Atomic<Bool>(false)

    var isNoted: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
