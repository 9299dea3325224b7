import JSONCodec
import JSONRPC
import MoodFormats
import MoodProtocol
import MoodStore

/// The outcomes of an import so far.
struct ImportTally {
    /// The most problems that are listed.
    static let problemsMax = 1000

    private let isStrict: Bool
    /// The param of the file: `path` or `text`.
    private let param: String
    /// Whether the file is a copy of a store, of which `damaged` would take the rest.
    private let isCopy: Bool
    /// For a copy: whether its first and its last line confirm its contents.
    var isChecked: Bool?
    private var created = 0
    private var updated = 0
    private var unchanged = 0
    private var leftOut = 0
    /// The number of losses, each of which refuses a strict import.
    private var losses = 0
    private var firstLoss: ImportProblem?
    private var problems: [ImportProblem] = []
    private var problemCount = 0

    init(strict: Bool, _ param: String, isCopy: Bool = false) {
        isStrict = strict
        self.param = param
        self.isCopy = isCopy
    }

    mutating func add(_ problem: ImportProblem) {
        problemCount += 1
        if problem.loss == .row { leftOut += 1 }
        if problem.loss != .none {
            losses += 1
            if firstLoss == nil { firstLoss = problem }
        }
        if problems.count == Self.problemsMax {
            // A lost row takes the place of a partial loss in the list.
            guard problem.loss == .row, let last = problems.lastIndex(where: { $0.loss != .row }) else { return }
            problems.remove(at: last)
        }
        problems.append(problem)
    }

    mutating func add(_ outcome: ImportOutcome) {
        switch outcome {
        case .created: created += 1
        case .updated: updated += 1
        case .unchanged, .repeated: unchanged += 1
        }
    }

    /// Writes the answer.
    /// - Throws: an error if something could not be read in a strict import.
    func finish(to out: inout JSONWriter) throws(RPCError) {
        if isStrict, let firstLoss {
            let path = isCopy ? "/damaged" : "/" + param
            let reason =
                (isCopy ? "is needed to take the rest: " : "")
                + "\(losses == 1 ? "One thing" : "\(losses) things") in it cannot be read; the first: "
                + "line \(firstLoss.line): \(firstLoss.reason)"
            throw RPCError(
                .invalidParams, isCopy ? "\(path) \(reason)" : "\(param): \(reason)",
                [
                    .init("path", .string(path)), .init("reason", .string(reason)),
                    .init("problems", .array(problems.map(\.value))),
                ])
        }
        out.beginObject()
        out.member("created", created)
        out.member("updated", updated)
        out.member("unchanged", unchanged)
        out.member("leftOut", leftOut)
        out.member("problems", JSONValue.array(problems.map(\.value)))
        if problemCount > problems.count {
            out.member("problemCount", problemCount)
        }
        if let isChecked { out.member("isChecked", isChecked) }
        out.endObject()
    }
}

extension ImportProblem {
    var value: JSONValue {
        .object(
            [.init("line", .number(String(line)))] + (column.map { [.init("column", .number(String($0)))] } ?? [])
                + [.init("reason", .string(reason)), .init("text", .string(text))]
                + (loss == .row ? [] : [.init("isKept", .boolean(true))]))
    }
}
