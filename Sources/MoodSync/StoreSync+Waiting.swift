import MoodStore
import Platform
import Storage

/// A round that a process of its own begins later, because one was begun a moment ago.
extension StoreSync {
    /// Notes that a round is to begin once one may, by a process that waits for it.
    /// - Returns: false where one waits already: it sends what came since, too.
    public static func mayWait(_ settings: StoreSettings, everyMilliseconds interval: Int) -> Bool {
        let place = SyncPlace(store: settings.directory, fileSystem: settings.fileSystem)
        guard let lock = try? FileLock.acquire(place.waits, timeoutMilliseconds: 0, in: place.fileSystem) else {
            return false
        }
        defer { extendLifetime(lock) }
        let bytes = (try? place.fileSystem.readWhole(place.begun, bytesMax: 64)) ?? nil
        let begun = bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
        let due = Array(String(begun + Int64(interval)).utf8)
        return
            (try? place.fileSystem.replaceWhole(place.due, by: place.due + "-" + settings.makeIdentifier()) { _ in due })
            != nil
    }

    /// Waits, where that was noted and nobody does yet.
    public static func waitWhenNoted(_ settings: StoreSettings, everyMilliseconds interval: Int) {
        let place = SyncPlace(store: settings.directory, fileSystem: settings.fileSystem)
        guard let bytes = (try? place.fileSystem.readWhole(place.due, bytesMax: 64)) ?? nil,
            let due = Int64(String(decoding: bytes, as: UTF8.self)),
            let lock = try? FileLock.acquire(place.waits, timeoutMilliseconds: 0, in: place.fileSystem)
        else { return }
        let left = due - Clock.milliseconds
        if left > 0, left <= Int64(interval) { Clock.sleep(milliseconds: Int(left)) }
        try? place.fileSystem.unlink(place.due)
        _ = mayBegin(settings, everyMilliseconds: 0)
        extendLifetime(lock)
    }
}
