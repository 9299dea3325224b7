import JSONCodec
import MoodStore
import Storage

/// A store that shows less than it acknowledged reports this in every answer that shows moods.
extension StoreDamage {
    /// The damage as a member of `store.info`.
    var value: JSONValue {
        var members: [JSONValue.Member] = [.init("file", .string(file))]
        if let offset { members.append(.init("offset", .number(String(offset)))) }
        members.append(.init("shown", .number(String(shown))))
        if let durable { members.append(.init("durable", .number(String(durable)))) }
        return .object(members)
    }
}

extension Core {
    /// Adds the damage of the store to the result of an AI client's request, which begins at `mark`: a line of
    /// `content` if the result has some, and a member of `_meta`.
    func writeDamage(in out: inout JSONWriter, from mark: Int) {
        guard let damage = store.damage else { return }
        let result = JSONValue(ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: out.buffer.bytes[mark...])))
        guard let members = result.object else { return }
        let told = members.map { member -> JSONValue.Member in
            switch (member.name, member.value) {
            case ("content", .array(let content)):
                let line = "The store is not whole. \(damage.summary)"
                return .init("content", .array(content + [["type": "text", "text": .string(line)]]))
            case ("_meta", .object(let meta)):
                return .init("_meta", .object(meta + [.init("moodboard/damaged", damage.value)]))
            default: return member
            }
        }
        out.rewind(to: mark)
        JSONValue.object(told).write(to: &out)
    }
}
