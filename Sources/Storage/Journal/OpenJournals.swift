import Platform

/// The journals from the snapshot's generation up, each held open: what a compaction in another process moves away in
/// the meantime can still be read to its end.
struct OpenJournals: ~Copyable {
    struct Entry {
        let generation: Int
        let descriptor: Int32
        /// Nil where the first line is not a header whose seal holds.
        let header: JournalHeader?
        let headerEnd: Int
        /// Whether there is a header and nothing but line feeds behind it.
        let isBlank: Bool

        var name: String { StoreInventory.journalName(generation) }
    }

    let fileSystem: FileSystem
    /// In ascending order of generations.
    private(set) var entries: [Entry] = []

    init(
        _ generations: [Int], in place: borrowing StoreDirectory,
        name: (Int) -> String = StoreInventory.journalName
    ) throws(SystemError) {
        fileSystem = place.fileSystem
        for generation in generations {
            let descriptor = try place.openDescriptor(name(generation))
            entries.append(
                Entry(generation: generation, descriptor: descriptor, header: nil, headerEnd: 0, isBlank: false))
            entries[entries.count - 1] = try Self.examined(generation, descriptor, fileSystem)
        }
    }

    deinit {
        for entry in entries { fileSystem.close(entry.descriptor) }
    }

    static func examined(
        _ generation: Int, _ descriptor: Int32, _ fileSystem: FileSystem
    ) throws(SystemError) -> Entry {
        var lines = LineReader(descriptor, from: 0, in: fileSystem)
        var header: JournalHeader?
        var headerEnd = 0
        if let line = try lines.next(), line.isTerminated, !line.isOverlong {
            header = JournalHeader(line: line.bytes)
            headerEnd = line.end
        }
        if header != nil { _ = try lines.skipBlank() }
        return Entry(
            generation: generation, descriptor: descriptor, header: header, headerEnd: headerEnd,
            isBlank: header != nil && lines.hasEnded)
    }
}
