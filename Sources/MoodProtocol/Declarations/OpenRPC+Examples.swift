import JSONCodec
import Versions

extension OpenRPC {
    /// The example of a method as an example pairing. `x-after` has the calls before it, and `x-varying` the members of
    /// the result that vary; OpenRPC has no place for these.
    static func pairing(_ method: Method) -> JSONValue? {
        guard let example = method.example?() else { return nil }
        let params = value(example.params).object ?? []
        var members: [JSONValue.Member] = [
            .init("name", .string("\(method.name)")),
            .init("params", .array(params.map { ["name": .string($0.name), "value": $0.value] })),
        ]
        if let result = ExampleResults.all["\(method.name)"] {
            let text = result.replacing("${version}", with: Version.program)
            members.append(
                .init("result", ["name": "result", "value": (try? JSONValue(parsing: String(text))) ?? .null]))
        }
        if !example.after.isEmpty { members.append(.init("x-after", .array(example.after.map(call)))) }
        if !example.varying.isEmpty {
            members.append(.init("x-varying", .array(example.varying.map { .string($0) })))
        }
        return .object(members)
    }

    /// The data for repeating the examples.
    static var examples: JSONValue {
        let hosts = ExampleHost.allCases.map { host in
            JSONValue.Member(host.rawValue, .array(host.arguments.map { .string($0) }))
        }
        return [
            "description": .string(
                """
                Each example is asked of a host of its own: in a new folder, which stands where the texts have folder, lie files; \
                the host journal is started with its arguments; before and the example's x-after are asked, each after the \
                answer to the last; then the example itself. A call that names another host is for that one. The result is the \
                same, but for the members in x-varying.
                """),
            "folder": .string(ExampleHost.folder),
            "files": .object(ExampleHost.files.map { .init($0.path, .string($0.text)) }),
            "hosts": .object(hosts),
            "before": .array(ExampleHost.moods.map(call)),
        ]
    }

    private static func call(_ call: MethodExample.Call) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("method", .string("\(call.method)")), .init("params", value(call.params)),
        ]
        if call.host != .journal { members.append(.init("host", .string(call.host.rawValue))) }
        return .object(members)
    }

    /// Parses a text of this program; tests check that each is JSON.
    private static func value(_ text: StaticString) -> JSONValue { (try? JSONValue(parsing: "\(text)")) ?? .null }
}
