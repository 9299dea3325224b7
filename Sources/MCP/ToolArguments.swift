import JSONCodec
import MoodProtocol

/// The arguments of one call: views of the message, and the words in them that the host has understood.
public struct ToolArguments {
    public let object: ValidJSON?
    /// What stands for an argument that was given in words, as JSON.
    private var understood: [(name: StaticString, value: JSONValue)] = []

    public init(_ object: ValidJSON?) { self.object = object }

    /// Checks them against what the tool takes.
    /// - Returns: the first thing that is wrong, with what would be right.
    public func problem(for fields: [Field], _ limits: Limits) -> Problem? {
        guard let object else { return Schema.object(fields, nil).problem(of: .emptyObject, limits) }
        return Schema.object(fields, nil).problem(of: object, limits)
    }

    /// An argument; nil where it is absent or null.
    public subscript(name: StaticString) -> ValidJSON? {
        guard let value = self[orNull: name], !value.isNull else { return nil }
        return value
    }

    /// An argument for which null means something.
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

    /// Notes what an argument means that was given in words.
    public mutating func understand(_ name: StaticString, as value: JSONValue) {
        // The latest meaning counts.
        understood.removeAll { "\($0.name)" == "\(name)" }
        understood.append((name, value))
    }

    /// What an argument means, where it was given in words.
    public func meaning(_ name: StaticString) -> JSONValue? {
        understood.first { "\($0.name)" == "\(name)" }?.value
    }

    /// Writes an argument as a param of another name, where it was given.
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
