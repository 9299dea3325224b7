import JSONCodec
import MoodCore
import Storage

/// Looking for damage, and mending it. Each works also on a store that cannot be opened; none on one in memory.
extension MoodRecords {
    /// What is wrong with a mood that stands in an edited file: a clause about it, and where, as an offset into its bytes.
    public typealias EditProblem = (offset: Int, reason: String)

    /// Checks a snapshot that somebody has edited, and seals it. The store is closed, and opened again when it is next
    /// needed.
    /// - Parameters:
    ///   - makeID: called for each mood that has no id.
    ///   - problem: what is wrong with a mood, by the rules of the protocol; nil when nothing is. Members that every mood
    ///     has may be missing: they get what `mood.create` would give them.
    ///   - isCancelled: asked before each read; nothing was changed then.
    public mutating func accept(
        makeID: () -> MoodID, problem: (ValidJSON) -> EditProblem?,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(RepairError) -> AcceptReport {
        let settings = try files("Nothing is edited: the moods are kept in memory.").cancelled(when: isCancelled)
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
        // A revision that the store never had would be met again by a later change.
        if given.revision.map({ $0 > revision }) ?? true { mood.revision = revision }
        var writer = JSONWriter(capacity: edited.bytes.count + 256)
        mood.write(to: &writer)
        buffer.append(writer.buffer.bytes)
        guard let head = RecordHead(mood: mood) else { return .problem(offset: 0, "cannot be read as a mood") }
        if let found { return .disputed(id: head.id, time: head.time, offset: found.offset, found.reason) }
        return .record(id: head.id, time: head.time, isCompleted: !given.isWhole)
    }

    /// Sets the files of the store aside and begins a new one.
    /// - Returns: the path of the directory in which they are now; nil where there were none.
    public mutating func reset() throws(RepairError) -> String? {
        let settings = try files("There are no files to set aside: the moods are kept in memory.")
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
