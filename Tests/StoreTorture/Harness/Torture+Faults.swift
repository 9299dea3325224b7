import Platform
import SimulatedDisk

/// The faults of one process: none, one or several.
extension Torture {
    private static let codes: [Int32] = [EIO, EIO, ENOSPC, EDQUOT, EFBIG, EACCES, EROFS, EMFILE, EINTR]

    mutating func planFaults() -> [Fault] {
        hasLittleSpace = random.isOne(in: 12)
        if hasLittleSpace { disk.setFreeBytes(random.below(200_000)) }
        let count = random.pick([0, 1, 1, 1, 2, 2, 3])
        return (0..<count).map { _ in Fault(drawTrigger(), drawEffect()) }
    }

    private mutating func drawTrigger() -> Fault.Trigger {
        // Opening a clean store takes about 20 calls, a flush 3, a compaction about 40.
        switch random.below(4) {
        case 0: .call(1 + random.below(30))
        case 1: .call(1 + random.below(80))
        case 2: .call(1 + random.below(160))
        default: .kind(random.pick(DiskCall.allCases), 1 + random.below(12))
        }
    }

    private mutating func drawEffect() -> Fault.Effect {
        let moment = random.pick([Fault.Moment.before, .midway, .after])
        return switch random.below(16) {
        case 0...3: .killed(moment)
        case 4...7: .powerCut(moment)
        case 8...12: .fails(random.pick(Self.codes))
        case 13: .failsForever(random.pick(Self.codes))
        default: .short
        }
    }
}
