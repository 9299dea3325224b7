/// Writes the content lines of an iCalendar object: escaped, folded, each ended by CRLF. RFC 5545, section 3.1.
///
///     var lines = CalendarWriter()
///     lines.begin("VEVENT")
///     lines.text("SUMMARY", "Tea; with cake")        // SUMMARY:Tea\; with cake
///     lines.end("VEVENT")
struct CalendarWriter {
    /// The longest line, in octets without its line break. A longer one continues in the next, after a space.
    static let octetsMax = 75

    private(set) var bytes: [UInt8] = []
    /// The size at which nothing more is added, because no caller needs so much.
    private let bytesMax: Int

    init(bytesMax: Int = .max) { self.bytesMax = bytesMax }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func begin(_ component: String) { line("BEGIN", component) }
    mutating func end(_ component: String) { line("END", component) }

    /// Writes a property with an unescaped value: a date, a URI, a word. Drops characters that would end the line.
    mutating func line(_ name: String, _ value: String) {
        append(name + ":" + String(String.UnicodeScalarView(value.unicodeScalars.filter { !Self.isControl($0) })))
    }

    /// Writes a property of type TEXT (section 3.3.11).
    mutating func text(_ name: String, _ value: String) { append(name + ":" + Self.escaped(value)) }

    /// Writes a property with a list of texts; nothing for an empty list.
    mutating func texts(_ name: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        append(name + ":" + values.map(Self.escaped).joined(separator: ","))
    }

    /// Escapes reverse solidus, semicolon and comma, and writes each line break as `\n`. Drops other control
    /// characters, which a value may not have.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            // CR LF is one line break.
            defer { isAfterReturn = scalar == "\r" }
            if scalar == "\n", isAfterReturn { continue }
            if isLineBreak(scalar) {
                result.append(contentsOf: "\\n".unicodeScalars)
            } else if !isControl(scalar) {
                if scalar == "\\" || scalar == ";" || scalar == "," { result.append("\\") }
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Escapes one line. A break of Unicode's own, such as U+2028, is a character like others.
    static func escapedLine(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == ";" || scalar == "," { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Whether a scalar is a mandatory break of Unicode Standard Annex 14.
    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether a scalar is a control other than the horizontal tab. RFC 5545, section 3.1, `CONTROL`.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
    }

    /// Appends finished lines.
    mutating func append(_ lines: CalendarWriter) {
        if bytes.count <= bytesMax { bytes += lines.bytes }
    }

    /// Appends a line, folded between characters of UTF-8.
    private mutating func append(_ line: String) {
        guard bytes.count <= bytesMax else { return }
        var room = Self.octetsMax
        for scalar in line.unicodeScalars {
            let octets = UTF8.width(scalar)
            if octets > room {
                bytes.append(contentsOf: "\r\n ".utf8)
                room = Self.octetsMax - 1
            }
            room -= octets
            if let units = UTF8.encode(scalar) { bytes.append(contentsOf: units) }
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }
}
