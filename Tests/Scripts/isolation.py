#!/usr/bin/env python3
"""Forbidden acts of a plugin, tried from inside, and the time until all its processes are gone.

    Tests/Scripts/isolation.py PATH/TO/moodboard [--kills 100]

A program in C (fixtures/probe.c) and one in Python try each thing that is not granted, under the host's keeper, as root and as
another user (as one's own alone, if one is not root): each is refused, or without effect. The program in C also runs without the keeper, to show
that the attempts are real. Then usual programs run under it; then each is killed: the plugin, the keeper, the
process that started it, and the one that holds the socket. A missing cc, node, jq or git is reported and skipped.
Python's standard library only. Exit code 1 if something failed.
"""
import argparse
import ctypes
import errno
import os
import pathlib
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

OTHER_USER = 65534
PARTS = ["files", "network", "calls", "processes", "limits"]
LIMITS = {"memoryBytes": 256 << 20, "cpuSeconds": 60, "fileBytes": 64 << 20, "processes": 1024, "openFiles": 256}
# Errors of a refusal. Another one, such as EINVAL, would only show that the attempt was wrong.
NO = {"EPERM", "EACCES", "ENOSYS", "ESRCH", "ENOTTY", "EXDEV"}
WORKS = {
    "read.copy", "read.usr", "read.passwd", "read.urandom", "read.zero", "write.null", "write.data", "make.data.folder",
    "make.data.fifo", "make.data.link", "rename.data", "remove.data", "make.setuid"}
# The kernel then makes no namespace for processes, for any user.
NO_NAMESPACES = ["unshare", "--user", "--map-root-user", "sh", "-c",
                 'echo 0 > /proc/sys/user/max_pid_namespaces && exec "$0" "$@"']
IS_ROOT = os.geteuid() == 0
failures = []


def expect(holds, words):
    if not holds:
        failures.append(words)
        print("  WRONG:", words, flush=True)


class Place:
    """The folders of a plugin and of a user, with a secret beside them."""

    def __init__(self, host, probe, user):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="moodboard-isolation-"))
        self.user = user
        self.copy, self.data, self.secret = (self.folder / name for name in ("copy", "data", "secret"))
        for folder in (self.copy, self.data, self.secret):
            folder.mkdir()
        self.host = shutil.copy(host, self.folder / "moodboard")
        if probe:
            shutil.copy(probe, self.copy / "probe")
        for path in (self.copy / "granted", self.copy / "removed"):
            path.write_text("granted")
        for name in ("secret", "emptied", "renamed", "moved", "removed"):
            (self.secret / name).write_text("secret")
        (self.secret / "removedfolder").mkdir()
        (self.secret / "script").write_text("#!/bin/true\n")
        (self.secret / "script").chmod(0o755)
        for path in (self.secret / "secret", self.copy / "granted"):
            try:
                os.setxattr(path, "user.kept", b"kept")
            except OSError:
                pass
        for path in (self.folder, *self.folder.rglob("*")):
            if user is not None:
                os.chown(path, user, user)

    def facts(self):
        """The facts that a successful attempt would change."""
        facts = []
        for path in sorted([*self.secret.rglob("*"), *self.copy.rglob("*"), self.secret, self.copy]):
            status = path.lstat()
            contents = path.read_bytes() if path.is_file() and path.name != "probe" else b""
            try:
                attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)}
            except OSError:
                attributes = {}
            facts.append((str(path), status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, attributes, contents))
        return facts

    def become(self):
        if self.user is not None:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)

    def clean(self):
        """Empties the data folder."""
        for path in self.data.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def foreign(self):
        return subprocess.Popen(["sleep", "600"], preexec_fn=self.become)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Kept:
    """A program under a keeper; this script is the host."""

    def __init__(self, place, arguments, under=(), also=lambda: None, **more):
        values = {"program": arguments[0], "directory": place.copy, "data": place.data, **LIMITS, **more}
        lists = {"argument": arguments, "environment": [
            "PATH=/usr/local/bin:/usr/bin:/bin", f"HOME={place.data}", f"TMPDIR={place.data}", "LANG=C.UTF-8",
            "MOODBOARD_PLUGIN=1"]}
        pairs = [(name, str(value)) for name, value in values.items()]
        pairs += [(name, str(word)) for name, words in lists.items() for word in words]
        message = b"".join(os.fsencode(word) + b"\0" for pair in pairs for word in pair)
        self.socket, theirs = socket.socketpair()
        self.socket.sendall(struct.pack("<I", len(message)) + message)
        self.text = b""

        def prepare():
            os.dup2(theirs.fileno(), 3)
            place.become()
            also()

        self.process = subprocess.Popen(
            [*under, place.host, "--keep-plugin", str(values["processes"])], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=(3,), preexec_fn=prepare, env={})
        theirs.close()

    def report(self):
        """The members of the keeper's next line; empty at the end."""
        while b"\n" not in self.text:
            more = self.socket.recv(4096)
            if not more:
                return []
            self.text += more
        line, _, self.text = self.text.partition(b"\n")
        return line.decode().split("\t")

    def result(self, text=b"", seconds=120):
        """Runs it to the end; returns its output, its exit, and the parts that are only declared."""
        output, errors = self.process.communicate(text, timeout=seconds)
        first = self.report()
        if not first or first[0] != "started":
            return first[1] if first else "no report", None, {}
        declared = dict(member.split("=", 1) for member in first[2:])
        last = self.report()
        return (output.decode(errors="replace") + errors.decode(errors="replace"), tuple(last[1:]),
                {part: reason for part, reason in declared.items() if reason})


