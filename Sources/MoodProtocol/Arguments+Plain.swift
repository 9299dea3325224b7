import JSONCodec
import MoodCore

/// Params that are written plainly: an object without white space between its tokens and without escapes in its names,
/// as every encoder writes it that was not asked for more. They are checked and taken in one pass.
extension Arguments {
    /// Checks params in the midst of a message and keeps where each one is.
    /// - Parameter depth: how many containers are open around the params.
    /// - Returns: the offset behind the params; nil when they are written otherwise or anything is wrong with them, which
    ///   `read` then says.
    public mutating func readPlain(
        _ message: UnsafeRawBufferPointer, from start: Int, depth: Int, for method: Method,
        _ limits: Limits, _ validator: inout JSONValidator
    ) -> Int? {
        begin(method)
        guard start + 1 < message.count, message[start] == UInt8(ascii: "{") else { return nil }
        var at = start + 1
        guard message[at] != UInt8(ascii: "}") else { return hasAllRequired ? at + 1 : nil }
        // Members mostly come in the order of their declaration.
        var expected = 0
        while let (index, nameEnd) = method.plainName(message, at, from: expected) {
            // A name that is given twice is an error.
            guard !isGiven(index),
                let end = readPlainValue(
                    message, nameEnd, depth, index, method, limits, &validator), end < message.count
            else { return nil }
            expected = index + 1
            at = end + 1
            if message[end] == UInt8(ascii: ",") { continue }
            return message[end] == UInt8(ascii: "}") && hasAllRequired ? at : nil
        }
        return nil
    }

    @inline(__always)
    private mutating func readPlainValue(
        _ message: UnsafeRawBufferPointer, _ start: Int, _ depth: Int, _ index: Int, _ method: Method,
        _ limits: Limits, _ validator: inout JSONValidator
    ) -> Int? {
        let kind = method.plain(index)
        if let end = takePlain(message, start, index, kind) { return end }
        if let text = JSONValidator.string(message, from: start) {
            return take(text, index, kind, method, limits) ? start + text.raw.count + 2 : nil
        }
        guard let end = validator.endOfValue(message, from: start, depth: depth + 1) else { return nil }
        let value = ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: message[start..<end]))
        return take(value, index, method, limits) ? end : nil
    }
}
