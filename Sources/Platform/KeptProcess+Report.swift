extension KeptProcess {
    /// A part of the isolation.
    public enum Part: String, CaseIterable, Sendable {
        case files, network, calls, processes, limits
    }

    /// How well a part holds.
    public enum Level: Equatable, Sendable {
        /// The kernel sees to it.
        case enforced
        /// Nobody sees to it, or not to all of it.
        case declared(reason: String)
    }

    /// What the keeper says of the plugin.
    public enum Report: Sendable {
        /// It runs. The id is how /proc numbers it; each part is there once.
        case started(pid: Int32, isolation: [(Part, Level)])
        /// It does not run, and nothing of it has run.
        case refused(reason: String)
        /// It has ended, and so has all that it had started. Where the keeper was killed, `reap` alone says when they are gone.
        case ended(ChildProcess.Status)

        /// From a line of the keeper's (Keeper.h); nil for a line that no keeper writes.
        init?(line: ArraySlice<UInt8>) {
            let members = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch members.first {
            case "started" where members.count == 2 + Part.allCases.count:
                var isolation: [(Part, Level)] = []
                for (part, member) in zip(Part.allCases, members[2...]) {
                    guard member.hasPrefix(part.rawValue + "=") else { return nil }
                    let reason = String(member.dropFirst(part.rawValue.count + 1))
                    isolation.append((part, reason.isEmpty ? .enforced : .declared(reason: reason)))
                }
                self = .started(pid: Int32(members[1]) ?? 0, isolation: isolation)
            case "refused" where members.count == 2:
                self = .refused(reason: members[1])
            case "ended" where members.count == 3:
                guard let number = Int32(members[2]) else { return nil }
                self = .ended(members[1] == "exited" ? .exited(number) : .signalled(number))
            default:
                return nil
            }
        }
    }
}
