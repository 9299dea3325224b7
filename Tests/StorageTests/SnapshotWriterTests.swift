import JSONCodec
import Platform
import Synchronization
import Testing

@testable import Storage

/// The offsets of the writes; `IndexBuilderTests` and the tests of generations check the content.
@Suite struct SnapshotWriterTests {
    private final class Writes: Sendable {
        let all = Mutex([Range<Int>]())

        var fileSystem: FileSystem {
            var files = FileSystem.system
            files.write = { [self] descriptor, bytes, offset throws(SystemError) in
                all.withLock { $0.append(offset..<offset + bytes.count) }
                return try FileSystem.system.write(descriptor, bytes, offset)
            }
            return files
        }
    }

    private func write(_ records: [String], _ files: FileSystem) throws -> [UInt8] {
        let directory = TestDirectory()
        _ = try StoreDirectory.make(settings(directory))
        let draft = try DraftFile(directory.path("moods.json"), in: files)
        var writer = SnapshotWriter(draft, IndexedSnapshot.header(records.count))
        for record in records { withBytes(record) { _ = writer.append($0) } }
        let size = try writer.finish()
        let bytes = directory.read("moods.json")
        #expect(bytes.count == size && writer.offset == size)
        return bytes
    }

    /// Records of many lengths, some longer than a piece.
    @Test(arguments: [[100], [370, 70_000], [1_000_000, 17], [3_000_000], [2_097_152, 4_190_000, 5]])
    func writesWholePieces(lengths: [Int]) throws {
        let piece = FileSystem.pieceBytes
        var records: [String] = []
        var bytes = 0
        while bytes < 3 * piece {
            let length = lengths[records.count % lengths.count]
            records.append("{\"\(String(repeating: "x", count: length))\":0}")
            bytes += length
        }
        let writes = Writes()
        let written = try write(records, writes.fileSystem)
        #expect(written == IndexedSnapshot.bytes(of: records, count: records.count))
        let ranges = writes.all.withLock { $0 }
        #expect(ranges.count >= 2 && ranges.last?.upperBound == written.count)
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            #expect(range.upperBound == next.lowerBound && range.upperBound % piece == 0)
        }
    }

    @Test func writesLittleAtOnce() throws {
        let writes = Writes()
        let written = try write(["{}", "{}"], writes.fileSystem)
        #expect(writes.all.withLock { $0 } == [0..<written.count])
    }

    @Test func tellsTheFirstFailureAtTheEnd() throws {
        let directory = TestDirectory()
        _ = try StoreDirectory.make(settings(directory))
        let files = FaultyFiles()
        let draft = try DraftFile(directory.path("moods.json"), in: files.fileSystem)
        files.set(.namedOnce("pwrite", 2, ENOSPC))
        var writer = SnapshotWriter(draft, IndexedSnapshot.header(9))
        let record = String(repeating: "x", count: 1 << 20)
        for _ in 0..<9 { withBytes(record) { _ = writer.append($0) } }
        #expect(files.trace.filter { $0.hasPrefix("pwrite") }.count == 2)
        var code: Int32 = 0
        do { _ = try writer.finish() } catch { code = error.code }
        #expect(code == ENOSPC)
        #expect(!files.trace.contains { $0.hasPrefix("fsync") })
    }
}
