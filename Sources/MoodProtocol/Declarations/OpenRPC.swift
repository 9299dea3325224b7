import JSONCodec
import JSONRPC

/// Methods as an OpenRPC 1.4 document. https://spec.open-rpc.org
public enum OpenRPC {
    /// The version of the specification that the document follows.
    public static let specification = "1.4.1"

    public static func document(of methods: [Method], version: String) -> JSONValue {
        var schemas: [JSONValue.Member] = []
        let methods = methods.map { method($0, &schemas) }
        let notifications = NotificationDeclaration.all.map { notification($0, &schemas) }
        let errors = ErrorDeclaration.all.map { error($0, &schemas) }
        let titled = schemas.map { JSONValue.Member($0.name, named($0.name, $0.value)) }
        return [
            "openrpc": .string(specification),
            "info": [
                "title": "MoodBoard",
                "version": .string(version),
                "description":
                    "A mood journal as a process: JSON-RPC 2.0 over stdin and stdout, one message a line or with Content-Length.",
            ],
            "methods": .array(methods),
            "components": ["schemas": .object(titled), "errors": .object(errors)],
            "x-notifications": .array(notifications),
            "x-examples": examples,
        ]
    }

    private static func method(_ method: Method, _ schemas: inout [JSONValue.Member]) -> JSONValue {
        var params: [JSONValue] = []
        let name = typeName("\(method.name)")
        for field in method.described { params.append(descriptor(field, of: name, &schemas)) }
        let errors = (standard.filter { !method.errors.contains($0) } + method.errors).map { code in
            JSONValue.object([
                .init("code", .number(String(code.number))), .init("message", .string(code.name)),
                .init("data", ["$ref": .string("#/components/schemas/\(ErrorDeclaration.schemaName(code))")]),
            ])
        }
        var members: [JSONValue.Member] = [
            .init("name", .string("\(method.name)")),
            .init("summary", .string(method.summary)),
            // Common params are listed too, and are given by name only.
            .init("paramStructure", method.takesPositions ? "either" : "by-name"),
            .init("params", .array(params)),
            .init("result", ["name": "result", "schema": named(name + "Result", method.result.jsonSchema(&schemas))]),
            .init("errors", .array(errors)),
        ]
        if let pairing = pairing(method) { members.append(.init("examples", [pairing])) }
        members += [
            .init("x-effect", .string(method.effect.rawValue)),
            .init("x-permission", .string(method.permission.rawValue)),
            .init("x-since", .string(method.since)),
        ]
        return .object(members)
    }

    private static func notification(
        _ notification: NotificationDeclaration, _ schemas: inout [JSONValue.Member]
    ) -> JSONValue {
        [
            "name": .string("\(notification.name)"),
            "summary": .string(notification.summary),
            "params": notification.params.jsonSchema(&schemas),
        ]
    }

    /// An error by its kind, with the schema of its `data`.
    private static func error(
        _ error: ErrorDeclaration, _ schemas: inout [JSONValue.Member]
    ) -> JSONValue.Member {
        JSONValue.Member(
            error.code.name,
            [
                "code": .number(String(error.code.number)),
                "message": .string(error.summary),
                "data": Schema.named(ErrorDeclaration.schemaName(error.code), error.schema).jsonSchema(&schemas),
            ])
    }

    /// The errors of any method; an answer may be longer than a message.
    private static let standard: [ErrorCode] = [
        .invalidParams, .internalError, .cancelled, .shuttingDown, .limitExceeded, .permissionDenied,
    ]

    private static func descriptor(
        _ field: Field, of method: String, _ schemas: inout [JSONValue.Member]
    ) -> JSONValue {
        [
            "name": .string("\(field.name)"),
            "summary": .string(field.summary),
            "required": .boolean(field.isRequired),
            "schema": named(method + typeName("\(field.name)"), field.jsonSchema(&schemas)),
        ]
    }
}
