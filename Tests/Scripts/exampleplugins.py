#!/usr/bin/env python3
"""Runs the test of each plugin in Docs/Examples/plugins, and checks their form.

    Tests/Scripts/exampleplugins.py [NAME…]

Each has a manifest that names its folder, a README, and programs of at most 120 lines, 200 for a transport. A missing language
is `SKIPPED`.
"""

import json
import os
import shutil
import subprocess

from harness import script

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Docs/Examples/plugins")
NEEDS = {".py": ["python3"], ".mjs": ["node"], ".sh": ["sh"]}
MORE_NEEDS = {"org.moodboard.week": ["jq"], "org.moodboard.words": ["swift"], "org.moodboard.echo": ["cc"]}
PROGRAMS = (".py", ".sh", ".mjs", ".c", ".swift")
LINES, TRANSPORT_LINES = 120, 200


def problems(name):
    """The parts that a folder lacks, in words."""
    folder = os.path.join(FOLDER, name)
    with open(os.path.join(folder, "plugin.json"), encoding="utf-8") as file:
        manifest = json.load(file)
        if manifest["id"] != name:
            yield "the manifest has another id"
    most = TRANSPORT_LINES if "transports" in manifest["provides"] else LINES
    if not os.path.exists(os.path.join(folder, "README.md")):
        yield "there is no README.md"
    for place, _, files in os.walk(folder):
        for file in files:
            if file.endswith(PROGRAMS) or file == "plugin.json":
                with open(os.path.join(place, file), encoding="utf-8") as text:
                    lines = len(text.readlines())
                if lines > most:
                    yield f"{file} has {lines} lines"


def test(name):
    """The failure of a plugin's own test, or None."""
    folder = os.path.join(FOLDER, name)
    tests = [file for file in os.listdir(folder) if os.path.splitext(file)[0] == "test"]
    if len(tests) != 1:
        return f"{len(tests)} tests"
    ending = os.path.splitext(tests[0])[1]
    missing = [tool for tool in NEEDS[ending] + MORE_NEEDS.get(name, []) if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: {missing[0]}")
        return None
    ended = subprocess.run(
        [NEEDS[ending][0], os.path.join(folder, tests[0])], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ended.returncode == 0 and ended.stdout.startswith(b"SKIPPED: "):
        print(ended.stdout.decode().strip())
        return None
    if ended.returncode != 0 or ended.stdout.splitlines()[-1:] != [b"ok"]:
        return ended.stdout.decode(errors="replace")[-2000:]
    return None


@script("names*")
def main(options):
    names = options.names or sorted(one for one in os.listdir(FOLDER) if "." in one and os.path.isdir(os.path.join(FOLDER, one)))
    failed = 0
    for name in names:
        wrong = [*problems(name), *filter(None, [test(name)])]
        failed += bool(wrong)
        for one in wrong:
            print(f"{name}: {one}")
    print(f"{len(names) - failed} example plugins work, {failed} do not")
    return failed
