import JSONCodec
import JSONRPC
import MoodCore

/// A method as it is called: its declaration, evaluated, and what a call needs of it. One that is not in the program, of a
/// plugin, is made of data.
///
/// A class, because a call passes one around: one reference instead of a dozen.
public final class Method: Sendable {
    public let name: Name
    /// What it does, in one sentence for people.
    public let summary: String
    public let effect: MethodDeclaration.Effect
    public let permission: MethodDeclaration.Permission
    /// The method's own params, in the order in which they may be given by position.
    public let params: [Field]
    /// Its own params, then those that every method of its sort takes, by name only.
    public let fields: [Field]
    public let result: Schema
    public let errors: [ErrorCode]
    /// The version of the protocol in which the method appeared.
    public let since: String

    public init(_ declaration: MethodDeclaration) {
        name = Name(declaration.name)
        summary = declaration.summary
        effect = declaration.effect
        permission = declaration.permission
        params = declaration.params()
        fields = params + declaration.common.fields
        result = declaration.result()
        errors = declaration.errors()
        since = declaration.since
        precondition(fields.count <= Arguments.fieldsMax, "a method takes at most \(Arguments.fieldsMax) params")
        names = fields.map(FieldName.init)
        requiredFields = Self.mask(fields, where: \.isRequired)
        operationMask = Self.mask(fields) { $0.name == CommonParams.operation.name }
        dryRunMask = Self.mask(fields) { $0.name == CommonParams.dryRun.name }
    }

    /// A method that is not in the program; it takes no common params.
    /// - Returns: nil where it has more params than a method may have.
    public init?(
        _ name: Name, _ effect: MethodDeclaration.Effect, _ permission: MethodDeclaration.Permission,
        _ summary: String, _ params: [Field], result: Schema, errors: [ErrorCode], since: String
    ) {
        guard params.count <= Arguments.fieldsMax else { return nil }
        self.name = name
        self.summary = summary
        self.effect = effect
        self.permission = permission
        self.params = params
        fields = params
        self.result = result
        self.errors = errors
        self.since = since
        names = fields.map(FieldName.init)
        requiredFields = Self.mask(fields, where: \.isRequired)
        operationMask = 0
        dryRunMask = 0
    }

    private static func mask(_ fields: [Field], where isMeant: (Field) -> Bool) -> UInt32 {
        fields.indices.filter { isMeant(fields[$0]) }.reduce(0) { $0 | 1 << UInt32($1) }
    }

    /// What is needed of a field on the way of every request, in plain words of memory.
    struct FieldName: Sendable {
        private let name: Name
        /// Whether null says something, or must be refused: everything but an optional param without a use for it.
        let isNullMeaningful: Bool
        /// Whether the field is of one of the kinds that are read without a look at the schema.
        let plain: Plain

        enum Plain { case none, id, time, emoji, label, notes }

        /// The member of a mood that bears this name.
        let member: MoodField?

        init(_ field: Field) {
            name = field.name
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
            let end = start + name.bytes.count
            guard end + 2 <= message.count, message[end] == UInt8(ascii: "\""), message[end + 1] == UInt8(ascii: ":"),
                name.isSpelt(UnsafeRawBufferPointer(rebasing: message[start..<end]))
            else { return nil }
            return end + 2
        }

        @inline(__always)
        func equals(_ bytes: UnsafeRawBufferPointer) -> Bool { name.isSpelt(bytes) }
    }

    /// The fields' names, in their order.
    let names: [FieldName]
    /// Bit i: field i is required.
    let requiredFields: UInt32
    /// The bit of the field that names the operation; 0 where the method takes none.
    let operationMask: UInt32
    /// The bit of the field that asks to keep nothing; 0 where the method takes none.
    let dryRunMask: UInt32

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

    /// Whether the field of this number has this name.
    @inline(__always)
    func isField(_ index: Int, named name: Name) -> Bool {
        names.withUnsafeBufferPointer { $0[index].equals(name.bytes) }
    }

    /// The number of the field of this name, or nil.
    @inline(__always)
    func index(of key: JSONText) -> Int? {
        if key.isEscaped { return fields.firstIndex { $0.name.matches(key) } }
        for index in names.indices where names[index].equals(key.raw) { return index }
        return nil
    }
}
