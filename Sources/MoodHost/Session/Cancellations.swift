import JSONCodec
import JSONRPC
import MoodProtocol

/// The requests of the present input that were cancelled before the host handled them.
///
/// `$/cancelRequest {id}` (LSP 3.17) still gets an answer, `notifications/cancelled {requestId}` (MCP) none. The host
/// handles requests one after the other on arrival, so a cancellation finds its request only if both arrive together.
/// The host searches for cancellations when it has read one of the two names.
struct Cancellations {
    private struct Cancellation {
        let id: [UInt8]
        /// The number of the cancelling message, which affects earlier ones only.
        let number: Int
        let isSilent: Bool
    }

    private var cancellations: [Cancellation] = []
    /// The numbers of messages that were answered early: there may be thousands of pings while the worker has the
    /// store.
    private var answered: Set<Int> = []
    /// Whether one of the names was seen.
    private(set) var isExpected = false

    var isEmpty: Bool { cancellations.isEmpty && answered.isEmpty }

    mutating func removeAll() {
        cancellations.removeAll()
        answered.removeAll()
        isExpected = false
    }

    /// Forgets all findings before a new scan from the present message on.
    /// - Parameter passed: the number of messages before that one.
    mutating func forget(before passed: Int) {
        cancellations.removeAll()
        if passed > 0 { answered = Set(answered.lazy.filter { $0 > passed }.map { $0 - passed }) }
    }

    /// Notes that the message of this number was answered early.
    mutating func noteAnswered(_ number: Int) {
        answered.insert(number)
    }

    func isAnswered(_ number: Int) -> Bool { answered.contains(number) }

    mutating func look(in input: UnsafeRawBufferPointer) {
        if !isExpected { isExpected = Self.mayContain(input) }
    }

    /// Whether the bytes contain "/cancel", the common part of both names. A false find costs a scan. A name that is
    /// split between two reads, or written with escapes, is not found, and its request is answered.
    static func mayContain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let wanted = "/cancel" as StaticString
        let count = wanted.utf8CodeUnitCount
        var at = 0
        while let found = bytes.firstOffset(of: UInt8(ascii: "/"), from: at) {
            guard bytes.count - found >= count else { return false }
            if (0..<count).allSatisfy({ bytes[found + $0] == wanted.utf8Start[$0] }) { return true }
            at = found + 1
        }
        return false
    }

    /// The request that a notification cancels, and whether silently. Empty bytes: none.
    /// - Returns: nil if the message is no cancellation.
    static func read(_ envelope: Envelope) -> (id: UnsafeRawBufferPointer, isSilent: Bool)? {
        guard envelope.id == nil, let method = envelope.method else { return nil }
        let isSilent = method.equals("notifications/cancelled")
        guard isSilent || method.equals("$/cancelRequest") else { return nil }
        var id = UnsafeRawBufferPointer(start: nil, count: 0)
        envelope.params?.forEachMember { key, value in
            if isSilent ? key.equals("requestId") : key.equals("id") { id = value.bytes }
        }
        return (id, isSilent)
    }

    mutating func note(_ id: UnsafeRawBufferPointer, isSilent: Bool, at number: Int) {
        cancellations.append(Cancellation(id: Array(id), number: number, isSilent: isSilent))
    }

    /// Whether to skip the request with this id, which is message `number`, and if so whether silently.
    func find(_ id: UnsafeRawBufferPointer, before number: Int) -> Bool? {
        if answered.contains(number) { return true }
        return cancellations.first { cancellation in
            cancellation.number > number && cancellation.id.withUnsafeBytes { $0.isSameID(as: id) }
        }?.isSilent
    }
}
