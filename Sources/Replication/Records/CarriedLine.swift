import JSONCodec
import MoodCore

/// The replica and the number of a record's line, which are all that a transport needs. A line that a filter has
/// encoded has no more:
///
///     {"v":1,"replica":"…","n":7,"sealed":"…","crc":"xxxxxxxx"}
public struct CarriedLine: Sendable, Equatable {
    public let replica: UUID
    public let number: Int

    /// Nil if the line is not whole, or is no record.
    public init?(_ line: UnsafeRawBufferPointer) {
        guard Seal.content(of: line) != nil else { return nil }
        var validator = JSONValidator(depthLimit: Record.depthMax)
        guard validator.accepts(line) else { return nil }
        var reader = JSONReader(ValidJSON(trusting: line))
        guard reader.enterObject() else { return nil }
        var (replica, number): (UUID?, Int?)
        while let key = reader.nextKey() {
            var value = JSONReader(reader.skip())
            if key.equals("replica") {
                replica = value.text()?.withDecoded { UUID($0) }
            } else if key.equals("n") {
                number = value.number()?.integer
            }
            // They come before all long members.
            if replica != nil, number != nil { break }
        }
        guard let replica, let number, (1...Record.numberMax).contains(number) else { return nil }
        (self.replica, self.number) = (replica, number)
    }

    /// The line of a record that a filter has encoded.
    /// - Parameter sealed: the encoded bytes as text.
    public static func sealed(_ sealed: String, of replica: UUID, number: Int) -> [UInt8] {
        var writer = JSONWriter(capacity: sealed.utf8.count + 128)
        writer.beginObject()
        writer.key("v")
        writer.integer(1)
        writer.key("replica")
        writer.string(replica.text)
        writer.key("n")
        writer.integer(number)
        writer.key("sealed")
        writer.string(sealed)
        return Seal.sealed(&writer.buffer)
    }

    /// A line of a snapshot that a filter has encoded.
    public static func sealed(_ sealed: String) -> [UInt8] {
        var writer = JSONWriter(capacity: sealed.utf8.count + 128)
        writer.beginObject()
        writer.key("v")
        writer.integer(1)
        writer.key("sealed")
        writer.string(sealed)
        return Seal.sealed(&writer.buffer)
    }

    /// The encoded text of a line; nil for a plain line.
    public static func sealed(in line: UnsafeRawBufferPointer) throws(RecordFault) -> [UInt8]? {
        guard Seal.content(of: line) != nil else { throw .broken }
        var validator = JSONValidator(depthLimit: Record.depthMax)
        guard validator.accepts(line) else { throw .unknown("it is not JSON") }
        var reader = JSONReader(ValidJSON(trusting: line))
        guard reader.enterObject() else { throw .unknown("it is no object") }
        while let key = reader.nextKey() {
            guard key.equals("sealed") else {
                reader.skip()
                continue
            }
            guard let text = reader.text() else { throw .unknown("sealed is no string") }
            return text.withDecoded { Array($0) }
        }
        return nil
    }
}

/// Lines of a text.
public enum Lines {
    /// Passes every line that has its line feed to `body`, with the offset after that, until it answers false.
    public static func forEach(in bytes: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Bool) {
        bytes.withUnsafeBytes { forEach(in: $0, body) }
    }

    static func forEach(in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int) -> Bool) {
        var start = 0
        while let feed = bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) {
            guard body(UnsafeRawBufferPointer(rebasing: bytes[start..<feed]), feed + 1) else { return }
            start = feed + 1
        }
    }
}
