#!/usr/bin/env python3
"""A plugin with one fault, for `Tests/Scripts/doctors.py`: the fault's name is its argument; without one it has none.

Its manifest declares a method `hello {name?} → {text}`, a format to share, `poor`, and both hooks.
"""

import json
import os
import signal
import sys
import time

HOOKS = {
    "hook.change": {
        "veto without a reason": {"veto": True}, "veto is a number": {"veto": 5}, "veto and set": {"veto": "No.", "set": []},
        "hook answers a text": "x", "hook answers a list": [], "hook answers nothing": None, "set is a text": {"set": "x"},
        "set of texts": {"set": ["x"]}, "sets another mood": {"set": [{"id": "0194f2a1-7c1e-7b3a-8f00-000000000000", "set": {"notes": "n"}}]},
    },
    "hook.navigate": {"navigation is set": {"set": []}},
}
fault = sys.argv[1] if len(sys.argv) > 1 else "none"
if fault in ("deaf to SIGTERM", "stays"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if fault == "slow hello":
    time.sleep(6)
if fault == "ends at once":
    sys.exit(3)


def out(message):
    text = json.dumps(message) if not isinstance(message, str) else message
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(request):
    reply, method = {"jsonrpc": "2.0", "id": request.get("id")}, request.get("method")
    params = request.get("params") or {}
    if method == "plugin.hello":
        reply["result"] = {"protocol": 2 if fault == "another protocol" else 1}
    elif method == "hello":
        reply["result"] = {"text": 7 if fault == "result unlike its schema" else "Hello, " + params.get("name", "you")}
        if fault == "slow method":
            time.sleep(3.5)
        if fault == "declares what is not there":
            del reply["result"]
            reply["error"] = {"code": -32601, "message": "no such method"}
    elif method in HOOKS:
        reply["result"] = HOOKS[method].get(fault, {})
        if fault == "sets what no mood has":
            reply["result"] = {"set": [{"id": one["id"], "set": {"mood": 1}} for one in params.get("changes", [])]}
        if fault == "slow hook":
            time.sleep(1.5)
    elif method == "share.render":
        reply["result"] = {"words": "Hi"} if fault == "wrong shape" else {"text": "Hi"}
    else:
        reply["error"] = {"code": -32000 if fault == "wrong code" else -32601, "message": "no such method"}
        if fault == "error without message":
            del reply["error"]["message"]
        if fault == "result for the unknown":
            reply["result"] = reply.pop("error") and {}
    if fault == "number ids alone" and not isinstance(request.get("id"), int):
        reply["id"] = 0
    if fault == "ids as texts" and method != "plugin.hello":
        reply["id"] = str(reply["id"])
    if fault == "floats" and isinstance(reply["id"], int) and abs(reply["id"]) > 1 << 50:
        reply["id"] = float(reply["id"]) * 1.0000001
    if fault == "both result and error" and "error" in reply:
        reply["result"] = None
    if fault == "no version":
        del reply["jsonrpc"]
    return reply


cancelled, held = set(), []
count = 0
if fault == "ends when idle":
    signal.setitimer(signal.ITIMER_REAL, 0.7)
stream = sys.stdin.buffer
while True:
    line = stream.read(1 << 16) if fault == "reads in blocks" else stream.readline()
    if not line:
        break
    if fault == "short lines" and len(line) > 1 << 16:
        continue
    if fault == "the first of a write":
        line = line.splitlines()[0]
        os.set_blocking(0, False)
        while stream.read(1 << 16):
            pass
        os.set_blocking(0, True)
    try:
        request = json.loads(line)
    except ValueError:
        if fault == "chats about rubbish":
            out("what was that?")
        continue
    if fault == "prints" and request.get("method") != "plugin.hello":
        out("working on " + request.get("method", "?"))
    if isinstance(request, list) or "method" not in request:
        # It goes on when its batch is answered.
        for one in held:
            out(answer(one))
        held.clear()
        continue
    if "id" not in request:
        if request.get("method") == "$/cancelRequest":
            cancelled.add(json.dumps(request["params"].get("id")))
            if fault == "answers cancellations":
                out({"jsonrpc": "2.0", "id": request["params"].get("id"), "error": {"code": -32800, "message": "cancelled"}})
        if fault == "answers notifications":
            out({"jsonrpc": "2.0", "id": None, "result": {}})
        if request.get("method") == "plugin.goodbye" and fault != "stays":
            break
        if fault == "dies of the unknown" and request.get("method", "").startswith("no/"):
            sys.exit(1)
        continue
    count += 1
    if fault == "ends when idle":
        signal.setitimer(signal.ITIMER_REAL, 0.7)
    if fault == "drops what was cancelled" and json.dumps(request["id"]) in cancelled:
        continue
    if fault == "drops every hundredth" and count % 100 == 0:
        continue
    if fault == "dies of the unknown" and request.get("method") == "no.such.method":
        sys.exit(1)
    reply = answer(request)
    if fault == "asks with a list as id":
        out({"jsonrpc": "2.0", "id": [count], "method": "host.ping"})
    if fault == "asks in a batch" and request.get("method") == "hello":
        out([{"jsonrpc": "2.0", "id": 1, "method": "host.ping"}, {"jsonrpc": "2.0", "method": "plugin.log", "params": {"level": "info", "message": "asked"}}])
        held.append(request)
        continue
    if fault == "result that is no JSON" and request.get("method") == "hello":
        reply["result"] = {"text": float("nan")}
    out(reply)
    if fault == "answers twice":
        out(reply)
while fault in ("stays", "deaf to the end"):
    time.sleep(0.1)
