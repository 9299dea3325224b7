#!/usr/bin/env python3
"""The hosts of README.md beside this file, which grow: each passes the transcripts that its methods allow.

Usage: growing.py

The page has each program, the command that replays the transcripts, and its output. The other runners must agree.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
RUN = re.compile(r"Tests/Conformance/run\.py 'python3 (\S+)' --methods (\S+)(?: --filter (\S+))?\n")
LINES_MAX = 45


def others(folder, program, methods, transcripts):
    """The other runners' results, if their programs are installed."""
    command = f"{sys.executable} {os.path.join(folder, program)}"
    runs = {"node": ["node", "run.mjs", command, "--methods", methods], "jq": ["sh", "run.sh", "--methods", methods, command]}
    for needed, run in runs.items():
        if shutil.which(needed) is None:
            print(f"SKIPPED: {needed}")
            continue
        files = [os.path.join(FOLDER, name + ".transcript") for name in transcripts]
        text = subprocess.run(
            [run[0], os.path.join(FOLDER, run[1]), *run[2:], *files], stdout=subprocess.PIPE, check=False).stdout.decode()
        if text.splitlines()[-1].removeprefix("# ") != f"{len(transcripts)} passed, 0 failed":
            yield f"{run[1]}, {program}: {text}"


def main():
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as opened:
        page = opened.read().split("\n## A host of your own\n")[1].split("\n## ")[0]
    blocks = [text for _, text in BLOCK.findall(page)]
    problems = []
    with tempfile.TemporaryDirectory(prefix="growing-") as folder:
        for code, command, printed in zip(blocks[::3], blocks[1::3], blocks[2::3]):
            program, methods, text = RUN.fullmatch(command).groups()
            with open(os.path.join(folder, program), "w", encoding="utf-8") as opened:
                opened.write(code)
            lines = sum(bool(line.strip()) for line in code.splitlines())
            if lines > LINES_MAX:
                problems.append(f"{program} has {lines} lines, and {LINES_MAX} are enough")
            run = subprocess.run(
                [sys.executable, os.path.join(FOLDER, "run.py"), f"{sys.executable} {program}", "--methods", methods,
                 "--filter", text or ""], cwd=folder, stdout=subprocess.PIPE, check=False).stdout.decode()
            if run != printed:
                problems.append(f"{program}: the runner prints\n{run}and the page says\n{printed}")
            names = re.findall(r"^ok +(\S+)", printed, re.MULTILINE)
            problems += others(folder, program, methods, names)
            print(f"{program}: {lines} lines, {len(names)} transcripts")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
