import MoodStore
import Platform
import Storage

/// A round that a separate process begins later, because one began a moment ago.
extension StoreSync {
    /// Notes that a process shall wait and begin a round once it may.
    /// - Returns: false if one waits already: its round also sends later changes.
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

    /// Waits for the noted time, unless another process does.
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
