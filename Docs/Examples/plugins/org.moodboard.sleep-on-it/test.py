#!/usr/bin/env python3
"""Feeds lines to sleep_on_it.py, with a night of all day and with none, and compares what it prints."""

import datetime
import json
import os
import subprocess
import sys
import zoneinfo

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sleep_on_it.py")


def run(begin, end, *changes):
    hello = {"protocol": 1, "id": "org.moodboard.sleep-on-it", "config": {"from": begin, "until": end}, "timeZone": "Europe/Berlin"}
    requests = [{"id": 0, "method": "plugin.hello", "params": hello}]
    requests += [{"id": 1 + n, "method": "hook.change", "params": {"changes": one}} for n, one in enumerate(changes)]
    requests += [{"method": "plugin.goodbye"}, {"id": "x", "method": "no.such"}]
    text = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    ended = subprocess.run([sys.executable, PROGRAM], input=text.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [*range(1 + len(changes)), "x"], answers
    assert answers[-1]["error"]["code"] == -32601, answers
    return [answer.get("result", answer.get("error")) for answer in answers[1:-1]]


created = {"type": "created", "id": "m", "after": {"id": "m", "emoji": "😢", "label": "Sad", "tags": ["work"]}}
awake = {**created, "after": {**created["after"], "tags": ["work", "awake"]}}
updated = {**created, "type": "updated", "before": {}}
deleted = {"type": "deleted", "id": "m", "before": created["after"]}

CHANGES = [created], [awake], [updated], [deleted], [awake, created], [{"type": "created", "id": "m"}]
now = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin"))


def clock(hours):
    return (now + datetime.timedelta(hours=hours)).strftime("%H:%M")


night, day = run(clock(-1), clock(1), *CHANGES), run(clock(2), clock(4), *CHANGES)
assert day == [{}] * 6, day
assert "Sleep on it" in night[0]["veto"] and "awake" in night[0]["veto"], night
assert night[1:4] == [{}, {}, {}] and "veto" in night[4], night
assert night[5]["code"] == -32603, night
assert run("08:00", "08:00", [created]) == [{}]
print("ok")
