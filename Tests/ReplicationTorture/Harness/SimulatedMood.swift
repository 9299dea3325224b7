import JSONCodec
import MoodCore
import Replication

/// A mood of the simulation: few members, so that many changes meet.
typealias SimulatedMood = [String: String]

enum SimulatedMoods {
    static let members = ["label", "notes", "emoji", "tags+sea", "tags+work"]

    static func id(_ number: Int) -> UUID {
        UUID(high: 0x0000_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    static func replica(_ number: Int) -> UUID {
        UUID(high: 0x0000_0000_0000_4000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    static func isTag(_ member: String) -> Bool { member.utf8.starts(with: "tags+".utf8) }

    /// - Parameter seconds: the time of its last change, by its replica's clock.
    static func document(_ id: UUID, _ mood: SimulatedMood, seconds: Int) -> MoodDocument? {
        let at = time(seconds).text
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.key("id")
        writer.string(id.text)
        for member in ["emoji", "label"] {
            writer.key(text: member)
            writer.string(mood[member] ?? "")
        }
        writer.key("timestamp")
        writer.string(time(0).text)
        writer.key("isFavorite")
        writer.boolean(false)
        writer.key("notes")
        writer.string(mood["notes"] ?? "")
        writer.key("tags")
        writer.beginArray()
        for tag in ["work", "sea"] where mood["tags+" + tag] != nil { writer.string(tag) }
        writer.endArray()
        writer.key("attachments")
        writer.beginArray()
        writer.endArray()
        writer.key("createdAt")
        writer.string(time(0).text)
        writer.key("updatedAt")
        writer.string(at)
        writer.endObject()
        return MoodDocument(ValidJSON(trusting: writer.buffer.bytes))
    }

    static func mood(_ document: MoodDocument) -> SimulatedMood {
        var mood: SimulatedMood = [:]
        for (member, value) in document.members {
            let name = member.text
            if members.contains(name) { mood[name] = text(value) }
        }
        return mood
    }

    /// A value in the form of the simulation.
    static func text(_ value: [UInt8]) -> String {
        value.first == UInt8(ascii: "\"")
            ? String(decoding: value.dropFirst().dropLast(), as: UTF8.self) : String(decoding: value, as: UTF8.self)
    }

    static func time(_ seconds: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(1_000_000_000 + seconds) * 1000) ?? .minimum
    }
}
