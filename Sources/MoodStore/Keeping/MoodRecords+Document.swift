import JSONCodec
import MoodCore
import Storage

/// The members of the store's document besides moods.
extension MoodRecords {
    /// The damage that hides acknowledged data; nil if none is known.
    public var damage: StoreDamage? { records.damage }

    /// Names of the store's own members.
    private static let ownNames = [
        "format", "schemaVersion", "storeId", "generation", "revision", "count", "operations", "moods", "crc",
    ]

    /// Members of the document that this version does not know, from their stored bytes.
    static func document(_ bytes: [UInt8]) -> [JSONValue.Member] {
        members(bytes).filter { !ownNames.contains($0.name) }
    }

    /// - Parameter bytes: each member as `,"name":value`.
    private static func members(_ bytes: [UInt8]) -> [JSONValue.Member] {
        guard !bytes.isEmpty else { return [] }
        return (try? JSONValue.parse([UInt8(ascii: "{")] + bytes.dropFirst() + [UInt8(ascii: "}")]))?.object ?? []
    }

    /// Adds missing members to the document in a new generation. Existing ones stay, unless `replaces`. Makes the store
    /// if there is none.
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
