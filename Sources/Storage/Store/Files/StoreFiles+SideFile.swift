import JSONCodec
import Platform

/// Files of the store besides its records: small, read and replaced as a whole.
///
/// The writer writes a new file under a temporary name, syncs it, renames it over the old one, then syncs the
/// directory. A reader sees the old or the new file, also after a kill or a power cut. The next opening for writing
/// removes unfinished files, like everything that is called temporary.
///
/// A file is the text of one JSON object. Its last member is its seal, `,"crc":"xxxxxxxx"}` and a line feed. A file
/// without a seal, from an earlier version or an editor, is read as it is.
public enum SideFile: String, Sendable {
    /// Routers saved by name.
    case navigation = "navigation.json"
    /// The user's settings.
    case settings = "settings.json"
    /// Permission of plugins to run.
    case plugins = "plugins.json"
    /// Plugin settings that are never shown.
    case pluginSecrets = "plugins-secrets.json"
}

/// The content of such a file: the text of a JSON object, without the seal.
public struct SideText: Sendable, Equatable {
    public let bytes: [UInt8]
    /// Whether the checksum shows that a host wrote it; else it may be anything.
    public let isSealed: Bool
}

extension StoreFiles {
    func read(_ file: SideFile, bytesMax: Int) throws(StorageError) -> SideText? {
        try Self.read(file, in: place, bytesMax)
    }

    /// Reads a file of a store that may be impossible to open; nil if there is none.
    /// - Throws: `corrupt` if it has more than `bytesMax` bytes.
    public static func read(
        _ file: SideFile, of settings: StoreSettings, bytesMax: Int
    ) throws(StorageError) -> SideText? {
        try read(file, in: StoreDirectory(settings), bytesMax)
    }

    private static func read(
        _ file: SideFile, in place: borrowing StoreDirectory, _ bytesMax: Int
    ) throws(StorageError) -> SideText? {
        let name = file.rawValue
        var bytes = ByteBuffer(capacity: 4096)
        do throws(SystemError) {
            let opened = try place.open(name, .read)
            // One byte more than allowed reveals a file that is too large, or grows meanwhile.
            try bytes.append(upTo: min(opened.status().size, bytesMax) + 1) { (room) throws(SystemError) in
                try opened.read(room, at: 0)
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw .reading(error, name)
        }
        guard bytes.count <= bytesMax else {
            throw .corrupt(file: name, offset: bytesMax, reason: "\(name) has more than \(bytesMax) bytes.")
        }
        return try Self.unsealed(bytes, name)
    }

    /// The text without its seal, if it has one.
    private static func unsealed(_ text: borrowing ByteBuffer, _ name: String) throws(StorageError) -> SideText {
        var end = text.count
        while end > 0, [0x0A, 0x0D, 0x20, 0x09].contains(text.bytes[end - 1]) { end -= 1 }
        let start = end - Seal.byteCount
        guard start > 1 else { return SideText(bytes: Array(text.bytes), isSealed: false) }
        let seal = UnsafeRawBufferPointer(rebasing: text.bytes[start..<end])
        let content = UnsafeRawBufferPointer(rebasing: text.bytes[..<start])
        // Bytes that differ from a seal in one place were a seal.
        guard Seal.likeness(of: seal) >= Seal.byteCount - 1, content.last == UInt8(ascii: ",") else {
            return SideText(bytes: Array(text.bytes), isSealed: false)
        }
        guard Seal.matches(seal, CRC32C.checksum(content)) else {
            throw .corrupt(
                file: name, offset: start,
                reason:
                    "\(name) is not as it was written: its checksum, crc, is wrong. If you have edited it, take that member"
                    + " out; else put back a copy, or move it away to begin with nothing saved. The moods are not affected."
            )
        }
        var bytes = Array(content)
        bytes[bytes.count - 1] = UInt8(ascii: "}")
        bytes.append(UInt8(ascii: "\n"))
        return SideText(bytes: bytes, isSealed: true)
    }

    private static func sealed(_ text: UnsafeRawBufferPointer) -> ByteBuffer {
        var buffer = ByteBuffer(capacity: text.count + Seal.byteCount + 2)
        let end = text.lastIndex(of: UInt8(ascii: "}")) ?? text.count
        buffer.append(UnsafeRawBufferPointer(rebasing: text[..<end]))
        buffer.append(UInt8(ascii: ","))
        buffer.appendSeal(from: 0)
        buffer.append(UInt8(ascii: "\n"))
        return buffer
    }

    /// Replaces a file. The caller holds the store's lock.
    /// - Parameter bytes: the text of a JSON object with members.
    /// - Throws: `readOnly` or `full`: the old file is there, whole. `outcomeUnknown`: the old or the new one is.
    func replace(_ file: SideFile, with bytes: UnsafeRawBufferPointer) throws(StorageError) {
        if let refusal { throw refusal }
        try Self.replace(file, with: bytes, in: place, settings)
    }

    /// Writes a file into the directory of a new store, which no other process has open yet.
    public static func add(
        _ file: SideFile, _ bytes: [UInt8], toStoreIn directory: String, _ settings: StoreSettings
    ) throws(StorageError) {
        let bytes = ByteBuffer(copying: bytes)
        var settings = settings
        settings.directory = directory
        settings.isReadOnly = false
        try replace(file, with: bytes.bytes, in: StoreDirectory(settings), settings)
    }

    private static func replace(
        _ file: SideFile, with bytes: UnsafeRawBufferPointer, in place: borrowing StoreDirectory,
        _ settings: StoreSettings
    ) throws(StorageError) {
        let text = sealed(bytes)
        var isRenamed = false
        do throws(SystemError) {
            var draft = try place.draft(settings)
            try draft.file.write(text.bytes, at: 0)
            try draft.file.sync()
            try place.place(&draft, as: file.rawValue)
            isRenamed = true
            try place.sync()
        } catch {
            if isRenamed {
                throw .outcomeUnknown(reason: "\(file.rawValue) was written, but not for certain: \(error).")
            }
            throw .writing(error, file.rawValue)
        }
    }
}

extension RecordStore {
    /// Reads a file of the store; nil if there is none, and in memory.
    public func read(_ file: SideFile, bytesMax: Int) throws(StorageError) -> SideText? {
        try requireOpen()
        return try files?.read(file, bytesMax: bytesMax)
    }

    /// Replaces a file of the store, which must be locked, or is made. Does nothing in memory.
    public mutating func replace(_ file: SideFile, with bytes: UnsafeRawBufferPointer) throws(StorageError) {
        try requireOpen()
        guard try beBorn() else { throw .bornElsewhere }
        try files?.replace(file, with: bytes)
    }
}
