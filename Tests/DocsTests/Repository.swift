import Platform

/// The project's own files, and the built programs in the tests' folder.
enum Repository {
    /// The directory of `Package.swift`, even if the compiler used links to this file.
    static let root: String = {
        guard let path = realpath(#filePath, nil) else { return ancestor(of: #filePath, levels: 3) }
        defer { free(path) }
        return ancestor(of: String(cString: path), levels: 3)
    }()

    /// The directory of `moodboard` and `mood`.
    ///
    /// On Linux the test program is there too; elsewhere a helper runs it, whose arguments name the bundle.
    static let products: String? = {
        var starts = [Terminal.executablePath()]
        starts += Terminal.arguments()
        for start in starts.compactMap({ $0 }) where start.utf8.first == UInt8(ascii: "/") {
            for levels in 1...4 {
                let directory = ancestor(of: start, levels: levels)
                if Terminal.isExecutable(directory + "/moodboard"), Terminal.isExecutable(directory + "/mood") {
                    return directory
                }
            }
        }
        return nil
    }()

    /// Every Markdown document, as paths from the root: README.md, those of Docs, those of the archives.
    static let documents = ["README.md"] + markdown(below: "Docs") + markdown(below: ".prompts")

    /// The `metadata.json` of every archive.
    static let archives = names(in: ".prompts").map { ".prompts/\($0)/output/metadata.json" }

    static func exists(_ path: String) -> Bool {
        (try? FileSystem.system.statusOfPath(root + "/" + path)) != nil
    }

    static func isDirectory(_ path: String) -> Bool {
        guard let status = try? FileSystem.system.statusOfPath(root + "/" + path) else { return false }
        return status.kind == .directory || (try? FileSystem.system.list(root + "/" + path)) != nil
    }

    static func text(_ path: String) throws -> String {
        let file = try File(root + "/" + path, .read, in: .system)
        var bytes = [UInt8](repeating: 0, count: try file.status().size)
        _ = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        let path = root + "/" + path
        try FileSystem.system.replaceWhole(path, by: path + ".new") { _ in Array(text.utf8) }
    }

    static func names(in directory: String) -> [String] {
        ((try? FileSystem.system.list(root + "/" + directory)) ?? []).sorted()
    }

    private static func markdown(below directory: String) -> [String] {
        names(in: directory).flatMap { name -> [String] in
            let path = directory + "/" + name
            if isDirectory(path) { return markdown(below: path) }
            return name.hasSuffix(".md") ? [path] : []
        }
    }

    /// The path without its last `levels` parts.
    static func ancestor(of path: String, levels: Int) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels).joined(separator: "/")
    }
}
