/// A working plugin to begin with: one method, `hello`, and a test that feeds it lines and compares what it prints.
enum PluginTemplate {
    struct File: Sendable {
        let name: String
        let text: String
        var isExecutable = false
    }

    static let languages = ["python", "sh", "node", "swift"]

    /// The files of a plugin in one of the languages.
    static func files(_ id: String, _ language: String) -> [File] {
        let program: (exec: String, run: String, file: File)
        switch language {
        case "python":
            program = (#"["python3", "main.py"]"#, "python3 main.py", File(name: "main.py", text: python))
        case "sh":
            program = (#"["./main.sh"]"#, "./main.sh", File(name: "main.sh", text: shell, isExecutable: true))
        case "node": program = (#"["node", "main.mjs"]"#, "node main.mjs", File(name: "main.mjs", text: node))
        default: program = (#"["./main"]"#, "${PLUGIN:-./main}", File(name: "main.swift", text: swift))
        }
        return [
            File(name: "plugin.json", text: manifest(id, exec: program.exec)), program.file,
            File(name: "test.sh", text: test(program.run, building: language == "swift"), isExecutable: true),
        ]
    }

    private static func manifest(_ id: String, exec: String) -> String {
        """
        {
          "manifestVersion": 1,
          "id": "\(id)",
          "name": "Hello",
          "version": "0.1.0",
          "protocol": [1],
          "exec": \(exec),
          "provides": {
            "methods": [
              {
                "name": "hello",
                "summary": "Say hello.",
                "params": {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false},
                "result": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
                "effect": "read"
              }
            ]
          },
          "permissions": {"moods": "none"}
        }

        """
    }

    private static func test(_ run: String, building: Bool) -> String {
        let build =
            building
            ? #"""

            if [ -z "$PLUGIN" ] && ! [ main -nt main.swift ]; then
                swiftc -O -static-stdlib main.swift -o main && strip main || exit 1
            fi
            """# : ""
        return #"""
            #!/bin/sh
            # Feeds lines to the plugin and compares what it prints, without the spaces between tokens.
            cd "$(dirname "$0")" || exit 1\#(build)
            printed=$(\#(run) <<'LINES' | sed 's/\([,:]\) "/\1"/g; s/: \([0-9{-]\)/:\1/g'
            {"jsonrpc":"2.0","id":1,"method":"plugin.hello","params":{"protocol":1}}
            {"jsonrpc":"2.0","id":2,"method":"hello","params":{"name":"Ada"}}
            {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}
            {"jsonrpc":"2.0","id":3,"method":"hello","params":{}}
            {"jsonrpc":"2.0","id":4,"method":"no.such"}
            {"jsonrpc":"2.0","method":"plugin.goodbye"}
            LINES
            )
            expected=$(cat <<'LINES'
            {"jsonrpc":"2.0","id":1,"result":{"protocol":1}}
            {"jsonrpc":"2.0","id":2,"result":{"text":"Hello, Ada!"}}
            {"jsonrpc":"2.0","id":3,"result":{"text":"Hello, you!"}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"There is no method no.such."}}
            LINES
            )
            [ "$printed" = "$expected" ] && echo ok && exit 0
            printf '%s\n--- instead of\n%s\n' "$printed" "$expected"
            exit 1

            """#
    }

    private static let python = #"""
        """A MoodBoard plugin: every line on stdin is a message, every line on stdout an answer."""

        import json
        import sys


        def answer(method, params):
            if method == "plugin.hello":
                return {"protocol": 1}
            if method == "hello":
                return {"text": f"Hello, {params.get('name', 'you')}!"}
            raise LookupError(f"There is no method {method}.")


        for line in sys.stdin.buffer:
            request = json.loads(line)
            if request.get("method") == "plugin.goodbye":
                break
            if "id" not in request:
                continue
            reply = {"jsonrpc": "2.0", "id": request["id"]}
            try:
                reply["result"] = answer(request["method"], request.get("params", {}))
            except LookupError as error:
                reply["error"] = {"code": -32601, "message": str(error)}
            sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            sys.stdout.buffer.flush()

        """#

    private static let shell = #"""
        #!/bin/sh
        # A MoodBoard plugin: every line on stdin is a message, every line on stdout an answer. Needs jq.
        exec jq --compact-output --unbuffered '
        if has("id") | not then
            if .method == "plugin.goodbye" then halt else empty end
        elif .method == "plugin.hello" then {jsonrpc: "2.0", id, result: {protocol: 1}}
        elif .method == "hello" then {jsonrpc: "2.0", id, result: {text: "Hello, \(.params.name // "you")!"}}
        else {jsonrpc: "2.0", id, error: {code: -32601, message: "There is no method \(.method)."}}
        end'

        """#

    private static let node = #"""
        // A MoodBoard plugin: every line on stdin is a message, every line on stdout an answer.
        import { createInterface } from "node:readline";

        const methods = {
            "plugin.hello": () => ({ protocol: 1 }),
            hello: ({ name = "you" }) => ({ text: `Hello, ${name}!` }),
        };

        for await (const line of createInterface({ input: process.stdin })) {
            const { id, method, params = {} } = JSON.parse(line);
            if (method === "plugin.goodbye") break;
            if (id === undefined) continue;
            const reply = { jsonrpc: "2.0", id };
            if (Object.hasOwn(methods, method)) reply.result = methods[method](params);
            else reply.error = { code: -32601, message: `There is no method ${method}.` };
            process.stdout.write(JSON.stringify(reply) + "\n");
        }

        """#

    private static let swift = ##"""
        // A MoodBoard plugin: every line on stdin is a message, every line on stdout an answer. test.sh builds it, with:
        // swiftc -O -static-stdlib main.swift -o main && strip main
        import Foundation

        func text(_ value: Any) -> String {
            let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            return String(decoding: data ?? Data("null".utf8), as: UTF8.self)
        }

        setvbuf(stdout, nil, _IOLBF, 0)
        while let line = readLine() {
            let message = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let request = message as? [String: Any], let method = request["method"] as? String else { exit(1) }
            if method == "plugin.goodbye" { break }
            guard let id = request["id"] else { continue }
            let name = (request["params"] as? [String: Any])?["name"] as? String ?? "you"
            let outcome =
                switch method {
                case "plugin.hello": #""result":{"protocol":1}"#
                case "hello": #""result":{"text":\#(text("Hello, \(name)!"))}"#
                default: #""error":{"code":-32601,"message":\#(text("There is no method \(method)."))}"#
                }
            print(#"{"jsonrpc":"2.0","id":\#(text(id)),\#(outcome)}"#)
        }

        """##
}
