import JSONCodec
import JSONRPC
import MoodCore

/// The params of `store.export` and `store.import`.
public enum TransferParams {
    public static let exportFormat = ParamKey<String>.required(
        "format", .openChoice(["jsonl", "csv", "daylio", "jrnl", "ics", "markdown", "html"]),
        "The form of the text, or one that a plugin brings.")
    public static let history = ParamKey(
        "history", "Of jsonl: whether to tell also how the moods have changed.", default: false)
    public static let backup = ParamKey(
        "backup",
        "Of jsonl: whether a first line says of which store and revision it is, and a last one vouches for all before it.",
        default: false)
    public static let damaged = ParamKey(
        "damaged", "Whether what is there is taken of a store that shows less than was acknowledged.", default: false)
    public static let copy = ParamKey(
        "copy",
        "Whether it is a copy of a store (backup): it is checked, and all that a store may hold comes back, whatever its limits.",
        default: false)
    public static let damagedCopy = ParamKey(
        "damaged", "Whether what is there is taken of a copy that is damaged or cut off.", default: false)
    public static let importFormat = ParamKey<String?>.optional(
        "format", .openChoice(["jsonl", "csv", "daylio", "jrnl", "dayone", "pixels", "ics"]),
        "The form of the text, or one that a plugin brings; told by how it begins, if absent.")
    public static let path = ParamKey<String?>.optional(
        "path", .string(.path), "The absolute path of the file to read; or text.")
    public static let text = ParamKey<JSONText?>.optional("text", .string(.anything), "The text to read; or path.")
    public static let map = ParamKey<ValidJSON?>.optional(
        "map", .value(.importMap),
        "What columns are, {\"mood\": \"label\", \"Level\": \"valence:1..10\"}, and what labels are worth, {\"meh\": -0.4}."
    )
    public static let dateFormat = ParamKey<String?>.optional(
        "dateFormat", .string(.dateFormat),
        "How dates are written that could be two days, such as %d/%m/%Y: %Y %y %m %d %b %H %I %M %S %p.")
    public static let timeZone = ParamKey<String?>.optional(
        "timeZone", .string(.timeZone), "The zone of times that have none; it is kept as the one that was lived in.")
    public static let strict = ParamKey(
        "strict", "Whether nothing is done where something cannot be read.", default: false)
    public static let replace = ParamKey(
        "replace", "Whether moods that are there become what the file says.", default: false)
}

/// `store.export`, `store.import`: export and import of moods.
public enum TransferMethods {
    public static let export = MethodDeclaration(
        "store.export", .long, .owner,
        "Write the moods as the text of a file, page by page; all pages show the state of the first.",
        [
            TransferParams.exportFormat.field, MoodParams.filter.field, MoodParams.cursor.field,
            TransferParams.history.field, ReadingParams.timeZone.field, TransferParams.backup.field,
            TransferParams.damaged.field,
        ], common: .progress,
        result: .result([
            .required("text", .plain, "The text, or a part of it: put the parts one after the other."),
            .optional("nextCursor", .plain, "Where the next part begins; absent on the last."),
        ]),
        errors: ErrorCode.store + ErrorCode.plugins,
        example: .init(#"{"format":"csv"}"#))

    public static let `import` = MethodDeclaration(
        "store.import", .write, .owner,
        "Take moods from the text of a file, in one commit; what cannot be read is listed, and the rest is taken.",
        [
            TransferParams.importFormat.field, TransferParams.path.field, TransferParams.text.field,
            TransferParams.map.field, TransferParams.timeZone.field, TransferParams.strict.field,
            TransferParams.replace.field, TransferParams.dateFormat.field, TransferParams.copy.field,
            TransferParams.damagedCopy.field,
        ], common: .longChange,
        result: .result([
            .required("created", .amount, "How many moods are new."),
            .required("updated", .amount, "How many became what the file says."),
            .required("unchanged", .amount, "How many stayed as they are."),
            .required("leftOut", .amount, "How many rows were not taken."),
            .rows(
                "problems", "What could not be read, at most 1,000.",
                .required("line", .amount, "Where, from 1; 0 where nobody knows."),
                .optional("column", .ordinal, "The column, or the byte, from 1."),
                .required("reason", .plain, "What is wrong there."),
                .required("text", .plain, "The beginning of what stands there."),
                .optional(
                    "isKept", .boolean,
                    "True where no row is lost by it: the rest of the row was taken, or it is no mood.")),
            .optional("problemCount", .integer(1001 ... .max), "How much that was, where it is more."),
            .optional(
                "isChecked", .boolean, "Of a copy: whether its first and last line vouch for it; older ones have none."),
        ]),
        errors: ErrorCode.changing + ErrorCode.plugins,
        example: .init(#"{"format":"csv","text":"emoji,label,timestamp\n🙂,Fine,2025-12-30T12:00:00Z\n"}"#))
}

extension ObjectRule {
    static let importMap = ObjectRule(
        problem: { value in
            guard let members = JSONValue(value).asObject.object else { return ("", "must be an object") }
            for member in members where member.value.string == nil && member.value.double == nil {
                return ("/" + JSONPointer.escaped(member.name), "must be the name of a member, or a number")
            }
            return nil
        },
        keywords: [
            .init("type", "object"), .init("additionalProperties", ["type": .array(["string", "number"])]),
        ])
}

/// The rules for a mood in an imported file.
public enum ImportedMoodRule {
    private static let fields: [Field] =
        MoodSchemas.given
        + [MoodField.id, .createdAt, .updatedAt].map { field in
            .optional(Name(field.name), MoodSchemas.schema(of: field), field.summary)
        }

    private static func place(of key: JSONText, after last: Int) -> Int? {
        for place in last + 1..<fields.count where fields[place].name.matches(key) { return place }
        for place in 0..<last + 1 where fields[place].name.matches(key) { return place }
        return nil
    }

    /// The problem of a mood.
    public struct Fault: Sendable {
        public var member: String
        /// The first step from the member to the problem: an index, or a name; nil if it is the member itself.
        public var element: String?
        /// A clause.
        public var reason: String

        public init(member: String, element: String? = nil, reason: String) {
            (self.member, self.element, self.reason) = (member, element, reason)
        }
    }

    /// The limits of moods in files: notes have no limit.
    public static func limits(_ limits: Limits) -> Limits {
        var own = limits
        own.values[Limits.Name.notesBytes.index] = .max
        return own
    }

    /// The first problem; nil if there is none. Unknown members are allowed.
    /// - Parameter limits: from `limits(_:)`.
    public static func problem(_ mood: ValidJSON, _ limits: Limits) -> Fault? {
        var reader = JSONReader(mood)
        guard reader.enterObject() else { return Fault(member: "", reason: "is no object") }
        var seen: UInt64 = 0
        var last = -1
        while let key = reader.nextKey() {
            // Most files have their members in one order, so try the next one first.
            guard let index = place(of: key, after: last) else {
                reader.skip()
                continue
            }
            last = index
            if let problem = fields[index].schema.check(&reader, limits) {
                return Fault(
                    member: "\(fields[index].name)", element: problem.element,
                    reason: (problem.path.isEmpty ? "" : "\(problem.path) ") + problem.reason)
            }
            seen |= 1 << UInt64(index)
        }
        for (index, field) in fields.enumerated() where seen >> UInt64(index) & 1 == 0 {
            if field.isRequired || field.name.matches(JSONText("timestamp")) {
                return Fault(member: "\(field.name)", reason: "is missing")
            }
        }
        return nil
    }
}

extension Problem {
    /// The first step of the path, unescaped.
    fileprivate var element: String? {
        path.split(separator: "/").first.map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }
}
