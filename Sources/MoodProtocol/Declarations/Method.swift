import JSONCodec
import JSONRPC
import MoodCore

/// A callable method: its evaluated declaration, and data for calls. A plugin's method is made of data.
///
/// A class, because a call passes it along: one reference instead of a dozen words.
public final class Method: Sendable {
    public let name: Name
    /// The method's effect in one sentence for people.
    public let summary: String
    public let effect: MethodDeclaration.Effect
    public let permission: MethodDeclaration.Permission
    /// The method's own params, in the order of params by position.
    public let params: [Field]
    /// Its own params, then those that every method of its kind takes, by name only.
    public let fields: [Field]
    /// Its params in documents: the fields, unless it checks its params itself.
    public let described: [Field]
    /// Whether the method checks its params itself and gets them whole.
    public let isOpen: Bool
    public let result: Schema
    public let errors: [ErrorCode]
    /// The version of the protocol in which the method appeared.
    public let since: String
    public let overtakes: MethodDeclaration.Overtaking
    /// The example; nil for a plugin's method.
    let example: (@Sendable () -> MethodExample)?

    public convenience init(_ declaration: MethodDeclaration) {
        let params = declaration.params()
        let fields = params + declaration.common.fields
        precondition(fields.count <= Arguments.fieldsMax, "a method takes at most \(Arguments.fieldsMax) params")
        self.init(
            Name(declaration.name), declaration.effect, declaration.permission, declaration.summary, params: params,
            fields: fields, described: fields, isOpen: false, result: declaration.result(),
            errors: declaration.errors(),
            since: declaration.since, overtakes: declaration.overtakes, example: declaration.example)
    }

    /// A plugin's method, which checks its params itself.
    /// - Parameter described: its params for documents, in the order of params by position.
    public convenience init(
        _ name: Name, _ effect: MethodDeclaration.Effect, _ permission: MethodDeclaration.Permission,
        _ summary: String, described: [Field], result: Schema, errors: [ErrorCode], since: String
    ) {
        self.init(
            name, effect, permission, summary, params: [], fields: [], described: described, isOpen: true,
            result: result, errors: errors, since: since, overtakes: .nothing, example: nil)
    }

    private init(
        _ name: Name, _ effect: MethodDeclaration.Effect, _ permission: MethodDeclaration.Permission,
        _ summary: String, params: [Field], fields: [Field], described: [Field], isOpen: Bool, result: Schema,
        errors: [ErrorCode], since: String, overtakes: MethodDeclaration.Overtaking,
        example: (@Sendable () -> MethodExample)?
    ) {
        (self.name, self.effect, self.permission, self.summary) = (name, effect, permission, summary)
        (self.params, self.fields, self.described, self.isOpen) = (params, fields, described, isOpen)
        (self.result, self.errors, self.since) = (result, errors, since)
        (self.overtakes, self.example) = (overtakes, example)
        names = Self.names(of: fields)
        fieldCount = fields.count
        requiredFields = Self.mask(fields, where: \.isRequired)
        operationMask = Self.mask(fields) { $0.name == CommonParams.operation.name }
        dryRunMask = Self.mask(fields) { $0.name == CommonParams.dryRun.name }
        takesProgress = fields.contains { $0.name == CommonParams.progressToken.name }
    }

    private static func mask(_ fields: [Field], where isMeant: (Field) -> Bool) -> UInt32 {
        fields.indices.filter { isMeant(fields[$0]) }.reduce(0) { $0 | 1 << UInt32($1) }
    }

    /// A field's data for every request, in plain words of memory.
    struct FieldName: Sendable {
        private let name: Name
        /// Whether null has a meaning, or must be refused. False only for an optional param without a use for null.
        let isNullMeaningful: Bool
        /// The kind of a field that is read without its schema.
        let plain: Plain
        /// Whether to search values for U+0000: their schema does not check all their texts.
        let mayHideNullCharacter: Bool

        enum Plain { case none, id, time, emoji, label, notes }

        /// The member of a mood with this name.
        let member: MoodField?

        init(_ field: Field) {
            name = field.name
            isNullMeaningful = field.isRequired || field.schema.isNullable
            member = MoodField(JSONText(field.name))
            mayHideNullCharacter = !field.schema.looksAtAllTexts
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

        /// Reads this name, its quotes and its colon, if they come next without white space and escapes.
        @inline(__always)
        func take(_ cursor: inout JSONCursor) -> Bool {
            let count = name.bytes.count
            guard let bytes = cursor.bytes(count + 3), bytes[0] == UInt8(ascii: "\""),
                bytes[count + 1] == UInt8(ascii: "\""), bytes[count + 2] == UInt8(ascii: ":"),
                name.isSpelt(UnsafeRawBufferPointer(rebasing: bytes[1...count]))
            else { return false }
            cursor.pass(count + 3)
            return true
        }

        @inline(__always)
        func isSpelt(_ bytes: UnsafeRawBufferPointer) -> Bool { name.isSpelt(bytes) }
    }

    /// The fields' names in order.
    ///
    /// Unsafe memory, because each access to an array would be retained and checked, and every request makes many. It
    /// is safe: it is written once and freed with the method, which a reader of params holds.
    nonisolated(unsafe) let names: UnsafePointer<FieldName>
    let fieldCount: Int
    /// Bit i: field i is required.
    let requiredFields: UInt32
    /// The bit of the operation id's field; 0 if the method takes none.
    @usableFromInline let operationMask: UInt32
    /// The bit of the `dryRun` field; 0 if the method takes none.
    let dryRunMask: UInt32
    /// Whether it may take long, and reports progress.
    let takesProgress: Bool

    private static func names(of fields: [Field]) -> UnsafePointer<FieldName> {
        let names = UnsafeMutablePointer<FieldName>.allocate(capacity: max(fields.count, 1))
        for (index, field) in fields.enumerated() { (names + index).initialize(to: FieldName(field)) }
        return UnsafePointer(names)
    }

    /// The names of no method.
    nonisolated(unsafe) static let noNames = names(of: [])

    deinit { names.deallocate() }

    /// The number of the field of this name, or nil.
    @inline(__always)
    func index(of key: JSONText) -> Int? {
        if key.isEscaped { return fields.firstIndex { $0.name.matches(key) } }
        for index in 0..<fieldCount where names[index].isSpelt(key.raw) { return index }
        return nil
    }

    /// Former names of params: words that Python and other languages reserve. Params by name still accept them.
    private static let olderNames: [(older: Name, name: Name)] = [("in", "span"), ("as", "component")]

    static func olderName(of name: Name) -> Name? { olderNames.first { $0.name == name }?.older }

    /// The number of the field that has this older name, or nil.
    func index(ofOlder key: JSONText) -> Int? {
        guard let name = Self.olderNames.first(where: { $0.older.matches(key) })?.name else { return nil }
        return fields.firstIndex { $0.name == name }
    }

    /// Whether params can be given by position, with null for one that is left out.
    ///
    /// Common params come after the method's own and are given by name only. It is false if null has a meaning, and for
    /// a plugin, which checks its params itself and would see that null.
    var takesPositions: Bool {
        guard fields.count == params.count, !isOpen || described.isEmpty else { return false }
        return !params.contains { !$0.isRequired && $0.schema.isNullable }
    }
}
