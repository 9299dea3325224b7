#!/usr/bin/env python3
"""A MoodBoard plugin: one Markdown file for each day (2026-01-02.md), for Obsidian and the like, that follows every change.

An event is acknowledged after its files are written. It may come twice, or late: its days are made anew from the moods as
they are now. `days.json` in the data directory says where each mood was, because one that has gone leaves a day behind.
"""

import collections
import datetime
import json
import os
import pwd
import sys
import zoneinfo

MARK = "<!-- Made by MoodBoard. What you change here is lost. -->\n"


def send(message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def ask(method, params):
    """The host's answer. While an event is at work the host sends nothing else but notifications."""
    send({"id": "asked", "method": method, "params": params})
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "method" not in message:
            if "result" in message:
                return message["result"]
            raise RuntimeError(message["error"]["message"])
    sys.exit(0)  # the host has gone: it delivers the event again


def write(path, text):
    """All of it or nothing, and on the disk before the event is acknowledged."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


class Plugin:
    def hello(self, params):
        self.zone = params["timeZone"]
        folder = params["config"].get("folder", "~/MoodBoard")
        # HOME is the data directory here, so the home of the person comes from the list of users.
        self.folder = folder.replace("~", pwd.getpwuid(os.getuid()).pw_dir, 1) if folder[:2] == "~/" else folder
        self.index = os.path.join(params["dataDirectory"], "days.json")
        return {"protocol": 1, "name": "Daily notes", "version": "1.0.0"}

    def moment(self, mood):
        when = datetime.datetime.fromisoformat(mood["timestamp"].replace("Z", "+00:00"))
        return when.astimezone(zoneinfo.ZoneInfo(mood.get("timeZone") or self.zone))

    def moods(self, **filter):
        """The moods by their days, the earliest first."""
        days, cursor = collections.defaultdict(list), {}
        while cursor is not None:
            page = ask("mood.list", {"limit": 1000, "order": "asc", "filter": filter, **cursor})
            for mood in page["items"]:
                days[f"{self.moment(mood):%Y-%m-%d}"].append(mood)
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        return days

    def deliver(self, params):
        try:
            with open(self.index, encoding="utf-8") as file:
                index = json.load(file)
        except FileNotFoundError:
            index = None  # the first event: the moods from before it are written too
        if index is None or params.get("resync") or params.get("truncated"):
            all_days = self.moods()
            for day in set(all_days) | set((index or {}).values()):
                self.write_day(day, all_days.get(day, []))
            index = {mood["id"]: day for day, moods in all_days.items() for mood in moods}
        else:
            days = {index.pop(change["id"], None) for change in params["changes"]} - {None}
            for change in params["changes"]:
                if "mood" in change:
                    index[change["id"]] = f"{self.moment(change['mood']):%Y-%m-%d}"
                    days.add(index[change["id"]])
            for day in days:
                noon = datetime.datetime.fromisoformat(day + "T12:00:00+00:00")
                reach = datetime.timedelta(hours=26)  # the day in any zone
                near = self.moods(**{"from": (noon - reach).isoformat(), "to": (noon + reach).isoformat()})
                self.write_day(day, near.get(day, []))
        write(self.index, json.dumps(index))
        return {}

    def write_day(self, day, moods):
        path = os.path.join(self.folder, day + ".md")
        if os.path.exists(path) and open(path, encoding="utf-8", errors="replace").readline() != MARK:
            send({"method": "plugin.log", "params": {"level": "warning", "message": f"{path} is not ours, and stays."}})
        elif moods:
            write(path, "\n\n".join([MARK + f"# {day}", *map(self.paragraph, moods)]) + "\n")
        elif os.path.exists(path):
            os.remove(path)

    def paragraph(self, mood):
        star = " ★" if mood["isFavorite"] else ""
        tags = " ".join("#" + "_".join(tag.split()) for tag in mood["tags"])
        title = f"## {self.moment(mood):%H:%M} {mood['emoji']} {mood['label']}{star}"
        return "\n\n".join(part for part in [title, mood["notes"].strip(), tags] if part)


plugin = Plugin()
methods = {"plugin.hello": plugin.hello, "events.deliver": plugin.deliver}
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue  # a notification: plugin.goodbye, or a cancellation
    method = methods.get(request["method"])
    try:
        reply = {"result": method(request["params"])} if method else {"error": {"code": -32601, "message": "no such method"}}
    except Exception as error:  # the host delivers it again later
        reply = {"error": {"code": -32603, "message": f"{type(error).__name__}: {error}"}}
    send({"id": request["id"], **reply})
