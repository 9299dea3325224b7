import JSONCodec

/// A part of a mood that changes by itself: a member such as `label`, one tag (`tags+sea`), or one scale
/// (`scales.sleep`). Compared by bytes.
public struct Member: Sendable, Hashable {
    public let name: [UInt8]

    static let tagAdded = Array("tags+".utf8)
    static let tagRemoved = Array("tags-".utf8)
    static let scale = Array("scales.".utf8)

    public init(name: [UInt8]) { self.name = name }

    init(_ prefix: [UInt8], _ text: UnsafeRawBufferPointer) { name = prefix + Array(text) }

    /// Whether the two parts make its name.
    func isMade(of prefix: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        name.count == prefix.count + text.count && name.starts(with: prefix)
            && name.suffix(text.count).elementsEqual(text)
    }

    public var text: String { String(decoding: name, as: UTF8.self) }

    /// Whether it is a tag. A tag is present or absent, so two of its values cannot be in conflict.
    public var isTag: Bool { name.starts(with: Self.tagAdded) }
    var isScale: Bool { name.starts(with: Self.scale) }

    /// The tag's text, or the scale's name.
    var key: ArraySlice<UInt8> {
        isTag ? name[Self.tagAdded.count...] : isScale ? name[Self.scale.count...] : name[...]
    }

    /// The name in an operation: a removed tag is written `tags-sea`.
    func written(isThere: Bool) -> [UInt8] { isTag && !isThere ? Self.tagRemoved + Array(key) : name }

    /// Reads the name in an operation.
    init(written: [UInt8]) {
        name = written.starts(with: Self.tagRemoved) ? Self.tagAdded + Array(written.dropFirst(5)) : written
    }
}

extension Member: Comparable {
    public static func < (a: Member, b: Member) -> Bool { a.name.lexicographicallyPrecedes(b.name) }
}
