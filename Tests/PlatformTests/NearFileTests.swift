import Testing

@testable import Platform

#if os(Linux)
    /// Hints change nothing that can be asked for, so what is looked at is that nothing goes wrong, and what is mapped.
    @Suite struct NearFileTests {
        private let path = "/tmp/near-\(getpid())-\(UInt64.random(in: 0 ... .max))"

        private struct NoMapping: Error {}

        private func file(of byteCount: Int, in fileSystem: FileSystem = .system) throws -> File {
            let file = try File(path, .create, in: fileSystem)
            try [UInt8](repeating: 7, count: byteCount).withUnsafeBytes { try file.write($0, at: 0) }
            return file
        }

        /// How many bytes of a mapping of the file are there for the processor to find.
        private func connectedBytes() throws -> Int {
            let maps = try File("/proc/self/smaps", .read, in: .system)
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = try part.withUnsafeMutableBytes { try maps.read($0, at: text.count) }
                if count == 0 { break }
                text += part[..<count]
            }
            var isOurs = false
            for line in text.split(separator: UInt8(ascii: "\n")) {
                let line = String(decoding: line, as: UTF8.self)
                if line.hasSuffix(path) { isOurs = true }
                if isOurs, line.hasPrefix("Rss:") { return (Int(line.split(separator: " ")[1]) ?? 0) << 10 }
            }
            return -1
        }

        @Test func connectsWhatIsAskedFor() throws {
            defer { unlink(path) }
            guard var near = NearFile(try file(of: 1 << 20), byteCount: 1 << 20) else { throw NoMapping() }
            #expect(try connectedBytes() == 0)
            near.connect(300_000)
            let connected = try connectedBytes()
            #expect(connected >= 4096)
            near.connect(300_001)
            #expect(try connectedBytes() == connected)
            near.bringNear(300_000, count: 370)
        }

        @Test func leavesOutWhatLiesOutside() throws {
            defer { unlink(path) }
            guard var near = NearFile(try file(of: 5_000), byteCount: 5_000) else { throw NoMapping() }
            for offset in [Int.min, -1, 5_000, Int.max] { near.connect(offset) }
            #expect(try connectedBytes() == 0)
            near.connect(4_999)
            for offset in [Int.min, -1, 0, 4_900, 5_000, Int.max] {
                for count in [Int.min, -1, 0, 100, 5_000, Int.max] { near.bringNear(offset, count: count) }
            }
        }

        /// Reading there would end the process.
        @Test func outlivesAFileThatIsCutShort() throws {
            defer { unlink(path) }
            let file = try file(of: 1 << 20)
            guard var near = NearFile(file, byteCount: 1 << 20) else { throw NoMapping() }
            near.connect(500_000)
            try file.truncate(to: 100)
            near.bringNear(500_000, count: 4_000)
            near.connect(700_000)
            near.bringNear(700_000, count: 4_000)
            #expect(try connectedBytes() == 0)
        }

        @Test func isNoneWhereNothingCanBeMapped() throws {
            defer { unlink(path) }
            var faulty = FileSystem.system
            faulty.map = { _, _ throws(SystemError) in throw SystemError(call: "mmap", code: ENODEV) }
            let file = try file(of: 5_000, in: faulty)
            for byteCount in [5_000, 0, -1, 2 << 30] {
                switch NearFile(file, byteCount: byteCount) {
                case .some: Issue.record("\(byteCount) bytes were mapped")
                case .none: break
                }
            }
        }

        @Test func errorsNameTheFile() throws {
            defer { unlink(path) }
            let file = try file(of: 1)
            #expect(throws: SystemError(call: "mmap", subject: path, code: EINVAL)) { _ = try file.map(byteCount: 0) }
        }
    }
#endif
