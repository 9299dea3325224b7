#!/usr/bin/env python3
"""A host that stands between an editor and a real one, and answers oddly now and then.

    oddhost.py HOST [ARGUMENT…]

The first answers with a list are odd as a whole, one manner after the other. The later ones have odd items before the real ones: notes with
U+0000, members that are missing or of another type, and values that are no mood at all.
"""
import json
import os
import subprocess
import sys
import threading

WHOLE = [
    lambda message: {**message, "result": None},
    lambda message: {**message, "result": {"items": None}},
    lambda message: {**message, "result": {"items": "none", "total": "none"}},
    lambda message: {"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "", "data": None}},
]
MOOD = {"id": "01890000-0000-7000-8000-000000000001", "emoji": "😊", "label": "Odd", "timestamp": "2026-01-02T03:04:05.678Z",
        "isFavorite": False, "notes": "", "tags": []}
ITEMS = [
    {**MOOD, "notes": "a\0b", "label": "Nu\0l"}, {**MOOD, "label": "Two\nlines"}, {**MOOD, "timestamp": "never"},
    {**MOOD, "tags": None}, {**MOOD, "emoji": 3, "label": {}}, {"id": 7}, {}, [], "mood", None,
]


def messages(stream):
    """The messages of a stream: framing and bytes."""
    while line := stream.readline():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            yield True, stream.read(length)
        elif line.strip():
            yield False, line.rstrip(b"\n")


def odd(message, turn):
    if not isinstance(message.get("result"), dict) or "items" not in message["result"]:
        return message
    turn.append(None)
    if len(turn) <= len(WHOLE):
        return WHOLE[len(turn) - 1](message)
    result = dict(message["result"])
    result.pop("empty", None)
    result["items"] = ITEMS + result["items"]
    return {**message, "result": result}


def main():
    host = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        while piece := os.read(0, 1 << 16):
            host.stdin.write(piece)
            host.stdin.flush()
        host.stdin.close()

    threading.Thread(target=feed, daemon=True).start()
    turn = []
    for is_framed, body in messages(host.stdout):
        body = json.dumps(odd(json.loads(body), turn), ensure_ascii=False).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) if is_framed else body + b"\n")
        sys.stdout.buffer.flush()
    return host.wait()


if __name__ == "__main__":
    sys.exit(main())