def keeper_id(starter):
    children = pathlib.Path(f"/proc/{starter}/task/{starter}/children").read_text().split()
    return int(children[0]) if children else None


def expected(name, value, is_strict, has_network):
    """Whether an attempt had the expected outcome."""
    kind = name.split(".")[0]
    if kind == "fact":
        return True
    if name in WORKS or kind == "works" or kind == "end":
        return value == "done"
    if kind == "attribute":
        return value in ("done", "ENOSYS")
    if kind == "network":
        return value == "done" if has_network else value in NO
    if kind == "shared":
        return value in NO if is_strict else value == "done"
    if kind == "killed":
        # A kernel without that ABI kills with another signal.
        return value in ("SIGSYS", "SIGSEGV")
    if kind == "limit":
        return value == {"limit.file": "EFBIG", "limit.memory": "ENOMEM", "limit.open": "EMFILE"}[name]
    if kind == "count":
        return value == "EAGAIN"
    if kind == "refused" and "raise" in name:
        return value == "EPERM"
    if name in ("refused.setuid", "refused.setgid"):
        # In a user namespace there is no other one.
        return value in NO | {"EINVAL"}
    return value in NO


def probe(place, title, under=(), has_namespace=True, **more):
    foreign = place.foreign()
    before = place.facts()
    kept = Kept(place, [place.copy / "probe", place.copy, place.data, place.secret, foreign.pid], under=under, **more)
    text, status, declared = kept.result()
    kept.process.wait()
    foreign.kill()
    foreign.wait()
    values = dict(line.split("\t") for line in text.splitlines() if line.count("\t") == 1)
    is_strict, has_network = more.get("requiresIsolation") == "true", more.get("network") == "true"
    wrong = 0
    for name, value in values.items():
        if name == "count.processes" and not has_namespace:
            continue
        if not expected(name, value, is_strict, has_network):
            wrong += 1
            expect(False, f"{title}: {name} is {value}")
    expect(status == ("exited", "0") and "end" in values, f"{title}: ended as {status}: {text[-300:]}")
    expect(before == place.facts(), f"{title}: something outside has changed")
    facts = {name: int(value) for name, value in values.items() if name.startswith("fact.")}
    wanted = {"fact.capabilities": 0, "fact.no-new-privileges": 1, "fact.descriptors": 3, "fact.session": 1,
              "fact.umask": 0o77, "fact.signals-changed": 0, "fact.limit.data": LIMITS["memoryBytes"],
              "fact.limit.cpu": LIMITS["cpuSeconds"], "fact.limit.file": LIMITS["fileBytes"],
              "fact.limit.open": LIMITS["openFiles"], "fact.limit.core": 0}
    if IS_ROOT and place.user is None and not under:
        wanted["fact.bounding"] = 0
    for name, value in wanted.items():
        expect(facts.get(name) == value, f"{title}: {name} is {facts.get(name)}, not {value}")
    if has_namespace:
        expect(300 < facts.get("fact.processes", 0) < 1024, f"{title}: {facts.get('fact.processes')} processes")
    tried = sum(name.split(".")[0] not in ("fact", "works", "end") and name not in WORKS for name in values)
    print(f"  {title}: {tried} attempts, {tried - wrong} refused or without effect; declared: "
          + ("; ".join(f"{part}: {reason}" for part, reason in declared.items()) or "nothing"), flush=True)
    place.clean()
    return declared


