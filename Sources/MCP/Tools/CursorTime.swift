import JSONCodec
import MoodCore

/// A time at the end of a list's cursor: `CURSOR~1772323200000`.
///
/// A cursor belongs to the conditions of its list, so words that mean another time at each call would make it useless.
public struct CursorTime: Sendable {
    public let time: Timestamp

    public init(_ time: Timestamp) { self.time = time }

    /// The parts of a cursor; nil for a cursor without a time.
    public static func parts(of cursor: String) -> (cursor: String, time: CursorTime)? {
        guard let mark = cursor.lastIndex(of: "~"), let milliseconds = Int64(cursor[cursor.index(after: mark)...]),
            let time = Timestamp(milliseconds: milliseconds)
        else { return nil }
        return (String(cursor[..<mark]), CursorTime(time))
    }

    /// Writes the inside of a string.
    func write(to writer: inout JSONWriter) {
        writer.put("~")
        writer.buffer.append(integer: Int(time.milliseconds))
    }

    /// Adds it to the string that was written last.
    func write(toCursorIn writer: inout JSONWriter) {
        writer.buffer.truncate(to: writer.count - 1)
        write(to: &writer)
        writer.put("\"")
    }
}
