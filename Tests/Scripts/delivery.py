#!/usr/bin/env python3
"""Events reach a plugin at least once, in order, without a gap, despite kills.

    Tests/Scripts/delivery.py PATH/TO/moodboard [--changes 100000] [--kills 1000] [--seed 1]

A host without plugins makes the changes. Two others share the store and deliver; these and the plugin are killed and
restarted again and again. The plugin records each event before it acknowledges it. Its list must have every change since
the trust, in order; after a kill only the latest events may repeat.
"""

import os
import random
import signal
import threading
import time

from harness import script
from pluginhost import Refused, Trial, descendants, status, wait_until

RECORDER = "org.example.recorder"


def write_changes(trial, count, made, errors):
    """Makes changes, each in its own commit: `made` gets (revision, id)."""
    try:
        host = trial.start("--no-plugins", "--durability", "none")
        for first in range(0, count, 100):
            numbers = [host.send("mood.create", {"emoji": "😊", "label": f"Mood {n}"}) for n in range(first, min(count, first + 100))]
            for number in numbers:
                mood = host.receive(number)["result"]
                made.append((mood["revision"], mood["id"]))
        host.close()
    except Exception as error:  # the main thread reports it
        errors.append(error)


def recorders(hosts):
    """The running plugins of these hosts."""
    return [pid for one in hosts for pid in descendants(one.pid) if (status(pid) or ("",))[0] == "recorder"]


def recorded(path):
    """The plugin's record, whole lines only."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
    except FileNotFoundError:
        return []
    return [(int(line.split()[0]), line.split()[1].strip('"')) for line in lines]


def problem(events, made, since):
    """The problem of a list of events, in words, or None."""
    wanted = dict(made)
    last = since
    for place, (seq, identifier) in enumerate(events):
        if seq > last + 1:
            return f"event {place}: {seq} comes after {last}"
        if seq < max(last, since + 1):
            return f"event {place}: {seq} comes again after {last} was acknowledged"
        if wanted.get(seq) != identifier:
            return f"event {place}: {seq} is told as {identifier}, and was {wanted.get(seq)}"
        last = seq
    return None if last == max(wanted) else f"the last event is {last} of {max(wanted)}"


@script("host", changes=100_000, kills=1000, seed=1, seconds=(600.0, "to wait for the rest after the last kill"))
def main(options):
    chance = random.Random(options.seed)
    made, errors, killed = [], [], {"host": 0, "plugin": 0}
    with Trial(options.host, "--lock-timeout", "60", "--limit", "pluginBackOffMs=1") as trial:
        trial.plugin(RECORDER, ["./recorder"], [trial.compile("recorder.c")], provides={"events": ["mood"]},
                     permissions={"moods": "read"})
        host = trial.start()
        since = host.ask("mood.create", {"emoji": "😊", "label": "First"})["revision"]
        host.trust(RECORDER)
        host.close()
        path = os.path.join(trial.store, "plugins-data", RECORDER, "events")
        writer = threading.Thread(target=write_changes, args=(trial, options.changes, made, errors))
        writer.start()
        hosts = [trial.start(), trial.start()]
        while sum(killed.values()) < options.kills and not errors:
            wait_until(lambda: recorders(hosts), 1)  # killing a host before it delivers tests nothing
            time.sleep(chance.random() * 0.03)
            place = chance.randrange(2)
            plugins = recorders(hosts)
            if plugins and chance.random() < 0.5:
                killed["plugin"] += 1
                try:
                    os.kill(chance.choice(plugins), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            else:
                killed["host"] += 1
                hosts[place].kill()
                hosts[place] = trial.start()
            for one in hosts:
                try:
                    one.ask("plugin.restart", {"id": RECORDER})  # a plugin that was killed too often is `failed`
                except (Refused, BrokenPipeError, EOFError):
                    pass
        writer.join()
        deadline, told = time.monotonic() + options.seconds, -1
        while not errors and time.monotonic() < deadline:
            events = recorded(path)
            if events and made and events[-1][0] >= made[-1][0]:
                break
            if len(events) == told:
                hosts[0].ask("plugin.restart", {"id": RECORDER})
            told = len(events)
            time.sleep(1)
        for one in hosts:
            one.close()
        events = recorded(path)
        found = f"the writer: {errors[0]!r}" if errors else problem(events, made, since)
    print(f"{len(made)} changes, {killed['plugin']} kills of the plugin, {killed['host']} of a host; {len(events)} events, "
          f"{len(events) - len(set(events))} of them again")
    print(f"WRONG: {found}" if found else "each came, in order, without a gap")
    return found
