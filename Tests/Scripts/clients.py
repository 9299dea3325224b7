#!/usr/bin/env python3
"""Runs the clients of Docs/Clients.md with a host: their output must be that of the page.

    clients.py HOST

Each client is a file of at most 48 lines, then a program that uses it, then what that prints. The typed one is written by a program of the
page from what the host says of itself. A language whose runtime is missing is named as SKIPPED. Ends with 1 if anything differs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness import script

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Docs" / "Clients.md"
# The name of a section: its client's file, the file of the use, and the command.
SECTIONS = {
    "Python": ("moodboard.py", "use.py", "python3"),
    "JavaScript": ("moodboard.mjs", "use.mjs", "node"),
    "Typed, from the OpenRPC document": ("typed.py", "use.py", "python3"),
}
LINES_MAX = 48


def blocks(section):
    """The blocks of a section: code, and its output last."""
    text = PAGE.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [code for name, code in re.findall(r"```(\w+)\n(.*?)```", text, re.S) if name != "sh"]


@script("host")
def main(options):
    host = pathlib.Path(options.host).resolve()
    failed = []
    for section, (client, use, runtime) in SECTIONS.items():
        code, program, printed = blocks(section)
        lines = [line for line in code.splitlines() if line.strip()]
        if len(lines) > LINES_MAX:
            failed.append(f"{section}: the client has {len(lines)} lines, and {LINES_MAX} are allowed")
        if shutil.which(runtime) is None:
            print(f"SKIPPED: {runtime}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(host, os.path.join(folder, "moodboard"))
            pathlib.Path(folder, "moodboard.py").write_text(blocks("Python")[0])
            pathlib.Path(folder, client).write_text(code)
            pathlib.Path(folder, use).write_text(program)
            if client == "typed.py":
                document = subprocess.run([host, "--openrpc"], stdout=subprocess.PIPE, check=True).stdout
                made = subprocess.run([runtime, client], cwd=folder, input=document, stdout=subprocess.PIPE, check=True).stdout
                pathlib.Path(folder, "moods.py").write_bytes(made)
            run = subprocess.run([runtime, use], cwd=folder, capture_output=True, text=True, timeout=60,
                                 env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder})
        if run.stdout != printed:
            failed.append(f"{section}: it prints {run.stdout!r}, and the page says {printed!r}\n{run.stderr}")
        else:
            print(f"{section}: {len(lines)} lines, and they print what the page says")
    for fault in failed:
        print(fault)
    print(f"{len(SECTIONS)} clients, {len(failed)} faults")
    return failed
