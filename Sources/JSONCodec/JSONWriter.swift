/// Writes JSON at the end of a `ByteBuffer`; it cannot fail.
///
/// Commas need no state: after an opening bracket or a colon none is due, after any other byte one is. Strings have one
/// canonical form: only characters that RFC 8259, section 7 requires are escaped, so that equal texts have equal bytes.
///
///     writer.beginObject()
///     writer.key("id"); writer.string(id)
///     writer.key("tags"); writer.beginArray(); writer.string("work"); writer.endArray()
///     writer.endObject()
public struct JSONWriter: ~Copyable {
    /// Everything written so far.
    public var buffer: ByteBuffer

    public init(capacity: Int = 256) { buffer = ByteBuffer(capacity: capacity) }

    /// The number of bytes written so far: a mark for `rewind`.
    @inlinable public var count: Int { buffer.count }

    @inlinable public mutating func rewind(to mark: Int) { buffer.truncate(to: mark) }

    @inlinable public mutating func beginObject() {
        separate()
        buffer.append(UInt8(ascii: "{"))
    }

    @inlinable public mutating func endObject() { buffer.append(UInt8(ascii: "}")) }

    @inlinable public mutating func beginArray() {
        separate()
        buffer.append(UInt8(ascii: "["))
    }

    @inlinable public mutating func endArray() { buffer.append(UInt8(ascii: "]")) }

    /// Writes a member's name, which must be ASCII without anything to escape.
    @inlinable @inline(__always)
    public mutating func key(_ name: StaticString) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(name)
        buffer.append("\":" as StaticString)
    }

    /// Writes a member's name from data. (With a label, because a literal would prefer `String` and be escaped at each
    /// call.)
    public mutating func key(text name: String) {
        string(name)
        buffer.append(UInt8(ascii: ":"))
    }

    public mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string from a literal without anything to escape.
    @inlinable @inline(__always)
    public mutating func string(_ text: StaticString) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(text)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes a string from valid UTF-8.
    public mutating func string(utf8: UnsafeRawBufferPointer) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        contents(utf8: utf8)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes a string that was read, in the canonical form.
    public mutating func string(_ text: JSONText) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        contents(text)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes the inside of a string, without quotes.
    @inlinable
    public mutating func contents(_ text: JSONText) {
        if text.isEscaped { canonicalContents(text.raw) } else { buffer.append(text.raw) }
    }

    /// Copies an escaped text; only `\/` and `\u` are not yet in the canonical form.
    @usableFromInline
    mutating func canonicalContents(_ raw: UnsafeRawBufferPointer) {
        var runStart = 0
        var at = 0
        while let backslash = raw.firstOffset(of: UInt8(ascii: "\\"), from: at) {
            let kind = backslash + 1 < raw.count ? raw[backslash + 1] : 0
            guard kind == UInt8(ascii: "u") || kind == UInt8(ascii: "/") else {
                at = backslash + 2
                continue
            }
            buffer.append(UnsafeRawBufferPointer(rebasing: raw[runStart..<backslash]))
            let end = JSONText.escapeEnd(raw, backslash)
            let piece = JSONText(raw: UnsafeRawBufferPointer(rebasing: raw[backslash..<end]), isEscaped: true)
            piece.withDecoded { contents(utf8: $0) }
            at = end
            runStart = end
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: raw[runStart...]))
    }

    @inlinable public mutating func integer(_ value: Int) {
        separate()
        buffer.append(integer: value)
    }

    /// Writes a number: the shortest text that reads back as the same double, without a fraction if it has none. NaN
    /// and infinity become null.
    public mutating func double(_ value: Double) {
        separate()
        if !value.isFinite {
            buffer.append("null" as StaticString)
        } else if value == value.rounded(.towardZero), abs(value) < 0x1p53 {
            buffer.append(integer: Int(value))
        } else {
            buffer.append(utf8: value.description)
        }
    }

    /// Writes a number that is already text.
    public mutating func number(text: String) {
        separate()
        buffer.append(utf8: text)
    }

    @inlinable public mutating func boolean(_ value: Bool) {
        separate()
        if value { buffer.append("true" as StaticString) } else { buffer.append("false" as StaticString) }
    }

    @inlinable public mutating func null() {
        separate()
        buffer.append("null" as StaticString)
    }

    /// Writes a value that is already JSON.
    @inlinable @inline(__always)
    public mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        buffer.append(json)
    }

    /// Writes a value that is already JSON.
    @inlinable @inline(__always)
    public mutating func raw(_ json: StaticString) {
        separate()
        buffer.append(json)
    }

    /// Writes the comma before the next value, if one is due.
    @inlinable @inline(__always)
    mutating func separate() {
        guard buffer.count > 0 else { return }
        switch buffer.bytes[buffer.count - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: buffer.append(UInt8(ascii: ","))
        }
    }

    /// Writes the inside of a string.
    public mutating func contents(of text: String) {
        var text = text
        text.withUTF8 { contents(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Number of bytes that `contents(utf8:)` writes.
    public static func contentsCount(utf8: UnsafeRawBufferPointer) -> Int {
        utf8.reduce(utf8.count) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0a, 0x0c, 0x0d: count + 1
            case 0..<0x20: count + 5
            default: count
            }
        }
    }

    /// Escapes the characters that require it and copies the runs between.
    public mutating func contents(utf8: UnsafeRawBufferPointer) {
        guard let base = utf8.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let end = utf8.count
        buffer.reserve(end)
        var at = 0
        var runStart = 0
        while at < end {
            if end - at >= 8 {
                let hits = ByteScan.special(ByteScan.load(base, at))
                if hits == 0 {
                    at += 8
                    continue
                }
                at += ByteScan.lowest(hits)
            }
            let byte = base[at]
            if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                at += 1
                continue
            }
            buffer.append(UnsafeRawBufferPointer(start: base + runStart, count: at - runStart))
            escape(byte)
            at += 1
            runStart = at
        }
        buffer.append(UnsafeRawBufferPointer(start: base + runStart, count: end - runStart))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): buffer.append("\\\\" as StaticString)
        case 0x08: buffer.append("\\b" as StaticString)
        case 0x09: buffer.append("\\t" as StaticString)
        case 0x0a: buffer.append("\\n" as StaticString)
        case 0x0c: buffer.append("\\f" as StaticString)
        case 0x0d: buffer.append("\\r" as StaticString)
        default:
            buffer.append("\\u00" as StaticString)
            buffer.append(Self.hexDigit(byte >> 4))
            buffer.append(Self.hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? value + 48 : value + 87 }
}
