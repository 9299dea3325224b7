"""A small MCP server for tests, over stdio. Its settings are in `settings.json` in its folder, or in its data directory:

    era: "newer", "older", "fragile" (older, and ends at an unknown first message), "silent" (older, and says nothing to one)
    tools: what it lists, two on a page
    more: whether it has prompts, resources, templates and completion too; of each list one faulty item
    resources: what is listed instead, all on one page; each can be read, and is a text that says its address
"""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def settings():
    found = {"era": "newer", "tools": []}
    for folder in (HERE, os.environ.get("MOODBOARD_PLUGIN_DATA", HERE)):
        try:
            with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
                found.update(json.load(file))
        except OSError:
            pass
    return found


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


CAPABILITIES = {"tools": {"listChanged": True}, "prompts": {}, "resources": {}, "completions": {}}
LISTS = {
    "prompts/list": ("prompts", [
        {"name": "greet.me", "description": "Greets.", "arguments": [{"name": "who", "required": True}, {"faulty": 1}], "other": 1},
        {"description": "It has no name."}, {"name": "hang"}]),
    "resources/list": ("resources", [{"uri": "note:///1", "name": "One", "mimeType": "text/plain", "size": "much"}, {"uri": 7},
                                     {"uri": "note:///2"}]),
    "resources/templates/list": ("resourceTemplates", [{"uriTemplate": "note:///{number}", "name": "Note"}, {}]),
}


def serve_more(number, method, params):
    """The result of other methods than tools'; None if there is none."""
    own = settings().get("resources")
    if own and method == "resources/list":
        return {"resources": own}
    if own and method == "resources/read" and params["uri"] in [one.get("uri") for one in own]:
        return {"contents": [{"uri": params["uri"], "text": f"This is {params['uri']}"}]}
    if own and method == "resources/read" and params["uri"].startswith("blob:"):
        return {"contents": [{"uri": params["uri"], "blob": params["uri"][5:]}]}
    if method in LISTS:
        name, items = LISTS[method]
        start = int(params.get("cursor", "0"))
        return {name: items[start:start + 2], **({"nextCursor": str(start + 2)} if start + 2 < len(items) else {})}
    if method == "prompts/get" and params["name"] == "greet.me":
        who = params["arguments"]["who"]
        link = {"type": "resource_link", "uri": "note:///1"}
        return {"description": "A greeting", "messages": [
            {"role": "user", "content": {"type": "text", "text": f"Greet {who}.", "other": 1}},
            {"role": "assistant", "content": link}] + ([{"role": "system"}] if who == "faulty" else [])}
    if method == "resources/read" and params["uri"].startswith("note:///"):
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": "Note " + params["uri"][8:]}]}
    if method == "resources/read" and params["uri"] == "faulty:":
        return {"contents": [{"uri": "faulty:"}]}
    if method == "completion/complete":
        return {"completion": {"values": [f"{params['ref'].get('name', params['ref'].get('uri'))}:{params['argument']['value']}", 7]}}
    send({"id": number, "error": {"code": -32602, "message": f"no such thing: {json.dumps(params)}"}})
    return None


def call(request, params):
    name, given = params["name"], params.get("arguments", {})
    text = [{"type": "text", "text": json.dumps(given, sort_keys=True)}]
    if name == "fail":
        return {"content": [{"type": "text", "text": "no such thing"}], "isError": True}
    if name == "sum":
        return {"content": text, "structuredContent": {"sum": given["a"] + given["b"]}}
    if name == "lie":
        return {"content": text, "structuredContent": {"sum": "three"}}
    if name == "ask":
        return {"resultType": "input_required", "inputRequests": {}}
    if name == "slow":
        token = params["_meta"]["progressToken"]
        for done in range(3):
            send({"method": "notifications/progress", "params": {"progressToken": token, "progress": done, "total": 3}})
            time.sleep(0.05)
    if name == "hang":
        return None
    if name == "ping":
        send({"id": "own-1", "method": "ping"})
        send({"id": "own-2", "method": "roots/list"})
        answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
        return {"content": [{"type": "text", "text": json.dumps(answers)}]}
    if name == "grow":
        with open(os.path.join(os.environ["MOODBOARD_PLUGIN_DATA"], "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"tools": given["tools"]}, file)
        send({"method": "notifications/tools/list_changed"})
    return {"content": text}


def main():
    era, started = settings()["era"], False
    capabilities = CAPABILITIES if settings().get("more") else {"tools": {"listChanged": True}}
    for line in sys.stdin:
        message = json.loads(line)
        method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
        if number is None or method is None:
            continue
        meta = params.get("_meta", {})
        is_newer = "io.modelcontextprotocol/protocolVersion" in meta
        if era == "newer" and is_newer and method == "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "resultType": "complete"}
        elif era != "newer" and method == "initialize":
            started = True
            result = {"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
                      "serverInfo": {"name": "trial", "version": "1"}}
        elif era == "fragile" and not started:
            sys.exit(3)
        elif era == "silent" and not started:
            continue
        elif is_newer != (era == "newer"):
            send({"id": number, "error": {"code": -32601, "message": f"not known here: {method}"}})
            continue
        elif method == "tools/list":
            tools = settings()["tools"]
            start = int(params.get("cursor", "0"))
            result = {"tools": tools[start:start + 2]}
            if start + 2 < len(tools):
                result["nextCursor"] = str(start + 2)
        elif method == "tools/call":
            result = call(number, params)
            if result is None:
                continue
        elif method.split("/")[0] in ("prompts", "resources", "completion") and len(capabilities) > 1:
            if params.get("name") == "hang":
                continue
            result = serve_more(number, method, params)
            if result is None:
                continue
        else:
            send({"id": number, "error": {"code": -32601, "message": f"not known: {method}"}})
            continue
        send({"id": number, "result": result})


main()
