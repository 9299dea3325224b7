#!/usr/bin/env python3
"""Records random calls with `mood rpc --record` and replays them, byte for byte.

    Tests/Scripts/replays.py PATH/TO/mood [--calls 10000] [--seed 1] [--times 2]

Each replay must equal the recording, and differ with another seed of the host. Exits 1 otherwise.
"""

import json
import os
import random
import subprocess
import tempfile

from harness import script

EMOJI = ["😊", "😢", "😌", "🎉", "😴", "👍🏽", "1️⃣"]


def calls(count, dice):
    """Requests as lines: mostly valid ones. The client chooses ids of moods, so that it can use them again."""
    moods = []
    for number in range(1, count + 1):
        mood = dice.choice(moods) if moods else "00000000-0000-7000-8000-000000000000"
        kind = dice.randrange(14)
        if kind < 4:
            new = "%08x-0000-7000-8000-%012x" % (dice.getrandbits(32), number)
            moods.append(new)
            params = {"emoji": dice.choice(EMOJI), "label": f"L{dice.randrange(50)}", "tags": [f"t{dice.randrange(9)}"]}
            if dice.randrange(3):
                params["id"] = new
            call = ("mood.create", params)
        else:
            call = [
                ("mood.get", {"id": mood}), ("mood.toggleFavorite", {"id": mood}), ("mood.update", {"id": mood, "set": {"notes": f"n{number}"}}),
                ("mood.list", {"limit": dice.randrange(1, 20), "filter": {"text": f"L{dice.randrange(50)}"}}), ("mood.delete", {"id": mood}),
                ("store.undo", {}), ("mood.share", {"id": mood}), ("mood.history", {"id": mood}), ("no.such", {}), ("mood.detail", {"id": mood}),
            ][kind - 4]
        request = {"jsonrpc": "2.0", "id": number, "method": call[0], "params": call[1]}
        yield json.dumps(request, ensure_ascii=bool(dice.randrange(2)))
        if dice.randrange(50) == 0:
            yield dice.choice(["rubbish", "", "[]", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":"mood.list"}'])


@script("mood", calls=10_000, seed=1, times=2)
def main(options):
    mood = options.mood
    failed = 0
    with tempfile.TemporaryDirectory(prefix="replays-") as folder:
        file = os.path.join(folder, "session.transcript")
        lines = "\n".join(calls(options.calls, random.Random(options.seed))) + "\n"
        recorded = subprocess.run([mood, "rpc", "--record", file], input=lines.encode(), stdout=subprocess.PIPE)
        answers = recorded.stdout.count(b"\n")
        failed += recorded.returncode != 0 or answers < options.calls
        print(f"{options.calls} calls, {answers} answers recorded, seed {options.seed}")
        for _ in range(options.times):
            replayed = subprocess.run([mood, "rpc", "--replay", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            failed += replayed.returncode != 0
            print(replayed.stdout.decode(errors="replace").strip()[-500:])
        other = subprocess.run([mood, "rpc", "--replay", file, "--test-seed", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        failed += other.returncode != 1
    print("ok" if not failed else f"FAIL: {failed}")
    return 1 if failed else 0
