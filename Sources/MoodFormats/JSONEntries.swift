import JSONCodec

/// The elements of an array in a JSON file, each with its line.
struct JSONEntries {
    struct Entry {
        var line: Int
        var text: [UInt8]
    }

    private var entries: [Entry] = []
    private var place = 0
    /// How far the entries have been read, in bytes.
    private(set) var at = 0

    /// - Parameter member: the one that holds the array; nil where the file is the array.
    init(_ bytes: [UInt8], in member: StaticString?, _ program: String) throws(UnreadableFile) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        var fault: UnreadableFile?
        var found: [Entry]?
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        bytes.withUnsafeBytes { all in
            let text = UnsafeRawBufferPointer(rebasing: all[start...])
            do throws(JSONError) {
                let outline = try validator.validate(text)
                var reader = JSONReader(outline.text)
                guard let member else {
                    if reader.enterArray() { found = Self.entries(&reader, text) }
                    return
                }
                guard reader.enterObject() else { return }
                while let key = reader.nextKey() {
                    guard key.equals(member), reader.enterArray() else {
                        reader.skip()
                        continue
                    }
                    found = Self.entries(&reader, text)
                }
            } catch {
                let line = text.prefix(error.offset).reduce(1) { $0 + ($1 == 10 ? 1 : 0) }
                fault = UnreadableFile("is not JSON: \(error.reason), line \(line)")
            }
        }
        if let fault { throw fault }
        guard let found else { throw UnreadableFile("has no entries: it must be the JSON that \(program) writes") }
        entries = found
    }

    private static func entries(_ reader: inout JSONReader, _ text: UnsafeRawBufferPointer) -> [Entry] {
        var entries: [Entry] = []
        var line = 1
        var counted = 0
        while reader.nextElement() {
            let value = reader.skip()
            if let start = text.baseAddress, let place = value.bytes.baseAddress {
                let offset = place - start
                while counted < offset {
                    if text[counted] == 10 { line += 1 }
                    counted += 1
                }
            }
            entries.append(Entry(line: line, text: Array(value.bytes)))
        }
        return entries
    }

    /// The next one with its value, which may be no object; nil at the end.
    mutating func next() -> (line: Int, value: JSONValue, excerpt: String)? {
        guard place < entries.count else { return nil }
        let entry = entries[place]
        // Each is needed once.
        entries[place].text = []
        place += 1
        at += entry.text.count
        let value = (try? JSONValue.parse(entry.text)) ?? .null
        return (entry.line, value, Excerpt.of(entry.text.filter { $0 != 10 && $0 != 13 }))
    }
}
