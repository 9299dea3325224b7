#!/usr/bin/env python3
"""Runs the clients of Docs/Clients.md against a host: what they print is what the page says.

    clients.py HOST

Each client is a file of at most 40 lines, then a program that uses it, then what that prints. A language whose runtime is missing
is named as SKIPPED. Ends with 1 if anything differs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Docs" / "Clients.md"
LANGUAGES = {"python": ("moodboard.py", "use.py", "python3"), "js": ("moodboard.mjs", "use.mjs", "node")}


def blocks(language):
    """The client, its use, and what that prints."""
    found = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.S)
    for place, (name, code) in enumerate(found):
        if name == language:
            return code, found[place + 1][1], found[place + 2][1]
    raise SystemExit(f"{PAGE.name} has no client in {language}")


def main():
    host = pathlib.Path(sys.argv[1]).resolve()
    failed = False
    for language, (client, use, runtime) in LANGUAGES.items():
        code, program, printed = blocks(language)
        lines = [line for line in code.splitlines() if line.strip()]
        if len(lines) > 40:
            print(f"{language}: the client has {len(lines)} lines, and 40 are allowed")
            failed = True
        if shutil.which(runtime) is None:
            print(f"SKIPPED: {runtime}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(host, os.path.join(folder, "moodboard"))
            pathlib.Path(folder, client).write_text(code)
            pathlib.Path(folder, use).write_text(program)
            run = subprocess.run([runtime, use], cwd=folder, capture_output=True, text=True, timeout=60,
                                 env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder})
        if run.stdout != printed:
            print(f"{language} prints {run.stdout!r}, and the page says {printed!r}\n{run.stderr}")
            failed = True
        else:
            print(f"{language}: {len(lines)} lines, and they print what the page says")
    return failed


if __name__ == "__main__":
    sys.exit(main())
