import JSONCodec
import MoodCore
import Storage

/// The changes of a commit in an event: `changes`, and for more than fit also `truncated` and `count`.
struct EventChanges: ~Copyable {
    /// The most changes in an event.
    static let changesMax = 100
    /// The number of bytes after which changes come without their moods.
    private static let moodBytesMax = 256 * 1024

    /// The bytes around the changes in an event.
    private static let bytesAround = 256
    /// The bytes of a change without its mood.
    private static let changeBytes = 96

    private let bytesMax: Int
    private var writer = JSONWriter(capacity: 512)
    private var count = 0
    private var moodBytes = 0

    /// - Parameter bytesMax: the most bytes of the event.
    init(bytesMax: Int) {
        self.bytesMax = bytesMax - Self.bytesAround
        writer.key("changes")
        writer.beginArray()
    }

    /// - Parameter record: the mood after the commit; nil if it was deleted.
    mutating func add(_ kind: UndoneCommit.Kind, _ id: MoodID, _ record: UnsafeRawBufferPointer?) {
        let room = bytesMax - writer.count - Self.changeBytes
        guard count < Self.changesMax, room >= 0 else { return }
        count += 1
        writer.beginObject()
        writer.member("type", kind.rawValue)
        writer.member("id", id.text)
        if let record, record.count <= room, moodBytes + record.count <= Self.moodBytesMax {
            moodBytes += record.count
            writer.member("mood", raw: record)
        }
        writer.endObject()
    }

    /// Ends the changes.
    /// - Parameter total: the number of changes of the commit.
    mutating func finish(total: Int) {
        writer.endArray()
        guard total > count else { return }
        writer.member("truncated", true)
        writer.member("count", total)
    }

    /// Writes the members, after `finish`.
    func write(to out: inout JSONWriter) { out.raw(writer.buffer.bytes) }
}
