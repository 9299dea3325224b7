import JSONCodec
import JSONRPC
import MoodCore

/// Every limit of the protocol by name, for `--limit NAME=VALUE` and `host.info`.
public struct Limits: Sendable {
    public enum Name: String, CaseIterable, Sendable {
        case messageBytes, headerBytes, depth, batch, idBytes, label, notesBytes, tags, attachments, listPage
        case queuedOutputBytes, pluginAnswerBytes, pluginHelloMs, pluginBackOffMs, mcpAnswerBytes
    }

    @usableFromInline var values: InlineArray<15, Int>

    /// The defaults.
    public init() {
        values = InlineArray(repeating: 0)
        for name in Name.allCases { values[name.index] = name.defaultValue }
    }

    @inlinable @inline(__always)
    public subscript(name: Name) -> Int { values[name.index] }

    /// Sets a limit.
    /// - Returns: the problem of the value, or nil.
    public mutating func set(_ name: Name, to value: Int) -> String? {
        guard name.range.contains(value) else {
            return "\(name.rawValue) must be from \(name.range.lowerBound) to \(name.range.upperBound)"
        }
        values[name.index] = value
        return nil
    }
}

extension Limits.Name {
    /// The meaning, for people.
    public var summary: String {
        switch self {
        case .messageBytes: "Bytes of one message in either direction, without its delimiter or header."
        case .headerBytes: "Bytes of one header block, its empty line counted."
        case .depth: "Levels of nesting, the envelope counted."
        case .batch: "Members of a batch."
        case .idBytes: "Bytes of an id: of a string its UTF-8, of a number its text."
        case .label: "Characters of a label."
        case .notesBytes: "Bytes of notes."
        case .tags: "Tags of a mood."
        case .attachments: "Attachments of a mood."
        case .listPage: "Items of one page of a list."
        case .queuedOutputBytes: "Bytes of answers that wait for a client to read them."
        case .pluginAnswerBytes: "Bytes of one answer of a plugin."
        case .pluginHelloMs: "Milliseconds in which a plugin that was started has to answer."
        case .pluginBackOffMs:
            "Milliseconds after which a plugin that has crashed is started again; each time twice as many."
        case .mcpAnswerBytes: "Bytes of one result of a tool for AI clients."
        }
    }

    @inlinable var index: Int {
        switch self {
        case .messageBytes: 0
        case .depth: 1
        case .batch: 2
        case .idBytes: 3
        case .label: 4
        case .notesBytes: 5
        case .tags: 6
        case .attachments: 7
        case .listPage: 8
        case .queuedOutputBytes: 9
        case .pluginAnswerBytes: 10
        case .pluginHelloMs: 11
        case .pluginBackOffMs: 12
        case .mcpAnswerBytes: 13
        case .headerBytes: 14
        }
    }

    public var defaultValue: Int {
        switch self {
        case .messageBytes: 4 * 1024 * 1024
        case .headerBytes: FrameReader.headerBytesMax
        case .depth: 64
        case .batch: 128
        case .idBytes: 256
        case .label: TextRule.labelCharactersMax
        case .notesBytes: TextRule.notesBytesMax
        case .tags: TextRule.tagsMax
        case .attachments: Attachment.countMax
        case .listPage: 1000
        case .queuedOutputBytes: 8 * 1024 * 1024
        case .pluginAnswerBytes: 4 * 1024 * 1024
        case .pluginHelloMs: 15000
        case .pluginBackOffMs: 1000
        case .mcpAnswerBytes: 32 * 1024
        }
    }

    /// The values for `--limit`.
    public var range: ClosedRange<Int> {
        switch self {
        case .messageBytes, .pluginAnswerBytes: 1024...64 * 1024 * 1024
        case .headerBytes: 64...64 * 1024
        case .queuedOutputBytes: 64 * 1024...256 * 1024 * 1024
        case .depth: 4...64
        case .batch: 1...10_000
        case .idBytes: 1...4096
        case .label: 1...TextRule.labelBytesMax
        case .notesBytes: 0...1024 * 1024
        case .tags, .attachments: 0...1000
        case .listPage: 1...10_000
        case .pluginHelloMs: 10...600_000
        case .pluginBackOffMs: 1...600_000
        case .mcpAnswerBytes: 1024...16 * 1024 * 1024
        }
    }
}

extension Limits {
    /// Every limit by name, for readers of an answer.
    static var schema: Schema {
        let properties = Name.allCases.map { name in
            JSONValue.Member(
                name.rawValue, ["type": "integer", "minimum": 0, "description": .string(name.summary)])
        }
        return .described([
            .init("type", "object"), .init("properties", .object(properties)),
            .init("required", .array(Name.allCases.map { .string($0.rawValue) })),
            .init("additionalProperties", ["type": "integer"]),
        ])
    }
}
