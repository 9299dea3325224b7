import MoodStore
import Platform

/// A watch on the setup of a store's sync by other processes: `sync/replica.json` is created, removed or replaced.
final class SyncWatch {
    private let store: String
    private var watch: FileWatch?

    /// Nil if there is no such store, or files cannot be watched.
    init?(store: String) {
        self.store = store
        begin()
        if descriptor == nil { return nil }
    }

    /// Watches the file's folder, or the place where that will be.
    private func begin() {
        watch = FileWatch(
            directory: store + "/" + ReplicaFile.folder, name: ReplicaFile.fileName, for: .presence)
        if descriptor != nil { return }
        watch = FileWatch(directory: store, name: ReplicaFile.folder, for: .presence)
    }

    /// Becomes readable on such a change.
    var descriptor: Int32? {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: nil
        }
    }

    /// Takes the events.
    /// - Returns: whether the file may have been created, removed or replaced. Check it after this.
    func takeNews() -> Bool {
        let hasNews =
            switch watch {
            case .some(let watch): if case .none = watch.take() { false } else { true }
            case .none: false
            }
        // The folder may have been created or removed.
        if hasNews { begin() }
        return hasNews
    }
}
