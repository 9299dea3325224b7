#!/usr/bin/env python3
"""Checks that the runners notice every fault: a host of a few lines, a transcript each, the line that a runner prints.

Usage: selfcheck.py
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Answers every line with its first argument.
HOST = "import sys\nfor line in sys.stdin:\n    print(sys.argv[1], flush=True)\n"
RIGHT = '{"jsonrpc":"2.0","id":1,"result":{}}'
ASK = '--> {"jsonrpc":"2.0","id":1,"method":"host.ping"}\n<-- ' + RIGHT + "\n"

# the host's answer, the transcript, the end of run.py's output, and further lines of it
CASES = [
    (RIGHT, ASK, "1 passed, 0 failed", ""),
    ('{"jsonrpc":"2.0","id":1,"result":{"a":1}}', ASK, "0 passed, 1 failed", "unexpected members a"),
    ('{"jsonrpc":"2.0","id":1,"result":"\\ud800"}', ASK, "0 passed, 1 failed", "lone surrogate"),
    ("\ud800", ASK, "0 passed, 1 failed", "can't decode"),
    ("[" * 100_000, ASK, "0 passed, 1 failed", "nested too deeply"),
    (RIGHT.replace("{}", "9" * 5_000), ASK, "0 passed, 1 failed", "expected an object"),
    (RIGHT, "# nothing is expected\n@wait 1\n", "0 passed, 1 failed", "at least one message"),
    (RIGHT, ASK + "@unlock nothing\n", "0 passed, 1 failed", "KeyError"),
    (RIGHT, ASK + ASK.replace("1", "2"), "0 passed, 1 failed", "exchange 2 of 2"),
]
# Failures and omissions of each runner: the arguments after HOST, and the content of its last lines.
RUNS = [
    (["nosuch.transcript"], "0 passed, 1 failed"),
    (["nothing.transcript"], "0 passed, 1 failed"),
    (["wrong.transcript"], "exchange 2 of 3"),
    (["right.transcript"], "1 passed, 0 failed"),
]
TRANSCRIPTS = {
    "nothing": "# needs: nothing\n@wait 1\n", "right": "# needs: host.ping\n" + ASK,
    "wrong": "# needs: host.ping\n" + ASK + ASK.replace("{}", "[]") + ASK,
    "other": "# needs: host.ping, host.other\n" + ASK, "also": "# needs: host.ping\n# also: --fast\n" + ASK,
}


def runners(folder):
    """The installed runners, as the words before HOST."""
    known = [(sys.executable, [sys.executable, "run.py"]), ("node", ["node", "run.mjs"]), ("jq", ["sh", "run.sh"])]
    for needed, words in known:
        if shutil.which(needed):
            yield [words[0], os.path.join(FOLDER, words[1])]
        else:
            print(f"SKIPPED: {needed}")


def check_runners(folder, host):
    for name, text in TRANSCRIPTS.items():
        with open(os.path.join(folder, name + ".transcript"), "w", encoding="utf-8") as file:
            file.write(text)
    program = os.path.join(folder, "right.sh")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec '{sys.executable}' '{host}' '{RIGHT}'\n")
    os.chmod(program, 0o755)
    for words in runners(folder):
        trials = [([*words, program, *arguments], wanted) for arguments, wanted in RUNS]
        files = [name + ".transcript" for name in TRANSCRIPTS]
        methods = ["--methods", "host.ping"]
        before, behind = (methods, []) if words[0] == "sh" else ([], methods)
        trials.append(([*words, *before, program, *behind, *files], "1 passed, 2 failed"))
        if words[0] != "sh":
            trials.append(([*words, program, "--timeout", "5", "right.transcript"], "1 passed, 0 failed"))
        for command, wanted in trials:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, check=False)
            text = run.stdout.decode("utf-8", "replace")
            if wanted not in text or (run.returncode == 0) != wanted.endswith(" 0 failed"):
                yield f"FAIL  {' '.join(command[1:])}: {run.returncode}\n{text[-600:]}"
            else:
                yield None


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
        # run.sh splits HOST at spaces.
        with tempfile.TemporaryDirectory(prefix="runners-") as other:
            results = list(check_runners(other, shutil.copy(host, other)))
    problems = [result for result in results if result]
    print("\n".join(problems), end="\n" if problems else "")
    failed += len(problems)
    print(f"{len(CASES) + len(results) - failed} cases as they should be, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
