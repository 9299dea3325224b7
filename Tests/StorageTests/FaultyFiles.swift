import Platform
import Synchronization

/// The system's files with a fault: counts the calls that may fail, makes chosen ones fail, and records the calls in
/// order.
///
/// Closing never fails and always happens, so that a "killed" store releases its lock as a dead process does.
final class FaultyFiles: Sendable {
    enum Fault: Sendable {
        case none
        /// The call of this number fails.
        case once(Int, Int32)
        /// That call and all after it.
        case forever(Int, Int32)
        /// Every call of this name.
        case named(String, Int32)
        /// The n-th call of this name.
        case namedOnce(String, Int, Int32)
    }

    private struct State {
        var fault = Fault.none
        var calls = 0
        var namedCalls = 0
        var trace: [String] = []
        var names: [Int32: String] = [:]
        var freeBytes: Int?
    }

    private let state = Mutex(State())

    /// Number of calls since the fault was set.
    var calls: Int { state.withLock { $0.calls } }
    /// The calls since then, as `name file`.
    var trace: [String] { state.withLock { $0.trace } }

    func set(_ fault: Fault) {
        state.withLock { state in
            state.fault = fault
            state.calls = 0
            state.namedCalls = 0
            state.trace = []
        }
    }

    /// Limits the bytes that can be written from now on; nil for no limit.
    func setFreeBytes(_ count: Int?) { state.withLock { $0.freeBytes = count } }

    private func note(_ call: String, _ subject: String) throws(SystemError) {
        let code: Int32? = state.withLock { state in
            state.calls += 1
            state.trace.append("\(call) \(shortName(subject))")
            switch state.fault {
            case .none: return nil
            case .once(let number, let code): return state.calls == number ? code : nil
            case .forever(let number, let code): return state.calls >= number ? code : nil
            case .named(let name, let code): return name == call ? code : nil
            case .namedOnce(let name, let number, let code):
                guard name == call else { return nil }
                state.namedCalls += 1
                return state.namedCalls == number ? code : nil
            }
        }
        if let code { throw SystemError(call: call, subject: subject, code: code) }
    }

    /// Temporary and torn files have random names; their kind is enough.
    private func shortName(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasPrefix("temporary-") { return "temporary" }
        if name.hasPrefix("torn-") { return "torn" }
        return name.hasPrefix("store-") ? "directory" : name
    }

    private func name(_ descriptor: Int32) -> String { state.withLock { $0.names[descriptor] ?? "?" } }

    private func room(for count: Int) throws(SystemError) -> Int {
        let allowed: Int = state.withLock { state in
            guard let free = state.freeBytes else { return count }
            let allowed = min(free, count)
            state.freeBytes = free - allowed
            return allowed
        }
        guard allowed > 0 else { throw SystemError(call: "pwrite", code: ENOSPC) }
        return allowed
    }

    var fileSystem: FileSystem {
        let system = FileSystem.system
        var faulty = system
        faulty.open = { [self] path, access throws(SystemError) in
            try note("open", path)
            let descriptor = try system.open(path, access)
            state.withLock { $0.names[descriptor] = path }
            return descriptor
        }
        faulty.read = { [self] descriptor, into, offset throws(SystemError) in
            try note("pread", name(descriptor))
            return try system.read(descriptor, into, offset)
        }
        faulty.write = { [self] descriptor, bytes, offset throws(SystemError) in
            try note("pwrite", name(descriptor))
            // Overwriting needs no more space.
            let inPlace = min(max(((try? system.status(descriptor).size) ?? 0) - offset, 0), bytes.count)
            let count = inPlace == bytes.count ? inPlace : inPlace + (try room(for: bytes.count - inPlace))
            return try system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), offset)
        }
        faulty.syncData = { [self] descriptor throws(SystemError) in
            try note("fdatasync", name(descriptor))
            try system.syncData(descriptor)
        }
        faulty.sync = { [self] descriptor throws(SystemError) in
            try note("fsync", name(descriptor))
            try system.sync(descriptor)
        }
        faulty.truncate = { [self] descriptor, size throws(SystemError) in
            try note("ftruncate", name(descriptor))
            try system.truncate(descriptor, size)
        }
        faulty.status = { [self] descriptor throws(SystemError) in
            try note("fstat", name(descriptor))
            return try system.status(descriptor)
        }
        faulty.statusOfPath = { [self] path throws(SystemError) in
            try note("lstat", path)
            return try system.statusOfPath(path)
        }
        faulty.rename = { [self] from, to throws(SystemError) in
            try note("rename", to)
            try system.rename(from, to)
            state.withLock { state in
                for (descriptor, path) in state.names where path == from { state.names[descriptor] = to }
            }
        }
        faulty.link = { [self] from, to throws(SystemError) in
            try note("link", to)
            try system.link(from, to)
        }
        faulty.unlink = { [self] path throws(SystemError) in
            try note("unlink", path)
            try system.unlink(path)
        }
        faulty.makeDirectory = { [self] path throws(SystemError) in
            try note("mkdir", path)
            try system.makeDirectory(path)
        }
        faulty.list = { [self] path throws(SystemError) in
            try note("readdir", path)
            return try system.list(path)
        }
        faulty.lock = { [self] descriptor, lock throws(SystemError) in
            try note("flock", name(descriptor))
            try system.lock(descriptor, lock)
        }
        return faulty
    }
}

extension FileSystem {
    /// The system's files, but changes of names do not change a directory's time, as in some file systems.
    static var keepingDirectoryTimes: FileSystem {
        var files = FileSystem.system
        @Sendable func kept(_ status: FileStatus) -> FileStatus {
            var status = status
            if status.kind == .directory { (status.modified, status.changed) = (1, 1) }
            return status
        }
        files.status = { descriptor throws(SystemError) in kept(try FileSystem.system.status(descriptor)) }
        files.statusOfPath = { path throws(SystemError) in kept(try FileSystem.system.statusOfPath(path)) }
        return files
    }
}
