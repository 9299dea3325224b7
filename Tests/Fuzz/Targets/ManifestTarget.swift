import JSONCodec
import PluginHost

/// Properties for any bytes as a manifest.
///
/// 1. It is refused with a pointer to an existing value, or one whose parent exists, or it is read.
/// 2. It is read equal from `plugins.json`, and config and secrets of a plugin go together again.
///
/// The first byte: even, and the rest is the text; odd, and a valid manifest has one value replaced by another one.
public struct ManifestTarget {
    private static let id = "org.example.poem"
    private static let text = #"""
        {"manifestVersion":1,"id":"org.example.poem","name":"Poem","version":"1","protocol":[1],"exec":["./a","b"],
        "provides":{"methods":[{"name":"a","summary":"b","params":{"type":"object"},"result":true,"effect":"read","tool":true}],
        "shareFormats":[{"name":"a","title":"b","mediaType":"c/d"}],"cells":[{"type":"a"}],
        "hooks":[{"on":"change","failure":"open","timeoutMs":250}],"events":["mood"],
        "importers":[{"format":"a","title":"b","extensions":["c"]}],
        "exporters":[{"format":"a","title":"b","extension":"c","mediaType":"d/e"}],
        "menu":[{"title":"a","icon":"b","color":"c","method":"a"}]},
        "config":{"type":"object","properties":{"a":{"type":"string","default":"b"},"id":{"writeOnly":true},
        "c":{"properties":{"a":{"writeOnly":true,"default":1}}}}},
        "permissions":{"moods":"read","navigation":false,"files":{"read":["/a"],"write":["~/b"]},"network":false},
        "limits":{"memoryMB":256,"cpuSeconds":600,"diskMB":64,"timeoutMs":5000,"concurrency":1,"idleSeconds":60}}
        """#

    static var seeds: [[UInt8]] {
        [[0] + Array(text.utf8)] + (0..<64).map { [1, UInt8($0), UInt8($0 % 7), 5, UInt8($0 * 3), 7, 1, 2, 3] }
    }

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        guard let first = input.first else { return }
        if first & 1 == 0 {
            try check(bytes: Array(input[1...]), nil)
        } else {
            guard let right = try? JSONValue(parsing: Self.text) else { throw Violation("the seed is not JSON") }
            var maker = JSONMaker(input[1...])
            let place = maker.choice(128)
            var left = place
            let changed = Self.replacing(right, &left, &maker)
            try check(bytes: Array(changed.text.utf8), changed)
        }
    }

    private func check(bytes: [UInt8], _ source: JSONValue?) throws(Violation) {
        let read: Result<Manifest, ManifestProblem> = bytes.withUnsafeBytes { bytes in
            do throws(ManifestProblem) {
                return .success(try Manifest.read(bytes, id: Self.id))
            } catch {
                return .failure(error)
            }
        }
        switch read {
        case .success(let manifest): try keep(manifest)
        case .failure(let problem):
            guard let source else { return }
            let isThere =
                Pointer.leads(problem.pointer, into: source)
                || Pointer.leads(Pointer.parent(problem.pointer), into: source)
            try require(isThere, "\(problem.pointer) is nowhere in \(source.text)")
        }
    }

    private func keep(_ manifest: Manifest) throws(Violation) {
        var records = PluginRecords()
        records[manifest.id] = PluginRecords.Record(
            id: manifest.id, digest: PluginDigest.ofTools(manifest.source).text,
            trustedSince: "2026-01-02T03:04:05.678Z",
            trustedRevision: 0, execRealPath: "/a", manifest: manifest.source)
        let bytes = records.write()
        guard let again = try? bytes.withUnsafeBytes({ try PluginRecords.read($0, isSealed: false) }),
            let kept = again[manifest.id], let read = try? Manifest.read(kept.manifest, id: Self.id)
        else { throw Violation("what was written is not read: \(String(decoding: bytes, as: UTF8.self))") }
        try require(read.source.isEqual(to: manifest.source), "what is kept is another manifest")
        let config = PluginConfig.withDefaults(.object([]), by: manifest.config)
        let parts = PluginConfig.split(config, by: manifest.config)
        try require(
            PluginConfig.laid(parts.secret, over: parts.open).isEqual(to: config),
            "a config that was split is another one")
    }

    /// The value with the part that is `left` steps away replaced; each part is one step.
    private static func replacing(_ value: JSONValue, _ left: inout Int, _ maker: inout JSONMaker) -> JSONValue {
        left -= 1
        if left == -1 { return maker.choice(4) == 0 ? maker.schema() : maker.value() }
        switch value {
        case .array(let elements):
            var changed: [JSONValue] = []
            for element in elements { changed.append(replacing(element, &left, &maker)) }
            return .array(changed)
        case .object(let members):
            var changed: [JSONValue.Member] = []
            for member in members { changed.append(.init(member.name, replacing(member.value, &left, &maker))) }
            return .object(changed)
        default: return value
        }
    }
}

/// A simple resolver of JSON Pointers, RFC 6901.
enum Pointer {
    static func leads(_ pointer: String, into value: JSONValue) -> Bool {
        var value = value
        for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = String(token.replacing("~1", with: "/").replacing("~0", with: "~"))
            guard
                let next = value[name]
                    ?? Int(name).flatMap({ index in value.array.flatMap { index < $0.count ? $0[index] : nil } })
            else { return false }
            value = next
        }
        return true
    }

    static func parent(_ pointer: String) -> String {
        pointer.lastIndex(of: "/").map { String(pointer[..<$0]) } ?? pointer
    }
}
