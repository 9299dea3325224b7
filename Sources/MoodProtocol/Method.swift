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
    /// What is said of its params; its fields, unless it checks them itself.
    public let described: [Field]
    /// Whether it checks its params itself: they are handed over whole.
    public let isOpen: Bool
    public let result: Schema
    public let errors: [ErrorCode]
    /// The version of the protocol in which the method appeared.
    public let since: String
    /// Whether it is answered before an earlier request that waits for the lock of the store.
    public let overtakes: Bool
    /// Nil for one that is not in the program.
    let example: (@Sendable () -> MethodExample)?

    public init(_ declaration: MethodDeclaration) {
        name = Name(declaration.name)
        summary = declaration.summary
        effect = declaration.effect
        permission = declaration.permission
        params = declaration.params()
        fields = params + declaration.common.fields
        described = fields
        isOpen = false
        result = declaration.result()
        errors = declaration.errors()
        since = declaration.since
        overtakes = declaration.overtakes
        example = declaration.example
        precondition(fields.count <= Arguments.fieldsMax, "a method takes at most \(Arguments.fieldsMax) params")
        names = Self.names(of: fields)
        fieldCount = fields.count
        requiredFields = Self.mask(fields, where: \.isRequired)
        operationMask = Self.mask(fields) { $0.name == CommonParams.operation.name }
        dryRunMask = Self.mask(fields) { $0.name == CommonParams.dryRun.name }
        takesProgress = fields.contains { $0.name == CommonParams.progressToken.name }
    }

    /// A method that is not in the program and checks its params itself.
    /// - Parameter described: its params, for who reads about it, in the order in which they may be given by position.
    public init(
        _ name: Name, _ effect: MethodDeclaration.Effect, _ permission: MethodDeclaration.Permission,
        _ summary: String, described: [Field], result: Schema, errors: [ErrorCode], since: String
    ) {
        self.name = name
        self.summary = summary
        self.effect = effect
        self.permission = permission
        self.described = described
        isOpen = true
        params = []
        fields = []
        self.result = result
        self.errors = errors
        self.since = since
        overtakes = false
        example = nil
        names = Self.names(of: fields)
        fieldCount = fields.count
        requiredFields = Self.mask(fields, where: \.isRequired)
        operationMask = 0
        dryRunMask = 0
        takesProgress = false
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
        /// Whether its values are searched for U+0000: it may stand in a text that their schema does not look at.
        let mayHideNullCharacter: Bool

        enum Plain { case none, id, time, emoji, label, notes }

        /// The member of a mood that bears this name.
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

        /// Passes over this name, its quotes and its colon, if they come next without white space and escapes.
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

    /// The fields' names, in their order.
    ///
    /// Why unsafe memory: an array would be held and checked at each look, and every request takes many. Proof: it is written once,
    /// freed with the method, and who reads params holds the method.
    nonisolated(unsafe) let names: UnsafePointer<FieldName>
    let fieldCount: Int
    /// Bit i: field i is required.
    let requiredFields: UInt32
    /// The bit of the field that names the operation; 0 where the method takes none.
    @usableFromInline let operationMask: UInt32
    /// The bit of the field that asks to keep nothing; 0 where the method takes none.
    let dryRunMask: UInt32
    /// Whether it may take long, and tells how far it is.
    let takesProgress: Bool

    private static func names(of fields: [Field]) -> UnsafePointer<FieldName> {
        let names = UnsafeMutablePointer<FieldName>.allocate(capacity: max(fields.count, 1))
        for (index, field) in fields.enumerated() { (names + index).initialize(to: FieldName(field)) }
        return UnsafePointer(names)
    }

    /// Of no method.
    nonisolated(unsafe) static let noNames = names(of: [])

    deinit { names.deallocate() }

    /// The number of the field of this name, or nil.
    @inline(__always)
    func index(of key: JSONText) -> Int? {
        if key.isEscaped { return fields.firstIndex { $0.name.matches(key) } }
        for index in 0..<fieldCount where names[index].isSpelt(key.raw) { return index }
        return nil
    }

    /// Params that had another name: words that Python and other languages keep for themselves, so that no program could be made of
    /// them. By name they are still taken.
    private static let olderNames: [(older: Name, name: Name)] = [("in", "span"), ("as", "component")]

    static func olderName(of name: Name) -> Name? { olderNames.first { $0.name == name }?.older }

    /// The number of the field that has this older name, or nil.
    func index(ofOlder key: JSONText) -> Int? {
        guard let name = Self.olderNames.first(where: { $0.older.matches(key) })?.name else { return nil }
        return fields.firstIndex { $0.name == name }
    }

    /// Whether a caller may give the params by position, and null for one that is left out.
    ///
    /// Common params stand behind the method's own and are given by name only. A null may say something, and a plugin checks its params
    /// itself, so it sees that null.
    var takesPositions: Bool {
        guard fields.count == params.count, !isOpen || described.isEmpty else { return false }
        return !params.contains { !$0.isRequired && $0.schema.isNullable }
    }
}
