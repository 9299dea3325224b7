#!/usr/bin/env python3
"""A JSON-RPC host with one fault, for `Tests/Scripts/doctors.py`: the fault's name is its argument; without one it has none.

It has one method, `ping`, and an MCP server with one tool and one prompt; it speaks in lines.
"""

import json
import os
import signal
import sys
import time

# Each fault, and a word that must be in a finding about it.
FAULTS = {
    "greets": "before it is spoken to",
    "wrong code for the unknown": "-32601",
    "dies of rubbish": "next request has no answer",
    "silent about rubbish": "no answer",
    "wrong code for rubbish": "-32700",
    "takes a trailing comma": "-32700",
    "takes NaN": "-32700",
    "answers notifications": "notification",
    "ids as texts": "no answer",
    "ids as floats": "an id that was not asked",
    "a batch in pieces": "Batch",
    "silent about an empty batch": "Batch",
    "answers a batch of notifications": "batch of notifications",
    "answers twice": "2 answers",
    "the first of a write": "no answer",
    "dies of depth": "brackets",
    "dies of a long line": "32 MiB",
    "dies of long numbers": "digits",
    "stays after the end": "still runs",
    "deaf to SIGTERM": "SIGTERM",
    "deaf to SIGINT": "SIGINT",
    "deaf to SIGHUP": "SIGHUP",
    "keeps signals blocked": "which its parent had blocked",
    "answers answers": "An answer is answered",
    "result unlike its schema": "not as its outputSchema says",
    "result without its structure": "no structuredContent",
    "schema without a type": "has to have the type object",
    "schema that refers to its root": "refers to its own root",
    "asks for a form": "by a form",
    "sends a form": "by a form",
    "a yes for anything": "not bound",
    "any state of a yes": "that it did not give",
    "pages in a circle": "lead back",
    "refuses its own cursor": "refuses the nextCursor",
    "waits for itself": "calls at the same time",
    "error that names nothing": "does not name it",
    "completion with another total": "says that there are",
    "more that is not there": "says that there are",
    "subscribes to a number": "resourceSubscriptions",
    "forgets a line without its end": "line feed",
    "forgets what was cancelled": "Cancellation",
    "both result and error": "either",
    "no version": "jsonrpc",
    "error without a code": "code",
    "logs to stdout": "printed",
    "drops under a flood": "in a flood",
    "dies of latin-1": "UTF-8",
    "exit status 1": "exit status 1",
    "result for rubbish": "rubbish",
    "dies of CR LF": "no answer",
}


def strict(text):
    """Python accepts more than JSON."""
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=None if fault == "takes NaN" else refuse)


def failure(code, identifier=None):
    error = {"code": code, "message": "no"}
    if fault == "error without a code":
        del error["code"]
    return {"jsonrpc": "2.0", "id": identifier, "error": error}


REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
SCHEMAS = {
    "schema without a type": {"properties": {"text": {"type": "string"}}},
    "schema that refers to its root": {"type": "object", "properties": {"text": {"type": "string"}, "more": {"$ref": "#"}}},
}
GOOD = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PAGED = {**GOOD, "properties": {"text": {"type": "string"}, "cursor": {"type": "string"}}}
FORM = {"mode": "form", "message": "Really?", "requestedSchema": {"type": "object", "properties": {}}}


