#!/usr/bin/env python3
"""The first lines of each transcript: `# needs: …`, the methods that a host needs for it, and `# also: …`, its other needs: options, and
`Content-Length` if messages have header blocks.

Usage: needs.py [--write] [FILE...]

Prints the transcripts with other lines, and with --write writes these. The methods are those of moodboard (Schemas/openrpc.json) and
of the Model Context Protocol; `<--none` needs host.ping. `--store` is no option: every host takes it.
"""

import glob
import json
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
NEEDS, ALSO = "# needs:", "# also:"
METHOD = re.compile(r'"method"\s*:\s*"([^"\\]*)"')
SUGGESTED = re.compile(r'"suggestions":\[([^\]]*)\]')
OF_MCP = re.compile(r"initialize|ping|(server|tools|resources|prompts|completion|subscriptions|logging)/[A-Za-z/]+")


def sent(lines):
    """The text that a transcript sends."""
    text = ""
    for line in lines:
        marker, _, rest = line.partition(" ")
        if marker == "-->hex":
            text += bytes.fromhex(rest).decode("latin-1")
        elif marker.startswith("-->"):
            text += rest + ("" if marker == "-->part" else "\n")
    return text


def head(lines, known):
    """The lines at the beginning of a transcript."""
    names = {name for name in METHOD.findall(sent(lines)) if name in known or OF_MCP.fullmatch(name)}
    suggested = " ".join(found for line in lines for found in SUGGESTED.findall(line))
    names |= {name for name in re.findall(r'"([^"]*)"', suggested) if name in known}
    if any(line.startswith("<--none") for line in lines):
        names.add("host.ping")
    also = {word for line in lines if line.startswith("@start ") for word in line.split() if word.startswith("--")}
    also.discard("--store")
    if any(line.startswith(("-->header", "<--header")) for line in lines):
        also.add("Content-Length")
    made = [f"{NEEDS} {', '.join(sorted(names)) or 'nothing'}"]
    if also:
        made.append(f"{ALSO} {', '.join(sorted(also))}")
    return made


def main():
    arguments = sys.argv[1:]
    writes = "--write" in arguments
    files = [one for one in arguments if one != "--write"] or sorted(glob.glob(os.path.join(FOLDER, "*.transcript")))
    with open(os.path.join(FOLDER, "..", "..", "Schemas", "openrpc.json"), encoding="utf-8") as opened:
        known = {method["name"] for method in json.load(opened)["methods"]}
    count = 0
    for file in files:
        with open(file, encoding="utf-8", newline="\n") as opened:
            lines = opened.read().split("\n")
        made = head(lines, known)
        rest = [line for line in lines if not line.startswith((NEEDS, ALSO, "# options:"))]
        if lines == made + rest:
            continue
        count += 1
        print(f"{os.path.basename(file)}: {'; '.join(made)}")
        if writes:
            with open(file, "w", encoding="utf-8", newline="\n") as opened:
                opened.write("\n".join(made + rest))
    return 1 if count and not writes else 0


if __name__ == "__main__":
    sys.exit(main())
