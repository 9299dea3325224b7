/// The calls of `FileSystem` that can fail, by the names that the system gives them.
public enum DiskCall: String, Sendable, CaseIterable {
    case open, pread, pwrite, fdatasync, fsync, ftruncate, fstat, lstat, rename, link, unlink, mkdir, readdir, flock
}

/// Something that goes wrong for a process on a simulated disk.
///
/// Calls are counted from 1 for each process, all of them together and each kind by itself.
public struct Fault: Sendable {
    public enum Trigger: Sendable {
        case call(Int)
        /// The n-th call of one kind.
        case kind(DiskCall, Int)
    }

    /// When in a call the end comes.
    public enum Moment: Sendable { case before, midway, after }

    public enum Effect: Sendable {
        /// The call fails with this error number. A write may have written a part; a sync of a file may have written
        /// any blocks, and all of them count as clean from then on.
        case fails(Int32)
        /// That call and all after it; by kind, all of that kind.
        case failsForever(Int32)
        /// A read or write that handles a part only.
        case short
        /// The process is killed: what it wrote stays, its descriptors and locks go.
        case killed(Moment)
        /// The power is cut, for every process.
        case powerCut(Moment)
    }

    public var trigger: Trigger
    public var effect: Effect

    public init(_ trigger: Trigger, _ effect: Effect) {
        self.trigger = trigger
        self.effect = effect
    }
}

/// The faults that wait for a process, and how many calls it has made.
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
    /// How many of them went wrong, the end of the process left out.
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