def mcp(method, params):
    """The result of a method of MCP; None if there is none."""
    if method == "initialize" and params["protocolVersion"] in REVISIONS:
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "poor", "version": "1"}}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": {"name": "poor", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{
            "name": "echo", "description": "Echoes.", "inputSchema": SCHEMAS.get(fault, PAGED), "outputSchema": GOOD,
            "annotations": {"readOnlyHint": True}}]}
    if method == "tools/call":
        text = params["arguments"].get("text", "")
        if not isinstance(text, str):
            name = "something" if fault == "error that names nothing" else "text"
            return {"content": [{"type": "text", "text": f"{name} is wrong"}], "isError": True}
        if fault == "asks for a form":
            return {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create", "params": FORM}}}
        if fault in ("a yes for anything", "any state of a yes") and "inputResponses" not in params:
            asked = {"mode": "url", "message": "Really?", "url": "https://example.org", "elicitationId": "1"}
            state = {} if fault == "a yes for anything" else {"requestState": "s"}
            return {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create", "params": asked}}, **state}
        cursor = params["arguments"].get("cursor")
        if cursor and fault == "refuses its own cursor":
            return {"content": [{"type": "text", "text": "cursor is wrong"}], "isError": True}
        if fault == "waits for itself" and b"tools/call" in waiting():
            time.sleep(6)
        if fault == "sends a form":
            out({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": FORM})
        structure = {"text": 7 if fault == "result unlike its schema" else text}
        if not cursor or fault == "pages in a circle":
            structure["nextCursor"] = "2"
        return {"content": [{"type": "text", "text": text}], **({} if fault == "result without its structure" else {"structuredContent": structure})}
    if method == "prompts/list":
        return {"prompts": [{"name": "greet", "arguments": [{"name": "who"}]}]}
    if method == "completion/complete":
        return {"completion": {"values": ["Ann", "Bo"], "total": 1 if fault == "completion with another total" else 2,
                               "hasMore": fault == "more that is not there"}}
    if method == "subscriptions/listen" and fault == "subscribes to a number":
        return {}
    return None


def answer(request):
    """The answer to one member of a batch, or to a message alone; None for a notification."""
    if not isinstance(request, dict):
        return failure(-32600)
    identifier = request.get("id")
    if isinstance(identifier, (dict, list, bool)):
        return failure(-32600)
    if "method" not in request and ("result" in request or "error" in request) and fault != "answers answers":
        return None
    if request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        return failure(-32600, identifier)
    if not isinstance(request.get("params", {}), (dict, list)):
        return failure(-32600, identifier)
    if "id" not in request:
        return failure(-32601) if fault == "answers notifications" else None
    if fault == "ids as texts":
        identifier = str(identifier)
    if fault == "ids as floats" and isinstance(identifier, int):
        identifier = float(identifier)
    if request["method"] == "ping":
        return {"jsonrpc": "2.0", "id": identifier, "result": {}}
    if (result := mcp(request["method"], request.get("params") or {})) is not None:
        return {"jsonrpc": "2.0", "id": identifier, "result": result}
    reply = failure(-32000 if fault == "wrong code for the unknown" else -32601, identifier)
    if fault == "both result and error":
        reply["result"] = None
    if fault == "no version":
        del reply["jsonrpc"]
    return reply


def waiting():
    """What has come and was not read."""
    os.set_blocking(0, False)
    more = sys.stdin.buffer.peek(1)
    os.set_blocking(0, True)
    return more


def out(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()
    if fault == "answers twice":
        sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
        sys.stdout.buffer.flush()


def serve(line):
    if fault == "dies of CR LF" and line.endswith(b"\r\n"):
        sys.exit(1)
    if not line.strip():
        return
    if fault == "dies of latin-1" or fault == "dies of rubbish":
        line.decode()
    if fault == "dies of a long line" and len(line) > 1 << 24:
        sys.exit(1)
    if fault == "logs to stdout":
        sys.stdout.buffer.write(b"got a line\n")
    if fault == "takes a trailing comma":
        line = line.replace(b",}", b"}")
    if fault == "dies of rubbish":
        message = json.loads(line)
    else:
        try:
            message = strict(line.decode())
            if "\\ud800" in line.decode() and isinstance(message, str):
                raise ValueError("a lone surrogate")
        except (ValueError, RecursionError) as error:
            if fault == "dies of depth" and isinstance(error, RecursionError) or fault == "dies of long numbers" and "digits" in str(error):
                sys.exit(1)
            if fault == "result for rubbish":
                out({"jsonrpc": "2.0", "id": None, "result": {}})
            elif fault != "silent about rubbish":
                out(failure(-32000 if fault == "wrong code for rubbish" else -32700))
            return
    if isinstance(message, list):
        if not message:
            if fault != "silent about an empty batch":
                out(failure(-32600))
            return
        answers = [one for one in map(answer, message) if one is not None]
        if fault == "a batch in pieces":
            for one in answers:
                out(one)
        elif answers or fault == "answers a batch of notifications":
            out(answers)
        return
    if isinstance(message, dict) and message.get("method") == "$/cancelRequest":
        cancelled.add(json.dumps(message.get("params", {}).get("id")))
    if isinstance(message, dict) and fault == "forgets what was cancelled" and json.dumps(message.get("id")) in cancelled:
        return
    reply = answer(message)
    if reply is not None:
        out(reply)


def main():
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN if fault == f"deaf to {name}" else signal.SIG_DFL)
    if fault != "keeps signals blocked":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    if fault == "greets":
        sys.stdout.write("Welcome!\n")
        sys.stdout.flush()
    count = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            break
        count += 1
        if fault == "drops under a flood" and count > 900:
            continue
        if fault == "forgets a line without its end" and not line.endswith(b"\n"):
            break
        if fault == "the first of a write":
            os.set_blocking(0, False)
            while sys.stdin.buffer.read(1 << 16):
                pass
            os.set_blocking(0, True)
        serve(line)
    while fault == "stays after the end":
        time.sleep(0.1)
    return 1 if fault == "exit status 1" else 0


cancelled = set()
fault = sys.argv[1] if len(sys.argv) > 1 and __name__ == "__main__" else "none"

if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(0)
