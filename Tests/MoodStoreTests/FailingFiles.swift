import Platform
import Synchronization

/// The system's files with a call that fails, once or with all later ones, which looks like a killed process from
/// outside.
final class FailingFiles: Sendable {
    private struct State {
        var calls = 0
        var name = ""
    }

    private let number: Int
    private let isForever: Bool
    private let code: Int32
    private let state = Mutex(State())

    /// - Parameter number: the number of the failing call, from 1; 0 is none.
    init(failing number: Int, isForever: Bool, code: Int32) {
        self.number = number
        self.isForever = isForever
        self.code = code
    }

    var calls: Int { state.withLock { $0.calls } }
    /// The name of the failed call.
    var failed: String { state.withLock { $0.name } }

    private func note(_ call: String) throws(SystemError) {
        let fails = state.withLock { state in
            state.calls += 1
            guard number > 0, isForever ? state.calls >= number : state.calls == number else { return false }
            if state.name.isEmpty { state.name = call }
            return true
        }
        if fails { throw SystemError(call: call, subject: "", code: code) }
    }

    var fileSystem: FileSystem {
        let system = FileSystem.system
        var files = system
        files.open = { [self] path, access throws(SystemError) in
            try note("open")
            return try system.open(path, access)
        }
        files.read = { [self] descriptor, into, offset throws(SystemError) in
            try note("pread")
            return try system.read(descriptor, into, offset)
        }
        files.write = { [self] descriptor, bytes, offset throws(SystemError) in
            try note("pwrite")
            return try system.write(descriptor, bytes, offset)
        }
        files.syncData = { [self] descriptor throws(SystemError) in
            try note("fdatasync")
            try system.syncData(descriptor)
        }
        files.sync = { [self] descriptor throws(SystemError) in
            try note("fsync")
            try system.sync(descriptor)
        }
        files.truncate = { [self] descriptor, size throws(SystemError) in
            try note("ftruncate")
            try system.truncate(descriptor, size)
        }
        files.status = { [self] descriptor throws(SystemError) in
            try note("fstat")
            return try system.status(descriptor)
        }
        files.statusOfPath = { [self] path throws(SystemError) in
            try note("lstat")
            return try system.statusOfPath(path)
        }
        files.rename = { [self] from, to throws(SystemError) in
            try note("rename")
            try system.rename(from, to)
        }
        files.link = { [self] from, to throws(SystemError) in
            try note("link")
            try system.link(from, to)
        }
        files.unlink = { [self] path throws(SystemError) in
            try note("unlink")
            try system.unlink(path)
        }
        files.makeDirectory = { [self] path throws(SystemError) in
            try note("mkdir")
            try system.makeDirectory(path)
        }
        files.list = { [self] path throws(SystemError) in
            try note("readdir")
            return try system.list(path)
        }
        files.lock = { [self] descriptor, lock throws(SystemError) in
            try note("flock")
            try system.lock(descriptor, lock)
        }
        return files
    }
}
