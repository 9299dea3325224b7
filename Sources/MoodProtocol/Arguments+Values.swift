import JSONCodec
import MoodCore

/// What a handler asks for: each param by the key that declares it, as the value that the key names.
///
/// A handler asks for the params of its own method; a debug build stops where it asks for another one.
extension Arguments {
    /// The number of a param that was given.
    @inline(__always)
    private func place(_ name: Name) -> Int? {
        assert(method?.fields.contains { $0.name == name } == true, "\(name) is no param of this method")
        guard given != 0, let method else { return nil }
        var rest = given
        repeat {
            let index = rest.trailingZeroBitCount
            if method.isField(index, named: name) { return index }
            rest &= rest &- 1
        } while rest != 0
        return nil
    }

    /// Whether a param was given, and not as null.
    public subscript<Value>(has key: ParamKey<Value>) -> Bool { place(key.name) != nil }

    public subscript(key: ParamKey<MoodID>) -> MoodID {
        place(key.name).map { ids[$0] } ?? MoodID(high: 0, low: 0)
    }

    public subscript(key: ParamKey<MoodID?>) -> MoodID? { place(key.name).map { ids[$0] } }

    public subscript(key: ParamKey<Timestamp?>) -> Timestamp? { place(key.name).map { times[$0] } }

    public subscript(key: ParamKey<Int>) -> Int {
        place(key.name).flatMap { values[$0].integer } ?? key.absent() ?? 0
    }

    public subscript(key: ParamKey<Int?>) -> Int? { place(key.name).flatMap { values[$0].integer } }

    public subscript(key: ParamKey<Bool>) -> Bool {
        place(key.name).flatMap { values[$0].boolean } ?? key.absent() ?? false
    }

    public subscript(key: ParamKey<JSONText>) -> JSONText { place(key.name).flatMap { text($0) } ?? JSONText("") }

    public subscript(key: ParamKey<JSONText?>) -> JSONText? { place(key.name).flatMap { text($0) } }

    public subscript(key: ParamKey<String>) -> String {
        place(key.name).flatMap { text($0)?.string } ?? key.absent() ?? ""
    }

    public subscript(key: ParamKey<String?>) -> String? { place(key.name).flatMap { text($0)?.string } }

    /// One that must be given, as it stands.
    public subscript(key: ParamKey<ValidJSON>) -> ValidJSON {
        place(key.name).map { values[$0] } ?? ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// As it stands.
    public subscript(key: ParamKey<ValidJSON?>) -> ValidJSON? { place(key.name).map { values[$0] } }

    public subscript<Value: Choice>(key: ParamKey<Value>) -> Value {
        guard let place = place(key.name), let text = text(place) else { return Value.usual }
        return Value.choices.first { $0.word.matches(text) } ?? Value.usual
    }

    /// Whether the call is to keep nothing.
    @inline(__always)
    public var isDryRun: Bool {
        guard let method, given & method.dryRunMask != 0 else { return false }
        return values[method.dryRunMask.trailingZeroBitCount].boolean == true
    }

    /// A param of a method that is not in the program; nil when it is absent.
    public subscript(named name: Name) -> ValidJSON? { place(name).map { values[$0] } }
}
