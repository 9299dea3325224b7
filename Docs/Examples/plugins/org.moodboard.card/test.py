#!/usr/bin/env python3
"""Feeds lines to card.py and compares what it prints."""

import json
import os
import subprocess
import sys
import xml.dom.minidom

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "card.py")
MOOD = {
    "id": "01890000-0000-7000-8000-000000000001", "emoji": "😊", "label": "Happy & <calm>", "isFavorite": True,
    "timestamp": "2026-01-02T23:30:00.000Z", "timeZone": "Europe/Berlin", "notes": "A walk\nby the \x07sea. " * 20,
    "tags": ["sea", "long day"], "valence": 0.8}
RENDER = {"format": "card", "mood": MOOD, "locale": "en_US", "timeZone": "UTC", "now": "2026-01-03T00:00:00.000Z"}
REQUESTS = [
    {"id": 1, "method": "plugin.hello", "params": {"protocol": 1}},
    {"id": 2, "method": "share.render", "params": RENDER},
    {"method": "plugin.goodbye"},
    {"id": "3", "method": "share.render", "params": {**RENDER, "mood": {"emoji": "😊", "label": "No time"}}},
    {"id": 4, "method": "no.such", "params": {}},
]


def run(requests):
    text = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    ended = subprocess.run([sys.executable, PROGRAM], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in ended.stdout.splitlines()]


hello, card, broken, unknown = run(REQUESTS)
assert hello == {"jsonrpc": "2.0", "id": 1, "result": {"protocol": 1, "name": "Picture card", "version": "1.0.0"}}, hello
assert broken["id"] == "3" and broken["error"]["code"] == -32603, broken
assert unknown["id"] == 4 and unknown["error"]["code"] == -32601, unknown
picture = xml.dom.minidom.parseString(card["result"]["text"].encode())
texts = [node.firstChild.data if node.firstChild else "" for node in picture.getElementsByTagName("text")]
assert texts[:3] == ["😊", "Happy & <calm> ★", "2026-01-03 00:30"], texts
assert len(texts) == 8 and texts[6].endswith("…") and texts[7] == "#sea #long_day", texts
assert picture.getElementsByTagName("title")[0].firstChild.data == "😊 Happy & <calm>"
print("ok")
