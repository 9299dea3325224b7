"""Shared code of scripts that test plugins: a store with plugins, a host that trusts and calls them, and the rest of
their processes. Needs a C compiler for the plugins in `plugins/`, and Linux for /proc."""

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Docs/Examples/plugins")
ANSWER_SECONDS = 60.0
PLUGIN_UNAVAILABLE, PLUGIN_FAILED, PLUGIN_TIMEOUT = 1030, 1031, 1032


class Refused(Exception):
    """An error answer."""

    def __init__(self, method, error):
        super().__init__(f"{method}: {error['code']} {error['message']} {json.dumps(error.get('data'))}")
        self.code, self.data = error["code"], error.get("data") or {}


class Host:
    """A running host. Ids tell its answers apart, so those of plugins may come later."""

    def __init__(self, command, **settings):
        settings = {"stderr": subprocess.DEVNULL, **settings}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **settings)
        self.pending, self.answers, self.events, self.number = b"", {}, [], 0

    @property
    def pid(self):
        return self.process.pid

    def send(self, method, params=None):
        """Returns the number of the request. Raises BrokenPipeError if the host has ended."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        return self.number

    def read(self, seconds):
        """Takes what has come. False if nothing came in time. Raises EOFError if the host has ended."""
        if not select.select([self.process.stdout], [], [], max(0.0, seconds))[0]:
            return False
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError("the host has ended")
        *lines, self.pending = (self.pending + chunk).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.events.append(message)
        return True

    def receive(self, number, seconds=ANSWER_SECONDS):
        """The answer to a request. Raises TimeoutError and EOFError."""
        deadline = time.monotonic() + seconds
        while number not in self.answers:
            if not self.read(deadline - time.monotonic()):
                raise TimeoutError(f"no answer in {seconds} s")
        return self.answers.pop(number)

    def ask(self, method, params=None, seconds=ANSWER_SECONDS):
        """The result. Raises Refused."""
        answer = self.receive(self.send(method, params), seconds)
        if "error" in answer:
            raise Refused(method, answer["error"])
        return answer["result"]

    def trust(self, name, **more):
        """Trusts the folder as it is now."""
        return self.ask("plugin.trust", {"id": name, "digest": self.ask("plugin.info", {"id": name})["digest"], **more})

    def close(self, seconds=ANSWER_SECONDS):
        """Ends the input. Returns the seconds until the host ended; None if it stays, and is killed."""
        start = time.monotonic()
        self.process.stdin.close()
        try:
            while self.read(start + seconds - time.monotonic()):
                pass
        except EOFError:
            pass
        try:
            self.process.wait(max(0.0, start + seconds - time.monotonic()))
            return time.monotonic() - start
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        finally:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Trial:
    """A temporary folder with a store, its plugins, and the programs compiled for it."""

    def __init__(self, host, *arguments):
        self.folder = tempfile.mkdtemp(prefix="plugins-")
        os.chmod(self.folder, 0o700)
        self.store = os.path.join(self.folder, "store")
        self.command = [os.path.abspath(host), "--store", self.store, *arguments]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, source):
        """The path of a C program, statically linked."""
        program = os.path.join(self.folder, os.path.splitext(os.path.basename(source))[0])
        if not os.path.exists(program):
            compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
            subprocess.run([compiler, "-std=gnu11", "-O2", "-static", "-o", program, os.path.join(FOLDER, source)], check=True)
        return program

    def plugin(self, name, command, files=(), place=None, **members):
        """A plugin's folder with copies of its files; `members` go into the manifest, after the usual ones."""
        folder = os.path.join(place or os.path.join(self.store, "plugins"), name)
        os.makedirs(folder, mode=0o700)
        for file in files:
            shutil.copy(file, folder)
        manifest = {"manifestVersion": 1, "id": name, "name": name, "version": "1.0.0", "protocol": [1], "exec": command}
        with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
            json.dump({**manifest, "provides": {}, **members}, file)
        return folder

    def example(self, name, place=None):
        """One of the example plugins, with its program if it is in C."""
        folder = os.path.join(place or os.path.join(self.store, "plugins"), name)
        shutil.copytree(os.path.join(EXAMPLES, name), folder)
        for place, folders, files in os.walk(folder):
            for one in [place, *(os.path.join(place, file) for file in files)]:
                os.chmod(one, os.stat(one).st_mode & 0o755 | 0o600)
        if name == "org.moodboard.echo":
            shutil.copy(self.compile(os.path.join(EXAMPLES, name, "echo.c")), folder)
        return folder

    def start(self, *arguments, **settings):
        return Host([*self.command, *arguments], **settings)


def method(name, effect="read"):
    """The declaration of a plugin's method that takes and answers any object."""
    return {"name": name, "summary": "Whatever it is sent.", "params": {"type": "object"}, "result": {"type": "object"}, "effect": effect}


# --- Processes, by /proc.


def status(pid):
    """The name, state and parent of a process; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    state, parent = rest.split()[:2]
    return name, state, int(parent)


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(pid):
    """The processes below this one, by their parents."""
    children = {}
    for one in processes():
        found = status(one)
        if found:
            children.setdefault(found[2], []).append(one)
    found, waiting = [], [pid]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def zombies(pid):
    """Children that have ended and were not reaped."""
    return [one for one in descendants(pid) if (status(one) or "  ")[1] == "Z"]


def belonging(folder):
    """The processes of a folder: by their command, working directory, program or environment. Zombies have none of
    these and are left out."""
    found = []
    for pid in processes():
        if pid == os.getpid():
            continue
        try:
            texts = [os.readlink(f"/proc/{pid}/cwd"), os.readlink(f"/proc/{pid}/exe")]
            for name in ("cmdline", "environ"):
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    texts.append(file.read().decode(errors="replace"))
        except OSError:
            continue
        if any(folder in text for text in texts):
            found.append(pid)
    return found


def wait_until(is_so, seconds):
    """Waits; returns the seconds it took, or None if the condition does not come true."""
    start = time.monotonic()
    while not is_so():
        if time.monotonic() - start > seconds:
            return None
        time.sleep(0.002)
    return time.monotonic() - start


def is_running(pid):
    found = status(pid)
    return found is not None and found[1] != "Z"


def gone(pids, folder, seconds):
    """The seconds until none of these processes runs, nor any of the folder's; None if one stays."""
    return wait_until(lambda: not any(map(is_running, pids)) and not belonging(folder), seconds)


def end_all(folder):
    """Ends the processes that a failed case left in its own folder."""
    for pid in belonging(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