def without_keeper(host, binary, user):
    """The number of attempts that succeed without a keeper."""
    place = Place(host, binary, user)
    foreign = place.foreign()
    try:
        output = subprocess.run(
            [place.copy / "probe", place.copy, place.data, place.secret, str(foreign.pid)], stdout=subprocess.PIPE,
            preexec_fn=place.become, cwd=place.copy, timeout=120, text=True).stdout
    finally:
        foreign.kill()
        foreign.wait()
        place.remove()
        for path in ("/usr/lib/moodboard-probe", "/tmp/moodboard-probe", "/dev/shm/moodboard-probe"):
            if os.path.exists(path):
                os.unlink(path)
    values = dict(line.split("\t") for line in output.splitlines() if line.count("\t") == 1)
    tried = {name: value for name, value in values.items() if name.split(".")[0] not in ("fact", "works", "end") and name not in WORKS}
    return sum(value == "done" for value in tried.values()), len(tried), sorted(
        f"{name} {value}" for name, value in tried.items() if value != "done")


PYTHON = r"""
import ctypes, errno, mmap, os, resource, socket, subprocess, sys
copy, data, secret, foreign = sys.argv[1:5]
def attempt(name, body):
    try:
        body()
        result = "done"
    except OSError as error:
        result = errno.errorcode.get(error.errno, str(error))
    except ValueError:
        result = "EPERM"
    print(name, result, sep="\t", flush=True)
def call(name, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def run(*words):
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode:
        raise OSError(errno.EACCES, "run")
def other(body):
    child = os.fork()
    if child == 0:
        try:
            body()
        except OSError as error:
            os._exit(error.errno)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(code, "other")
attempt("works.copy", lambda: open(copy + "/granted").read())
attempt("works.data", lambda: open(data + "/python", "w").write("x"))
attempt("works.run", lambda: run("/bin/sh", "-c", "echo hello | tr a-z A-Z > $HOME/shouted"))
attempt("works.thread", lambda: __import__("threading").Thread(target=print).start())
attempt("works.copytree", lambda: __import__("shutil").copytree(copy, data + "/tree", ignore=lambda *_: ["probe"]))
attempt("read.secret", lambda: open(secret + "/secret").read())
attempt("list.secret", lambda: os.listdir(secret))
attempt("write.secret", lambda: open(secret + "/secret", "a").write("x"))
attempt("remove.secret", lambda: os.remove(secret + "/removed"))
attempt("read.home", lambda: os.listdir(os.path.expanduser("~root") if os.getuid() == 0 else "/home"))
attempt("read.proc", lambda: os.listdir("/proc"))
attempt("read.tmp", lambda: os.listdir("/tmp"))
attempt("refused.cat", lambda: run("cat", secret + "/secret"))
attempt("refused.shell", lambda: run("sh", "-c", "echo x >> " + secret + "/secret"))
attempt("refused.other-session", lambda: other(lambda: (os.setsid(), open(secret + "/secret"))))
attempt("refused.listen", lambda: socket.socket(socket.AF_UNIX).bind(secret + "/socket"))
attempt("network.connect", lambda: socket.socket().close())
attempt("network.name", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close())
attempt("refused.kill", lambda: os.kill(int(foreign), 0))
attempt("refused.nice", lambda: os.setpriority(os.PRIO_USER, 0, 0))
attempt("refused.setuid", lambda: os.setuid(4321))
attempt("refused.raise.open", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)))
attempt("refused.mount", lambda: call("mount", b"none", data.encode(), b"tmpfs", 0, None))
attempt("refused.unshare", lambda: call("unshare", 0x10000000))
attempt("refused.ptrace", lambda: call("ptrace", 0, 0, 0, 0))
attempt("refused.run.data", lambda: (open(data + "/run", "w").write("#!/bin/true\n"), os.chmod(data + "/run", 0o700), os.execv(data + "/run", ["run"])))
attempt("attribute.chmod", lambda: os.chmod(secret + "/secret", 0o777))
attempt("attribute.chown", lambda: os.chown(secret + "/secret", 1234, 1234))
attempt("attribute.utime", lambda: os.utime(secret + "/secret", (1, 1)))
attempt("attribute.setxattr", lambda: os.setxattr(secret + "/secret", "user.x", b"x"))
attempt("shared.mmap", lambda: mmap.mmap(-1, 4096))
attempt("end", lambda: None)
"""


