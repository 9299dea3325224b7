import CPlatform

/// The tokens of RFC 8259, sections 2 to 7: each function takes the offset of a token and returns the offset after it,
/// or -1 with the reason in `fault`.
extension JSONValidator {
    @inlinable @inline(__always)
    static func skipSpace(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at < end {
            let byte = base[at]
            if byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) { break }
            at += 1
        }
        return at
    }

    /// Skips a string: `start` is after the opening quote, the result after the closing one.
    @inline(__always)
    static func skipString(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ isEscaped: inout Bool, _ fault: inout TokenFault
    ) -> Int {
        var at = start
        while true {
            at = cplatform_plain_run(base, at, end)
            while end - at >= 8 {
                let word = ByteScan.load(base, at)
                let hits = ByteScan.special(word) | (word & ByteScan.tops)
                if hits != 0 {
                    at += ByteScan.lowest(hits)
                    break
                }
                at += 8
            }
            guard at < end else { return fault.at(.unexpectedEnd, end) }
            let byte = base[at]
            if byte == UInt8(ascii: "\"") { return at + 1 }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                at = skipEscape(base, at, end, &fault)
                guard at >= 0 else { return -1 }
            } else if byte >= 0x80 {
                // Text outside ASCII mostly continues like that: staying here avoids useless tests of words.
                repeat {
                    let length = ByteScan.sequenceLength(base, at, end)
                    guard length > 0 else { return fault.at(.invalidUTF8, at) }
                    at += length
                } while at < end && base[at] >= 0x80
            } else if byte < 0x20 {
                return fault.at(.controlCharacter, at)
            } else {
                at += 1
            }
        }
    }

    @inline(never)
    private static func skipEscape(
        _ base: UnsafePointer<UInt8>, _ backslash: Int, _ end: Int, _ fault: inout TokenFault
    ) -> Int {
        guard end - backslash >= 2 else { return fault.at(.unexpectedEnd, end) }
        switch base[backslash + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return backslash + 2
        case UInt8(ascii: "u"):
            guard let unit = hexUnit(base, backslash, end) else { return fault.at(.invalidEscape, backslash) }
            // A low surrogate cannot come first.
            if unit >> 10 == 0x37 { return fault.at(.loneSurrogate, backslash) }
            guard unit >> 10 == 0x36 else { return backslash + 6 }
            let second = backslash + 6
            guard end - second >= 2, base[second] == UInt8(ascii: "\\"), base[second + 1] == UInt8(ascii: "u") else {
                return fault.at(.loneSurrogate, backslash)
            }
            guard let low = hexUnit(base, second, end) else { return fault.at(.invalidEscape, second) }
            return low >> 10 == 0x37 ? second + 6 : fault.at(.loneSurrogate, backslash)
        default:
            return fault.at(.invalidEscape, backslash)
        }
    }

    private static func hexUnit(_ base: UnsafePointer<UInt8>, _ backslash: Int, _ end: Int) -> UInt32? {
        guard end - backslash >= 6 else { return nil }
        var unit: UInt32 = 0
        for at in backslash + 2..<backslash + 6 {
            guard let digit = hexDigit(base[at]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 55
        default: nil
        }
    }

    /// Skips a number. RFC 8259, section 6: `[ minus ] int [ frac ] [ exp ]`.
    @inline(__always)
    static func skipNumber(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ fault: inout TokenFault
    ) -> Int {
        var at = start
        if base[at] == UInt8(ascii: "-") { at += 1 }
        guard at < end else { return fault.at(.unexpectedEnd, at) }
        if base[at] == UInt8(ascii: "0") {
            at += 1
            if at < end, isDigit(base[at]) { return fault.at(.invalidNumber, at) }
        } else {
            at = skipDigits(base, at, end, &fault)
            guard at >= 0 else { return -1 }
        }
        if at < end, base[at] == UInt8(ascii: ".") {
            at = skipDigits(base, at + 1, end, &fault)
            guard at >= 0 else { return -1 }
        }
        if at < end, base[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < end, base[at] == UInt8(ascii: "+") || base[at] == UInt8(ascii: "-") { at += 1 }
            at = skipDigits(base, at, end, &fault)
        }
        return at
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    /// Skips one digit or more.
    @inline(__always)
    private static func skipDigits(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ fault: inout TokenFault
    ) -> Int {
        guard start < end else { return fault.at(.unexpectedEnd, start) }
        guard isDigit(base[start]) else { return fault.at(.invalidNumber, start) }
        var at = start + 1
        while at < end, isDigit(base[at]) { at += 1 }
        return at
    }

    /// Skips a literal: `expected` holds its last four bytes, least significant first, which begin at `last`.
    @inline(__always)
    static func skipLiteral(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ last: Int, _ end: Int, _ expected: UInt32,
        _ fault: inout TokenFault
    ) -> Int {
        guard end - last >= 4 else { return fault.at(.invalidLiteral, start) }
        let word = UInt32(littleEndian: UnsafeRawPointer(base + last).loadUnaligned(as: UInt32.self))
        return word == expected ? last + 4 : fault.at(.invalidLiteral, start)
    }
}
