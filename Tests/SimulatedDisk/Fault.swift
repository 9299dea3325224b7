/// The calls of `FileSystem` that can fail, by the names that the system gives them.
public enum DiskCall: String, Sendable, CaseIterable {
    case open, pread, pwrite, fdatasync, fsync, ftruncate, fstat, lstat, rename, link, unlink, mkdir, readdir, flock
}

/// A planned fault of a process on a simulated disk.
///
/// The disk counts the calls of each process from 1, all of them together and each kind by itself.
public struct Fault: Sendable {
    public enum Trigger: Sendable {
        case call(Int)
        /// The n-th call of one kind.
        case kind(DiskCall, Int)
    }

    /// The moment in a call at which the process ends or the power fails.
    public enum Moment: Sendable { case before, midway, after }

    public enum Effect: Sendable {
        /// The call fails with this error number. A write may have written a part; a sync of a file may have written
        /// any blocks, and it marks all of them clean.
        case fails(Int32)
        /// This call and all later ones fail; with a trigger by kind, all of that kind.
        case failsForever(Int32)
        /// A read or write handles only a part.
        case short
        /// Something kills the process: the bytes that it wrote stay, its descriptors and locks go.
        case killed(Moment)
        /// The power fails for every process.
        case powerCut(Moment)
    }

    public var trigger: Trigger
    public var effect: Effect

    public init(_ trigger: Trigger, _ effect: Effect) {
        self.trigger = trigger
        self.effect = effect
    }
}

/// The planned faults of a process, and the number of its calls.
struct FaultPlan {
    enum Verdict {
        case proceeds
        case fails(Int32)
        case short
        case killed(Fault.Moment)
        case powerCut(Fault.Moment)
    }

    var faults: [Fault] = []
    private(set) var calls = 0
    /// The calls that failed by plan, without the end of the process.
    private(set) var failures = 0
    private var callsOfKind = [Int](repeating: 0, count: DiskCall.allCases.count)

    mutating func verdict(of call: DiskCall) -> Verdict {
        calls += 1
        guard !faults.isEmpty else { return .proceeds }
        let kind = DiskCall.allCases.firstIndex(of: call) ?? 0
        callsOfKind[kind] += 1
        var verdict = Verdict.proceeds
        for fault in faults {
            let distance =
                switch fault.trigger {
                case .call(let number): calls - number
                case .kind(let kind, let number): kind == call ? callsOfKind[index(of: kind)] - number : -1
                }
            switch fault.effect {
            case .failsForever(let code) where distance >= 0: verdict = .fails(code)
            case .fails(let code) where distance == 0: verdict = .fails(code)
            case .short where distance == 0: verdict = .short
            case .killed(let moment) where distance == 0: return .killed(moment)
            case .powerCut(let moment) where distance == 0: return .powerCut(moment)
            default: break
            }
        }
        if case .fails = verdict { failures += 1 }
        return verdict
    }

    private func index(of call: DiskCall) -> Int { DiskCall.allCases.firstIndex(of: call) ?? 0 }
}
