extension KeptProcess {
    /// A part of the isolation.
    public enum Part: String, CaseIterable, Sendable {
        case files, network, calls, processes, limits
    }

    /// The strength of a part.
    public enum Level: Equatable, Sendable {
        /// The kernel enforces it.
        case enforced
        /// It is not enforced, or not completely.
        case declared(reason: String)
    }

    /// The keeper's reports about the plugin.
    public enum Report: Sendable {
        /// It runs. The id is the one in /proc; each part occurs once.
        case started(pid: Int32, isolation: [(Part, Level)])
        /// It does not run, and no part of it has run.
        case refused(reason: String)
        /// It has ended, with all processes that it started. If the keeper was killed, only `reap` tells when they are
        /// gone.
        case ended(ChildProcess.Status)

        /// Parses a line of the keeper (Keeper.h); nil for a line that no keeper writes.
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
