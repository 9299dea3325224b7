import Platform
import Testing

/// The project's own files, found from this one through any link.
enum ProjectFiles {
    private static func path(_ name: String) throws -> String {
        let pointer = try #require(realpath(#filePath, nil))
        defer { free(pointer) }
        return "/" + String(cString: pointer).split(separator: "/").dropLast(3).joined(separator: "/") + "/" + name
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        let file = try File(path(name), .read, in: .system)
        var bytes = [UInt8](repeating: 0, count: try file.status().size)
        let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
        return Array(bytes[..<count])
    }

    /// The names of the files of a folder, in order.
    static func names(in folder: String) -> [String] {
        ((try? FileSystem.system.list(path(folder))) ?? []).sorted()
    }

    /// Replaces a file.
    static func write(_ text: String, to name: String) throws {
        let output = try #require(fopen(path(name), "w"))
        defer { fclose(output) }
        #expect(fputs(text, output) >= 0)
    }
}
