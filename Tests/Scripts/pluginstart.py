#!/usr/bin/env python3
"""The cost of unused plugins at the start of the host: 200 in the folder, 20 of them trusted, compared with none.

    Tests/Scripts/pluginstart.py PATH/TO/moodboard [--pairs 200] [--folders 200] [--trusted 20]

Pairs of starts take turns, each until the first answer; the median of the differences counts. With valgrind also the
instructions of both. Fails where the middle is over 0.2 ms (`--most` for another bound; 0: none).
"""

import os
import re
import shutil
import statistics
import subprocess
import time

from harness import script
from pluginhost import Trial, method

PING = b'{"jsonrpc":"2.0","id":1,"method":"host.ping"}\n{"jsonrpc":"2.0","id":2,"method":"mood.list"}\n'
CREATE = {"emoji": "😊", "label": "Happy"}


def start(command):
    """The seconds from the start to the second answer."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(PING)
    process.stdin.flush()
    process.stdout.readline(), process.stdout.readline()
    taken = time.perf_counter() - begin
    process.communicate()
    return taken


def instructions(command, folder):
    """The instructions of a start and its end. Uses a copy without the debug sections that valgrind does not understand."""
    program = os.path.join(folder, "stripped")
    subprocess.run(["strip", "-g", "-o", program, command[0]], check=True)
    words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", program, *command[1:]]
    ended = subprocess.run(words, input=PING, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return int(re.search(rb"Collected : (\d+)", ended.stderr)[1])


@script("host", pairs=200, folders=200, trusted=20, most=(0.2, "milliseconds; 0: no bound"))
def main(options):
    with Trial(options.host) as plain, Trial(options.host) as full:
        for number in range(options.folders):
            full.plugin(f"org.example.plugin-{number}", ["python3", "./none.py"],
                        provides={"methods": [method(f"say{n}") for n in range(5)], "shareFormats": [
                            {"name": f"format{number}", "title": "A format", "mediaType": "text/plain"}]})
        for trial in (plain, full):
            host = trial.start()
            host.ask("mood.create", CREATE)
            for number in range(options.trusted if trial is full else 0):
                host.trust(f"org.example.plugin-{number}")
            host.close()
        pairs = [(start(plain.command), start(full.command)) for _ in range(options.pairs)]
        missing = [tool for tool in ("valgrind", "strip") if not shutil.which(tool)]
        if missing:
            print(f"SKIPPED: {missing[0]}")
        else:
            none, all_of_them = (instructions(trial.command, trial.folder) for trial in (plain, full))
            print(f"instructions: {none:,} without, {all_of_them:,} with, {all_of_them - none:,} more")
    more = statistics.median(other - one for one, other in pairs) * 1000
    print(f"start {statistics.median(one for one, _ in pairs) * 1000:.2f} ms without plugins; with {options.folders} in the folder, "
          f"{options.trusted} of them trusted, {more:.2f} ms more")
    failed = options.most and more > options.most
    print("WRONG: over the bound" if failed else "as it should be")
    return failed
