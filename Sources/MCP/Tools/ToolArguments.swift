import JSONCodec
import MoodCore
import MoodProtocol

/// The arguments of one call: views of the message, and the values of phrases in them.
public struct ToolArguments {
    public let object: ValidJSON?
    /// The values of phrases, as JSON.
    private var understood: [(name: StaticString, value: JSONValue)] = []

    public init(_ object: ValidJSON?) { self.object = object }

    /// Checks them against the tool's fields.
    /// - Returns: the first problem, with its remedy.
    public func problem(for fields: [Field], _ limits: Limits) -> Problem? {
        guard let object else { return Schema.object(fields, nil).problem(of: .emptyObject, limits) }
        return Schema.object(fields, nil).problem(of: object, limits)
    }

    /// An argument; nil if it is absent or null.
    public subscript(name: StaticString) -> ValidJSON? {
        guard let value = self[orNull: name], !value.isNull else { return nil }
        return value
    }

    /// An argument for which null has a meaning.
    subscript(orNull name: StaticString) -> ValidJSON? {
        guard let object else { return nil }
        var reader = JSONReader(object)
        guard reader.enterObject() else { return nil }
        while let key = reader.nextKey() {
            if key.equals(name) { return reader.skip() }
            reader.skip()
        }
        return nil
    }

    public func text(_ name: StaticString) -> String? { self[name]?.text?.string }
    public func integer(_ name: StaticString) -> Int? { self[name]?.integer }
    public func boolean(_ name: StaticString) -> Bool? { self[name]?.boolean }

    /// Sets the value of a phrase.
    public mutating func understand(_ name: StaticString, as value: JSONValue) {
        // The latest value counts.
        understood.removeAll { "\($0.name)" == "\(name)" }
        understood.append((name, value))
    }

    /// The value of a phrase.
    public func meaning(_ name: StaticString) -> JSONValue? {
        understood.first { "\($0.name)" == "\(name)" }?.value
    }

    /// Writes the argument of a member of a ready kind, if it was given.
    func write(_ field: MoodField, orNull: Bool, to writer: inout JSONWriter) {
        let argument = Tool.snake("\(field.name)")
        object?.forEachMember { name, value in
            guard name.string == argument, orNull || !value.isNull else { return }
            writer.key(field.name)
            writer.raw(value.bytes)
        }
    }

    /// Writes an argument as a param of another name, if it was given.
    func write(_ name: StaticString, as param: StaticString, orNull: Bool = false, to writer: inout JSONWriter) {
        if let meaning = meaning(name) {
            writer.key(param)
            return meaning.write(to: &writer)
        }
        guard let value = orNull ? self[orNull: name] : self[name] else { return }
        writer.key(param)
        writer.raw(value.bytes)
    }
}

extension ValidJSON {
    /// `{}`
    public static var emptyObject: ValidJSON {
        let text: StaticString = "{}"
        return ValidJSON(trusting: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
