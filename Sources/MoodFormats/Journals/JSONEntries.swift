import JSONCodec

/// The elements of an array in a JSON file, each with its line. The file is read in pieces, so memory grows only with
/// the largest element: once to check that it is JSON (RFC 8259) with the array, and once more for its elements.
struct JSONEntries {
    private enum State { case start, inObject, inArray, end }

    private let member: [UInt8]?
    private var pieces: FilePieces
    private var bytes: [UInt8]
    /// The position in the bytes.
    private var offset = 0
    private var line = 1
    /// The number of bytes before the present line, and the line of the last element.
    private var (lineStart, lastLine) = (0, 0)
    private var place = State.start
    /// Whether no element or member was read yet, so that no comma is due.
    private var isFirst = true
    private var hasArray = false
    /// The number of bytes read.
    var at: Int { pieces.end - (bytes.count - offset) }

    /// - Parameter member: the member with the array; nil if the file is the array.
    init(_ file: ImportBytes, in member: StaticString?, _ program: String) throws(UnreadableFile) {
        self.member = member.map { Array("\"\($0)\"".utf8) }
        pieces = FilePieces(file)
        bytes = pieces.first()
        var trial = self
        while try trial.element() != nil {}
        guard trial.hasArray else {
            throw UnreadableFile("has no entries: it must be the JSON that \(program) writes")
        }
    }

    /// The next element, which may be no object; nil at the end.
    mutating func next() -> Entry? {
        // A file that has changed meanwhile ends here; the file's reader finds that.
        guard let (line, column, text) = try? element() else { return nil }
        let value = (try? JSONValue.parse(text)) ?? .null
        defer { lastLine = line }
        let excerpt = Excerpt.of(text.filter { $0 != 10 && $0 != 13 })
        return Entry(value: value, line: line, column: line == lastLine ? column : nil, excerpt: excerpt)
    }

    struct Entry {
        let value: JSONValue
        let line: Int
        /// Its column, if another element begins on the same line before it.
        let column: Int?
        let excerpt: String

        /// A member that is not null.
        subscript(_ name: String) -> JSONValue? { value[name].flatMap { $0.text == "null" ? nil : $0 } }

        func refusal(_ reason: String) -> ImportItem { .problem(problem(reason, .row)) }
        /// A part that is left off.
        func loss(_ reason: String) -> ImportProblem { problem(reason, .part) }

        private func problem(_ reason: String, _ loss: ImportProblem.Loss) -> ImportProblem {
            ImportProblem(line: line, column: column, reason: reason, text: excerpt, loss: loss)
        }

        func mood(_ draft: MoodDraft, _ leftOff: [ImportProblem] = []) -> ImportItem {
            .mood(ImportedMood(line: line, carriesID: false, json: draft.json, text: excerpt, leftOff: leftOff))
        }
    }

    private mutating func element() throws(UnreadableFile) -> (line: Int, column: Int, text: [UInt8])? {
        while true {
            let sign = upcoming()
            switch place {
            case .start:
                switch sign {
                case UInt8(ascii: "[") where member == nil: try enter(.inArray)
                case UInt8(ascii: "{") where member != nil: try enter(.inObject)
                default:
                    _ = try value()
                    place = .end
                }
            case .inObject:
                if try isOver(sign, UInt8(ascii: "}")) {
                    place = .end
                } else if try name() == member, upcoming() == UInt8(ascii: "[") {
                    try enter(.inArray)
                } else {
                    _ = try value()
                }
            case .inArray:
                guard try isOver(sign, UInt8(ascii: "]")) else {
                    _ = upcoming()
                    let (line, column) = (line, at - lineStart + 1)
                    return (line, column, try value())
                }
                place = member == nil ? .end : .inObject
            case .end:
                guard sign == nil else { throw fault("there is something behind its end") }
                return nil
            }
        }
    }

    private mutating func enter(_ inner: State) throws(UnreadableFile) {
        offset += 1
        hasArray = hasArray || inner == .inArray
        (place, isFirst) = (inner, true)
    }

    /// Skips the comma before the next element, or the closing bracket.
    private mutating func isOver(_ sign: UInt8?, _ close: UInt8) throws(UnreadableFile) -> Bool {
        if sign == close {
            offset += 1
            isFirst = false
            return true
        }
        if !isFirst {
            guard sign == UInt8(ascii: ",") else { throw fault("a comma or a closing bracket is wanted") }
            offset += 1
        }
        isFirst = false
        return false
    }

    private mutating func name() throws(UnreadableFile) -> [UInt8] {
        guard upcoming() == UInt8(ascii: "\"") else { throw fault("a name in quotes is wanted") }
        let name = try value()
        guard upcoming() == UInt8(ascii: ":") else { throw fault("a colon is wanted behind a name") }
        offset += 1
        return name
    }

    /// Takes a whole value, and validates it.
    private mutating func value() throws(UnreadableFile) -> [UInt8] {
        _ = upcoming()
        let start = line
        let end = valueEnd()
        let text = Array(bytes[offset..<end])
        if let error = Self.error(in: text) {
            line = start + text.prefix(error.offset).count { $0 == 10 }
            throw fault("\(error.reason)")
        }
        line += text.count { $0 == 10 }
        if let last = text.lastIndex(of: 10) { lineStart = at + last + 1 }
        offset = end
        return text
    }

    private static func error(in text: [UInt8]) -> JSONError? {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        return text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                _ = try validator.validate(bytes)
                return nil
            } catch {
                return error
            }
        }
    }

    /// The end of the next value by its quotes and brackets.
    private mutating func valueEnd() -> Int {
        var end = offset
        var depth = 0
        var (isText, isEscaped) = (false, false)
        while true {
            guard end < bytes.count else {
                guard !pieces.isAtEnd else { return end }
                end -= offset
                takeMore()
                continue
            }
            let byte = bytes[end]
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    if depth == 0 { return end + 1 }
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return end }
                    depth -= 1
                    if depth == 0 { return end + 1 }
                case UInt8(ascii: ","), UInt8(ascii: ":"), 9, 10, 13, 32: if depth == 0 { return end }
                default: break
                }
            }
            end += 1
        }
    }

    /// Skips white space and returns the next byte; nil at the end.
    private mutating func upcoming() -> UInt8? {
        while true {
            guard offset < bytes.count else {
                guard !pieces.isAtEnd else { return nil }
                takeMore()
                continue
            }
            let byte = bytes[offset]
            guard byte == 10 || byte == 32 || byte == 13 || byte == 9 else { return byte }
            offset += 1
            if byte == 10 { (line, lineStart) = (line + 1, at) }
        }
    }

    private mutating func takeMore() {
        pieces.append(to: &bytes, keeping: offset)
        offset = 0
    }

    private func fault(_ reason: String) -> UnreadableFile { UnreadableFile("is not JSON: \(reason), line \(line)") }
}
