#!/usr/bin/env python3
"""The time that a trusted hook in C adds to `mood.create`, in memory, one in flight.

    Tests/Scripts/hooked.py PATH/TO/moodboard [--changes 20000] [--rounds 5]

Runs with the hook, without plugins, and of the bare program with the same message take turns; the median of the
rounds counts. Fails where the hook adds more than a bare round trip and 20 µs (`--most` for another bound; 0: none).
"""

import json
import os
import statistics
import subprocess

from pluginhost import Trial

from harness import script

ECHO = "org.moodboard.echo"
CREATE = '{"emoji":"😊","label":"Happy %d","timestamp":"2026-01-02T03:04:05Z","notes":"A walk by the sea"}'
MOOD = {"id": "01890000-0000-7000-8000-000000000001", "emoji": "😊", "label": "Happy", "timestamp": "2026-01-02T03:04:05.678Z",
        "isFavorite": False, "notes": "A walk by the sea", "tags": [], "attachments": [], "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-01-02T03:04:05.678Z"}


@script("host", changes=20000, rounds=5, most=(20.0, "microseconds beside the round trip"))
def main(options):
    with Trial(options.host) as trial:
        place = os.path.join(trial.folder, "place")
        os.mkdir(place, 0o700)
        echo = trial.example(ECHO, place) + "/echo"
        trial.command[1:] = ["--in-memory", "--plugins", place]
        host = trial.start()
        digest = host.ask("plugin.info", {"id": ECHO})["digest"]
        host.close()
        prelude = os.path.join(trial.folder, "prelude")
        with open(prelude, "w", encoding="utf-8") as file:
            file.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "plugin.trust", "params": {"id": ECHO, "digest": digest}}) + "\n")
        program = trial.compile("pump.c")
        asked = json.dumps({"changes": [{"type": "created", "id": MOOD["id"], "after": MOOD}]}, ensure_ascii=False)

        def pump(method, params, prelude, command):
            words = [program, str(options.changes), "1", method, params, prelude, *command]
            return float(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.split()[1])

        rounds = [(pump("mood.create", CREATE, prelude, trial.command),
                   pump("mood.create", CREATE, "-", [*trial.command, "--no-plugins"]),
                   pump("hook.change", asked, "-", [echo])) for _ in range(options.rounds)]
    hooked, plain, bare = (statistics.median(column) / 1000 for column in zip(*rounds))
    more = statistics.median(one - other - trip for one, other, trip in rounds) / 1000
    print(f"mood.create {plain:.1f} µs, with the hook {hooked:.1f} µs, bare round trip {bare:.1f} µs: {more:.1f} µs more than that")
    failed = options.most and more > options.most
    print("FAILED: over the bound" if failed else "as it should be")
    return 1 if failed else 0
