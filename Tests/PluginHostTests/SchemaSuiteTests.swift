import JSONCodec
import Platform
import Testing

@testable import PluginHost

/// The official cases. Each unsupported schema is named with the reason, so that none is skipped silently.
@Suite struct SchemaSuiteTests {
    static let files: [String] = {
        let names = (try? FileSystem.system.list(Fixtures.path + "/json-schema-test-suite")) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }()

    private static func refusals() throws -> [String] {
        let text = String(decoding: try Fixtures.bytes("refused-schemas.txt"), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: files)
    func everyCaseIsJudgedAsItSays(file: String) throws {
        let groups = try JSONValue.parse(Fixtures.bytes("json-schema-test-suite/" + file)).array ?? []
        #expect(!groups.isEmpty)
        let refusals = try Self.refusals()
        for group in groups {
            let name = "\(file): \(group["description"]?.string ?? "")"
            let schema: JSONSchema
            do {
                schema = try JSONSchema.compile(try #require(group["schema"]))
            } catch let problem as SchemaProblem {
                let told = "\(name): \(problem.pointer) \(problem.reason)"
                #expect(refusals.contains(told), "\(told)")
                continue
            }
            #expect(!refusals.contains { $0.utf8.starts(with: (name + ": ").utf8) }, "\(name) is not refused any more")
            for one in group["tests"]?.array ?? [] {
                let fault = schema.check(try #require(one["data"]))
                let isRight = (fault == nil) == one["valid"]?.boolean
                #expect(isRight, "\(name): \(one["description"]?.string ?? ""): \(String(describing: fault))")
            }
        }
    }

    @Test func theSuiteIsThere() { #expect(Self.files.count == 44) }
}
