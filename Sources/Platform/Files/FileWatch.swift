import CPlatform

/// A watch on one file of a directory: a descriptor that becomes readable on writes. Linux: inotify(7); elsewhere there
/// is none, and the caller polls.
///
/// It watches the directory, because the file may not exist yet. It reports only that something happened: any number of
/// writes between two calls are one.
public struct FileWatch: ~Copyable {
    public let descriptor: Int32
    private let name: [UInt8]

    /// The changes to report. Only with `writes`, writes to files of the directory wake the reader.
    public enum Interest: Sendable {
        /// Writes to the file.
        case writes
        /// Its replacement by a rename.
        case replacement
        /// Its replacement, creation and removal.
        case presence
    }

    /// Nil if the system has no watches, no more of them, or no such directory.
    public init?(directory: String, name: String, for interest: Interest = .writes) {
        #if os(Linux)
            let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
            guard descriptor >= 0 else { return nil }
            let more: UInt32 =
                switch interest {
                case .writes: UInt32(IN_MODIFY | IN_CREATE)
                case .replacement: 0
                case .presence: UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM)
                }
            let events = Int(more) | Int(IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
            guard inotify_add_watch(descriptor, directory, UInt32(events)) >= 0 else {
                close(descriptor)
                return nil
            }
            self.descriptor = descriptor
            self.name = Array(name.utf8)
        #else
            return nil
        #endif
    }

    deinit { close(descriptor) }

    public enum News: Sendable {
        /// Something happened, but not to the file.
        case none
        /// The file was written to, replaced, created or removed.
        case written
        /// The directory has vanished or was renamed: this watch is useless.
        case lost
    }

    /// Takes the events since the last call.
    public func take() -> News {
        var news = News.none
        #if os(Linux)
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while true {
                    let count = retryingInterrupted { read(descriptor, buffer.baseAddress, buffer.count) }
                    guard count > 0 else { return }
                    let found = note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    if case .none = found { continue }
                    news = found
                    if case .lost = found { return }
                }
            }
        #endif
        return news
    }

    #if os(Linux)
        /// Parses events of 16 bytes (watch, mask, cookie, the length of the name), each with the name and zeros after
        /// it.
        private func note(_ events: UnsafeRawBufferPointer) -> News {
            var news = News.none
            var at = 0
            while at + 16 <= events.count {
                let mask = events.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                let length = Int(events.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return .lost }
                let end = min(at + 16 + length, events.count)
                let named = events[(at + 16)..<end].prefix { $0 != 0 }
                // An overflow does not tell which events are lost.
                if mask & UInt32(IN_Q_OVERFLOW) != 0 || named.elementsEqual(name) { news = .written }
                at = end
            }
            return news
        }
    #endif
}
