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
        var member = ByteBuffer(capacity: vector.count + 8)
        member.append(",\"saw\":")
        member.append(vector)
        if files != nil { lines.value.mark(member.bytes) }
        if more.isEmpty { return }
        member.truncate(to: 0)
        member.append(UInt8(ascii: ","))
        member.append(more)
        if files != nil { lines.value.markEnd(member.bytes) }
    }

    /// Marks that the open commit settles the conflicts of a member of its moods.
    /// - Parameter member: as in a JSON string, without escapes.
    public mutating func mark(settles member: String) throws(StorageError) {
        try beginCommit()
        var text = JSONWriter(capacity: 64)
        text.key("settles")
        text.string(member)
        var mark = ByteBuffer(capacity: 64)
        mark.append(",")
        mark.append(text.buffer.bytes)
        if files != nil { lines.value.mark(mark.bytes) }
    }

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
