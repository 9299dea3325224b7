import JSONCodec
import MoodProtocol

/// The arguments of one call: views of the message, and the values of phrases in them.
public struct ToolArguments {
    public let object: ValidJSON?
    private var given: [(name: JSONText, value: ValidJSON)] = []
    /// The values of phrases, as JSON.
    private var meanings: [(name: Name, value: KeptBytes)] = []
    /// Params that are made of several arguments.
    private var objects: [KeptBytes] = []

    public init(_ object: ValidJSON?) {
        self.object = object
        object?.forEachMember { given.append(($0, $1)) }
    }

    /// Checks them against the tool's fields.
    /// - Returns: the first problem, with its remedy.
    public func problem(for fields: [Field], _ limits: Limits) -> Problem? {
        Schema.object(fields, nil).problem(of: object ?? .emptyObject, limits)
    }

    /// An argument; nil if it is absent or null.
    public subscript(name: Name) -> ValidJSON? {
        guard let value = self[orNull: name], !value.isNull else { return nil }
        return value
    }

    /// An argument for which null has a meaning.
    private subscript(orNull name: Name) -> ValidJSON? {
        for argument in given where name.matches(argument.name) { return argument.value }
        return nil
    }

    public func text(_ name: Name) -> String? { self[name]?.text?.string }
    public func integer(_ name: Name) -> Int? { self[name]?.integer }
    public func boolean(_ name: Name) -> Bool? { self[name]?.boolean }

    /// Sets the value of a phrase.
    public mutating func understand(_ name: Name, as value: JSONValue) {
        // The latest value counts.
        meanings.removeAll { $0.name == name }
        meanings.append((name, KeptBytes(Array(value.text.utf8))))
    }

    /// The value of a phrase.
    public func understood(_ name: Name) -> ValidJSON? {
        for phrase in meanings where phrase.name == name { return ValidJSON(trusting: phrase.value.bytes) }
        return nil
    }

    /// The params of a tool's method. They live as long as the arguments.
    public mutating func params(_ table: [ToolParam]) -> [Arguments.Given] {
        var params: [Arguments.Given] = []
        for row in table {
            if let value = value(row) { params.append((row.param, value)) }
        }
        return params
    }

    /// The params of a call that can be repeated, in the words of the client. Empty for other calls, and where the
    /// words are the values.
    public func said(_ table: [ToolParam]) -> [Arguments.Given] {
        guard !meanings.isEmpty,
            table.contains(where: { $0.param == CommonParams.operation.name && self[$0.argument] != nil })
        else { return [] }
        var said: [Arguments.Given] = []
        for row in table { if let value = self[row.argument] { said.append((row.param, value)) } }
        return said
    }

    private mutating func value(_ row: ToolParam) -> ValidJSON? {
        if !row.members.isEmpty { return object(of: row) }
        if let value = understood(row.argument) { return value }
        if let value = row.takesNull ? self[orNull: row.argument] : self[row.argument] {
            return row.renamed.isEmpty || value.isNull ? value : keep { Self.write(value, as: row.renamed, to: &$0) }
        }
        return row.otherwise.map { ValidJSON(trusting: JSONText($0).raw) }
    }

    /// The object that is made of several arguments; nil if none of them was given.
    private mutating func object(of row: ToolParam) -> ValidJSON? {
        let members = params(row.members)
        if members.isEmpty { return row.otherwise.map { ValidJSON(trusting: JSONText($0).raw) } }
        return keep { writer in
            writer.beginObject()
            var last: Name?
            // The first of two spellings of an argument counts.
            for (name, value) in members where name != last {
                writer.member(name, value)
                last = name
            }
            writer.endObject()
        }
    }

    private mutating func keep(_ write: (inout JSONWriter) -> Void) -> ValidJSON {
        var writer = JSONWriter()
        write(&writer)
        let kept = KeptBytes(writer.buffer.withBytes { Array($0) })
        objects.append(kept)
        return ValidJSON(trusting: kept.bytes)
    }

    private static func write(_ object: ValidJSON, as rows: [ToolParam], to writer: inout JSONWriter) {
        writer.beginObject()
        object.forEachMember { name, value in
            guard let row = rows.first(where: { $0.argument.matches(name) }) else { return }
            if row.renamed.isEmpty || value.isNull {
                writer.member(row.param, value)
            } else {
                writer.string(JSONText(row.param))
                writer.buffer.append(UInt8(ascii: ":"))
                write(value, as: row.renamed, to: &writer)
            }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: Name, _ value: ValidJSON) {
        string(JSONText(name))
        buffer.append(UInt8(ascii: ":"))
        raw(value.bytes)
    }
}

extension ValidJSON {
    /// `{}`
    public static var emptyObject: ValidJSON { ValidJSON(trusting: JSONText("{}" as StaticString).raw) }
}
