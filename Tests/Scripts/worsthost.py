#!/usr/bin/env python3
"""A hostile host, for clients that must not wait for ever.

    worsthost.py MANNER     the client names the manner, as an option of the host
"""
import json
import os
import signal
import sys
import time

RESULT = "line\u2028separator \u0085 \u2029"


def say(message):
    data = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode() + b"\n"
    try:
        while data:
            data = data[os.write(1, data):]
    except OSError:
        pass


def requests():
    rest = b""
    while piece := os.read(0, 1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield json.loads(line)


def stay():
    """Ignores the end of input and SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


def flood():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        say({"jsonrpc": "2.0", "method": "events.event", "params": {"topic": "mood", "filler": "x" * 4000}})


def main():
    manner = sys.argv[1]
    for request in requests():
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        if manner == "ends":
            return
        if manner == "half a line":
            return say(json.dumps({**answer, "result": 1}).encode()[:-3])
        if manner == "rubbish":
            say(b"hello\nnull\n[]\n")
            return stay()
        if manner == "closes its output":
            os.close(1)
            return stay()
        if manner == "an error without an id":
            say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON"}})
        elif manner == "an error without anything":
            say({**answer, "error": {"code": 1, "message": "no"}})
        elif manner == "late answers":
            say({"jsonrpc": "2.0", "id": 999, "result": "another's"})
            say({**answer, "result": RESULT})
        else:
            say({**answer, "result": RESULT})
        if manner == "floods":
            return flood()
    if manner == "stays":
        stay()


if __name__ == "__main__":
    main()