def python_probe(place, title, **more):
    foreign = place.foreign()
    before = place.facts()
    kept = Kept(place, ["/usr/bin/python3", "-c", PYTHON, place.copy, place.data, place.secret, foreign.pid], **more)
    text, status, _ = kept.result()
    kept.process.wait()
    foreign.kill()
    foreign.wait()
    values = dict(line.split("\t") for line in text.splitlines() if line.count("\t") == 1)
    wrong = [f"{name} is {value}" for name, value in values.items() if not expected(
        name, value, more.get("requiresIsolation") == "true", more.get("network") == "true")]
    for words in wrong:
        expect(False, f"{title}: {words}")
    expect(status == ("exited", "0") and "end" in values, f"{title}: ended as {status}: {text[-600:]}")
    expect(before == place.facts(), f"{title}: something outside has changed")
    place.clean()
    print(f"  {title}: {len(values)} attempts, {len(values) - len(wrong)} as they should be", flush=True)


def programs(place, title, **more):
    """Usual programs, each with work that uses much of what they need."""
    # The machine's own settings may name files that are not granted.
    git = ("git() { command git -c core.excludesFile= -c user.name=n -c user.email=e@x \"$@\"; }; cd $HOME && git init -q r && cd r"
           " && echo x > f && git add f && git commit -qm m && git log --oneline | wc -l && git clone -q . ../c"
           " && git -C ../c status --short | wc -l")
    node = ("const fs=require('fs'),c=require('child_process');fs.writeFileSync(process.env.HOME+'/n','x');"
            "new (require('worker_threads').Worker)('require(\"worker_threads\").parentPort.postMessage(1)',{eval:true})"
            ".on('message',m=>console.log(m,c.execSync('echo two').toString().trim(),fs.readFileSync(0,'utf8').length))")
    python = ("import json,sys,subprocess,threading,tempfile,sqlite3,ssl,ctypes,multiprocessing.pool\n"
              "with tempfile.TemporaryDirectory() as d:\n"
              " b=sqlite3.connect(d+'/x.db');b.execute('create table t(x)');b.commit();b.close()\n"
              "print(len(json.loads(sys.stdin.read())),subprocess.check_output(['echo','two']).decode().strip())")
    table = [
        ("python3", ["/usr/bin/python3", "-c", python], b"[1,2,3]", "3 two\n"),
        ("node", ["/usr/bin/node", "-e", node], b"12345", "1 two 5\n"),
        ("sh and jq", ["/bin/sh", "-c", "jq -c '.a|map(.+1)' | tee $HOME/out"], b'{"a":[1,2]}', "[2,3]\n"),
        ("git", ["/bin/sh", "-c", git], b"", "1\n0\n"),
        ("a static program", [place.copy / "echo"], b"hello\n", "hello\n"),
    ]
    words = []
    for name, arguments, text, wanted in table:
        needed = {"sh and jq": "jq", "git": "git"}.get(name)
        if (needed and not shutil.which(needed)) or not os.access(arguments[0], os.X_OK):
            print(f"SKIPPED: {name}")
            continue
        output, status, _ = Kept(place, arguments, **more).result(text)
        expect((output, status) == (wanted, ("exited", "0")), f"{title}: {name}: {status} {output[:600]!r}")
        words.append(name)
        place.clean()
    print(f"  {title}: " + ", ".join(words), flush=True)


