import JSONCodec

/// Marks of a commit, and taking commits back.
extension RecordStore {
    /// Marks in the open commit how far the store includes the records of other replicas. The commit may contain
    /// nothing else.
    /// - Parameters:
    ///   - vector: a JSON object.
    ///   - more: members at the end of the line, `"sawCrc":{…}` first; empty for none.
    public mutating func mark(saw vector: UnsafeRawBufferPointer, more: UnsafeRawBufferPointer) throws(StorageError) {
        try beginCommit()
        try requireNoDraft()
        var member = ByteBuffer(capacity: vector.count + 8)
        member.append(",\"saw\":")
        member.append(vector)
        if !isInMemory { lines.value.mark(member.bytes) }
        if more.isEmpty { return }
        member.truncate(to: 0)
        member.append(UInt8(ascii: ","))
        member.append(more)
        if !isInMemory { lines.value.markEnd(member.bytes) }
    }

    /// Marks that the open commit settles the conflicts of a member of its moods.
    /// - Parameter member: as in a JSON string, without escapes.
    public mutating func mark(settles member: String) throws(StorageError) {
        try beginCommit()
        try requireNoDraft()
        var text = JSONWriter(capacity: 64)
        text.key("settles")
        text.string(member)
        var mark = ByteBuffer(capacity: 64)
        mark.append(",")
        mark.append(text.buffer.bytes)
        if !isInMemory { lines.value.mark(mark.bytes) }
    }

    /// The members before the records of a draft are in its file. No caller marks commits of that length.
    private func requireNoDraft() throws(StorageError) {
        guard layers.table.draft != nil else { return }
        throw .unavailable(
            reason: "A commit with marks of replicas is longer than memory may hold.",
            advice: "This is a defect of the program; nothing was changed.")
    }

    /// Puts a record of a commit that is too long for memory into the file of the commit.
    @inline(never)
    mutating func putInDraft(
        _ head: RecordHead, _ bytes: UnsafeRawBufferPointer, since start: Int
    ) throws(StorageError) {
        let draft = try openDraft()
        let number = layers.table.find(head.id)
        let hidden = number == nil ? try hide(head.id) : nil
        let slot: RecordSlot
        do throws(StorageError) { slot = RecordSlot(head: head, try draft.append(bytes)) } catch {
            if let hidden { layers.show(hidden) }
            throw error
        }
        let isNew = number == nil && hidden == nil
        noteInSummary(isNew ? .created : .updated, head.id)
        if let number {
            undo.append(.replaced(layers.table.replace(number, with: slot)))
        } else {
            layers.table.insert(slot)
            undo.append(inserted: head.id, hidden, since: start)
        }
        lines.value.noteDrafted(bytes.count, isNew: isNew)
    }

    /// The draft of the open commit; the first one takes what memory holds of the line.
    private mutating func openDraft() throws(StorageError) -> CommitDraft {
        if let draft = layers.table.draft { return draft }
        let draft: CommitDraft
        if isRehearsal, case .unborn(let settings) = state {
            draft = try CommitDraft(beside: settings)
        } else {
            guard try beBorn(), let made = try files?.makeDraft() else { throw .bornElsewhere }
            draft = made
        }
        let line = lines.value.takeOpenLine()
        layers.table.begin(draft)
        try draft.begin(open: line.bytes)
        return draft
    }

    /// Removes the draft of a commit that was taken back.
    mutating func dropDraft() { _ = layers.table.takeDraft() }

    mutating func takeBackSync() throws(StorageError) {
        try files?.takeBackSync(&lines.value, to: flushedRevision)
    }

    mutating func rewriteWithGroup() throws(StorageError) {
        do throws(StorageError) {
            try rewrite()
        } catch {
            try takeBackSync()
            throw error
        }
        settleOperations()
    }

    mutating func revert(to start: Int) {
        while undo.count > start, let change = undo.popLast() {
            switch change {
            case .inserted(let id):
                if let number = layers.table.find(id) { layers.table.remove(number).deallocate() }
            case .many:
                let run = undo.takeRun()
                for id in run.inserted {
                    if let number = layers.table.find(id) { layers.table.remove(number).deallocate() }
                }
                for hidden in run.hidden { layers.show(hidden) }
            case .replaced(let slot):
                if let number = layers.table.find(slot.head.id) {
                    layers.table.replace(number, with: slot).deallocate()
                }
            case .removed(let slot): layers.table.insert(slot)
            case .hidden(let hidden): layers.show(hidden)
            case .baseHidden: _ = layers.setBaseHidden(false)
            }
        }
    }
}
