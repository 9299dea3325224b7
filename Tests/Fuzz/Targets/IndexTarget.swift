import JSONCodec
import Platform
import Storage

/// Properties for any bytes as a snapshot's index, and for any bytes as a snapshot to index.
///
/// 1. An index is refused, or each of its answers equals the snapshot's, or it reports its damage; it never takes its
///    own fault for the snapshot's.
/// 2. With corrected checksums nothing is read outside the files and everything ends; each answer is still a record of
///    the snapshot, and the requested one.
/// 3. A snapshot is refused, or its index has every record of a plain reading of its lines, in each order.
///
/// The input's first byte chooses: 0 to 127 the index (the rest are changes of a good one: place, two bytes, and
/// value), odd with corrected checksums; 128 and more the snapshot, odd with a corrected closing line.
public struct IndexTarget: ~Copyable {
    private let snapshot: [UInt8]
    private let index: [UInt8]
    private let lines: [PlainRecord]

    public init() {
        snapshot = PlainSnapshot.bytes(of: PlainSnapshot.records, count: PlainSnapshot.records.count)
        lines = PlainSnapshot.read(snapshot) ?? []
        index = Self.build(snapshot) ?? []
    }

    public mutating func check(_ input: [UInt8]) throws(Violation) {
        guard let first = input.first else { return }
        try require(lines.count == PlainSnapshot.records.count && !index.isEmpty, "the fixed snapshot has no index")
        if first < 128 {
            try checkIndex(input.dropFirst(), isSealed: first % 2 == 1)
        } else {
            try Self.checkSnapshot(Array(input.dropFirst()), isSealed: first % 2 == 1)
        }
    }

    // MARK: - Any bytes as an index

    private func checkIndex(_ changes: ArraySlice<UInt8>, isSealed: Bool) throws(Violation) {
        var bytes = index
        var at = changes.startIndex
        while changes.endIndex - at >= 3 {
            let place = (Int(changes[at]) << 8 | Int(changes[at + 1])) % (bytes.count + 1)
            if place < bytes.count { bytes[place] ^= changes[at + 2] } else { bytes.removeLast(bytes.count / 2) }
            if bytes.isEmpty { break }
            at += 3
        }
        // The rest makes the file longer.
        bytes += changes[at...]
        if isSealed { Self.seal(&bytes) }
        guard var index = Self.open(bytes, snapshot) else { return }
        var buffer = ByteBuffer()
        for line in lines + PlainSnapshot.absent {
            try answer(isSealed) { () throws(IndexFault) in
                guard let place = try index.record(line.id, into: &buffer) else { return isSealed || line.offset < 0 }
                return place.offset == line.offset && buffer.bytes.elementsEqual(line.bytes)
            }
            try answer(isSealed) { () throws(IndexFault) in
                guard let place = try index.row(of: line.id)?.place else { return isSealed || line.offset < 0 }
                return isSealed || place.offset == line.offset
            }
        }
        try walk(&index, &buffer, isSealed)
    }

    private func walk(
        _ index: inout SnapshotIndex, _ buffer: inout ByteBuffer, _ isSealed: Bool
    ) throws(Violation) {
        for order: IndexOrder in [.time, .updated, .text, .marked] {
            let expected = PlainRecord.sorted(lines, order)
            for position in 0..<min(index.count(order), 64) {
                try answer(isSealed) { () throws(IndexFault) in
                    let row = try index.row(try index.number(order, at: position))
                    try index.record(row, into: &buffer)
                    let known = lines.first { $0.id == row.head.id }
                    guard let known, buffer.bytes.elementsEqual(known.bytes) else { return false }
                    return isSealed || (position < expected.count && expected[position].id == known.id)
                }
            }
            for line in lines {
                let place = line.position(order)
                let right = expected.count { $0.precedes(line, order) }
                try answer(isSealed) { () throws(IndexFault) in
                    let found = try index.firstPosition(order, after: place, inclusive: true)
                    return isSealed || found == right
                }
            }
        }
    }

    /// Checks that an answer is right, or the index damaged. Only an index with corrected checksums can name places in
    /// the snapshot with another record.
    private func answer(_ isSealed: Bool, _ isRight: () throws(IndexFault) -> Bool) throws(Violation) {
        do {
            try require(try isRight(), "a wrong answer")
        } catch let fault as IndexFault {
            if case .snapshot(let error) = fault, !isSealed { throw Violation("the snapshot is blamed: \(error)") }
        } catch let violation as Violation {
            throw violation
        } catch {
            throw Violation("\(error)")
        }
    }

