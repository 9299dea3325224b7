#!/usr/bin/env python3
"""A MoodBoard plugin: at night nobody adds a mood without thinking twice.

A hook: the host shows it each change before the change is made. New moods are refused between `from` and `until`, unless
they carry the tag `awake`. What is there already may be changed at any time.
"""

import datetime
import json
import sys
import zoneinfo


def minutes(text):
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


def is_night(now, begin, end):
    """Whether a time of day lies in a night, which may go over midnight. Equal times: there is no night."""
    return begin <= now < end if begin <= end else now >= begin or now < end


class Plugin:
    def __init__(self):
        self.config, self.zone = {}, datetime.timezone.utc

    def hello(self, params):
        self.config = params.get("config") or {}
        self.zone = zoneinfo.ZoneInfo(params["timeZone"])
        return {"protocol": 1, "name": "Sleep on it", "version": "1.0.0"}

    def change(self, params):
        now = datetime.datetime.now(self.zone)
        begin, end = self.config.get("from", "23:00"), self.config.get("until", "06:00")
        if not is_night(now.hour * 60 + now.minute, minutes(begin), minutes(end)):
            return {}
        tag = self.config.get("tag", "awake")
        for change in params["changes"]:
            if change["type"] == "created" and tag not in change["after"].get("tags", []):
                return {"veto": f"It is {now:%H:%M}. Sleep on it: add the mood after {end}, or now with the tag {tag}."}
        return {}


plugin = Plugin()
methods = {"plugin.hello": plugin.hello, "hook.change": plugin.change}
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue  # a notification: plugin.goodbye, or a cancellation
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    method = methods.get(request["method"])
    try:
        if method:
            reply["result"] = method(request.get("params") or {})
        else:
            reply["error"] = {"code": -32601, "message": f"There is no method {request['method']}."}
    except Exception as error:  # one bad change must not end the plugin
        reply["error"] = {"code": -32603, "message": f"{type(error).__name__}: {error}"}
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()
