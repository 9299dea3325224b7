import JSONCodec
import MoodCore

/// The latest valid emoji of several code points. People use a few again and again, and comparing some bytes is much
/// faster than looking up the properties of characters.
///
/// A table of fixed size: a new emoji replaces the one at its index. So it has only valid ones, and may forget any.
struct KnownEmoji: ~Copyable {
    /// The number of slots, a power of two.
    private static let slotCount = 64
    /// The bytes of a slot; the first one is the emoji's length. Longer emoji are not kept.
    private static let slotBytes = 32

    private let slots: UnsafeMutableRawBufferPointer

    init() {
        slots = .allocate(byteCount: Self.slotCount * Self.slotBytes, alignment: 16)
        for slot in 0..<Self.slotCount { slots[slot * Self.slotBytes] = 0 }
    }

    deinit { slots.deallocate() }

    func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let slot = Self.slot(of: text), Int(slots[slot]) == text.count else { return false }
        return JSONText.sameBytes(UnsafeRawBufferPointer(rebasing: slots[slot + 1..<slot + 1 + text.count]), text)
    }

    /// Keeps a valid emoji. Always true, so that it can follow a check.
    mutating func insert(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let slot = Self.slot(of: text) else { return true }
        slots[slot] = UInt8(truncatingIfNeeded: text.count)
        UnsafeMutableRawBufferPointer(rebasing: slots[slot + 1..<slot + 1 + text.count]).copyMemory(from: text)
        return true
    }

    private static func slot(of text: UnsafeRawBufferPointer) -> Int? {
        guard !text.isEmpty, text.count < slotBytes else { return nil }
        var hash: UInt32 = 0
        for byte in text { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash >> 26) * slotBytes
    }
}
