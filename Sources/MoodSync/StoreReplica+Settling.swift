import JSONCodec
import MoodStore
import Replication
import Storage

extension StoreReplica {
    /// Settles a conflict, as a change of the store.
    /// - Returns: the mood as it is now.
    func settle(_ id: Conflict.ID, takesOther: Bool) throws(SyncError) -> [UInt8] {
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        guard let conflict = fold.conflicts(of: id.mood).first(where: { $0.id == id }),
            let settled = fold.settled(conflict, takesOther: takesOther),
            let document = settled.updated(at: moods.now)
        else { throw .notFound(id.text, reason: "There is no conflict \(id.text). See sync.conflicts.") }
        moods.origin = nil
        defer { moods.origin = MoodRecords.syncOrigin }
        var answer = JSONWriter(capacity: 1024)
        do throws(MoodStoreError) {
            _ = try moods.put(shared: id.mood) { document.write(revision: $0, to: &$1) }
            try moods.mark(settles: id.member.text)
            try moods.endCommit()
            do throws(StorageError) { try moods.flush() } catch { throw .storage(error) }
            try holdAgain()
            try moods.get(id.mood, to: &answer)
        } catch {
            moods.abandonCommit()
            throw .store(error)
        }
        moods.origin = MoodRecords.syncOrigin
        try takeLocal()
        return Array(answer.buffer.bytes)
    }
}
