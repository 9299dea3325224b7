import JSONCodec
import MoodCore

/// A whole mood as replicas exchange it: a JSON object in canonical form, with its tags in code point order. It has no
/// revision, because that belongs to each store.
///
/// A replaced mood keeps only members that other values still need; it is not whole.
public struct MoodDocument: Sendable {
    /// The JSON object.
    public let bytes: [UInt8]
    /// The offset for a revision, in a whole mood.
    private let revisionPlace: Int

    /// Reads a stored mood, or one from a peer.
    /// - Returns: nil if a required member is missing, or one has the wrong kind.
    public init?(_ mood: ValidJSON) {
        var text = JSONWriter(capacity: mood.bytes.count + 32)
        text.beginObject()
        var reader = JSONReader(mood)
        guard reader.enterObject() else { return nil }
        while let name = reader.nextKey() {
            let value = reader.skip()
            if name.equals("revision") { continue }
            text.string(name)
            text.buffer.append(UInt8(ascii: ":"))
            if name.equals("tags") { Self.writeSorted(value, to: &text) } else { text.raw(value.bytes) }
        }
        text.key("revision")
        text.integer(0)
        text.endObject()
        var canonical = JSONWriter(capacity: text.count + 64)
        guard let members = MoodMembers(checking: ValidJSON(trusting: text.buffer.bytes)) else { return nil }
        members.write(to: &canonical)
        self.init(canonical: canonical.buffer.bytes)
    }

    private init?(canonical mood: UnsafeRawBufferPointer) {
        var reader = JSONReader(ValidJSON(trusting: mood))
        guard reader.enterObject() else { return nil }
        while let name = reader.nextKey() {
            if name.equals("revision") {
                let start = reader.valueStart - ",\"revision\":".utf8.count
                _ = reader.skip()
                bytes = Array(mood[..<start]) + Array(mood[reader.at...])
                revisionPlace = start
                return
            }
            reader.skip()
        }
        return nil
    }

    /// Some members of a replaced mood.
    init(partial members: ValidJSON) {
        bytes = Array(members.bytes)
        revisionPlace = 0
    }

    /// Writes the mood as a store keeps it.
    public func write(revision: Int, to writer: inout JSONWriter) {
        bytes.withUnsafeBytes { bytes in
            writer.raw(UnsafeRawBufferPointer(rebasing: bytes[..<revisionPlace]))
            writer.buffer.append(",\"revision\":" as StaticString)
            writer.buffer.append(integer: revision)
            writer.buffer.append(UnsafeRawBufferPointer(rebasing: bytes[revisionPlace...]))
        }
    }

    // MARK: Members

    public var id: UUID? { withMember("id") { $0.text()?.withDecoded { UUID($0) } } }
    var createdAt: Timestamp? { time("createdAt") }
    public var updatedAt: Timestamp? { time("updatedAt") }

    private func time(_ name: StaticString) -> Timestamp? {
        withMember(name) { reader in reader.text()?.withDecoded { Timestamp(rfc3339: $0) } }
    }

    private func withMember<Value>(_ wanted: StaticString, _ body: (inout JSONReader) -> Value?) -> Value? {
        bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(ValidJSON(trusting: bytes))
            guard reader.enterObject() else { return nil }
            while let name = reader.nextKey() {
                if name.equals(wanted) { return body(&reader) }
                reader.skip()
            }
            return nil
        }
    }

    /// All members with their values, in their order, except those that are never in conflict: id and the times of
    /// creation and update.
    public var members: [(member: Member, value: [UInt8])] {
        var all: [(Member, [UInt8])] = []
        all.reserveCapacity(12)
        forEachMember { prefix, name, value in all.append((name.withDecoded { Member(prefix, $0) }, Array(value))) }
        return all
    }

    /// The value of a member; nil if it has none.
    public func value(of wanted: Member) -> [UInt8]? {
        var found: [UInt8]?
        forEachMember { prefix, name, value in
            if found == nil, name.withDecoded({ wanted.isMade(of: prefix, $0) }) { found = Array(value) }
        }
        return found
    }

    /// Passes the prefix of each member's name, the rest of it, and its value.
    private func forEachMember(_ body: ([UInt8], JSONText, UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(ValidJSON(trusting: bytes))
            guard reader.enterObject() else { return }
            while let name = reader.nextKey() {
                if name.equals("tags"), reader.enterArray() {
                    while reader.nextElement() {
                        guard let tag = reader.text() else {
                            reader.skip()
                            continue
                        }
                        Self.there.withUnsafeBytes { body(Member.tagAdded, tag, $0) }
                    }
                } else if name.equals("scales"), reader.enterObject() {
                    while let scale = reader.nextKey() {
                        let value = reader.skip()
                        body(Member.scale, scale, value.bytes)
                    }
                } else {
                    let value = reader.skip()
                    if name.equals("id") || name.equals("createdAt") || name.equals("updatedAt") { continue }
                    body([], name, value.bytes)
                }
            }
        }
    }

    /// The value of a present tag.
    static let there = Array("true".utf8)

    // MARK: From members

    /// A mood with these members.
    /// - Returns: nil if they make no mood.
    init?(
        id: UUID, createdAt: Timestamp, updatedAt: Timestamp, _ members: [(member: Member, value: [UInt8])]
    ) {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.key("id")
        writer.string(id.text)
        Self.write(members, to: &writer, always: true)
        writer.key("createdAt")
        writer.string(createdAt.text)
        writer.key("updatedAt")
        writer.string(updatedAt.text)
        writer.endObject()
        self.init(ValidJSON(trusting: writer.buffer.bytes))
    }

    /// Writes the members of an object without its braces.
    static func write(
        _ members: [(member: Member, value: [UInt8])], to writer: inout JSONWriter, always: Bool = false
    ) {
        for (member, value) in members where !member.isTag && !member.isScale {
            member.name.withUnsafeBytes { writer.string(utf8: $0) }
            writer.buffer.append(UInt8(ascii: ":"))
            value.withUnsafeBytes { writer.raw($0) }
        }
        let tags = members.filter { $0.member.isTag }.sorted { $0.member < $1.member }
        if always || !tags.isEmpty {
            writer.key("tags")
            writer.beginArray()
            for tag in tags { Array(tag.member.key).withUnsafeBytes { writer.string(utf8: $0) } }
            writer.endArray()
        }
        let scales = members.filter { $0.member.isScale }
        if !scales.isEmpty {
            writer.key("scales")
            writer.beginObject()
            for (member, value) in scales {
                Array(member.key).withUnsafeBytes { writer.string(utf8: $0) }
                writer.buffer.append(UInt8(ascii: ":"))
                value.withUnsafeBytes { writer.raw($0) }
            }
            writer.endObject()
        }
    }

    private static func writeSorted(_ tags: ValidJSON, to writer: inout JSONWriter) {
        var texts: [[UInt8]] = []
        var reader = JSONReader(tags)
        guard reader.enterArray() else { return writer.raw(tags.bytes) }
        while reader.nextElement() {
            guard let text = reader.text() else { return writer.raw(tags.bytes) }
            texts.append(text.withDecoded { Array(TextRule.trimmed($0)) })
        }
        texts.sort { $0.lexicographicallyPrecedes($1) }
        writer.beginArray()
        for text in texts { text.withUnsafeBytes { writer.string(utf8: $0) } }
        writer.endArray()
    }
}
