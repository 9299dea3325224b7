import Foundation

/// The project's files for these tests.
enum Project {
    /// The root, even if the compiler used links to this file.
    static let root: String = {
        let pointer = realpath(#filePath, nil)
        defer { free(pointer) }
        let path = pointer.map { String(cString: $0) } ?? #filePath
        return URL(fileURLWithPath: path).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }()

    static func path(_ name: String) -> String { root + "/" + name }

    static func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    static func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    /// The files in a folder with a suffix, as paths from the root, without build products.
    static func files(_ folder: String, _ ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(ending) && !$0.split(separator: "/").contains(".build") }
            .map { folder.isEmpty ? $0 : folder + "/" + $0 }.sorted()
    }

    /// The names of the targets below `Sources`.
    static let targets: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path("Sources"))) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }()

    /// The names in the import lines of a text, with the number of the line.
    static func imports(_ text: String) -> [(line: Int, module: String)] {
        // Text in a multi-line string is another program's.
        var isText = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) { isText.toggle() }
            if isText { return nil }
            var words = line.split(separator: " ").map(String.init)
            while let first = words.first, first.hasPrefix("@") || ["public", "package", "internal"].contains(first) {
                words.removeFirst()
            }
            guard words.first == "import", words.count >= 2 else { return nil }
            let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
            let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
            return (index + 1, String(name.split(separator: ".")[0]))
        }
    }
}
