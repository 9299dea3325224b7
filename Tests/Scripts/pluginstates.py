#!/usr/bin/env python3
"""Replays transcripts in which the host sends requests to plugins: Tests/Conformance/plugins/*.transcript.

    Tests/Scripts/pluginstates.py PATH/TO/moodboard [--filter TEXT] [--verbose] [FILE…]

The format is that of Tests/Conformance/README.md, with the steps of plugins/README.md beside it. A plugin is
`plugins/puppet.py`, which does what a transcript says.
"""

import json
import os
import select
import shutil
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
CONFORMANCE = os.path.join(HERE, "../Conformance")
sys.path.insert(0, CONFORMANCE)

import matching  # noqa: E402
import run  # noqa: E402
from matching import Mismatch  # noqa: E402
from run import Failure  # noqa: E402

SECONDS = 10.0


class Puppet:
    """The two named pipes of one plugin, and the lines that it got."""

    def __init__(self, folder):
        self.folder, self.pending, self.say = folder, b"", None
        for name in ("told", "say"):
            os.mkfifo(os.path.join(folder, name), 0o600)
        self.told = os.open(os.path.join(folder, "told"), os.O_RDONLY | os.O_NONBLOCK)

    def line(self, seconds=SECONDS):
        """The plugin's next line; None if none comes in time; "" after its end."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            select.select([self.told], [], [], left)
            try:
                chunk = os.read(self.told, 1 << 16)
            except BlockingIOError:
                continue
            if not chunk:
                if self.say is not None:
                    return ""
                time.sleep(0.002)  # it has not begun yet
            self.pending += chunk
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode("utf-8")

    def begin(self):
        """Waits for its start. Drops the unread lines of an earlier life."""
        self.close()
        while (line := self.line()) != "@start":
            if line is None:
                raise Failure(f"the plugin is not started within {SECONDS:g} s")
        self.say = os.open(os.path.join(self.folder, "say"), os.O_WRONLY)

    def write(self, text):
        if self.say is None:
            raise Failure("the plugin does not run")
        os.write(self.say, text.encode() + b"\n")

    def close(self):
        if self.say is not None:
            os.close(self.say)
            self.say = None


class PluginReplay(run.Replay):
    """A transcript with plugins; the steps for a plugin are those of the one named last."""

    def __init__(self, host, scratch):
        super().__init__(host, scratch)
        self.puppets, self.current, self.asked = {}, None, 0

    def finish(self):
        super().finish()
        for puppet in self.puppets.values():
            puppet.close()

    def puppet(self):
        if self.current not in self.puppets:
            raise Failure(f"{self.current} is not trusted yet")
        return self.puppets[self.current]

    def ask(self, method, params):
        """A request of the runner itself; its answer must be the next message."""
        self.asked += 1
        identifier = f"runner-{self.asked}"
        self.send(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}).encode() + b"\n", "line")
        answer = self.receive()[2]
        if answer.get("id") != identifier or "error" in answer:
            raise Failure(f"{method}: {matching.show(answer)}")
        return answer["result"]

    def do_plugin(self, text):
        name, _, members = text.partition(" ")
        folder = os.path.join(self.directory, "plugins", name)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        shutil.copy(os.path.join(HERE, "plugins", "puppet.py"), folder)
        os.chmod(os.path.join(folder, "puppet.py"), 0o700)
        manifest = {"manifestVersion": 1, "id": name, "name": name, "version": "1.0.0", "protocol": [1],
                    "exec": ["python3", "./puppet.py"], "provides": {}, **json.loads(members or "{}")}
        with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        self.current = name

    def do_trust(self, text):
        name, _, members = text.partition(" ")
        digest = self.ask("plugin.info", {"id": name})["digest"]
        self.ask("plugin.trust", {"id": name, "digest": digest, **json.loads(members or "{}")})
        if name not in self.puppets:
            self.puppets[name] = Puppet(os.path.join(self.directory, "plugins-data", name))
        self.current = name

    def do_missing(self, text):
        """Copies of plugins go on another thread, after the answer."""
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return super().do_missing(text)
            except Failure:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def do_end(self, _):
        """With plugins a host may take two seconds to end."""
        self.running().close_input()
        self.ended(0, 2)

    def do_as(self, text):
        self.current = text

    def step(self, line):
        marker, _, rest = line.partition(" ")
        if not marker.startswith("plugin"):
            return super().step(line)
        text = self.expand(rest)
        sayings = {"plugin-->": "> ", "plugin-->part": ". ", "plugin-->stderr": "e ", "plugin-->exit": "exit "}
        if marker in sayings:
            return self.puppet().write(sayings[marker] + text)
        self.exchanges += 1
        puppet = self.puppet()
        if marker == "plugin<--start":
            return puppet.begin()
        if marker == "plugin<--none":
            # The host has sent everything for the plugin before this answer.
            self.expect_nothing()
            found = puppet.line(0.1)
            if found is not None:
                raise Failure(f"nothing should have been asked, got {found[:500] or 'its end'}")
            return None
        found = puppet.line()
        if marker in ("plugin<--end-of-input", "plugin<--gone"):
            if found != {"plugin<--end-of-input": "@end-of-input", "plugin<--gone": ""}[marker]:
                raise Failure(f"got {found!r}")
            return puppet.close() if marker == "plugin<--gone" else None
        if marker != "plugin<--":
            raise Failure(f"unknown directive {marker}")
        return self.expect_asked(found, text)

    def expect_asked(self, found, expected):
        """A host's line to a plugin is strict JSON: a request or a notification, or the answer to a request."""
        if not found or found.startswith("@"):
            raise Failure(f"the plugin was asked nothing: {found!r}")
        message = matching.parse(found)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Failure(f"no message: {found[:500]}")
        if "method" in message:
            if set(message) - {"jsonrpc", "id", "method", "params"}:
                raise Failure(f"a request with other members: {found[:500]}")
        else:
            matching.check_answer(message, False)
        try:
            matching.match(matching.parse(expected), message, self.captures)
        except Mismatch as error:
            raise Failure(f"{error}\n      got {found[:1000]}") from None


if __name__ == "__main__":
    sys.exit(run.main("Replays transcripts in which the host asks plugins.", os.path.join(CONFORMANCE, "plugins"), PluginReplay))
