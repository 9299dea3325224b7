import Storage

/// A position in a list as text for clients: opaque, URL-safe, valid after any changes.
///
/// It names a sort key and an id, not a row. Its fingerprint of sort, order and filter lets the host refuse a cursor of
/// another list, instead of returning a wrong page.
///
///     version (1) | fingerprint (8) | key (8) | id (16) | folded label, when sorted by label | check (4)
///
/// in base64url without padding. RFC 4648, section 5.
enum ListCursor {
    private static let version: UInt8 = 1
    private static let headLength = 33
    /// The bytes of a fingerprint without a filter.
    private static let fingerprintBytes = 54

    static func text(_ position: RecordPosition, of query: MoodQuery) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headLength + position.text.count + 4)
        bytes.append(version)
        append(fingerprint(query), to: &bytes)
        append(UInt64(bitPattern: position.key), to: &bytes)
        append(position.id.high, to: &bytes)
        append(position.id.low, to: &bytes)
        bytes.append(contentsOf: position.text)
        let check = hash(bytes)
        for shift in [24, 16, 8, 0] as [UInt64] { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
        return Base64URL.encode(bytes)
    }

    static func position(_ text: [UInt8], of query: MoodQuery) throws(MoodStoreError) -> RecordPosition {
        guard let bytes = Base64URL.decode(text), bytes.count >= headLength + 4, bytes[0] == version else {
            throw .invalidCursor
        }
        let body = Array(bytes.dropLast(4))
        guard word(bytes, bytes.count - 4, 4) == hash(body) & 0xffff_ffff, word(bytes, 1, 8) == fingerprint(query)
        else {
            throw .invalidCursor
        }
        return RecordPosition(
            key: Int64(bitPattern: word(bytes, 9, 8)), text: Array(body[headLength...]),
            id: RecordID(high: word(bytes, 17, 8), low: word(bytes, 25, 8)))
    }

    /// FNV-1a over sort, order and filter. The limit may differ between pages.
    private static func fingerprint(_ query: MoodQuery) -> UInt64 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fingerprintBytes)
        bytes.append(query.sort.rawValue)
        bytes.append(query.isDescending ? 1 : 0)
        func field(_ value: [UInt8]?) {
            bytes.append(value == nil ? 0 : 1)
            append(UInt64(value?.count ?? 0), to: &bytes)
            bytes.append(contentsOf: value ?? [])
        }
        let filter = query.filter
        field(filter.isFavorite.map { [$0 ? 1 : 0] })
        field(filter.emoji?.sent)
        field(filter.label?.sent)
        field(filter.foldedText)
        func fields(_ tags: [MoodFilter.Wanted]) {
            for tag in tags.map(\.sent).sorted(by: { $0.lexicographicallyPrecedes($1) }) { field(tag) }
        }
        fields(filter.tags)
        for time in [filter.from, filter.to] {
            append(UInt64(bitPattern: time?.milliseconds ?? .min), to: &bytes)
        }
        // A filter without these adds nothing, so that cursors of earlier versions stay valid.
        if filter.isExact { bytes.append(2) }
        for (mark, tags) in [(3, filter.anyTags), (4, filter.noTags)] as [(UInt8, [MoodFilter.Wanted])]
        where !tags.isEmpty {
            bytes.append(mark)
            fields(tags)
        }
        for (mark, valence) in [(5, filter.valenceFrom), (6, filter.valenceTo)] as [(UInt8, Double?)] {
            guard let valence else { continue }
            bytes.append(mark)
            append(valence.bitPattern, to: &bytes)
        }
        if let days = filter.days?.range {
            bytes.append(7)
            for day in [days.lowerBound, days.upperBound] { append(UInt64(bitPattern: Int64(day)), to: &bytes) }
        }
        return hash(bytes)
    }

    static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }

    static func word(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
        bytes[at..<at + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// RFC 4648, section 5, without padding.
public enum Base64URL {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    public static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { text in
            // Each character is six bits, which begin in one byte and may end in the next.
            for place in 0..<length {
                let (at, shift) = (place * 6 / 8, place * 6 % 8)
                let next = at + 1 < bytes.count ? bytes[at + 1] : 0
                let bits = (UInt16(bytes[at]) << 8 | UInt16(next)) >> UInt16(10 - shift) & 63
                text[place] = alphabet.utf8Start[Int(bits)]
            }
            return length
        }
    }

    /// Decodes a text; nil if it is not base64url.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = alphabet.withUTF8Buffer({ $0.firstIndex(of: character) }) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
