/// A text with named places: `{emoji} {label}, {relative}`; `{{` is a brace.
public struct ShareTemplate: Sendable {
    public enum Name: String, CaseIterable, Sendable {
        case emoji, label, notes, tags, relative, date, time, timestamp
    }

    public enum Piece: Sendable {
        case text(String)
        case place(Name)
    }

    public let pieces: [Piece]

    /// Reads a template.
    /// - Returns: nil if there is a `problem`.
    public init?(_ template: String) {
        guard case .success(let pieces) = Self.read(template) else { return nil }
        self.pieces = pieces
    }

    /// What is wrong with a template, as a clause; nil when nothing is.
    public static func problem(_ template: UnsafeRawBufferPointer) -> String? {
        guard case .failure(let problem) = read(String(decoding: template, as: UTF8.self)) else { return nil }
        return problem.reason
    }

    private struct Problem: Error { let reason: String }

    private static func read(_ template: String) -> Result<[Piece], Problem> {
        var pieces: [Piece] = []
        var text = String.UnicodeScalarView()
        var rest = template.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "{" else {
                text.append(scalar)
                continue
            }
            if rest.first == "{" {
                rest.removeFirst()
                text.append("{")
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                return .failure(Problem(reason: "has a { without its }; write {{ for a brace"))
            }
            let name = String(rest[..<end])
            guard let place = Name(rawValue: name) else {
                let known = Name.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                return .failure(Problem(reason: "has an unknown name {\(name.prefix(40))}; known are \(known)"))
            }
            if !text.isEmpty { pieces.append(.text(String(text))) }
            text = String.UnicodeScalarView()
            pieces.append(.place(place))
            rest = rest[rest.index(after: end)...]
        }
        if !text.isEmpty { pieces.append(.text(String(text))) }
        return .success(pieces)
    }
}
