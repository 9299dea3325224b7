import JSONCodec
import Platform
import Testing

@testable import PluginHost

/// The example plugins of the project are valid.
@Suite struct ExampleTests {
    static let names: [String] = {
        let names = (try? FileSystem.system.list(Fixtures.path + "/../../../Docs/Examples/plugins")) ?? []
        return names.filter { PluginID($0) != nil && !$0.hasSuffix(".md") }.sorted()
    }()

    @Test(arguments: names)
    func itsManifestIsRight(name: String) throws {
        let bytes = try Fixtures.bytes("../../../Docs/Examples/plugins/\(name)/plugin.json")
        #expect(throws: Never.self) { try bytes.withUnsafeBytes { try Manifest.read($0, id: name) } }
    }

    @Test func thereAreSome() { #expect(Self.names.count >= 7) }
}
