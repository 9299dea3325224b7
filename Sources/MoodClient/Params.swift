import JSONCodec

/// The params of a request, or an object in them, in order. A member without a value is left out.
///
///     try call("mood.history", ["id": id, "limit": 100, "cursor": cursor])
struct Params: ExpressibleByDictionaryLiteral, ParamValue {
    private(set) var members: [JSONValue.Member] = []

    init(dictionaryLiteral elements: (String, (any ParamValue)?)...) {
        for (name, value) in elements { if let value { members.append(.init(name, value.json)) } }
    }

    init(_ members: [JSONValue.Member]) { self.members = members }

    var isEmpty: Bool { members.isEmpty }
    var json: JSONValue { .object(members) }
    /// The object; nil without members.
    var unlessEmpty: Params? { isEmpty ? nil : self }

    /// Nil leaves the member out.
    subscript(name: String) -> JSONValue? {
        get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (place, newValue) {
            case (let place?, let value?): members[place] = .init(name, value)
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(.init(name, value))
            case (nil, nil): break
            }
        }
    }

    /// The members with others in their place, or behind them.
    func replacing(_ others: Params) -> Params {
        others.members.reduce(into: self) { $0[$1.name] = $1.value }
    }

    static func + (a: Params, b: Params) -> Params { Params(a.members + b.members) }
    static func += (a: inout Params, b: Params) { a = a + b }
}

/// A value of a request.
protocol ParamValue {
    var json: JSONValue { get }
}

extension JSONValue: ParamValue { var json: JSONValue { self } }
extension String: ParamValue { var json: JSONValue { .string(self) } }
extension Bool: ParamValue { var json: JSONValue { .boolean(self) } }
extension Int: ParamValue { var json: JSONValue { .number(String(self)) } }
extension Double: ParamValue { var json: JSONValue { .double(self) } }
extension Array: ParamValue where Element: ParamValue { var json: JSONValue { .array(map(\.json)) } }

/// Members of a result. One that is missing or of another type counts as empty, zero or false: the host has checked it.
extension JSONValue {
    func text(of name: String) -> String { self[name]?.string ?? "" }
    func number(of name: String) -> Int { self[name]?.integer ?? 0 }
    func isTrue(_ name: String) -> Bool { self[name]?.boolean == true }
    func list(of name: String) -> [JSONValue] { self[name]?.array ?? [] }
    func texts(of name: String) -> [String] { list(of: name).compactMap(\.string) }
}
