#!/usr/bin/env python3
"""kill -9 of a host: all processes of its plugins end within a second.

    Tests/Scripts/gone.py PATH/TO/moodboard [--kills 1000] [--seed 1]

Each host runs several plugins, good and hostile: one that ignores all signals, one that keeps grandchildren, one with 200
processes in sessions of their own, one with 1,000 children. It is killed at a random moment, sometimes while they start, sometimes
when all of them are there and other programs compute on each processor, sometimes while its keepers are stopped.
"""

import contextlib
import os
import random
import signal
import subprocess
import time

from harness import script
from pluginhost import Trial, descendants, end_all, gone, is_running, method, percentile, status

WAYS = ["good", "ignores-signals", "grandchild", "hangs", "escapes", "forks"]


@script("host", kills=1000, seed=1, seconds=(1.0, "within which all must be gone"))
def main(options):
    chance = random.Random(options.seed)
    taken, most, stayed = [], 0, 0
    with Trial(options.host) as trial:
        hostile = trial.compile("hostile.c")
        names = {way: f"org.example.{way}" for way in WAYS}
        for way, name in names.items():
            trial.plugin(name, ["./hostile", way], [hostile], provides={"methods": [method("go")]}, limits={"timeoutMs": 60000})
        host = trial.start()
        for name in names.values():
            host.trust(name)
        host.close()
        for number in range(options.kills):
            host = trial.start()
            for way in chance.sample(WAYS, chance.randint(1, 3)):
                host.send(f"x.{names[way]}.go")
            host.ask("host.ping")
            computing = []
            if chance.random() < 0.2:
                # The keeper has lowered their priorities by then.
                time.sleep(1)
                computing = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count())]
            time.sleep(chance.choice([0, 0.001, 0.01, 0.05, 0.2]) * chance.random())
            below = descendants(host.pid)
            most = max(most, len(below))
            if chance.random() < 0.2:
                for keeper in (one for one in below if (status(one) or (None, None, None))[2] == host.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(keeper, signal.SIGSTOP)
            host.kill()
            seconds = gone(below, trial.store, options.seconds)
            for one in computing:
                one.kill()
                one.wait()
            host.process.stdin.close()
            host.process.stdout.close()
            if seconds is None:
                stayed += 1
                print(f"kill {number}: {sum(map(is_running, below))} of {len(below)} processes stay")
                end_all(trial.store)
                for one in below:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(one, signal.SIGKILL)
            else:
                taken.append(seconds)
    print(f"{len(taken)} of {options.kills} gone within {options.seconds:g} s; up to {most} processes; median "
          f"{percentile(taken, 0.5) * 1000:.0f} ms, longest {max(taken, default=0) * 1000:.0f} ms")
    return stayed
