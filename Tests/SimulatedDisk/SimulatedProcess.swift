import Platform

/// A process that uses a simulated disk: its descriptors, its locks and its planned faults.
///
/// After its end every call of its file system fails and does nothing, so its stores and files are dead too. Several
/// processes on one disk exclude each other by locks, as real ones do.
public final class SimulatedProcess: Sendable {
    private let disk: Disk
    private let number: Int

    init(_ disk: Disk, number: Int) {
        self.disk = disk
        self.number = number
    }

    /// Plans faults; the disk counts calls from the start of the process.
    public func plan(_ faults: [Fault]) { disk.monitor.withLock { $0.processes[number].plan.faults = faults } }

    public var isAlive: Bool { disk.monitor.withLock { $0.processes[number].isAlive } }

    public var calls: Int { disk.monitor.withLock { $0.processes[number].plan.calls } }

    /// The number of calls that failed by plan.
    public var failures: Int { disk.monitor.withLock { $0.processes[number].plan.failures } }

    /// Ends the process: the bytes that it wrote stay, since only a power cut takes them away.
    public func kill() {
        disk.monitor.withLock { $0.end(number) }
        disk.monitor.wakeAll()
    }

    /// The calls of this process; none of them reaches the system.
    public var fileSystem: FileSystem {
        var calls = FileSystem.system
        calls.open = { [self] path, access throws(SystemError) in try open(path, access) }
        calls.close = { [self] descriptor in close(descriptor) }
        calls.read = { [self] descriptor, into, offset throws(SystemError) in try read(descriptor, into, offset) }
        calls.write = { [self] descriptor, bytes, offset throws(SystemError) in try write(descriptor, bytes, offset) }
        // This disk may write back unsynced bytes at any time anyway.
        calls.startWriting = { _, _, _ in }
        calls.syncData = { [self] descriptor throws(SystemError) in try sync(.fdatasync, descriptor) }
        calls.sync = { [self] descriptor throws(SystemError) in try sync(.fsync, descriptor) }
        calls.truncate = { [self] descriptor, size throws(SystemError) in try truncate(descriptor, size) }
        calls.status = { [self] descriptor throws(SystemError) in
            try call(.fstat, descriptor) { _, file, _ in file.node.status(owner: Self.user) }
        }
        calls.statusOfPath = { [self] path throws(SystemError) in
            try call(.lstat, path) { (state) throws(PathError) in try state.tree.find(path).status(owner: Self.user) }
        }
        calls.rename = { [self] from, to throws(SystemError) in
            try call(.rename, from) { (state) throws(PathError) in try state.rename(from, to) }
        }
        calls.link = { [self] from, to throws(SystemError) in
            try call(.link, to) { (state) throws(PathError) in try state.link(from, to) }
        }
        calls.unlink = { [self] path throws(SystemError) in
            try call(.unlink, path) { (state) throws(PathError) in try state.unlink(path) }
        }
        calls.makeDirectory = { [self] path throws(SystemError) in
            try call(.mkdir, path) { (state) throws(PathError) in try state.makeDirectory(path) }
        }
        calls.list = { [self] path throws(SystemError) in
            try call(.readdir, path) { (state) throws(PathError) in try state.list(path) }
        }
        calls.lock = { [self] descriptor, lock throws(SystemError) in try self.lock(descriptor, lock) }
        calls.effectiveUser = { Self.user }
        return calls
    }

    private static let user: UInt32 = 1000
    static let dead = PathError(code: EIO)

    // MARK: Calls

    /// Makes a call that takes place whole or not at all.
    private func call<Answer>(
        _ call: DiskCall, _ subject: String, _ body: (inout Disk.State) throws(PathError) -> Answer
    ) throws(SystemError) -> Answer {
        var isEnded = false
        defer { if isEnded { disk.monitor.wakeAll() } }
        do throws(PathError) {
            return try disk.monitor.withLock { (state) throws(PathError) in
                let verdict = try begin(call, subject, &state)
                switch verdict {
                case .proceeds, .short:
                    return try body(&state)
                case .fails(let code):
                    throw PathError(code: code)
                case .killed(let moment), .powerCut(let moment):
                    isEnded = true
                    // Such a call has no middle: chance decides between before and after.
                    if moment == .after || (moment == .midway && state.random.isOne(in: 2)) { _ = try? body(&state) }
                    end(verdict, &state)
                    throw Self.dead
                }
            }
        } catch {
            throw SystemError(call: call.rawValue, subject: subject, code: error.code)
        }
    }

    /// Makes a call on an open file. `isShort` tells `body` to do only a part of its work; `partly` runs if the call
    /// fails or the process ends midway.
    private func call<Answer>(
        _ call: DiskCall, _ descriptor: Int32,
        _ body: (inout Disk.State, OpenFile, _ isShort: Bool) throws(PathError) -> Answer,
        partly: (inout Disk.State, OpenFile, _ isFailure: Bool) -> Void = { _, _, _ in }
    ) throws(SystemError) -> Answer {
        var isEnded = false
        defer { if isEnded { disk.monitor.wakeAll() } }
        do throws(PathError) {
            return try disk.monitor.withLock { (state) throws(PathError) in
                let verdict = try begin(call, descriptor, &state)
                guard let file = state.processes[number].descriptors[descriptor] else { throw PathError(code: EBADF) }
                switch verdict {
                case .proceeds: return try body(&state, file, false)
                case .short: return try body(&state, file, true)
                case .fails(let code):
                    partly(&state, file, true)
                    throw PathError(code: code)
                case .killed(let moment), .powerCut(let moment):
                    isEnded = true
                    if moment == .after { _ = try? body(&state, file, false) }
                    if moment == .midway { partly(&state, file, false) }
                    end(verdict, &state)
                    throw Self.dead
                }
            }
        } catch {
            throw SystemError(call: call.rawValue, code: error.code)
        }
    }

