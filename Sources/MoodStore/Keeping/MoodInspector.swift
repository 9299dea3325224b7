import JSONCodec
import MoodCore
import Storage

/// Checks the bytes of a stored mood. It trusts nothing: they may come from a damaged disk or an editor.
///
/// A class, because closures share its validator.
final class MoodInspector {
    private var validator = JSONValidator(depthLimit: JSONValidator.depthMax)

    /// Whether the bytes are one mood: JSON, no name twice, every member of its kind.
    func finding(_ bytes: UnsafeRawBufferPointer) -> RecordFinding {
        let outline: JSONOutline
        do {
            outline = try validator.validate(bytes)
        } catch {
            return .problem("is not JSON: \(error.reason)")
        }
        guard outline.kind == .object else { return .problem("is \(outline.kind.name), not an object") }
        if outline.duplicate != nil { return .problem("gives a name twice") }
        guard let mood = MoodMembers(checking: outline.text), let head = RecordHead(mood: mood) else {
            return .problem(Self.shapeProblem(outline.text))
        }
        return .record(id: head.id, time: head.time, revision: mood.revision ?? 0)
    }

    /// The member that makes a value invalid as a mood.
    private static func shapeProblem(_ mood: ValidJSON) -> String {
        for field in MoodField.allCases {
            var value: ValidJSON?
            mood.forEachMember { key, member in if key.equals(field.name) { value = member } }
            guard let value else {
                if field.isOptional { continue }
                return "lacks \"\(field.name)\""
            }
            var reader = JSONReader(value)
            if reader.kind != field.kind.json, !field.isAdded { return "has \(reader.kind.name) for \"\(field.name)\"" }
        }
        return "has an id, a time or another member that cannot be read"
    }
}

extension ValidJSON {
    fileprivate func forEachMember(_ body: (JSONText, ValidJSON) -> Void) {
        var reader = JSONReader(self)
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() { body(key, reader.skip()) }
    }
}
