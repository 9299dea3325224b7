// swift-tools-version: 6.2
import PackageDescription

// Imports go down only; Docs/Architecture.md draws the levels and TidyTests checks them.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error), .swiftLanguageMode(.v6)]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "MoodBoard",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "moodboard", targets: ["moodboard"]),
        .executable(name: "mood", targets: ["mood"]),
    ],
    targets: [
        // Level 0
        .target(name: "CPlatform"),
        library("Platform", ["CPlatform"]),
        library("JSONCodec"),
        // Level 1
        library("JSONRPC", ["JSONCodec"]),
        library("Storage", ["Platform", "JSONCodec"]),
        library("MoodText"),
        library("MoodCore", ["JSONCodec", "MoodText"]),
        // Level 2
        library("MoodStore", ["Storage", "MoodCore", "JSONCodec"]),
        library("MoodProtocol", ["JSONRPC", "MoodCore", "JSONCodec"]),
        // Level 3
        library("MoodClient", ["JSONRPC", "JSONCodec", "Platform"]),
        // Level 4
        library(
            "MoodHost",
            ["MoodProtocol", "MoodStore", "MoodCore", "MoodText", "Storage", "JSONRPC", "JSONCodec", "Platform"]),
        // Level 5
        program("moodboard", ["MoodHost", "Platform"]),
        program("mood", ["MoodClient", "Platform"]),

        // Each beside its target; Conformance and Tidy look at the whole.
        tests("PlatformTests", ["Platform"]),
        tests("StorageTests", ["Storage", "Platform", "JSONCodec"]),
        tests("MoodTextTests", ["MoodText"]),
        tests("MoodClientTests", ["MoodClient", "JSONRPC", "JSONCodec", "Platform"]),
    ]
)