    private func begin<Subject>(
        _ call: DiskCall, _ subject: Subject, _ state: inout Disk.State
    ) throws(PathError) -> FaultPlan.Verdict {
        guard state.processes[number].isAlive, !state.isPowerless else { throw Self.dead }
        let verdict = state.processes[number].plan.verdict(of: call)
        if state.trace != nil {
            state.trace?.append("\(number).\(state.processes[number].plan.calls) \(call) \(subject): \(verdict)")
        }
        return verdict
    }

    private func end(_ verdict: FaultPlan.Verdict, _ state: inout Disk.State) {
        if case .powerCut = verdict { state.cutPower() } else { state.end(number) }
    }

    // MARK: Descriptors

    private func open(_ path: String, _ access: FileSystem.Access) throws(SystemError) -> Int32 {
        try call(.open, path) { (state) throws(PathError) in
            let node = try state.open(path, access)
            guard state.processes[number].descriptors.count < disk.settings.descriptorsMax else {
                throw PathError(code: EMFILE)
            }
            let isWritable =
                switch access {
                case .readWrite, .readWriteOrCreate, .create: true
                case .read, .readThroughLink, .directory, .directoryThroughLink: false
                }
            state.processes[number].lastDescriptor += 1
            let descriptor = state.processes[number].lastDescriptor
            state.processes[number].descriptors[descriptor] = OpenFile(node, isWritable: isWritable)
            if state.trace != nil { state.trace?.append("    = \(descriptor)") }
            return descriptor
        }
    }

    private func close(_ descriptor: Int32) {
        let hadLock = disk.monitor.withLock { state in
            let file = state.processes[number].descriptors.removeValue(forKey: descriptor)
            return file != nil && file?.node.lockHolder === file
        }
        if hadLock { disk.monitor.wakeAll() }
    }

    private func read(
        _ descriptor: Int32, _ target: UnsafeMutableRawBufferPointer, _ offset: Int
    ) throws(SystemError) -> Int {
        try call(.pread, descriptor) { (state, file, isShort) throws(PathError) in
            guard !file.node.isDirectory else { throw PathError(code: EISDIR) }
            guard offset >= 0 else { throw PathError(code: EINVAL) }
            let count = isShort && target.count > 1 ? 1 + state.random.below(target.count - 1) : target.count
            return file.node.content.read(
                into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: offset)
        }
    }

    private func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) throws(SystemError) -> Int {
        try call(.pwrite, descriptor) { (state, file, isShort) throws(PathError) in
            guard file.isWritable else { throw PathError(code: EBADF) }
            guard offset >= 0 else { throw PathError(code: EINVAL) }
            let wanted = isShort && bytes.count > 1 ? 1 + state.random.below(bytes.count - 1) : bytes.count
            let count = try state.room(for: wanted, at: offset, in: file)
            state.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset, file)
            return count
        } partly: { state, file, _ in
            guard file.isWritable, offset >= 0, state.random.isOne(in: 2), !bytes.isEmpty else { return }
            let wanted = state.random.below(bytes.count)
            guard let count = try? state.room(for: wanted, at: offset, in: file) else { return }
            state.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset, file)
        }
    }

    private func truncate(_ descriptor: Int32, _ size: Int) throws(SystemError) {
        try call(.ftruncate, descriptor) { (state, file, _) throws(PathError) in
            guard file.isWritable, size >= 0 else { throw PathError(code: EINVAL) }
            let freed = file.node.content.size - size
            if let free = state.freeBytes {
                guard free + freed >= 0 else { throw PathError(code: ENOSPC) }
                state.freeBytes = free + freed
            }
            file.node.content.truncate(to: size, &state.random)
            state.stamp(file.node)
        }
    }

    private func sync(_ kind: DiskCall, _ descriptor: Int32) throws(SystemError) {
        let forgets = disk.settings.forgetsFailedPages
        try call(kind, descriptor) { (state, file, _) throws(PathError) in
            if file.node.isDirectory { return state.tree.sync(file.node) }
            file.node.content.sync()
            // From the metadata fdatasync writes only the part that finds the bytes again.
            if kind == .fsync { file.node.storedModified = file.node.modified }
        } partly: { state, file, isFailure in
            if file.node.isDirectory {
                state.tree.syncSome(file.node, &state.random)
            } else if !isFailure {
                file.node.content.writeBackSome(&state.random)
            } else {
                file.node.content.failSync(forgets: forgets, &state.random)
            }
        }
    }

    private func lock(_ descriptor: Int32, _ lock: FileSystem.Lock) throws(SystemError) {
        while true {
            let turn = disk.monitor.turn
            do {
                try call(.flock, descriptor) { (_, file, _) throws(PathError) in
                    let holder = file.node.lockHolder
                    if lock == .none {
                        if holder === file { file.node.lockHolder = nil }
                        return
                    }
                    if let holder, holder !== file { throw PathError(code: EWOULDBLOCK) }
                    file.node.lockHolder = file
                }
                if lock == .none { disk.monitor.wakeAll() }
                return
            } catch {
                guard error.code == EWOULDBLOCK, lock == .exclusive else { throw error }
            }
            disk.monitor.wait(behind: turn)
        }
    }
}