def marked(mark):
    """The running processes with a mark in their command."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                    if mark in file.read():
                        found.append(int(entry.name))
            except OSError:
                pass
    return found


def kills(place, title, rounds, under=(), count=200):
    """Kills each possible process in turn, and measures how long all the others stay."""
    times = {}
    ways = ["the plugin", "the keeper", "the process that started it", "by the socket", "a stopped keeper's parent"]
    if under:
        # Without a namespace, the processes of a killed keeper stay; a plugin cannot reach its keeper.
        ways.remove("the keeper")
    for number in range(rounds):
        way = ways[number % len(ways)]
        mark = f"mark-{os.getpid()}-{number}-{os.urandom(4).hex()}"
        kept = Kept(place, [place.copy / "probe", "escape", count, mark], under=under)
        line = kept.process.stdout.readline()
        started = kept.report()
        expect(line == b"ready\n" and started[0] == "started", f"{title}: {started} {line}")
        found = marked(mark.encode())
        expect(len(found) == count + 1, f"{title}: {len(found)} processes, not {count + 1}")
        starter = kept.process.pid
        if way == "a stopped keeper's parent":
            os.kill(keeper_id(starter), signal.SIGSTOP)
        begin = time.monotonic()
        if way == "by the socket":
            kept.socket.close()
        else:
            os.kill({"the plugin": int(started[1]), "the keeper": keeper_id(starter) if way == "the keeper" else 0}.get(way, starter), signal.SIGKILL)
        left = found
        while left and time.monotonic() - begin < 10:
            left = [one for one in left if is_running(one)]
        times.setdefault(way, []).append(time.monotonic() - begin)
        expect(not left and not marked(mark.encode()), f"{title}: {way}: {len(left)} processes are left")
        kept.process.wait(10)
        kept.process.stdout.close(), kept.process.stdin.close(), kept.process.stderr.close()
        kept.socket.close()
    for way, taken in times.items():
        expect(max(taken) < 1, f"{title}: {way}: gone after {max(taken):.3f} s")
        print(f"  {title}: {way} killed {len(taken)} times: {count} others gone after {statistics.median(taken) * 1000:.1f} ms "
              f"(median), {max(taken) * 1000:.1f} ms (longest)", flush=True)


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def filtered(numbers):
    """For a child: system calls, and prctl for a filter, that an older kernel lacks."""
    prctl = 157 if os.uname().machine == "x86_64" else 167
    code = [(0x20, 0, 0, 0)]  # the number
    for number in numbers:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | errno.ENOSYS)]
    code += [(0x15, 0, 3, prctl), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (0x06, 0, 0, 0x50000 | errno.EINVAL)]
    code += [(0x06, 0, 0, 0x7FFF0000)]
    text = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in code))
    program = struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(text))
    library = ctypes.CDLL(None, use_errno=True)

    def install():
        library.prctl(38, 1, 0, 0, 0)
        if library.prctl(22, 2, program, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")
        _ = text

    return install


def older_kernels(place):
    """The host's words and refusals if the kernel lacks something."""
    create_ruleset = 444
    script = ["/bin/sh", "-c", "echo ran"]
    table = [
        ("no namespaces", {"under": NO_NAMESPACES}, ["processes", "limits"]),
        ("no Landlock and no seccomp", {"also": filtered([create_ruleset])}, ["files", "network", "calls", "limits"]),
    ]
    for title, how, parts in table:
        text, status, declared = Kept(place, script, **how).result()
        expect((text, status) == ("ran\n", ("exited", "0")) and list(declared) == parts,
               f"{title}: {text!r} {status} declared: {declared}")
        text, status, _ = Kept(place, script, requiresIsolation="true", **how).result()
        expect(status is None and text.startswith(parts[0] + " no "), f"{title}, isolation required: {text!r} {status}")
        print(f"  {title}: {'; '.join(f'{part}: {reason}' for part, reason in declared.items())}; refused where required")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host")
    parser.add_argument("--kills", type=int, default=100)
    options = parser.parse_args()
    pid_max = pathlib.Path("/proc/sys/kernel/pid_max").read_text()
    compiler = shutil.which("cc") or shutil.which("clang")
    work = pathlib.Path(tempfile.mkdtemp(prefix="moodboard-isolation-"))
    try:
        binary = None
        if compiler:
            binary = work / "probe"
            source = pathlib.Path(__file__).resolve().parent / "fixtures" / "probe.c"
            subprocess.run([compiler, "-O1", "-static", "-o", binary, source], check=True)
            (work / "echo.c").write_text("#include <stdio.h>\nint main(){int c;while((c=getchar())>=0)putchar(c);}\n")
            subprocess.run([compiler, "-static", "-o", work / "echo", work / "echo.c"], check=True)
        else:
            print("SKIPPED: no compiler for the program in C")
        for user in ([None, OTHER_USER] if IS_ROOT else [None]):
            name = "root" if IS_ROOT and user is None else "another user" if IS_ROOT else "this user"
            print(f"As {name}:", flush=True)
            look(options, binary, work, user)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    expect(pid_max == pathlib.Path("/proc/sys/kernel/pid_max").read_text(), "the limit of processes of the whole machine has changed")
    print(f"{len(failures)} failures" if failures else "Nothing that is not granted was had.")
    sys.exit(1 if failures else 0)


