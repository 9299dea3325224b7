import Platform
import Testing

/// The cases of `Tests/Conformance/rfc8259`: four columns, name, verdict, the text's bytes in hex, and why.
struct Corpus {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isAccepted: Bool
        let text: [UInt8]
        let reason: String

        var testDescription: String { "\(name) (\(reason))" }
    }

    enum Failure: Error {
        case malformedLine(String)
    }

    static func cases() throws -> [Case] {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let directory = "/\(tests)/Conformance/rfc8259"
        let files = try FileSystem.system.list(directory).filter { $0.hasSuffix(".tsv") }.sorted()
        return try files.flatMap { try cases(in: "\(directory)/\($0)") }
    }

    private static func cases(in path: String) throws -> [Case] {
        let file = try File(path, .read, in: .system)
        var content = [UInt8](repeating: 0, count: try file.status().size)
        let count = try content.withUnsafeMutableBytes { try file.read($0, at: 0) }
        return try String(decoding: content[..<count], as: UTF8.self).split(separator: "\n").compactMap {
            line -> Case? in
            if line.hasPrefix("#") { return nil }
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count == 4, ["accept", "reject"].contains(columns[1]), let text = bytes(hex: columns[2])
            else { throw Failure.malformedLine(String(line)) }
            return Case(name: columns[0], isAccepted: columns[1] == "accept", text: text, reason: columns[3])
        }
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { UInt8($0) }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for at in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
