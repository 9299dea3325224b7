import JSONCodec

/// The pairs of neighboring bytes in a mood's texts, as searches see them: a set of 256 bits for each mood. A mood that
/// lacks a pair of the needle does not contain it. (Superimposed coding: Faloutsos and Christodoulakis, "Signature
/// files", 1984.)
///
/// Bits are hashes, so a mood can have all bits without the text. The search reads it. Long notes have most bits.
public struct SearchSignature: Equatable, Sendable {
    public private(set) var bits: SIMD4<UInt64> = .zero

    /// The signature of no text.
    public init() {}

    /// The bits that every matching mood must have.
    /// - Parameter isExact: whether the needle was folded by case alone. Then only its ASCII pairs count: a signature
    ///   may have other letters for the rest, or none.
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

    /// Adds bytes. ASCII needs no folding: letters of both cases give equal bits here.
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
