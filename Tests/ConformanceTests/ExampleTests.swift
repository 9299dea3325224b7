import Foundation
import JSONCodec
import Testing

/// The examples of the published OpenRPC document, called as the document says: the built host gives equal results. One
/// after the other, because dozens of hosts at once would be slow.
@Suite(.serialized) struct ExampleTests {
    private static let document: JSONValue = {
        let path = ConformanceTests.folder + "/../../Schemas/openrpc.json"
        return (try? JSONValue(parsing: String(contentsOfFile: path, encoding: .utf8))) ?? .null
    }()

    private static let methods: [String] = (document["methods"]?.array ?? []).compactMap { $0["name"]?.string }

    @Test func everyMethodHasAnExample() {
        #expect(Self.methods.count > 70)
        for method in Self.document["methods"]?.array ?? [] {
            let result = method["examples"]?.array?.first?["result"]?["value"]
            #expect(result != nil, "\(method["name"]?.string ?? "") has none")
        }
    }

    @Test(arguments: methods)
    func theExampleIsAnsweredAsItIsShown(name: String) throws {
        let described = try #require(Self.document["x-examples"])
        let method = try #require(Self.document["methods"]?.array?.first { $0["name"]?.string == name })
        let example = try #require(method["examples"]?.array?.first)
        let hosts = try ExampleHosts(described)
        for call in (described["before"]?.array ?? []) + (example["x-after"]?.array ?? []) {
            let answer = try hosts.ask(
                call["host"]?.string ?? "journal", try #require(call["method"]?.string), try #require(call["params"]))
            #expect(answer["result"] != nil, "\(call.text): \(answer.text)")
        }
        let params = (example["params"]?.array ?? []).map { param in
            JSONValue.Member(param["name"]?.string ?? "", param["value"] ?? .null)
        }
        let answer = try hosts.ask("journal", name, .object(params))
        let result = try #require(answer["result"], "\(answer.text)")
        let varying = (example["x-varying"]?.array ?? []).compactMap(\.string)
        let shown = try #require(example["result"]?["value"])
        let isSame = Self.without(varying, result).isEqual(to: Self.without(varying, shown))
        #expect(isSame, "\(result.text)")
    }

    /// The value without those members.
    private static func without(_ pointers: [String], _ value: JSONValue, at place: String = "") -> JSONValue {
        if let elements = value.array {
            return .array(elements.enumerated().map { without(pointers, $1, at: "\(place)/\($0)") })
        }
        guard let members = value.object else { return value }
        return .object(
            members.compactMap { member in
                let at = "\(place)/\(member.name)"
                return pointers.contains(at) ? nil : .init(member.name, without(pointers, member.value, at: at))
            })
    }
}

/// The hosts of one example, in a separate folder.
private final class ExampleHosts {
    private let folder = NSTemporaryDirectory() + "example-\(UUID().uuidString)"
    private let described: JSONValue
    private let shownFolder: String
    private var running: [String: HostRun] = [:]
    private var last = 0

    init(_ described: JSONValue) throws {
        self.described = described
        shownFolder = try #require(described["folder"]?.string)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in described["files"]?.object ?? [] {
            let url = URL(fileURLWithPath: here(file.name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((file.value.string ?? "").utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        }
    }

    deinit {
        for host in running.values {
            host.closeInput()
            try? host.expectEnd(code: 0, milliseconds: 10_000)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func here(_ text: String) -> String { text.replacingOccurrences(of: shownFolder, with: folder) }

    private func host(_ name: String) throws -> HostRun {
        if let host = running[name] { return host }
        let program = try #require(ConformanceTests.host)
        let arguments = (described["hosts"]?[name]?.array ?? []).compactMap(\.string).map(here)
        let host = try HostRun(
            [program] + arguments, environment: ["HOME": folder, "PATH": "/usr/local/bin:/usr/bin:/bin"],
            stderrPath: folder + "/\(name).stderr", outputPath: folder + "/\(name).stdout", fileSizeKiB: nil)
        running[name] = host
        return host
    }

    /// The answer; skips notifications before it.
    func ask(_ name: String, _ method: String, _ params: JSONValue) throws -> JSONValue {
        last += 1
        let request: JSONValue = [
            "jsonrpc": "2.0", "id": .number(String(last)), "method": .string(method), "params": params,
        ]
        let host = try host(name)
        try host.send(Array((here(request.text) + "\n").utf8))
        while true {
            let text = String(decoding: try host.nextMessage().bytes, as: UTF8.self)
            let message = try JSONValue(parsing: text.replacingOccurrences(of: folder, with: shownFolder))
            if message["id"]?.integer == last { return message }
        }
    }
}
