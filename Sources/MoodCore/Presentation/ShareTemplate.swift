import JSONCodec

/// A text with named places: `{emoji} {label}, {relative}`; `{{` is a brace.
///
/// Each use reads it again: a list of its pieces would be many times as long as a client's text.
public struct ShareTemplate: Sendable {
    public enum Name: Int, CaseIterable, Sendable {
        case emoji, label, notes, tags, relative, date, time, timestamp

        fileprivate var text: StaticString {
            switch self {
            case .emoji: "emoji"
            case .label: "label"
            case .notes: "notes"
            case .tags: "tags"
            case .relative: "relative"
            case .date: "date"
            case .time: "time"
            case .timestamp: "timestamp"
            }
        }
    }

    enum Piece {
        /// UTF-8, valid during the call.
        case text(UnsafeRawBufferPointer)
        case place(Name)
    }

    private let bytes: [UInt8]

    /// Reads a template.
    /// - Returns: nil if there is a `problem`.
    public init?(_ template: JSONText) {
        bytes = template.withDecoded { Array($0) }
        guard bytes.withUnsafeBytes({ Self.problem($0) }) == nil else { return nil }
    }

    /// The problem of a template, as a clause; nil if it is valid.
    public static func problem(_ template: UnsafeRawBufferPointer) -> String? { read(template) { _ in } }

    func forEachPiece(_ body: (Piece) -> Void) { _ = bytes.withUnsafeBytes { Self.read($0, body) } }

    /// - Returns: the problem at which reading ended.
    private static func read(_ template: UnsafeRawBufferPointer, _ body: (Piece) -> Void) -> String? {
        func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: template[start..<end])
        }
        var at = 0
        while let brace = template.firstOffset(of: UInt8(ascii: "{"), from: at) {
            let next = brace + 1
            if next < template.count, template[next] == UInt8(ascii: "{") {
                body(.text(part(at, next)))
                at = next + 1
                continue
            }
            if at < brace { body(.text(part(at, brace))) }
            guard let end = template.firstOffset(of: UInt8(ascii: "}"), from: next) else {
                return "has a { without its }; write {{ for a brace"
            }
            let name = JSONText(raw: part(next, end), isEscaped: false)
            guard let place = Name.allCases.first(where: { name.equals($0.text) }) else {
                let known = Name.allCases.map { "{\($0.text)}" }.joined(separator: " ")
                let shown = String(String(decoding: name.raw.prefix(160), as: UTF8.self).unicodeScalars.prefix(40))
                return "has an unknown name {\(shown)}; known are \(known)"
            }
            body(.place(place))
            at = end + 1
        }
        if at < template.count { body(.text(part(at, template.count))) }
        return nil
    }
}

/// A template with a mood's values. The length of its text is known before any byte is written.
public struct FilledTemplate: ~Copyable {
    private let template: ShareTemplate
    /// The texts of its places, in the form of a JSON string.
    private let values: JSONWriter
    private let ranges: InlineArray<8, Range<Int>>
    /// The length of the JSON string, with its quotes.
    public let byteCount: Int

    /// - Parameter write: writes the text of a place; called once for each place that the template names.
    init<Failure: Error>(
        _ template: ShareTemplate, _ write: (ShareTemplate.Name, inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var counts = InlineArray<8, Int>(repeating: 0)
        var byteCount = 2
        template.forEachPiece { piece in
            switch piece {
            case .text(let text): byteCount += JSONWriter.contentsCount(utf8: text)
            case .place(let name): counts[name.rawValue] += 1
            }
        }
        var values = JSONWriter()
        var ranges = InlineArray<8, Range<Int>>(repeating: 0..<0)
        for name in ShareTemplate.Name.allCases where counts[name.rawValue] > 0 {
            let start = values.count
            try write(name, &values)
            ranges[name.rawValue] = start..<values.count
            byteCount += counts[name.rawValue] * (values.count - start)
        }
        self.template = template
        self.values = values
        self.ranges = ranges
        self.byteCount = byteCount
    }

    /// Writes the text as a JSON string.
    public func write(to writer: inout JSONWriter) {
        writer.raw("\"")
        values.buffer.withBytes { values in
            template.forEachPiece { piece in
                switch piece {
                case .text(let text): writer.contents(utf8: text)
                case .place(let name):
                    writer.buffer.append(UnsafeRawBufferPointer(rebasing: values[ranges[name.rawValue]]))
                }
            }
        }
        writer.buffer.append(UInt8(ascii: "\""))
    }
}
