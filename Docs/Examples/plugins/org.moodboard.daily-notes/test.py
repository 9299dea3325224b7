#!/usr/bin/env python3
"""Plays the host for daily_notes.py: delivers events, answers mood.list from a few moods, and looks at the files."""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "daily_notes.py")


def mood(number, timestamp, **more):
    return {"id": f"mood-{number}", "emoji": "😊", "label": f"Mood {number}", "timestamp": timestamp, "isFavorite": False,
            "notes": "", "tags": [], **more}


class Host:
    """A host with one plugin; its moods are a dictionary."""

    def __init__(self, folder, data):
        self.moods, self.logged, self.is_failing = {}, [], False
        self.plugin = subprocess.Popen([sys.executable, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        config = {"folder": folder}
        hello = self.ask("plugin.hello", {"protocol": 1, "config": config, "timeZone": "UTC", "dataDirectory": data})
        assert hello["result"]["protocol"] == 1, hello

    def send(self, message):
        self.plugin.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.plugin.stdin.flush()

    def ask(self, method, params):
        self.send({"id": 1, "method": method, "params": params})
        for line in self.plugin.stdout:
            message = json.loads(line)
            if message.get("method") == "plugin.log":
                self.logged.append(message["params"]["message"])
            elif message.get("method") == "mood.list":
                self.send({"id": message["id"], **self.page(message["params"])})
            else:
                assert message["id"] == 1, message
                return message

    def page(self, params):
        """Pages of two, whatever was asked."""
        if self.is_failing:
            return {"error": {"code": 1040, "message": "Not granted."}}
        span = params["filter"]
        found = sorted((m for m in self.moods.values() if span.get("from", "") <= m["timestamp"] <= span.get("to", "~")),
                       key=lambda one: one["timestamp"])
        start = int(params.get("cursor", 0))
        more = {"nextCursor": str(start + 2)} if start + 2 < len(found) else {}
        return {"result": {"items": found[start:start + 2], **more}}

    def deliver(self, *moods, gone=(), **event):
        """The moods as they now are, those that have gone, and an event that tells of them."""
        self.moods.update({one["id"]: one for one in moods})
        for one in gone:
            del self.moods[one]
        changes = [{"type": "updated", "id": one["id"], "mood": one} for one in moods]
        changes += [{"type": "deleted", "id": one} for one in gone]
        return self.ask("events.deliver", {"topic": "mood", "seq": 1, "changes": changes, **event})

    def end(self):
        self.plugin.stdin.close()
        assert self.plugin.wait(10) == 0


with tempfile.TemporaryDirectory() as top:
    folder, data = os.path.join(top, "notes"), os.path.join(top, "data")
    os.mkdir(folder), os.mkdir(data)
    host = Host(folder, data)
    host.moods = {f"mood-{n}": mood(n, f"2026-01-0{n}T09:00:00.000Z") for n in (1, 2, 3)}  # from before the trust
    assert host.deliver(mood(4, "2026-01-02T23:30:00.000Z", timeZone="Europe/Berlin", tags=["long day"]))["result"] == {}
    assert sorted(os.listdir(folder)) == ["2026-01-01.md", "2026-01-02.md", "2026-01-03.md"]
    with open(os.path.join(folder, "2026-01-03.md"), encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("# 2026-01-03\n\n## 00:30 😊 Mood 4\n\n#long_day\n\n## 09:00 😊 Mood 3\n"), text
    host.deliver(mood(3, "2026-01-05T09:00:00.000Z", isFavorite=True, notes="Moved\n"), gone=["mood-1"])
    assert sorted(os.listdir(folder)) == ["2026-01-02.md", "2026-01-03.md", "2026-01-05.md"]
    host.is_failing = True
    assert "Not granted" in host.deliver(gone=["mood-3"])["error"]["message"]
    host.is_failing = False
    host.end()
    host.plugin.stdout.close()

    # Started anew, the event comes again; a file of the person's own stays.
    moods, host = host.moods, Host(folder, data)
    host.moods = moods
    assert host.ask("events.deliver", {"seq": 1, "changes": [{"type": "deleted", "id": "mood-3"}]})["result"] == {}
    assert sorted(os.listdir(folder)) == ["2026-01-02.md", "2026-01-03.md"]
    with open(os.path.join(folder, "2026-01-06.md"), "w", encoding="utf-8") as file:
        file.write("My own\n")
    host.deliver(mood(6, "2026-01-06T09:00:00.000Z"))
    assert "2026-01-06.md is not ours" in host.logged[0], host.logged
    host.moods = {}
    assert host.ask("events.deliver", {"resync": True, "seq": 9})["result"] == {}
    assert os.listdir(folder) == ["2026-01-06.md"], os.listdir(folder)
    assert host.ask("no.such", {})["error"]["code"] == -32601
    host.end()
print("ok")
