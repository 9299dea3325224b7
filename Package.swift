// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Imports go down only; Docs/Architecture.md draws the levels and TidyTests checks them.
//
// A warning is an error only where this is asked for, as .ci/run does: a newer compiler must not break anybody's build.
let isStrict = Context.environment["MOODBOARD_STRICT"] == "1"
let settings: [SwiftSetting] = (isStrict ? [.treatAllWarnings(as: .error)] : []) + [.swiftLanguageMode(.v6)]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let targets: [Target] = [
    // Level 0
    .target(name: "CPlatform"),
    library("Platform", ["CPlatform"]),
    library("JSONCodec", ["CPlatform"]),
    library("Versions"),
    // Level 1
    library("JSONRPC", ["JSONCodec"]),
    library("Storage", ["CPlatform", "Platform", "JSONCodec"]),
    library("MoodText"),
    // Level 2
    library("MoodCore", ["JSONCodec", "MoodText"]),
    // Level 3
    library("MoodStore", ["Storage", "MoodCore", "MoodText", "JSONCodec", "Platform", "Versions"]),
    library("MoodProtocol", ["JSONRPC", "MoodCore", "JSONCodec", "Versions"]),
    library("MoodFormats", ["MoodCore", "MoodText", "JSONCodec"]),
    library("Replication", ["MoodCore", "JSONCodec"]),
    // Level 4
    library("MoodClient", ["JSONRPC", "JSONCodec", "Platform", "Versions"]),
    library("PluginHost", ["MoodProtocol", "MoodCore", "JSONRPC", "JSONCodec", "Platform"]),
    library("MCP", ["MoodProtocol", "MoodCore", "JSONRPC", "JSONCodec"]),
    library("MoodSync", ["Replication", "MoodStore", "MoodCore", "Storage", "JSONCodec", "Platform"]),
    // Level 5
    library(
        "MoodHost",
        [
            "MCP", "PluginHost", "MoodSync", "Replication", "MoodProtocol", "MoodStore", "MoodFormats", "MoodCore",
            "MoodText", "Storage", "JSONRPC", "JSONCodec", "Platform", "Versions",
        ]),
    // Level 6
    program("moodboard", ["MoodHost", "Platform"]),
    program("mood", ["MoodClient", "Platform"]),

    // Random numbers that can be had again.
    library("Seeds", ["Platform"], path: "Tests/Seeds"),

    // Random moods, with every member.
    library("RandomMoods", ["MoodCore", "JSONCodec", "Seeds"], path: "Tests/RandomMoods"),

    // Fuzzing: the properties, which the tests run shortly too, and the program that runs them for long.
    library(
        "FuzzTargets",
        ["PluginHost", "MoodFormats", "MoodStore", "MoodCore", "Storage", "JSONRPC", "JSONCodec", "Platform", "Seeds"],
        path: "Tests/Fuzz/Targets"),
    program("Fuzz", ["FuzzTargets", "Platform"], path: "Tests/Fuzz/Program"),

    // The simulated disk, the store's torture on it, and the program that tries many seeds.
    library("SimulatedDisk", ["Platform", "Seeds"], path: "Tests/SimulatedDisk"),
    library(
        "StoreTorture", ["SimulatedDisk", "Storage", "JSONCodec", "Platform", "Seeds"],
        path: "Tests/StoreTorture/Harness"),
    program("Torture", ["StoreTorture", "SimulatedDisk", "Platform"], path: "Tests/StoreTorture/Program"),

    // The simulation of replicas, and the program that tries many seeds.
    library(
        "ReplicationTorture", ["Replication", "MoodCore", "JSONCodec", "Seeds"],
        path: "Tests/ReplicationTorture/Harness"),
    program("Replicate", ["ReplicationTorture", "Platform"], path: "Tests/ReplicationTorture/Program"),

    // Each beside its target; Conformance and Tidy look at the whole.
    tests("PlatformTests", ["moodboard", "Platform"]),
    tests("JSONCodecTests", ["JSONCodec", "FuzzTargets", "Platform", "Seeds"]),
    tests("JSONRPCTests", ["JSONRPC", "JSONCodec", "FuzzTargets"]),
    tests("StorageTests", ["Storage", "FuzzTargets", "Platform", "JSONCodec", "Seeds"]),
    tests("SimulatedDiskTests", ["SimulatedDisk", "StoreTorture", "Storage", "Platform", "Seeds"]),
    tests("MoodTextTests", ["MoodText", "Seeds"]),
    tests(
        "MoodCoreTests", ["MoodCore", "MoodText", "JSONCodec", "RandomMoods", "Seeds"],
        exclude: ["make-case-folding.pl"]),
    tests(
        "MoodStoreTests",
        ["MoodStore", "MoodCore", "Storage", "Platform", "JSONCodec", "FuzzTargets", "RandomMoods", "Seeds"],
        exclude: ["Fixtures"]),
    tests("MoodProtocolTests", ["MoodProtocol", "MoodCore", "JSONRPC", "JSONCodec", "Seeds"]),
    tests(
        "MoodSyncTests",
        ["MoodSync", "Replication", "MoodStore", "MoodCore", "Storage", "JSONCodec", "Platform", "Seeds"]),
    tests("MoodFormatsTests", ["MoodFormats", "MoodCore", "JSONCodec", "FuzzTargets", "RandomMoods", "Seeds"]),
    tests("ReplicationTests", ["Replication", "ReplicationTorture", "MoodCore", "JSONCodec", "Seeds"]),
    tests(
        "MoodHostTests",
        [
            "MoodHost", "MoodProtocol", "MoodFormats", "MoodStore", "MoodCore", "Storage", "JSONRPC", "JSONCodec",
            "Platform", "Seeds", "Versions",
        ]),
    tests(
        "PluginHostTests",
        ["PluginHost", "MoodProtocol", "MoodCore", "JSONCodec", "Platform", "FuzzTargets", "Seeds"],
        exclude: ["Fixtures"]),
    tests("MCPTests", ["MCP", "MoodProtocol", "JSONRPC", "JSONCodec"]),
    tests("MoodClientTests", ["MoodClient", "JSONRPC", "JSONCodec", "Platform", "Versions"]),
    tests("ConformanceTests", ["moodboard", "mood", "JSONCodec", "Platform"]),
    tests("DocsTests", ["moodboard", "mood", "JSONCodec", "Platform"]),
    tests(
        "TidyTests",
        [
            "PluginHost", "MCP", "MoodProtocol", "MoodHost", "MoodClient", "JSONRPC", "JSONCodec", "Platform",
            "Versions",
        ]),
]