    /// Corrects every checksum: of the header, and of each row, bucket and page of a good index.
    private static func seal(_ bytes: inout [UInt8]) {
        guard bytes.count >= 4096 else { return }
        let key = CRC32C.checksum(of: bytes[16..<32])
        func seal(_ unit: Range<Int>, seed: UInt32) {
            let sum = CRC32C.checksum(of: bytes[unit.lowerBound..<unit.upperBound - 4], seed: seed)
            for byte in 0..<4 { bytes[unit.upperBound - 4 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(byte * 8)) }
        }
        seal(0..<4096, seed: 0)
        for (section, width) in [64, 512, 4096, 4096, 4096].enumerated() {
            let place = 176 + section * 16
            let start = number(bytes, place)
            let end = start &+ number(bytes, place + 8)
            var at = start
            while at >= 4096, at < end, end <= bytes.count, at + width <= bytes.count {
                let offset = (0..<8).map { UInt8(truncatingIfNeeded: at >> ($0 * 8)) }
                seal(at..<at + width, seed: CRC32C.checksum(of: offset[...], seed: key))
                at += width
            }
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        (0..<8).reduce(0) { $0 | Int(bytes[at + $1]) << ($1 * 8) }
    }

    // MARK: - Any bytes as a snapshot

    private static func checkSnapshot(_ input: [UInt8], isSealed: Bool) throws(Violation) {
        let bytes = isSealed ? PlainSnapshot.sealed(input) : input
        guard let image = build(bytes) else { return }
        guard let lines = PlainSnapshot.read(bytes) else { throw Violation("indexed, but it is no snapshot") }
        guard var index = open(image, bytes) else { throw Violation("its own index is refused") }
        try require(index.count == lines.count, "\(index.count) records instead of \(lines.count)")
        var buffer = ByteBuffer()
        for order: IndexOrder in [.time, .updated, .text, .marked] {
            let expected = PlainRecord.sorted(lines, order)
            try require(index.count(order) == expected.count, "another number of positions")
            for (position, line) in expected.enumerated() {
                let fault: Violation? = {
                    do throws(IndexFault) {
                        let row = try index.row(try index.number(order, at: position))
                        try index.record(row, into: &buffer)
                        let isSame = row.head.id == line.id && buffer.bytes.elementsEqual(line.bytes)
                        let found = try index.row(of: line.id)?.place.offset == line.offset
                        return isSame && found ? nil : Violation("another record at \(position)")
                    } catch {
                        return Violation("a fresh index fails: \(error)")
                    }
                }()
                if let fault { throw fault }
            }
        }
    }

    // MARK: - Files that are memory

    private static let names: (snapshot: Int32, index: Int32) = (100, 101)

    private static func files(_ snapshot: [UInt8], _ index: [UInt8]) -> FileSystem {
        var files = FileSystem.system
        files.close = { _ in }
        files.read = { descriptor, into, offset throws(SystemError) in
            let bytes = descriptor == names.snapshot ? snapshot : index
            guard offset >= 0 else { throw SystemError(call: "pread", code: EINVAL) }
            guard offset < bytes.count else { return 0 }
            let part = bytes[offset..<min(offset + into.count, bytes.count)]
            part.withUnsafeBytes { into.copyMemory(from: $0) }
            return part.count
        }
        files.status = { descriptor throws(SystemError) in
            let bytes = descriptor == names.snapshot ? snapshot : index
            return FileStatus(
                kind: .regular, size: bytes.count, device: 1, inode: 7, owner: 0, permissions: 0o600, links: 1,
                modified: 9)
        }
        return files
    }

    private static func build(_ snapshot: [UInt8]) -> [UInt8]? {
        let files = files(snapshot, [])
        let file = File(descriptor: names.snapshot, path: "moods.json", in: files)
        do throws(IndexBuildFault) {
            let image = try SnapshotIndexBuilder.build(
                of: file, schemaVersion: 3, in: files, .plain, key: IndexKey(1, 2))
            return image.bytes.map { Array($0) }
        } catch {
            return nil
        }
    }

    private static func open(_ index: [UInt8], _ snapshot: [UInt8]) -> SnapshotIndex? {
        let files = files(snapshot, index)
        let file = File(descriptor: names.snapshot, path: "moods.json", in: files)
        let line = snapshot.prefix { $0 != UInt8(ascii: "\n") }
        guard let header = line.withUnsafeBytes({ SnapshotHeader(line: $0) }),
            let identity = try? SnapshotIdentity(of: file, header),
            let image = IndexImage(File(descriptor: names.index, path: "index-1.v5", in: files), of: identity)
        else { return nil }
        return SnapshotIndex(image, of: file, .plain)
    }
}

extension CRC32C {
    fileprivate static func checksum(of bytes: ArraySlice<UInt8>, seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, seed: seed) }
    }
}
