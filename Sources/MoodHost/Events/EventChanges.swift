import JSONCodec
import MoodCore
import Storage

/// What a commit did, as a client is told of it: `changes`, and where there are more than that `truncated` and `count`.
struct EventChanges: ~Copyable {
    /// How many changes an event names.
    static let changesMax = 100
    /// After so many bytes changes come without their moods.
    private static let moodBytesMax = 256 * 1024

    /// What stands around the changes in an event.
    private static let bytesAround = 256
    /// A change without its mood.
    private static let changeBytes = 96

    private let bytesMax: Int
    private var writer = JSONWriter(capacity: 512)
    private var count = 0
    private var moodBytes = 0

    /// - Parameter bytesMax: of the event.
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
        writer.key("type")
        writer.string(kind.rawValue)
        writer.key("id")
        writer.string(id.text)
        if let record, record.count <= room, moodBytes + record.count <= Self.moodBytesMax {
            moodBytes += record.count
            writer.key("mood")
            writer.raw(record)
        }
        writer.endObject()
    }

    /// Ends what is told.
    /// - Parameter total: how many changes the commit made.
    mutating func finish(total: Int) {
        writer.endArray()
        guard total > count else { return }
        writer.key("truncated")
        writer.boolean(true)
        writer.key("count")
        writer.integer(total)
    }

    /// The members, once it is finished.
    func write(to out: inout JSONWriter) { out.raw(writer.buffer.bytes) }
}
