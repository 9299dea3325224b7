#!/usr/bin/env python3
"""A plugin under control of `Tests/Scripts/pluginstates.py`, which decides each line that it writes, and sees each that it reads.

Two pipes with names in the data directory: `told` gets `@start`, then what the host writes, then `@end-of-input`; from `say`
come lines `> TEXT` (written with LF), `. TEXT` (without), `e TEXT` (to stderr) and `exit CODE`.
"""

import os
import select

folder = os.environ["MOODBOARD_PLUGIN_DATA"]
told = os.open(os.path.join(folder, "told"), os.O_WRONLY)
os.write(told, b"@start\n")
say = os.open(os.path.join(folder, "say"), os.O_RDONLY)
inputs, pending = [0, say], b""
while True:
    ready = select.select(inputs, [], [])[0]
    if 0 in ready:
        chunk = os.read(0, 1 << 16)
        os.write(told, chunk or b"@end-of-input\n")
        if not chunk:
            inputs.remove(0)
    if say in ready:
        chunk = os.read(say, 1 << 16)
        if not chunk:
            os._exit(0)  # the test has ended
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            kind, _, text = line.partition(b" ")
            if kind == b">":
                os.write(1, text + b"\n")
            elif kind == b".":
                os.write(1, text)
            elif kind == b"e":
                os.write(2, text + b"\n")
            elif kind == b"exit":
                os._exit(int(text))
