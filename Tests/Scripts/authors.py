#!/usr/bin/env python3
"""What an author of plugins does at the shell, with the built programs: begin one in each language, test it, watch it, change it, try it by
the doctor, let it run, call it; with the Python of a virtual environment too.

    Tests/Scripts/authors.py PATH/TO/mood

What is missing is `SKIPPED`. Python's standard library only.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from harness import script

ID = "org.example.hello"
TOOLS = {"python": "python3", "sh": "jq", "node": "node", "swift": "swiftc"}
faults = []


class Shell:
    """A folder to work in, with a store."""

    is_quick = False

    def __init__(self, mood, folder):
        self.mood, self.folder = mood, folder
        self.environment = {**os.environ, "MOODBOARD_STORE": os.path.join(folder, "store")}

    def run(self, *words, typed=None):
        """The exit status, and what was printed on both."""
        ended = subprocess.run([self.mood, *words], cwd=self.folder, env=self.environment, input=typed, stdin=None if typed is not None else subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=180)
        return ended.returncode, ended.stdout, ended.stderr

    def plugin(self, *words, typed=None):
        return self.run("plugin", *words, typed=typed)

    def write(self, name, text):
        path = os.path.join(self.folder, ID, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def change(self, before, after):
        """Another word in the program."""
        for path in glob.glob(os.path.join(self.folder, ID, "main.*")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after))

    def add(self, *words):
        """Adds the plugin as a script does: it looks first, and names what it has looked at."""
        _, _, shown = self.plugin("add", ID, *words)
        digest = re.search(r"sha256:[0-9a-f]{64}", shown)
        return self.plugin("add", ID, "--yes", "--digest", digest.group() if digest else "", *words)


def check(name, is_so, told=""):
    print(f"{'ok   ' if is_so else 'FAIL '} {name}" + ("" if is_so else f": {told}"), flush=True)
    if not is_so:
        faults.append(name)


def one_language(shell, language):
    status, _, told = shell.plugin("new", ID, "--lang", language)
    check(f"{language}: new", status == 0 and f"mood plugin dev {ID}" in told, told)
    test = ["sh", os.path.join(ID, "test.sh")]
    ended = subprocess.run(test, cwd=shell.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(f"{language}: its test builds and passes", ended.returncode == 0 and ended.stdout.endswith("ok\n"), ended.stdout[-500:])
    status, shown, told = shell.plugin("dev", ID, typed='hello {"name":"Ann"}\nhello {"name":7}\nhello {"nam":"x"}\n')
    check(f"{language}: dev asks it", status == 0 and '"Hello, Ann!"' in shown, shown + told)
    check(f"{language}: dev asks nothing that a host refuses", shown.count('"method":"hello"') == 1 and "/name must be a string" in shown
          and 'did you mean "name"' in shown, shown)
    status, shown, _ = shell.run("doctor", "plugin", ID)
    check(f"{language}: the doctor finds nothing", status == 0, shown)
    status, shown, told = shell.add()
    check(f"{language}: add", status == 0, shown + told)
    status, shown, told = shell.plugin("call", ID, "hello", '{"name": "Ann"}')
    check(f"{language}: call", status == 0 and json.loads(shown) == {"text": "Hello, Ann!"}, shown + told)
    shell.change("Hello, ", "Bye, ")
    ended = subprocess.run(test, cwd=shell.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(f"{language}: its test builds it anew, and fails for another program", ended.returncode == 1 and "Bye, Ada!" in ended.stdout, ended.stdout[-500:])


def schemas(shell):
    """Results are checked, by schemas with references and defaults, and what an edit has changed counts."""
    shell.plugin("new", ID, "--lang", "python")
    path = os.path.join(shell.folder, ID, "plugin.json")
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    tree = {"type": "object", "$defs": {"word": {"type": "string", "minLength": 2}},
            "properties": {"name": {"$ref": "#/$defs/word"}, "default": {"$ref": "#"}, "kind": {"type": "string", "default": "x", "enum": ["x"]}}}
    manifest["provides"]["methods"][0]["params"] = {**tree, "required": ["name"]}
    manifest["provides"]["methods"].append({"name": "other", "summary": "Another.", "params": {"type": "object", "required": ["a"]}, "result": {"type": "integer"}, "effect": "read"})
    shell.write("plugin.json", json.dumps(manifest))
    _, shown, _ = shell.plugin("dev", ID, typed="\n".join([
        'hello {"name":"a"}', 'hello {}', 'hello {"name":"ab","default":{"name":""}}', 'hello {"name":"ab","kind":"y"}', 'hello {"name":"ab","default":{"name":"cd"}}']) + "\n")
    refusals = [line for line in shown.splitlines() if line.startswith("--- not asked")]
    check("schemas: params, by references", [line.split(": ", 1)[1].split()[0] for line in refusals] == ["/name", "/name", "/default/name", "/kind"]
          and shown.count('"method":"hello"') == 1, shown)
    shell.change('{"text": f"Hello', '{"texts": f"Hello')
    _, shown, _ = shell.plugin("dev", ID, typed='hello {"name":"ab"}\n')
    check("schemas: a result that is not as declared", "--- a host answers with an error instead (1031): /text is required" in shown, shown)


def dies(shell):
    """What a plugin says on stderr before it dies at its start is shown, and its end, each time."""
    shell.plugin("new", ID, "--lang", "sh")
    program = os.path.basename(glob.glob(os.path.join(shell.folder, ID, "main.*"))[0])
    for way, close in (("", ""), (", and closes its stdout first", "exec >&-\n")):
        shell.write(program, f"#!/bin/sh\n{close}echo 'why it dies' >&2\nexit 3\n")
        for attempt in range(10 if shell.is_quick else 50):
            _, shown, told = shell.plugin("dev", ID, typed="hello {}\n")
            if "err why it dies\n" not in shown or "--- it ended: exit status 3" not in shown:
                check(f"dies{way}: attempt {attempt}", False, shown + told)
                break
        else:
            check(f"dies{way}", True)


def follows(shell):
    """A change of a file, and of the manifest, starts it anew; Ctrl-C ends it, and nothing is left."""
    shell.plugin("new", ID, "--lang", "python")
    process = subprocess.Popen([shell.mood, "plugin", "dev", ID], cwd=shell.folder, env=shell.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, bufsize=1)
    shown = []

    def until(word):
        for line in process.stdout:
            shown.append(line)
            if word in line:
                return True
        return False

    def type_line(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()

    until('<-- {"jsonrpc": "2.0", "id": 0')
    shell.change("Hello, ", "Bye, ")
    check("dev: a changed program is started anew", until("--- a file has changed") and until('<-- {"jsonrpc": "2.0", "id": 0'), shown)
    type_line('hello {"name":"Ann"}')
    check("dev: and is what runs", until("Bye, Ann!"), shown)
    with open(os.path.join(shell.folder, ID, "plugin.json"), encoding="utf-8") as file:
        manifest = file.read()
    shell.write("plugin.json", manifest.replace('"name": {"type": "string"}', '"name": {"type": "number"}'))
    check("dev: a changed manifest is taken", until("--- a file has changed") and until('<-- {"jsonrpc": "2.0", "id": 0'), shown)
    type_line('hello {"name":"Ann"}')
    check("dev: and its schemas count", until("/name must be a number"), shown)
    process.send_signal(2)
    rest = process.stdout.read()
    check("dev: Ctrl-C ends it", process.wait(10) == 0 and "killed" not in rest, rest)
    left = subprocess.run(["pgrep", "-f", os.path.join(shell.folder, ID)], stdout=subprocess.PIPE, text=True).stdout
    check("dev: nothing is left", not left, left)


def server(shell):
    """An MCP server is watched in its own words; the doctor tries it in a host."""
    folder = os.path.join(shell.folder, ID)
    os.makedirs(folder, mode=0o755)
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins/server.py"), folder)
    shell.write("plugin.json", json.dumps({"manifestVersion": 1, "id": ID, "name": "Server", "version": "1", "kind": "mcp", "exec": ["python3", "./server.py"]}))
    shell.write("settings.json", json.dumps({"era": "older", "tools": [{"name": "sum", "inputSchema": {"type": "object"}}]}))
    status, shown, _ = shell.plugin("dev", ID, typed='tools/list\ntools/call {"name":"sum","arguments":{"a":1,"b":2}}\n')
    check("an MCP server: dev", status == 0 and '"sum": 3' in shown and "notifications/initialized" in shown and "plugin.hello" not in shown, shown)
    status, shown, told = shell.run("doctor", "plugin", ID)
    check("an MCP server: the doctor finds nothing", status == 0, shown + told)


def virtual(shell):
    """A plugin that needs a module of a virtual environment."""
    environment = os.path.join(shell.folder, "venv")
    if subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], capture_output=True).returncode:
        print("SKIPPED: python3 cannot make a venv")
        return
    module = os.path.join(glob.glob(os.path.join(environment, "lib/python*/site-packages"))[0], "only_here.py")
    with open(module, "w", encoding="utf-8") as file:
        file.write("WORD = 'Salve, '\n")
    shell.plugin("new", ID, "--lang", "python")
    shell.change("import json\n", "import json\nimport only_here\n")
    shell.change('f"Hello, {', 'only_here.WORD + f"{')
    status, shown, told = shell.plugin("dev", ID, typed='hello {"name":"Ann"}\n')
    check("venv: without it, it ends and says why", "No module named" in shown and "it ended" in shown, shown + told)
    for name, path in {"its folder": environment, "its python": os.path.join(environment, "bin/python3")}.items():
        status, shown, told = shell.plugin("dev", ID, "--python", path, typed='hello {"name":"Ann"}\n')
        check(f"venv, {name}: dev", status == 0 and "Salve, Ann!" in shown, shown + told)
    if not shell.is_quick:
        status, shown, told = shell.run("doctor", "plugin", ID, "--python", environment)
        check("venv: the doctor", status == 0, shown + told)
    status, shown, told = shell.add("--python", environment)
    check("venv: add", status == 0, shown + told)
    status, shown, told = shell.plugin("call", ID, "hello", '{"name": "Ann"}')
    check("venv: call", status == 0 and "Salve, Ann!" in shown, shown + told)
    status, _, told = shell.plugin("dev", ID, "--python", shell.folder)
    check("venv: another folder is none", status == 64 and "--python" in told, told)


def slow(shell):
    """How long a plugin may take to begin is a limit that `mood` hands on, before the command and after it."""
    shell.plugin("new", ID, "--lang", "python")
    shell.change("import json\n", "import json\nimport time\ntime.sleep(1.5)\n")
    shell.add()
    for number, words in enumerate((["--limit", "pluginHelloMs=500", "plugin", "call"], ["plugin", "--limit=pluginHelloMs=500", "call"]), 1):
        status, shown, told = shell.run(*words, ID, "hello")
        _, log, _ = shell.plugin("log", ID)
        check(f"slow: {' '.join(words)}", status != 0 and "mood plugin log" in told and log.count("500 ms") == number, log + told)
        shell.plugin("restart", ID)
    status, shown, told = shell.plugin("call", ID, "hello", "--limit", "pluginHelloMs=30000")
    check("slow: with time enough", status == 0 and "Hello, you!" in shown, shown + told)
    status, shown, told = shell.plugin("call", ID, "hello", '{"name": 7}')
    check("a refusal names no method", status == 65 and "The name must be a string" in told, told)


def untrusted(shell):
    """What `mood` says names its own commands, no methods of the protocol."""
    shell.plugin("new", ID, "--lang", "python")
    os.makedirs(os.path.join(shell.folder, "store/plugins"), mode=0o700)
    shutil.copytree(os.path.join(shell.folder, ID), os.path.join(shell.folder, "store/plugins", ID))
    for words in (["call", ID, "hello"], ["disable", ID], ["enable", ID], ["info", "org.example.none"], ["trust", "org.example.none"]):
        status, shown, told = shell.plugin(*words)
        check(f"untrusted: {' '.join(words)}", status != 0 and "mood plugin " in told and not re.search(r"\bplugin\.[a-z]", told), shown + told)


@script("mood", quick=(False, "without the languages, which take a minute, and without the doctor"))
def main(options):
    mood, Shell.is_quick = options.mood, options.quick
    trials = [(f"{language}", lambda shell, language=language: one_language(shell, language), tool) for language, tool in TOOLS.items() if not options.quick]
    trials += [(one.__name__, one, None) for one in (schemas, dies, follows, server, virtual, slow, untrusted)]
    for name, trial, tool in trials:
        if tool and not shutil.which(tool):
            print(f"SKIPPED: {tool}")
            continue
        with tempfile.TemporaryDirectory(prefix="authors-") as folder:
            os.chmod(folder, 0o755)
            start = time.monotonic()
            trial(Shell(mood, folder))
            print(f"     {name}: {time.monotonic() - start:.1f} s", flush=True)
    print(f"{len(faults)} faults" if faults else "an author finds everything as it is promised")
    return 1 if faults else 0
