import JSONCodec
import MoodCore

/// Access for handlers: each param by the key that declares it, as the key's type.
///
/// A handler reads the params of its own method; a debug build stops if it reads another one.
extension Arguments {
    /// The number of a given param.
    @inline(__always)
    private func place(_ name: Name) -> Int? {
        assert(method?.fields.contains { $0.name == name } == true, "\(name) is no param of this method")
        var rest = given
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            if names[index].isSpelt(name.bytes) { return index }
            rest &= rest &- 1
        }
        return nil
    }

    /// Whether a param was given, and is not null.
    public subscript<Value>(has key: ParamKey<Value>) -> Bool { place(key.name) != nil }

    /// The JSON Pointer to a param, with the name that the caller used.
    public func path<Value>(_ key: ParamKey<Value>) -> String {
        guard let place = place(key.name), older >> UInt32(truncatingIfNeeded: place) & 1 == 1 else {
            return "/\(key.name)"
        }
        return Method.olderName(of: key.name).map { "/\($0)" } ?? "/\(key.name)"
    }

    public subscript(key: ParamKey<MoodID>) -> MoodID {
        place(key.name).map { ids[$0] } ?? MoodID(high: 0, low: 0)
    }

    public subscript(key: ParamKey<MoodID?>) -> MoodID? { place(key.name).map { ids[$0] } }

    public subscript(key: ParamKey<Timestamp?>) -> Timestamp? { place(key.name).map { times[$0] } }

    public subscript(key: ParamKey<Int>) -> Int {
        place(key.name).flatMap { values[$0].integer } ?? key.absent.integer
    }

    public subscript(key: ParamKey<Int?>) -> Int? { place(key.name).flatMap { values[$0].integer } }

    public subscript(key: ParamKey<Bool>) -> Bool {
        place(key.name).flatMap { values[$0].boolean } ?? key.absent.boolean
    }

    public subscript(key: ParamKey<JSONText>) -> JSONText { place(key.name).flatMap { text($0) } ?? JSONText("") }

    public subscript(key: ParamKey<JSONText?>) -> JSONText? { place(key.name).flatMap { text($0) } }

    public subscript(key: ParamKey<String>) -> String {
        place(key.name).flatMap { text($0)?.string } ?? key.absent.text
    }

    public subscript(key: ParamKey<String?>) -> String? { place(key.name).flatMap { text($0)?.string } }

    /// A required param, as its JSON.
    public subscript(key: ParamKey<ValidJSON>) -> ValidJSON {
        place(key.name).map { values[$0] } ?? ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// An optional param, as its JSON.
    public subscript(key: ParamKey<ValidJSON?>) -> ValidJSON? { place(key.name).map { values[$0] } }

    /// Inlinable, to be compiled for each type of choice: looking up a type at run time costs more than the rest.
    @inlinable public subscript<Value: Choice>(key: ParamKey<Value>) -> Value {
        guard let text = word(key.name) else { return Value.usual }
        return Value.choices.first { $0.word.matches(text) } ?? Value.usual
    }

    /// A word that is not among the choices.
    public func otherWord<Value: Choice>(_ key: ParamKey<Value>) -> String? {
        guard let text = word(key.name), !Value.choices.contains(where: { $0.word.matches(text) }) else { return nil }
        return text.string
    }

    @usableFromInline func word(_ name: Name) -> JSONText? { place(name).flatMap { text($0) } }

    /// Whether the call keeps nothing.
    @inlinable
    public var isDryRun: Bool {
        @inline(__always) get { given & dryRunMask != 0 && isDryRunGiven }
    }

    @usableFromInline var isDryRunGiven: Bool { values[(given & dryRunMask).trailingZeroBitCount].boolean == true }

    /// A param by its name; nil if it is absent.
    public subscript(named name: Name) -> ValidJSON? { place(name).map { values[$0] } }

    /// The params of a method that checks them itself, an object or an array; nil if none were given.
    public var whole: ValidJSON? {
        method?.isOpen == true && isGiven(Self.wholePlace) ? values[Self.wholePlace] : nil
    }

    /// The token for `$/progress`, if the method takes it.
    public var progressToken: ValidJSON? {
        guard method?.takesProgress == true else { return nil }
        return self[CommonParams.progressToken]
    }
}
