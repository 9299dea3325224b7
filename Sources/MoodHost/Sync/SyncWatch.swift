import MoodStore
import Platform

/// Tells when another process has set up the sync of a store, or has left it: `sync/replica.json` comes, goes, or is another one.
final class SyncWatch {
    private let store: String
    private var watch: FileWatch?

    /// Nil where there is no such store, or files cannot be watched.
    init?(store: String) {
        self.store = store
        begin()
        if descriptor == nil { return nil }
    }

    /// Watches the folder of the file, or the place where that will be.
    private func begin() {
        watch = FileWatch(
            directory: store + "/" + ReplicaFile.folder, name: ReplicaFile.fileName, for: .presence)
        if descriptor != nil { return }
        watch = FileWatch(directory: store, name: ReplicaFile.folder, for: .presence)
    }

    /// Becomes readable when something happened there.
    var descriptor: Int32? {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: nil
        }
    }

    /// Takes what has happened.
    /// - Returns: whether the file may be there, or be gone, or be another one. It has to be looked at after this.
    func takeNews() -> Bool {
        let hasNews =
            switch watch {
            case .some(let watch): if case .none = watch.take() { false } else { true }
            case .none: false
            }
        // The folder may be there by now, or be gone.
        if hasNews { begin() }
        return hasNews
    }
}
