import JSONCodec
import Platform
import Testing

/// The files beside these tests, and folders to make others in.
enum Fixtures {
    static let path: String = {
        let pointer = realpath(#filePath, nil)
        defer { free(pointer) }
        let file = pointer.map { String(cString: $0) } ?? #filePath
        return "/" + file.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures"
    }()

    static func bytes(_ name: String) throws -> [UInt8] { try read(path + "/" + name) }

    static func read(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read, in: .system)
        var bytes = [UInt8](repeating: 0, count: try file.status().size)
        let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
        return Array(bytes[..<count])
    }
}
