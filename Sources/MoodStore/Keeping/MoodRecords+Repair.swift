import JSONCodec
import MoodCore
import Storage

/// Checking and repair. All work on a store that cannot be opened, and none on one in memory.
extension MoodRecords {
    /// The problem of a mood in an edited file: the offset in its bytes, and a clause.
    public typealias EditProblem = (offset: Int, reason: String)

    /// Checks an edited snapshot and gives it a checksum. Closes the store, which opens again on the next use.
    /// - Parameters:
    ///   - makeID: called for each mood without an id.
    ///   - problem: the problem of a mood by the rules of the protocol, or nil. Required members may be missing: they
    ///     get the defaults of `mood.create`.
    ///   - isCancelled: called before each read; if true, nothing was changed.
    public mutating func accept(
        makeID: () -> MoodID, problem: (ValidJSON) -> EditProblem?,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(RepairError) -> AcceptReport {
        let settings = try files("Nothing is edited: the moods are kept in memory.").cancelled(when: isCancelled)
        isGroupOver = true
        close()
        let inspector = MoodInspector()
        var report = try StoreFiles.accept(
            settings,
            seal: { bytes, revision, buffer in
                seal(ValidJSON(trusting: bytes), revision, &buffer, makeID: makeID, problem: problem)
            },
            inspect: { inspector.finding($0) })
        if !report.isAccepted {
            report.forgotten = try StoreFiles.forgetLostOperations(settings, .moods)
            report.isAccepted = report.forgotten > 0
        }
        waitHere()
        return report
    }

    private func seal(
        _ edited: ValidJSON, _ revision: Int, _ buffer: inout ByteBuffer, makeID: () -> MoodID,
        problem: (ValidJSON) -> EditProblem?
    ) -> StoreFiles.EditedRecord {
        let found = problem(edited)
        if let found, MoodMembers(checking: edited) == nil { return .problem(offset: found.offset, found.reason) }
        let given = MoodMembers(trusting: edited)
        var mood = given
        mood.id = given.id ?? makeID()
        if given.timestamp.isEmpty { mood.timestamp = moodTime(now) }
        if given.createdAt.isEmpty { mood.createdAt = moodTime(now) }
        if given.updatedAt.isEmpty { mood.updatedAt = moodTime(now) }
        // A later change would reach a revision above the store's own again.
        if given.revision.map({ $0 > revision }) ?? true { mood.revision = revision }
        var writer = JSONWriter(capacity: edited.bytes.count + 256)
        mood.write(to: &writer)
        buffer.append(writer.buffer.bytes)
        guard let head = RecordHead(mood: mood) else { return .problem(offset: 0, "cannot be read as a mood") }
        if let found { return .disputed(id: head.id, time: head.time, offset: found.offset, found.reason) }
        return .record(id: head.id, time: head.time, isCompleted: !given.isWhole)
    }

    /// Moves the files of the store away and begins a new one.
    /// - Returns: the directory with the old files; nil if there were none.
    public mutating func reset() throws(RepairError) -> String? {
        let settings = try files("There are no files to set aside: the moods are kept in memory.")
        isGroupOver = true
        forgetFiles()
        let aside = try StoreFiles.reset(settings)
        waitHere()
        do throws(MoodStoreError) {
            try openForWriting()
        } catch {
            guard case .storage(let error) = error, let aside else { return aside }
            throw .storage(
                .outcomeUnknown(
                    reason: "The old files are in \(aside), but the new store could not be begun: \(error.reason)"))
        }
        return aside
    }

    /// The settings of a store on disk.
    private func files(_ refusal: String) throws(RepairError) -> StoreSettings {
        guard case .directory(let settings) = location else { throw .refused(reason: refusal, problems: []) }
        return settings
    }
}
