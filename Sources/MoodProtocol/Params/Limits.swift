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

    /// These limits, but with pages of any length.
    public var withLongestPages: Limits {
        var limits = self
        limits.values[Name.listPage.index] = Name.listPage.range.upperBound
        return limits
    }

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
    /// The meaning, for people; the default; and the values for `--limit`.
    private var row: (summary: String, usual: Int, range: ClosedRange<Int>) {
        switch self {
        case .messageBytes:
            ("Bytes of one message in either direction, without its delimiter or header.", 4 << 20, 1024...64 << 20)
        case .headerBytes:
            ("Bytes of one header block, its empty line counted.", FrameReader.headerBytesMax, 64...64 << 10)
        case .depth: ("Levels of nesting, the envelope counted.", 64, 4...64)
        case .batch: ("Members of a batch.", 128, 1...10_000)
        case .idBytes: ("Bytes of an id: of a string its UTF-8, of a number its text.", 256, 1...4096)
        case .label: ("Characters of a label.", TextRule.labelCharactersMax, 1...TextRule.labelBytesMax)
        case .notesBytes: ("Bytes of notes.", TextRule.notesBytesMax, 0...1 << 20)
        case .tags: ("Tags of a mood.", TextRule.tagsMax, 0...1000)
        case .attachments: ("Attachments of a mood.", Attachment.countMax, 0...1000)
        case .listPage: ("Items of one page of a list.", 1000, 1...10_000)
        case .queuedOutputBytes:
            ("Bytes of answers that wait for a client to read them.", 8 << 20, 64 << 10...256 << 20)
        case .pluginAnswerBytes: ("Bytes of one answer of a plugin.", 4 << 20, 1024...64 << 20)
        case .pluginHelloMs:
            ("Milliseconds in which a plugin that was started has to answer.", 15_000, 10...600_000)
        case .pluginBackOffMs:
            (
                "Milliseconds after which a plugin that has crashed is started again; each time twice as many.", 1000,
                1...600_000
            )
        case .mcpAnswerBytes: ("Bytes of one result of a tool for AI clients.", 32 << 10, 1024...16 << 20)
        }
    }

    public var summary: String { row.summary }
    public var defaultValue: Int { row.usual }
    public var range: ClosedRange<Int> { row.range }

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
