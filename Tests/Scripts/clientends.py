#!/usr/bin/env python3
"""The clients of Docs/Clients.md never wait for ever: with a hostile host, and when they leave a host in any state.

    clientends.py HOST

Each trial is a program that uses a client. A call that cannot be answered raises or rejects, and leaving ends, within a second each.
A language whose runtime is missing is named as SKIPPED. Ends with 1 if anything is otherwise.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from clients import blocks
from harness import script

FOLDER = pathlib.Path(__file__).resolve().parent
# Seconds, with room for a slow machine.
SECONDS_MAX = 1.5
# The manners of the host, and the end of a call with each. Each is tried with the next call too.
MANNERS = {
    "ends": "error", "half a line": "error", "rubbish": "error", "closes its output": "error",
    "an error without an id": "error", "an error without anything": "error", "late answers": "result",
    "stays": "result", "floods": "result",
}
PYTHON = """
import json, sys, time
from moodboard import MoodBoard
def timed(body):
    start = time.monotonic()
    try: kind, value = "result", body()
    except Exception as error: kind, value = "error", f"{type(error).__name__}: {error}"
    print(json.dumps([kind, time.monotonic() - start, value]), flush=True)
moods = MoodBoard(*json.loads(sys.argv[1]))
for call in json.loads(sys.argv[2]):
    if isinstance(call, str):
        exec(call)
    else:
        timed(lambda: moods.call(call[0], **eval(call[1])))
timed(lambda: moods.__exit__())
"""
JAVASCRIPT = """
import { MoodBoard } from "./moodboard.mjs";
const timed = async (body) => {
  const start = Date.now();
  let kind = "result", value;
  try { value = await body(); } catch (error) { [kind, value] = ["error", `${error.name}: ${error.message}`]; }
  console.log(JSON.stringify([kind, (Date.now() - start) / 1000, value ?? null]));
};
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const moods = new MoodBoard(...JSON.parse(process.argv[2]));
for (const call of JSON.parse(process.argv[3])) {
  if (typeof call === "string") await (0, eval)(`(async (moods, wait) => { ${call} })`)(moods, wait);
  else await timed(() => moods.call(call[0], (0, eval)(`(${call[1]})`)));
}
await timed(() => new Promise((resolve) => {
  moods.host.exitCode === null && moods.host.signalCode === null ? moods.host.on("exit", resolve) : resolve();
  moods.close();
}));
"""
PING = ["host.ping", "{}"]
CREATE = "mood.create"


class Language:
    def __init__(self, name, runtime, client, program, section, words):
        self.name, self.runtime, self.client, self.program, self.section = name, runtime, client, program, section
        # The code for a trial in this language.
        self.words = words


LANGUAGES = [
    Language("Python", "python3", "moodboard.py", PYTHON, "Python", {
        "nan": 'dict(emoji="😌", label="x", valence=float("nan"))',
        "half": 'dict(emoji="😌", label="Feeling good today 😊".encode("utf-16-le")[:40].decode("utf-16-le", "surrogatepass"))',
        "kill": "moods.host.kill(); time.sleep(0.3)",
        "subscribe": 'dict(topics=["mood"])',
        "others": "import subprocess; subprocess.run(['moodboard', '--store', 's'], input=open('moods', 'rb').read(), "
                  "stdout=subprocess.DEVNULL); time.sleep(0.5)",
    }),
    Language("JavaScript", "node", "moodboard.mjs", JAVASCRIPT, "JavaScript", {
        "nan": '{ emoji: "😌", label: "x", valence: NaN }',
        "half": '{ emoji: "😌", label: "Feeling good today 😊".slice(0, 20) }',
        "kill": 'moods.host.kill("SIGKILL"); await wait(300);',
        "subscribe": '{ topics: ["mood"] }',
        "others": "const { execFileSync } = await import('node:child_process'); const { readFileSync } = await import('node:fs'); "
                  "execFileSync('moodboard', ['--store', 's'], { input: readFileSync('moods'), stdio: ['pipe', 'ignore', 'inherit'] }); await wait(500);",
    }),
]


def run(language, folder, options, calls):
    """Runs a trial; returns the outcome of each timed step."""
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder}
    program = pathlib.Path(folder, "trial" + pathlib.Path(language.client).suffix)
    program.write_text(language.program)
    try:
        done = subprocess.run(
            [language.runtime, program.name, json.dumps(options), json.dumps(calls)], cwd=folder, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


def check(language, name, steps, wanted):
    """The problem of a trial, or None."""
    if steps is None:
        return f"{language.name}, {name}: it waits for ever"
    if [step[0] for step in steps] != wanted:
        return f"{language.name}, {name}: it is {steps}, and it must be {wanted}"
    late = [step for step in steps if step[1] > SECONDS_MAX]
    return f"{language.name}, {name}: it took {late[0][1]:.1f} s" if late else None


def worst(language, folder):
    for manner, kind in MANNERS.items():
        steps = run(language, folder, [manner], [PING] if manner == "floods" else [PING, PING])
        ends = manner in ("ends", "half a line", "rubbish", "closes its output")
        # Later outcomes depend on what is left of the host.
        second = steps[1][0] if steps and len(steps) > 1 else "nothing"
        if manner == "floods" or ends:
            steps = steps and [steps[0], steps[-1]]
            yield check(language, f"a host that {manner}", steps, [kind, "result"])
            if ends and second != "error":
                yield f"{language.name}, a host that {manner}: the second call ends with {second}"
        else:
            yield check(language, f"a host with {manner}", steps, [kind, kind, "result"])
        if manner == "late answers" and steps and not steps[0][2].startswith("line\u2028"):
            yield f"{language.name}: it takes {steps[0][2]!r} for the answer"


def real(language, folder):
    words = language.words
    yield check(
        language, "what JSON cannot say",
        run(language, folder, ["--in-memory"], [[CREATE, words["nan"]], [CREATE, words["half"]], PING]),
        ["error", "error", "result", "result"])
    yield check(
        language, "a host that was killed", run(language, folder, ["--in-memory"], [PING, words["kill"], PING, PING]),
        ["result", "error", "error", "result"])
    yield check(
        language, "unread events",
        run(language, folder, ["--store", "s"], [["events.subscribe", words["subscribe"]], words["others"]]),
        ["result", "result"])


@script("host")
def main(options):
    host = pathlib.Path(options.host).resolve()
    faults, trials = [], 0
    for language in LANGUAGES:
        if shutil.which(language.runtime) is None:
            print(f"SKIPPED: {language.runtime}")
            continue
        for program, body in [(FOLDER / "worsthost.py", worst), (host, real)]:
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, language.client).write_text(blocks(language.section)[0])
                os.symlink(program, os.path.join(folder, "moodboard"))
                moods = [{"jsonrpc": "2.0", "id": number, "method": CREATE, "params": {
                    "emoji": "😊", "label": "l", "notes": "n" * 300}} for number in range(3000)]
                pathlib.Path(folder, "moods").write_text("".join(json.dumps(mood) + "\n" for mood in moods))
                results = list(body(language, folder))
            trials += len(results)
            faults += [result for result in results if result]
    for fault in faults:
        print(fault)
    print(f"{trials} trials, {len(faults)} faults")
    return bool(faults)
