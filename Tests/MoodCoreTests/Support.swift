import JSONCodec
import MoodCore

/// A small generator with a seed, so that every random test can be run again as it was. (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators": SplitMix64.)
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// Fixed seeds, and one that nobody has tried yet; a failing test names its own.
    static let seeds: [UInt64] = [1, 2, 3, UInt64.random(in: 4 ... .max)]
}

/// Hands the UTF-8 of a text to `body`.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var text = text
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
}

/// What `body` writes, as text.
func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var writer = JSONWriter()
    try body(&writer)
    return String(decoding: writer.buffer.bytes, as: UTF8.self)
}

/// The mood of a record, or nil, for as long as `body` runs.
func withMood<Result>(_ record: String, _ body: (MoodMembers?) throws -> Result) rethrows -> Result {
    try withBytes(record) { try body(MoodMembers(checking: ValidJSON(trusting: $0))) }
}
