#!/usr/bin/env python3
"""The pictures that README shows, made by the real programs.

    pictures.py MOOD [--into Docs/Pictures]

A journal of a made-up person is recorded by `mood add`, and shown on a terminal of this script by `mood list`: `list.svg` is what
that terminal holds, colours and all. `year.svg` is what `stats.render` draws of a year, as it is.
"""
import fcntl
import html
import json
import os
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from datetime import date, timedelta

from harness import script

COLUMNS = 96
CELL, LINE, SIZE = 8.43, 20, 14
# xterm's colors, but dark and light enough for either ground.
COLORS = ["#24292f", "#c4432b", "#2e8b57", "#b07d00", "#3b6fd4", "#9b4dca", "#1f8a8a", "#6e7781"]
MOODS = [
    ("2025-11-17 07:40", "😊", "Happy", "Ran along the river before work", ["sport", "morning"], 0.8),
    ("2025-11-17 22:10", "😴", "Tired", "", ["work"], -0.2),
    ("2025-11-18 12:30", "😟", "Worried", "The talk is tomorrow", ["work"], -0.4),
    ("2025-11-19 19:00", "🎉", "Excited", "It went well!", ["work", "friends"], 0.9),
    ("2025-11-20 21:15", "😌", "Calm", "Tea and a book", ["home"], 0.5),
    ("2025-11-22 14:20", "🥰", "Loved", "Walk by the sea", ["family", "sea"], 1),
    ("2025-11-23 20:05", "😌", "Calm", "", ["home", "music"], 0.6),
]
OTHERS = [("😊", "Happy", 0.8), ("😌", "Calm", 0.5), ("🙂", "Okay", 0.2), ("😐", "Meh", 0), ("😴", "Tired", -0.2), ("😟", "Worried", -0.4), ("😢", "Sad", -0.6),
          ("🎉", "Excited", 0.9)]


def run(mood, environment, *words):
    done = subprocess.run([mood, *words], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"mood {' '.join(words)}: {done.stderr}")
    return done.stdout


def on_terminal(command, environment, columns):
    """A program's output on a terminal of so many columns."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    written = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not part:
            break
        written += part
    os.waitpid(child, 0)
    return written.decode().replace("\r\n", "\n")


def width(character):
    if unicodedata.combining(character) or character in "\ufe0f\u200d":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pieces(line):
    """Runs of one style with their column: (column, text, classes)."""
    column, style, found = 0, set(), []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            for code in (part[2:-1] or "0").split(";"):
                number = int(code or 0)
                if number == 0:
                    style = set()
                elif number in (1, 2, 3, 4, 7):
                    style |= {f"s{number}"}
                elif 30 <= number <= 37 or 90 <= number <= 97:
                    style = {name for name in style if not name.startswith("c")} | {f"c{number % 10}"}
                elif number == 22:
                    style -= {"s1", "s2"}
                elif number == 39:
                    style = {name for name in style if not name.startswith("c")}
            continue
        part = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part)
        for word in re.findall(r"\S+| +", part):
            if word.strip():
                # Wide text stands alone, so that later text has the terminal's place.
                for text in re.findall(r"[\U0001F000-\U0001FAFF\u2600-\u27BF]\ufe0f?|[^\U0001F000-\U0001FAFF\u2600-\u27BF]+", word):
                    found.append((column, text, sorted(style)))
                    column += sum(map(width, text))
            else:
                column += len(word)
    return found


def drawn(command, text):
    lines = [f"$ {command}"] + text.rstrip("\n").split("\n")
    body = []
    for number, line in enumerate(lines):
        for column, word, classes in pieces(line):
            names = f' class="{" ".join(classes)}"' if classes else ""
            body.append(f'<text x="{16 + column * CELL:.1f}" y="{30 + number * LINE}"{names}>{html.escape(word)}</text>')
    full, height = int(32 + COLUMNS * CELL), 30 + len(lines) * LINE
    colors = "".join(f".c{number}{{fill:{color}}}" for number, color in enumerate(COLORS))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {height}" width="{full}" height="{height}" role="img" aria-label="{html.escape(command)}">
<style>text{{font:{SIZE}px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#24292f;white-space:pre}}.page{{fill:#f6f8fa}}.s1{{font-weight:bold}}.s2{{opacity:.75}}{colors}
@media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}.page{{fill:#161b22}}.c0{{fill:#e6edf3}}.c1{{fill:#ff8b75}}.c2{{fill:#5fd08f}}.c3{{fill:#e3b341}}.c4{{fill:#79a8ff}}.c5{{fill:#d2a8ff}}.c6{{fill:#56d4d4}}.c7{{fill:#a0a8b0}}}}</style>
<rect class="page" width="{full}" height="{height}" rx="8"/>
{chr(10).join(body)}
</svg>
"""


@script("mood", into=os.path.join(os.path.dirname(__file__), "..", "..", "Docs", "Pictures"))
def main(arguments):
    mood, chance = arguments.mood, random.Random(7)
    os.makedirs(arguments.into, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8", "TERM": "xterm-256color",
                       "MOODBOARD_STORE": os.path.join(home, "moods"), "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        for at, emoji, label, note, tags, valence in MOODS:
            run(mood, environment, "add", emoji, label, *note.split(), *["+" + tag for tag in tags], "--at", at, f"--valence={valence}")
        listed = on_terminal([mood, "list", "--in", "2025-W47", "--no-pager"], environment, COLUMNS)
        with open(os.path.join(arguments.into, "list.svg"), "w") as out:
            out.write(drawn("mood list --in 2025-W47", listed))
        lines = []
        for day in range(365):
            if chance.random() < 0.2:
                continue
            # Better by the sea, worse in winter.
            wave = 0.5 if 150 < day < 240 else -0.25 if day < 60 else 0.1
            emoji, label, valence = min(OTHERS, key=lambda other: abs(other[2] - (wave + chance.gauss(0, 0.45))))
            lines.append('{"emoji":"%s","label":"%s","timestamp":"%sT18:00:00Z"}' % (emoji, label, date(2025, 1, 1) + timedelta(day)))
        path = os.path.join(home, "more.jsonl")
        with open(path, "w") as out:
            out.write("\n".join(lines))
        run(mood, environment, "import", path, "--yes")
        text = subprocess.run([mood, "rpc", "stats.render", '{"what":"year","format":"svg","year":2025}'], env=environment, capture_output=True, text=True, check=True)
        with open(os.path.join(arguments.into, "year.svg"), "w") as out:
            out.write(json.loads(text.stdout)["text"])
    print("made list.svg and year.svg")
