import JSONCodec
import MoodCore
import MoodStore

/// Prefetches the moods that the next requests name.
///
/// A mood among a hundred thousand is rarely in the processor's cache, so finding it takes a few waits for memory, one
/// after the other. The waits of a dozen requests at once take hardly longer than those of one. This is only a hint: a
/// wrong guess of an id does no harm.
struct Lookahead: ~Copyable {
    /// The number of lines whose memory can be fetched at once.
    private static let window = 12
    /// The number of moods up to which the caches hold them all.
    private static let moodsMin = 2_000

    private let ids: UnsafeMutablePointer<MoodID>
    /// Requests until the next prefetch.
    private var left = 0

    init() { ids = .allocate(capacity: Self.window) }

    deinit { ids.deallocate() }

    /// Resets the prefetch after the waiting input has changed.
    mutating func forget() { left = 0 }

    /// Prefetches when due. Called before each request with the bytes that follow the one before it.
    @inline(__always)
    mutating func step(_ waiting: UnsafeRawBufferPointer, _ store: inout MoodRecords) {
        left -= 1
        if left < 0 { look(waiting, &store) }
    }

    @inline(never)
    private mutating func look(_ waiting: UnsafeRawBufferPointer, _ store: inout MoodRecords) {
        left = Self.window - 1
        // A client that waits for each answer has sent nothing after the present request.
        guard let next = waiting.firstOffset(of: UInt8(ascii: "\n"), from: 0), next + 1 < waiting.count,
            store.hasAtLeast(Self.moodsMin)
        else { return }
        var count = 0
        var lines = 0
        var start = 0
        while lines < Self.window, let end = waiting.firstOffset(of: UInt8(ascii: "\n"), from: start) {
            if let id = Self.id(UnsafeRawBufferPointer(rebasing: waiting[start..<end])) {
                (ids + count).initialize(to: id)
                count += 1
            }
            lines += 1
            start = end + 1
        }
        if count > 1 { store.bringNear(UnsafeBufferPointer(start: ids, count: count)) }
    }

    /// The id with which the params of a plain request begin.
    @inline(__always)
    private static func id(_ line: UnsafeRawBufferPointer) -> MoodID? {
        let name = "\"id\":\"" as StaticString
        guard let brace = line.firstOffset(of: UInt8(ascii: "{"), from: 1) else { return nil }
        let start = brace + 1 + name.utf8CodeUnitCount
        let end = start + MoodID.textLength
        guard end <= line.count,
            JSONText(raw: UnsafeRawBufferPointer(rebasing: line[brace + 1..<start]), isEscaped: false).equals(name)
        else { return nil }
        return MoodID(UnsafeRawBufferPointer(rebasing: line[start..<end]))
    }
}
