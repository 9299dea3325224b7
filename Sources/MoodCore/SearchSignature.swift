import JSONCodec

/// Which pairs of neighbouring bytes stand in texts, as people search them: a set of 256 bits, kept for each mood. A text that is
/// searched for stands in no mood that lacks one of its pairs. (Superimposed coding: Faloutsos and Christodoulakis,
/// "Signature files", 1984.)
///
/// A pair's bit is a hash of it, so a mood may have all bits and not the text: it is read, and found out. Long notes have most bits.
public struct SearchSignature: Equatable, Sendable {
    public private(set) var bits: SIMD4<UInt64> = .zero

    /// That of no text.
    public init() {}

    /// What each mood that is found has.
    /// - Parameter isExact: whether the needle was folded by case alone. Then its pairs of ASCII count alone: what else it holds may
    ///   be another letter in a signature, or none.
    public init(foldedNeedle needle: UnsafeRawBufferPointer, isExact: Bool) {
        guard isExact else {
            SearchFolding.withFolded(needle) { add(folded: $0) }
            return
        }
        for run in needle.split(whereSeparator: { $0 >= 0x80 }) { add(folded: UnsafeRawBufferPointer(rebasing: run)) }
    }

    /// Adds the pairs of a text.
    @inline(__always)
    public mutating func add(_ text: JSONText) {
        text.withDecoded { bytes in
            if Self.isASCII(bytes) {
                add(folded: bytes)
            } else {
                SearchFolding.withFolded(bytes) { add(folded: $0) }
            }
        }
    }

    /// ASCII need not be folded: letters of both cases are the same here.
    @inline(__always)
    private mutating func add(folded text: UnsafeRawBufferPointer) {
        guard var last = text.first else { return }
        last |= 0x20
        withUnsafeMutableBytes(of: &bits) { bits in
            for index in 1..<max(text.count, 1) {
                let byte = text[index] | 0x20
                // The multiplier spreads the pairs of letters evenly.
                let hash = ((UInt16(last) << 8 | UInt16(byte)) &* 0x9E35) >> 8
                bits[Int(hash >> 3)] |= 1 << UInt8(truncatingIfNeeded: hash & 7)
                last = byte
            }
        }
    }

    @inline(__always)
    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var high: UInt8 = 0
        for byte in text { high |= byte }
        return high < 0x80
    }
}
