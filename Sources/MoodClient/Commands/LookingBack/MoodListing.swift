import JSONCodec

/// A page of moods: the bytes of each mood, its id, and the next cursor, without a tree of a thousand moods.
struct MoodListing {
    private(set) var items: [[UInt8]] = []
    private(set) var ids: [String] = []
    private(set) var total: Int?
    private(set) var nextCursor: String?
    /// The host's words about an empty list.
    private(set) var empty: JSONValue?

    /// - Returns: nil if it is not a page.
    init?(_ result: [UInt8]) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let isPage = result.withUnsafeBytes { bytes -> Bool in
            guard let outline = try? validator.validate(bytes), outline.kind == .object else { return false }
            var reader = JSONReader(outline.text)
            return read(&reader)
        }
        guard isPage else { return nil }
    }

    private mutating func read(_ reader: inout JSONReader) -> Bool {
        var hasItems = false
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            if key.equals("items"), reader.enterArray() {
                hasItems = true
                while reader.nextElement() { readItem(reader.skip()) }
            } else if key.equals("nextCursor"), let text = reader.text() {
                nextCursor = text.string
            } else if key.equals("total"), let number = reader.number() {
                total = number.integer
            } else if key.equals("empty") {
                empty = JSONValue(reader.skip())
            } else {
                reader.skip()
            }
        }
        return hasItems
    }

    private mutating func readItem(_ item: ValidJSON) {
        items.append(Array(item.bytes))
        var reader = JSONReader(item)
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            if key.equals("id"), let text = reader.text() {
                ids.append(text.string)
                return
            }
            reader.skip()
        }
    }

    /// The moods as trees, without items that are not moods.
    var moods: [MoodView] { items.compactMap { item in (try? JSONValue.parse(item)).flatMap(MoodView.init) } }
}