def look(options, binary, work, user):
    host = pathlib.Path(options.host).resolve()
    place = Place(host, binary, user)
    try:
        if binary:
            shutil.copy(work / "echo", place.copy / "echo")
            done, tried, rest = without_keeper(host, binary, user)
            print(f"  in C, without a keeper: {done} of {tried} attempts succeed", flush=True)
            expect(done > tried * 2 // 5, f"the attempts are no real ones: {rest}")
            probe(place, "in C")
            strict = probe(place, "in C, isolation required", requiresIsolation="true")
            expect(not strict, f"isolation was required: {strict}")
            probe(place, "in C, with the network", network="true")
        python_probe(place, "in Python")
        python_probe(place, "in Python, isolation required", requiresIsolation="true")
        programs(place, "programs")
        programs(place, "programs, isolation required", requiresIsolation="true")
        has_unshare = shutil.which("unshare") and subprocess.run(
            [*NO_NAMESPACES, "true"], preexec_fn=place.become, stderr=subprocess.DEVNULL).returncode == 0
        if has_unshare:
            older_kernels(place)
        else:
            print("SKIPPED: older kernels (unshare cannot make a user namespace)")
        if binary:
            kills(place, "kill -9", options.kills)
        if binary and has_unshare:
            probe(place, "in C, without namespaces", NO_NAMESPACES, False)
            kills(place, "kill -9 without namespaces", max(4, options.kills // 10), NO_NAMESPACES)
    finally:
        place.remove()


if __name__ == "__main__":
    main()
