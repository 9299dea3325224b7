import JSONCodec
import MoodCore

/// Every limit of the protocol by name, so that `--limit NAME=VALUE` and `host.info` know the same ones.
public struct Limits: Sendable {
    public enum Name: String, CaseIterable, Sendable {
        /// Bytes of one message, without its delimiter or header.
        case messageBytes
        /// Levels of nesting, the envelope counted.
        case depth
        /// Members of a batch.
        case batch
        /// Bytes of a string id.
        case idBytes
        /// Characters of a label.
        case label
        /// Bytes of notes.
        case notesBytes
        case tags
        case attachments
        /// Moods of one page of a list.
        case listPage
        /// Bytes of answers that wait for a client to read them.
        case queuedOutputBytes
        /// Bytes of one answer of a plugin.
        case pluginAnswerBytes
        /// Milliseconds in which a plugin that was started has to answer.
        case pluginHelloMs
        /// Milliseconds after which a plugin that has crashed is started again; each time twice as many.
        case pluginBackOffMs
        /// Bytes of one result of a tool for AI clients.
        case mcpAnswerBytes
    }

    @usableFromInline var values: InlineArray<14, Int>

    /// The defaults.
    public init() {
        values = InlineArray(repeating: 0)
        for name in Name.allCases { values[name.index] = name.defaultValue }
    }

    @inlinable @inline(__always)
    public subscript(name: Name) -> Int { values[name.index] }

    /// Sets a limit.
    /// - Returns: what is wrong with the value, or nil.
    public mutating func set(_ name: Name, to value: Int) -> String? {
        guard name.range.contains(value) else {
            return "\(name.rawValue) must be from \(name.range.lowerBound) to \(name.range.upperBound)"
        }
        values[name.index] = value
        return nil
    }
}

extension Limits.Name {
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
        }
    }

    public var defaultValue: Int {
        switch self {
        case .messageBytes: 4 * 1024 * 1024
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
        case .pluginHelloMs: 5000
        case .pluginBackOffMs: 1000
        case .mcpAnswerBytes: 32 * 1024
        }
    }

    /// What `--limit` accepts.
    public var range: ClosedRange<Int> {
        switch self {
        case .messageBytes, .pluginAnswerBytes: 1024...64 * 1024 * 1024
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
    /// Every limit by name, for who reads an answer.
    static var schema: Schema {
        let names = Name.allCases.map(\.rawValue)
        return .described([
            .init("type", "object"),
            .init("properties", .object(names.map { .init($0, ["type": "integer", "minimum": 0]) })),
            .init("required", .array(names.map { .string($0) })),
            .init("additionalProperties", ["type": "integer"]),
        ])
    }
}
