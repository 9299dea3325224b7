#!/usr/bin/env python3
"""Checks that run.py itself notices what it must: a host of a few lines, a transcript each, the line that run.py prints.

Usage: selfcheck.py
"""

import os
import shlex
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Answers every line with its first argument.
HOST = "import sys\nfor line in sys.stdin:\n    print(sys.argv[1], flush=True)\n"
RIGHT = '{"jsonrpc":"2.0","id":1,"result":{}}'
ASK = '--> {"jsonrpc":"2.0","id":1,"method":"host.ping"}\n<-- ' + RIGHT + "\n"

# what the host answers, the transcript, the end of run.py's output, and what else stands there
CASES = [
    (RIGHT, ASK, "1 passed, 0 failed", ""),
    ('{"jsonrpc":"2.0","id":1,"result":{"a":1}}', ASK, "0 passed, 1 failed", "unexpected members a"),
    ('{"jsonrpc":"2.0","id":1,"result":"\\ud800"}', ASK, "0 passed, 1 failed", "lone surrogate"),
    ("\ud800", ASK, "0 passed, 1 failed", "can't decode"),
    ("[" * 100_000, ASK, "0 passed, 1 failed", "nested too deeply"),
    (RIGHT.replace("{}", "9" * 5_000), ASK, "0 passed, 1 failed", "expected an object"),
    (RIGHT, "# nothing is expected\n@wait 1\n", "0 passed, 1 failed", "at least one message"),
    (RIGHT, ASK + "@unlock nothing\n", "0 passed, 1 failed", "KeyError"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="self check ") as folder:
        host, transcript = os.path.join(folder, "host.py"), os.path.join(folder, "case.transcript")
        with open(host, "w", encoding="utf-8") as file:
            file.write(HOST)
        for answer, steps, end, reason in CASES:
            with open(transcript, "w", encoding="utf-8") as file:
                file.write(steps)
            words = [sys.executable, host, answer]
            command = " ".join(shlex.quote(word) for word in words).encode("utf-8", "surrogatepass")
            run = subprocess.run(
                [sys.executable, os.path.join(FOLDER, "run.py"), command, transcript],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
            text = run.stdout.decode("utf-8", "replace")
            if text.splitlines()[-1:] != [end] or reason not in text or (run.returncode == 0) != end.startswith("1"):
                failed += 1
                print(f"FAIL  {reason or 'a host that is right'}\n{text[-600:]}")
    print(f"{len(CASES) - failed} cases as they should be, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
