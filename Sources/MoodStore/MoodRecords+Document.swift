import JSONCodec
import MoodCore
import Storage

/// The document that holds the moods: what it is besides them.
extension MoodRecords {
    /// The damage because of which less is shown than was acknowledged; nil where none is known.
    public var damage: StoreDamage? { records.damage }

    /// Names of the document that are the store's own.
    private static let ownNames = [
        "format", "schemaVersion", "storeId", "generation", "revision", "count", "operations", "moods", "crc",
    ]

    /// Members of the document that this version does not know, read from the bytes that a store keeps of them.
    static func document(_ bytes: [UInt8]) -> [JSONValue.Member] {
        members(bytes).filter { !ownNames.contains($0.name) }
    }

    /// - Parameter bytes: each member as `,"name":value`.
    private static func members(_ bytes: [UInt8]) -> [JSONValue.Member] {
        guard !bytes.isEmpty else { return [] }
        return (try? JSONValue.parse([UInt8(ascii: "{")] + bytes.dropFirst() + [UInt8(ascii: "}")]))?.object ?? []
    }

    /// Gives the document members that it lacks, by a new generation; those that it has stay, unless `replaces`. Where there is
    /// no store yet it is made.
    public mutating func adopt(document given: [JSONValue.Member], replaces: Bool) throws(MoodStoreError) {
        guard !given.isEmpty, case .directory = location else { return }
        do throws(StorageError) { try flushEarly() } catch { throw .storage(error) }
        try openForWriting()
        var members = Self.members(records.documentMembers)
        var isChanged = false
        for member in given where !Self.ownNames.contains(member.name) {
            let place = members.firstIndex { $0.name.utf8.elementsEqual(member.name.utf8) }
            guard let place else {
                members.append(member)
                isChanged = true
                continue
            }
            guard replaces, members[place].value.text != member.value.text else { continue }
            members[place] = member
            isChanged = true
        }
        guard isChanged else { return }
        let text = JSONValue.object(members).text.utf8.dropFirst().dropLast()
        do throws(StorageError) {
            try records.setDocumentMembers([UInt8(ascii: ",")] + text)
        } catch {
            throw .storage(error)
        }
    }
}
