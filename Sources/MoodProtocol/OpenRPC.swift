import JSONCodec
import JSONRPC

/// The catalogue as an OpenRPC 1.4 document. https://spec.open-rpc.org
public enum OpenRPC {
    /// The version of the specification that the document follows.
    public static let specification = "1.4.1"

    public static func document(of catalogue: MethodCatalogue, version: String) -> JSONValue {
        var schemas: [JSONValue.Member] = []
        let methods = catalogue.methods.map { method($0, &schemas) }
        return [
            "openrpc": .string(specification),
            "info": [
                "title": "MoodBoard",
                "version": .string(version),
                "description":
                    "A mood journal as a process: JSON-RPC 2.0 over stdin and stdout, one message a line or with Content-Length.",
            ],
            "methods": .array(methods),
            "components": ["schemas": .object(schemas)],
        ]
    }

    private static func method(_ method: Method, _ schemas: inout [JSONValue.Member]) -> JSONValue {
        var params: [JSONValue] = []
        for field in method.fields { params.append(descriptor(field, &schemas)) }
        let errors = (standard + method.errors).map { code in
            JSONValue.object([
                .init("code", .number(String(code.number))), .init("message", .string(code.name)),
            ])
        }
        return [
            "name": .string("\(method.name)"),
            "summary": .string(method.summary),
            "paramStructure": "either",
            "params": .array(params),
            "result": ["name": "result", "schema": method.result.jsonSchema(&schemas)],
            "errors": .array(errors),
            "x-effect": .string(method.effect.rawValue),
            "x-since": .string(method.since),
        ]
    }

    private static let standard: [ErrorCode] = [.invalidParams, .internalError]

    private static func descriptor(_ field: Field, _ schemas: inout [JSONValue.Member]) -> JSONValue {
        [
            "name": .string("\(field.name)"),
            "summary": .string(field.summary),
            "required": .boolean(field.isRequired),
            "schema": field.jsonSchema(&schemas),
        ]
    }
}