/// `MOODBOARD_TESTS=MoodCoreTests,StorageTests swift test` declares those targets and what they need, so that nothing else is
/// built.
func chosen(_ targets: [Target], _ names: [String]) -> [Target] {
    let known = targets.filter { $0.type == .test }.map(\.name)
    if let wrong = names.first(where: { !known.contains($0) }) {
        // A fatal error would print the state of the processor too.
        print("MOODBOARD_TESTS: there is no test target '\(wrong)'. These are there:")
        for name in known.sorted() { print("  \(name)") }
        exit(1)
    }
    var wanted = Set(names)
    var rest = names
    while let name = rest.popLast(), let target = targets.first(where: { $0.name == name }) {
        for case .byNameItem(let name, _) in target.dependencies where wanted.insert(name).inserted {
            rest.append(name)
        }
    }
    return targets.filter { wanted.contains($0.name) }
}

let names = (Context.environment["MOODBOARD_TESTS"] ?? "").split(separator: ",").map(String.init)
let declared = names.isEmpty ? targets : chosen(targets, names)

let package = Package(
    name: "MoodBoard",
    platforms: [.macOS(.v26)],
    products: ["moodboard", "mood"].filter { name in declared.contains { $0.name == name } }.map {
        .executable(name: $0, targets: [$0])
    },
    targets: declared
)
