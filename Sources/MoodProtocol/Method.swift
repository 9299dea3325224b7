import JSONCodec
import JSONRPC
import MoodCore

/// A method as it is called: its declaration, evaluated, and what a call needs of it.
///
/// A class, because a call passes one around: one reference instead of a dozen.
public final class Method: Sendable {
    public let name: StaticString
    /// What it does, in one sentence for people.
    public let summary: String
    public let effect: MethodDeclaration.Effect
    /// The method's own params, in the order in which they may be given by position.
    public let params: [Field]
    /// Its own params, then those that every method of its sort takes, by name only.
    public let fields: [Field]
    public let result: Schema
    public let errors: [ErrorCode]
    /// The version of the protocol in which the method appeared.
    public let since: String

    init(_ declaration: MethodDeclaration) {
        name = declaration.name
        summary = declaration.summary
        effect = declaration.effect
        params = declaration.params()
        let fields = params + declaration.common.fields
        self.fields = fields
        result = declaration.result()
        errors = declaration.errors()
        since = declaration.since
        precondition(fields.count <= Arguments.fieldsMax, "a method takes at most \(Arguments.fieldsMax) params")
        names = fields.map(FieldName.init)
        requiredFields = fields.indices.filter { fields[$0].isRequired }.reduce(0) { $0 | 1 << UInt32($1) }
        operationMask = fields.indices.filter { JSONText(fields[$0].name).equals("opId") }
            .reduce(0) { $0 | 1 << UInt32($1) }
    }

    /// What is needed of a field on the way of every request, in plain words of memory.
    struct FieldName: Sendable {
        private let start: UInt
        private let count: Int
        /// Whether null says something, or must be refused: everything but an optional param without a use for it.
        let isNullMeaningful: Bool
        /// Whether the field is of one of the kinds that are read without a look at the schema.
        let plain: Plain

        enum Plain { case none, id, time, emoji, label, notes }

        /// The member of a mood that bears this name.
        let member: MoodField?

        init(_ field: Field) {
            // A literal's bytes live as long as the program.
            start = UInt(bitPattern: field.name.utf8Start)
            count = field.name.utf8CodeUnitCount
            isNullMeaningful = field.isRequired || field.schema.isNullable
            member = MoodField(JSONText(field.name))
            plain =
                switch field.schema {
                case .id: .id
                case .time: .time
                case .string(let format):
                    switch format.rule {
                    case .emoji: .emoji
                    case .label: .label
                    case .notes: .notes
                    case nil: .none
                    }
                default: .none
                }
        }

        /// The offset behind this name and `":`, when they stand here.
        @inline(__always)
        func end(in message: UnsafeRawBufferPointer, from start: Int) -> Int? {
            let end = start + count
            guard end + 2 <= message.count, message[end] == UInt8(ascii: "\""), message[end + 1] == UInt8(ascii: ":"),
                equals(JSONText(raw: UnsafeRawBufferPointer(rebasing: message[start..<end]), isEscaped: false))
            else { return nil }
            return end + 2
        }

        @inline(__always)
        func equals(_ key: JSONText) -> Bool {
            guard key.raw.count == count else { return false }
            // Equal literals are most often one and the same in the program.
            if UInt(bitPattern: key.raw.baseAddress) == start { return true }
            return JSONText.sameBytes(
                key.raw, UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count))
        }
    }

    /// The fields' names, in their order.
    let names: [FieldName]
    /// Bit i: field i is required.
    let requiredFields: UInt32
    /// The bit of the field that names the operation; 0 where the method takes none.
    let operationMask: UInt32

    @inline(__always)
    func plain(_ index: Int) -> FieldName.Plain { names.withUnsafeBufferPointer { $0[index].plain } }

    /// The field whose name stands in a message, with its quotes and its colon and no escapes.
    /// - Parameter expected: the number of the field to compare with first.
    /// - Returns: its number and the offset behind the colon, or nil.
    @inline(__always)
    func plainName(_ message: UnsafeRawBufferPointer, _ start: Int, from expected: Int) -> (Int, Int)? {
        names.withUnsafeBufferPointer { names in
            guard start < message.count, message[start] == UInt8(ascii: "\"") else { return nil }
            if expected < names.count, let end = names[expected].end(in: message, from: start + 1) {
                return (expected, end)
            }
            for index in 0..<names.count {
                if let end = names[index].end(in: message, from: start + 1) { return (index, end) }
            }
            return nil
        }
    }

    /// Whether the field of this number has this name, which has no escapes.
    @inline(__always)
    func isField(_ index: Int, named key: JSONText) -> Bool {
        names.withUnsafeBufferPointer { $0[index].equals(key) }
    }

    /// The number of the field of this name, or nil.
    @inline(__always)
    func index(of key: JSONText) -> Int? {
        if key.isEscaped { return fields.firstIndex { key.equals($0.name) } }
        for index in names.indices where names[index].equals(key) { return index }
        return nil
    }
}
