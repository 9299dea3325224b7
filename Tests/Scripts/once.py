#!/usr/bin/env python3
"""Each request gets one answer, and its effect happens once: during every wait, beside other requests, and if a
sync fails.

    Tests/Scripts/once.py PATH/TO/moodboard [--case NAME] [--jobs 4]

Each case is a conversation in which something gets in the way. Cases with a sync that fails need strace, and are left out
without it.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import harness
from harness import check, run_cases, script

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HAPPY = {"emoji": "😊", "label": "Happy"}
BINARY = None

# A plugin that answers by method from `ANSWERS`, after `SLEEP` seconds, and writes `LINES` before its answer to `go`.
PLUGIN = """
import json, sys, time
ANSWERS, SLEEP, LINES = json.loads(SETTINGS)
for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        print("answer", message.get("id"), "error" if "error" in message else "ok", file=sys.stderr, flush=True)
        continue
    if "id" not in message:
        continue
    method = message["method"]
    if method.startswith("hook.") or method in ("events.deliver", "import.read"):
        params = message["params"]
        print(method, len(params.get("changes", [])), params.get("count"), params.get("seq"), file=sys.stderr, flush=True)
        time.sleep(SLEEP)
    if method == "go":
        sys.stdout.write("".join(line + "\\n" for line in LINES))
    result = {"protocol": 1} if method == "plugin.hello" else ANSWERS.get(method, {})
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def request(number, method, params=None):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def tool(number, name, arguments=None):
    return request(number, "tools/call", {"name": name, "arguments": arguments or {}, "_meta": META})


def create(number, label="Happy"):
    return request(number, "mood.create", {"emoji": "😊", "label": label})


class Host(harness.Host):
    def __init__(self, *options, store=None, failing=None, inject=None):
        """`failing`: the number of the fdatasync that fails. `inject`: options of strace."""
        if failing:
            inject = ["-e", "trace=fdatasync", "-e", f"inject=fdatasync:error=EIO:when={failing}"]
        tracer = ["strace", "-f", "-qq", "-o", "/dev/null", *inject] if inject else []
        super().__init__([*tracer, BINARY], *([] if store else ["--in-memory"]), *options, store=store)
        self.all, self.broken = [], []

    def put(self, *messages):
        self.write(b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in messages))

    def read(self, seconds, until=None):
        """Reads for that time, or up to the answer with the id `until`, or to the end of the output."""
        end, got = time.monotonic() + seconds, []
        while until is None or not any(isinstance(one, dict) and one.get("id") == until for one in got):
            try:
                got.append(self.message(end - time.monotonic()))
            except ValueError as error:
                self.broken.append(str(error))
            except TimeoutError:
                break
            if got[-1:] == [None]:
                got.pop()
                break
        self.all += got
        return got

    def await_answers(self, *ids, seconds=15):
        """Reads until all of these are answered, and a little longer: none may have two answers."""
        end, got = time.monotonic() + seconds, []
        while not set(ids) <= set(by_id(got)) and time.monotonic() < end:
            got += self.read(0.1)
        return outcomes(got + self.read(0.3))

    def ask(self, method, params=None):
        """The whole answer."""
        self.put(request("asked", method, params))
        for one in self.read(20, "asked"):
            if isinstance(one, dict) and one.get("id") == "asked":
                return one
        raise AssertionError(f"{method} is not answered")

    def result(self, method, params=None):
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def end(self):
        """Returns the exit code."""
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        assert not self.broken, f"a line is no JSON: {self.broken[0][:200]}"
        return self.process.returncode

    def labels(self):
        return sorted(mood["label"] for mood in self.result("mood.list", {"limit": 500})["items"])

    def log(self, plugin):
        return [line["text"] for line in self.result("plugin.log", {"id": plugin, "lines": 100})["lines"]]


class Trial:
    """A folder with plugins and a store."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="once-")
        self.plugins, self.store = self.folder + "/plugins", self.folder + "/store"
        os.mkdir(self.plugins, 0o700)

    def plugin(self, name, answers=None, sleep=0, lines=(), **manifest):
        folder = f"{self.plugins}/org.example.{name}"
        os.mkdir(folder, 0o700)
        with open(folder + "/plugin.py", "w", encoding="utf-8") as file:
            settings = json.dumps([answers or {}, sleep, list(lines)])
            file.write(PLUGIN.replace("SETTINGS", repr(settings)))
        with open(folder + "/plugin.json", "w", encoding="utf-8") as file:
            json.dump({"manifestVersion": 1, "id": f"org.example.{name}", "name": name, "version": "1.0.0", "protocol": [1],
                       "exec": ["python3", "./plugin.py"], "provides": {}, **manifest}, file)

    def hook(self, name="hook", on="change", answers=None, sleep=0, failure="open"):
        self.plugin(name, answers, sleep, provides={"hooks": [{"on": on, "failure": failure, "timeoutMs": 2000}]})

    def host(self, *options, store=True, trusts=(), failing=None):
        host = Host("--plugins", self.plugins, "--no-sync", *options, store=self.store if store else None, failing=failing)
        for name in trusts:
            trust(host, name)
        return host

    def kept(self, *trusts, moods=("first",)):
        """Makes the store, with these plugins trusted in it."""
        host = self.host(trusts=trusts)
        for label in moods:
            host.result("mood.create", {"emoji": "😊", "label": label})
        host.end()


def trust(host, name):
    plugin = f"org.example.{name}"
    digest = host.result("plugin.info", {"id": plugin})["digest"]
    host.result("plugin.trust", {"id": plugin, "digest": digest})


def kind(message):
    """An answer in short."""
    if "error" in message:
        return message["error"].get("data", {}).get("kind", str(message["error"]["code"]))
    return "isError" if isinstance(message.get("result"), dict) and message["result"].get("isError") else "ok"


def by_id(messages):
    """The answers by id, also those of batches; each once."""
    found = {}
    for message in messages:
        for one in message if isinstance(message, list) else [message]:
            if "method" in one:
                continue
            assert one.get("id") not in found, f"{one.get('id')} is answered twice"
            found[one.get("id")] = one
    return found


def outcomes(messages):
    return {number: kind(message) for number, message in by_id(messages).items()}


class LockedElsewhere(threading.Thread):
    """Another process, this one, holds the store's lock for so long. Has it when it is made."""

    def __init__(self, store, seconds):
        super().__init__(daemon=True)
        self.file, self.seconds = open(store + "/lock", "r+b"), seconds
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.start()

    def run(self):
        time.sleep(self.seconds)
        self.file.close()


# MARK: Syncs that fail


def failing_syncs(trial, talk, most=4):
    """Makes one sync after the other fail, each in a separate store."""
    for number in range(1, most + 1):
        one = Trial()
        try:
            shutil.copytree(trial.plugins, one.plugins, dirs_exist_ok=True)
            talk(one, number)
        finally:
            shutil.rmtree(one.folder, ignore_errors=True)


def change_before_one_that_needs_it_durable(trial):
    """A delete becomes durable before what reads the files; then a later sync fails, and it is not answered anew."""
    def talk(one, number):
        one.kept(moods=("first", "second"))
        for isBatch in (True, False):
            host = one.host(failing=number)
            first, second = (mood["id"] for mood in host.result("mood.list")["items"])
            for gone, between in ((first, request(2, "mood.history", {"id": second})), (second, request(2, "store.export", {"format": "jsonl"}))):
                messages = [request(1, "mood.delete", {"id": gone}), between, create(3), request(4, "host.ping")]
                host.put(messages) if isBatch else host.put(*messages)
                answers = host.await_answers(1, 2, 3, 4)
                left = [mood["id"] for mood in host.result("mood.list")["items"]]
                check(answers[1] == "outcomeUnknown" or (answers[1] == "ok") == (gone not in left), f"sync {number}: {answers}, {left}")
                host.all = []
            host.end()
            shutil.rmtree(one.store)
            one.kept(moods=("first", "second"))
    failing_syncs(trial, talk, most=5)


def large_import_beside_a_failed_sync(trial):
    path = trial.folder + "/large.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for number in range(1500):
            file.write(json.dumps({"emoji": "😊", "label": f"i{number}", "timestamp": "2025-01-01T00:00:00Z", "notes": "x" * 60},
                                  ensure_ascii=False) + "\n")

    def talk(one, number):
        one.kept()
        host = one.host(failing=number)
        host.result("mood.list")
        host.put(create(1, "with it"), request(2, "store.import", {"path": path, "format": "jsonl"}),
                 request(3, "mood.list", {"limit": 1}))
        got = host.await_answers(1, 2, 3)
        check(set(got) == {1, 2, 3}, f"sync {number}: {got}")
        # strace counts by thread, so one of these may be the one whose sync fails.
        later = [kind(host.ask("mood.create", {"emoji": "😊", "label": "later"})) for _ in range(3)]
        check(later.count("ok") >= 2, f"sync {number}: no change is taken, {later}")
        labels = host.labels() if got[2] != "ok" else None
        check(labels is None or ("with it" in labels) == (got[1] == "ok"), f"sync {number}: {got}, {labels}")
        host.end()

    failing_syncs(trial, talk)


def hooked_change_whose_sync_fails(trial):
    trial.hook()

    def talk(one, number):
        one.kept("hook")
        host = one.host(failing=number)
        host.result("mood.list")
        host.put(create(1, "one"))
        got = host.await_answers(1)
        check(1 in got, f"sync {number}: it is not answered")
        host.put(tool(2, "mood_add", {"emoji": "😊", "label": "two"}))
        check(2 in host.await_answers(2), f"sync {number}: the tool is not answered")
        check(("one" in host.labels()) == (got[1] == "ok"), f"sync {number}: {got}, {host.labels()}")
        host.end()

    failing_syncs(trial, talk, 3)


def hooked_batch_whose_sync_fails(trial):
    trial.hook()

    def talk(one, number):
        one.kept("hook")
        host = one.host(failing=number)
        host.result("mood.list")
        host.put([create(place, f"m{place}") for place in (1, 2, 3)], request("end", "host.ping"))
        got = host.await_answers(1, 2, 3, "end")
        check(set(got) == {1, 2, 3, "end"}, f"sync {number}: {got} {host.broken}")
        labels = host.labels()
        check(all((f"m{place}" in labels) == (got[place] == "ok") for place in (1, 2, 3)), f"sync {number}: {got}, {labels}")
        check(len(set(labels)) == len(labels), f"sync {number}: done twice, {labels}")
        host.end()

    failing_syncs(trial, talk, 5)


def batch_behind_another_of_a_hook(trial):
    trial.hook(on="navigate")
    move = lambda number, route: request(number, "nav.navigate", {"route": {"name": route}})

    def talk(one, number):
        one.kept("hook")
        host = one.host(failing=number)
        host.result("mood.list")
        host.put([move("a1", "crudList"), move("a2", "observation")])
        check(set(host.await_answers("a1", "a2")) == {"a1", "a2"}, "the first batch")
        host.put(create("c"), [move("b1", "crudList"), move("b2", "observation")], request("end", "host.ping"))
        got = host.await_answers("c", "b1", "b2", "end")
        check(set(got) == {"c", "b1", "b2", "end"}, f"sync {number}: {got}")
        depth = host.result("nav.state")["depth"]
        check(depth == 4, f"sync {number}: the router holds {depth} routes, not 4")
        host.end()

    failing_syncs(trial, talk, 3)


def plugin_request_whose_sync_fails(trial):
    lines = [json.dumps(request("s", "stats.summary", {})),
             json.dumps(request("w", "mood.create", {"emoji": "😊", "label": "by a plugin"}))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})

    def talk(one, number):
        one.kept("asks")
        host = one.host(failing=number)
        host.result("mood.list")
        host.put(request(1, "x.org.example.asks.go", {}))
        host.read(3, 1)
        host.read(1)
        got = sorted(line for line in host.log("org.example.asks") if line.startswith("answer"))
        check(len(got) == 2 and got[0].startswith("answer s") and got[1].startswith("answer w"), f"sync {number}: {got}")
        host.end()

    failing_syncs(trial, talk, 2)


# MARK: Tools


def tools_beside_a_request_that_waits(trial):
    host = Host("--no-plugins", store=trial.store)
    for _ in range(3):
        host.result("mood.create", HAPPY)
    for _ in range(5):
        host.put(tool("year", "mood_year"), tool("find", "mood_find"), request("accept", "store.accept", {"confirm": True}),
                 request("end", "host.ping"))
        got = host.await_answers("year", "find", "accept", "end")
        check(set(got) == {"year", "find", "accept", "end"}, f"{got}")
    host.end()


def history_of_a_tool_that_fails(trial):
    host = Host("--no-plugins", "--no-sync", "--limit", "messageBytes=65536")
    mood = host.result("mood.create", {**HAPPY, "notes": "n" * 60000})["id"]
    native = kind(host.ask("mood.history", {"id": mood}))
    host.put(tool(1, "mood_get", {"id": mood, "with_history": True}), request("end", "host.ping"))
    got = host.await_answers(1, "end", seconds=5)
    check(set(got) == {1, "end"}, f"mood.history: {native}; {got}")
    host.end()
    host = Host("--no-plugins", "--no-sync", store=trial.store)
    mood = host.result("mood.create", HAPPY)["id"]
    for number in range(5):
        host.result("mood.update", {"id": mood, "set": {"label": f"l{number}"}})
    host.end()
    # The journal cannot be opened again for its history.
    host = Host("--no-plugins", "--no-sync", store=trial.store,
                inject=["-P", trial.store + "/journal-1.jsonl", "-e", "trace=openat", "-e", "inject=openat:error=EIO:when=3+"])
    host.result("mood.get", {"id": mood})
    native = kind(host.ask("mood.history", {"id": mood}))
    host.put(tool(1, "mood_get", {"id": mood, "with_history": True}), request("end", "host.ping"))
    got = host.await_answers(1, "end", seconds=5)
    check(set(got) == {1, "end"} and native != "ok", f"mood.history: {native}; {got}")
    host.end()


def tool_whose_answer_does_not_fit(trial):
    host = Host()
    links = [{"kind": "url", "url": "https://example.org/" + "a" * 1500} for _ in range(32)]
    answer = host.ask("mood.create", {**HAPPY, "attachments": links})
    if "error" in answer:
        links = [{"kind": "link", "url": "https://example.org/" + "a" * 1500, "title": "t"} for _ in range(32)]
        answer = host.ask("mood.create", {**HAPPY, "attachments": links})
    mood = answer["result"]["id"]
    host.put(tool(1, "mood_favorite", {"id": mood}))
    got = host.await_answers(1)
    is_marked = host.result("mood.get", {"id": mood})["isFavorite"]
    check(got[1] == "isError" and not is_marked, f"{got}, marked: {is_marked}")
    host.end()
    host = Host("--limit", "messageBytes=65536", "--limit", "mcpAnswerBytes=1000000")
    host.put(tool(1, "mood_add", {**HAPPY, "notes": "n" * 40000}))
    got = host.await_answers(1)
    count = host.result("store.info")["moods"]
    check((got[1] == "ok") == (count == 1), f"{got}, moods: {count}")
    host.end()


def notes_that_are_hidden(trial):
    host = Host("--mcp-no-notes", "--mcp-tools", "all")
    check_hidden(host, {})
    host.end()
    host = Host("--mcp-tools", "all")
    check_hidden(host, {"with_notes": False})
    host.end()


def check_hidden(host, more):
    mood = host.result("mood.create", {**HAPPY, "notes": "SECRETNOTE of mine"})["id"]
    calls = [("mood_get", {"id": mood}), ("mood_perform", {"action": {"type": "edit", "id": mood}})]
    for form in ("text", "markdown", "html", "json", "ics"):
        calls.append(("mood_share", {"id": mood, "format": form}))
        calls.append(("mood_perform", {"action": {"type": "share", "id": mood, "format": form}}))
    if not more:
        calls += [("stats_render", {"what": "report", "format": form}) for form in ("text", "html", "svg")]
        calls += [("mood_history", {"id": mood}), ("mood_detail", {"id": mood}), ("mood_find", {"text": "SECRET"})]
    for name, arguments in calls:
        host.put(tool(1, name, {**arguments, **more}))
        text = json.dumps(host.read(5, 1))
        check("SECRETNOTE" not in text, f"{name} {arguments} {more}")


# MARK: Hooks


def batch_of_changes_with_a_hook(trial):
    trial.hook()
    host = trial.host(store=False, trusts=["hook"])
    host.put([create(number) for number in range(1, 9)])
    got = host.await_answers(*range(1, 9))
    check(set(got.values()) == {"ok"} and len(got) == 8, f"{got}")
    check(host.result("store.info")["moods"] == 8, "not each was done once")
    host.end()


def member_that_is_durable_stays_done(trial):
    trial.hook(sleep=0.3)
    trial.kept("hook")
    host = trial.host("--lock-timeout", "0.5")
    host.result("mood.list")
    host.put([create(1, "m1"), create(2, "m2")])
    time.sleep(0.45)
    other = LockedElsewhere(trial.store, 2)
    got = host.await_answers(1, 2)
    other.join()
    labels = host.labels()
    for number in (1, 2):
        count = labels.count(f"m{number}")
        check(number in got and count == (1 if got[number] == "ok" else 0), f"{got}, {labels}")
    host.end()


def batch_that_trusts_a_hook(trial):
    trial.hook()
    host = trial.host(store=False)
    host.result("mood.list")
    digest = host.result("plugin.info", {"id": "org.example.hook"})["digest"]
    host.put(create("before", "before"), [request("t", "plugin.trust", {"id": "org.example.hook", "digest": digest}),
                                          create("c", "in the batch")])
    got = host.await_answers("before", "t", "c")
    check(got == {"before": "ok", "t": "ok", "c": "ok"}, f"{got}")
    check(host.labels() == ["before", "in the batch"], f"{host.labels()}")
    host.end()


def end_while_a_hook_is_asked(trial):
    trial.hook(sleep=1.5)
    trial.kept("hook")
    for how in ("SIGTERM", "host.shutdown"):
        host = trial.host()
        host.result("mood.list")
        host.put(create(1), request(2, "mood.list"))
        time.sleep(0.5)
        if how == "SIGTERM":
            host.process.send_signal(signal.SIGTERM)
        else:
            host.put(request(3, "host.shutdown"))
        got = outcomes(host.read(4))
        check({1, 2} <= set(got), f"{how}: {got}")
        host.end()


def hook_is_told_of_all(trial):
    trial.hook()
    host = trial.host(store=False)
    host.put(*[create(number) for number in range(150)])
    host.read(5, 149)
    trust(host, "hook")
    host.result("mood.clear", {"confirm": True})
    told = [line.split() for line in host.log("org.example.hook") if line.startswith("hook.change")]
    check(told and (told[-1][1] == "150" or told[-1][2] == "150"), f"{told}")
    host.end()


def settings_of_a_refused_import(trial):
    trial.hook("veto", answers={"hook.change": {"veto": "No."}}, failure="closed")
    host = trial.host(trusts=["veto"])
    mood = {"emoji": "😊", "label": "A", "timestamp": "2026-01-01T00:00:00Z"}
    text = json.dumps({"settings": {"dayStartsAt": "04:00"}}) + "\n" + json.dumps(mood) + "\n"
    answer = host.ask("store.import", {"format": "jsonl", "text": text})
    check(kind(answer) == "refused", f"{answer}")
    check(host.result("settings.get")["dayStartsAt"] == "00:00", "the settings of the file are kept")
    host.end()


def import_by_plugin_meets_hooks(trial):
    trial.hook("veto", answers={"hook.change": {"veto": "No."}}, failure="closed")
    mood = {"emoji": "😊", "label": "imported", "timestamp": "2025-01-01T00:00:00Z"}
    trial.plugin("imports", {"import.read": {"moods": [mood], "problems": []}},
                 provides={"importers": [{"format": "foo", "title": "Foo", "extensions": ["foo"]}]})
    host = trial.host(store=False, trusts=["veto", "imports"])
    check(kind(host.ask("mood.create", HAPPY)) == "refused", "the hook does not say no")
    answer = host.ask("store.import", {"text": "a", "format": "foo"})
    check(kind(answer) == "refused", f"{answer}")
    check(host.labels() == [], f"{host.labels()}")
    host.end()


def import_by_plugin_that_hooks_agree_to(trial):
    trial.hook("agrees")
    moods = [{"emoji": "😊", "label": f"imported {number}", "timestamp": "2025-01-01T00:00:00Z"} for number in range(3)]
    trial.plugin("imports", {"import.read": {"moods": moods, "problems": []}},
                 provides={"importers": [{"format": "foo", "title": "Foo", "extensions": ["foo"]}]})
    host = trial.host(store=False, trusts=["agrees", "imports"])
    host.result("events.subscribe", {"topics": ["mood"]})
    host.result("mood.create", HAPPY)
    importing = {"text": "a", "format": "foo", "opId": "01890000-0000-7000-8000-00000000000a"}
    dry = host.ask("store.import", {**importing, "dryRun": True})
    check(kind(dry) == "ok" and len(host.labels()) == 1, f"{dry}")
    first, again = host.result("store.import", importing), host.result("store.import", importing)
    check(first["created"] == 3 and again == first, f"{first} {again}")
    check(len(host.labels()) == 4, f"{host.labels()}")
    host.result("mood.create", HAPPY)
    host.read(0.3)
    told = [one["params"]["seq"] for one in host.all if isinstance(one, dict) and one.get("method") == "events.event"]
    check(told == list(range(1, len(told) + 1)) and len(told) >= 3, f"told of {told}")
    asked = [line.split()[1] for line in host.log("org.example.agrees") if line.startswith("hook.change")]
    check("3" in asked, f"asked about {asked}")
    host.end()


def import_by_plugin_waits_for_the_lock_alone(trial):
    mood = {"emoji": "😊", "label": "imported", "timestamp": "2025-01-01T00:00:00Z"}
    trial.plugin("imports", {"import.read": {"moods": [mood], "problems": []}},
                 sleep=0.5, provides={"importers": [{"format": "foo", "title": "Foo", "extensions": ["foo"]}]})
    trial.kept("imports")
    host = trial.host("--lock-timeout", "1.5")
    importing = {"text": "a", "format": "foo"}
    check(kind(host.ask("store.import", {**importing, "dryRun": True})) == "ok", "the plugin does not import")
    for seconds, outcome in ((3, "storeBusy"), (1.2, "ok")):
        host.put(request(1, "store.import", {**importing, "opId": f"{seconds}"}))
        time.sleep(0.2)
        other = LockedElsewhere(trial.store, seconds)
        slowest, end = 0, time.monotonic() + 0.8
        while time.monotonic() < end:
            start = time.monotonic()
            host.result("host.ping")
            slowest = max(slowest, time.monotonic() - start)
        check(slowest < 0.5, f"host.ping took {slowest:.2f} s beside an import that waits for the lock")
        check(not any(one.get("id") == 1 for one in host.all), f"it does not wait: {[one for one in host.all if one.get('id') == 1]}")
        got = host.await_answers(1)
        host.all.clear()
        other.join()
        check(got[1] == outcome, f"{got}")
    check(host.labels() == ["first", "imported"] and kind(host.ask("mood.create", HAPPY)) == "ok", f"{host.labels()}")
    host.end()


# MARK: Plugins that ask


def commits_of_plugins_are_told_of(trial):
    lines = [json.dumps(request("w", "mood.create", {"emoji": "😊", "label": "by a plugin"})),
             json.dumps(request("g", "mood.get", {"id": "01890000-0000-7000-8000-000000000009"}))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})
    host = trial.host(store=False, trusts=["asks"])
    host.result("events.subscribe", {"topics": ["mood"]})
    for number in (1, 2):
        host.result("mood.create", HAPPY)
        host.put(request(number, "x.org.example.asks.go", {}))
        host.read(3, number)
        host.read(0.5)
    told = [one["params"]["seq"] for one in host.all if isinstance(one, dict) and one.get("method") == "events.event"]
    check(told == [1, 2, 3, 4], f"told of {told}")
    host.end()


def plugin_waits_for_the_lock_alone(trial):
    lines = [json.dumps(request("w", "mood.create", {"emoji": "😊", "label": "by a plugin"}))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})
    trial.kept("asks")
    host = trial.host("--lock-timeout", "5")
    host.result("mood.list")
    host.put(request(0, "x.org.example.asks.go", {}))
    host.read(3, 0)
    host.read(0.5)
    other = LockedElsewhere(trial.store, 2)
    host.put(request(1, "x.org.example.asks.go", {}))
    time.sleep(0.3)
    start = time.monotonic()
    host.result("host.ping")
    took = time.monotonic() - start
    other.join()
    check(took < 0.5, f"host.ping took {took:.2f} s")
    host.read(0.5)
    check(answers_of(host) == ["ok", "ok"] and host.labels().count("by a plugin") == 2, f"{answers_of(host)}, {host.labels()}")
    # The client's change and the plugin's wait together, and each is done once.
    other = LockedElsewhere(trial.store, 1)
    host.put(request(2, "x.org.example.asks.go", {}), create(3, "by the client"))
    got = host.await_answers(2, 3)
    other.join()
    check(got[3] == "ok" and answers_of(host) == ["ok"] * 3 and len(host.labels()) == 5, f"{got}, {host.labels()}")
    host.end()


def plugin_waits_for_the_lock_no_longer_than_it_may(trial):
    lines = [json.dumps(request("w", "mood.create", HAPPY)), json.dumps(request("l", "mood.list", {}))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})
    trial.kept("asks")
    host = trial.host("--lock-timeout", "0.5")
    host.result("mood.list")
    other = LockedElsewhere(trial.store, 3)
    host.put(request(1, "x.org.example.asks.go", {}))
    await_answers_of(host, 2, 2.5)
    check(answers_of(host) == ["error", "ok"] and "Happy" not in host.labels(), f"{answers_of(host)}, {host.labels()}")
    other.join()
    check(kind(host.ask("mood.create", HAPPY)) == "ok", "no change is taken later")
    host.put(request(2, "x.org.example.asks.go", {}))
    await_answers_of(host, 4)
    check(answers_of(host) == ["error", "ok", "ok", "ok"] and host.labels().count("Happy") == 2, f"{answers_of(host)}, {host.labels()}")
    host.end()


def lanes_wait_beside_each_other(trial):
    """Requests of a plugin and a batch of the client, with a hook, a lock held elsewhere, a sync that fails, and a signal: each
    is answered once, and done if its answer says so."""
    trial.hook(sleep=0.1)
    lines = [json.dumps(one) for one in (create("p1", "p1"), request("l", "mood.list", {}), create("p2", "p2"))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})

    def talk(one, number):
        for wait, isEnded in ((0.5, False), (0, False), (0.3, True)):
            one.kept("hook", "asks")
            host = one.host("--lock-timeout", "5", failing=number)
            host.result("mood.list")
            host.put(request("go", "x.org.example.asks.go", {}), [create("c1", "c1"), request(2, "mood.list"), create("c3", "c3")])
            time.sleep(0.15)
            other = LockedElsewhere(one.store, wait)
            if isEnded:
                subprocess.run(["pkill", "-TERM", "-P", str(host.process.pid)])
            got = host.await_answers("go", "c1", 2, "c3")
            other.join()
            check(set(got) == {"go", "c1", 2, "c3"}, f"sync {number}: {got} {host.broken}")
            if isEnded:
                host.end()
                host = one.host()
            else:
                await_answers_of(host, 3)
                asked = [line.split()[1:] for line in host.log("org.example.asks") if line.startswith("answer")]
                check([name for name, _ in asked] == ["p1", "l", "p2"], f"sync {number}: {asked}")
                got.update(asked)
            labels = host.labels()
            for name in ("c1", "c3", "p1", "p2"):
                wanted = (0, 1) if isEnded and name not in got else (int(got[name] == "ok"),)
                check(labels.count(name) in wanted, f"sync {number}, {wait}: {got}, {labels}")
            host.end()
            shutil.rmtree(one.store)

    failing_syncs(trial, talk)


def request_of_a_plugin_ends_with_its_process(trial):
    """The next process gets no answer to it, nor the hooks that were asked about it."""
    trial.hook(sleep=0.5)
    lines = [json.dumps(request("w", "mood.create", HAPPY))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})
    host = trial.host(store=False, trusts=["hook", "asks"])
    host.result("x.org.example.asks.go", {})
    time.sleep(0.2)
    host.result("plugin.restart", {"id": "org.example.asks"})
    host.result("x.org.example.asks.go", {})
    await_answers_of(host, 1)
    host.read(1)
    check(answers_of(host) == ["ok"] and host.labels() == ["Happy"], f"{answers_of(host)}, {host.labels()}")
    host.end()


def requests_of_a_plugin_keep_their_order(trial):
    """A request after one that holds the store for long sees its changes."""
    ids = [f"01890000-0000-7000-8000-{number:012}" for number in range(60)]
    lines = [json.dumps(request("d", "mood.deleteMany", {"ids": ids})), json.dumps(request("u", "store.undo", {})),
             *(json.dumps(request(f"g{number}", "mood.get", {"id": ids[number]})) for number in range(3))]
    trial.plugin("asks", lines=lines, permissions={"moods": "write"},
                 provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                        "result": {"type": "object"}, "effect": "write"}]})
    trial.kept("asks")
    host = trial.host("--limit", "notesBytes=100000")
    for one in ids:
        host.result("mood.create", {**HAPPY, "id": one, "notes": "n" * 50_000})
    host.put(request(1, "x.org.example.asks.go", {}))
    host.await_answers(1)
    await_answers_of(host, 5)
    check(answers_of(host) == ["ok"] * 5, f"{host.log('org.example.asks')}")
    host.end()


def plugin_is_changed_beside_the_loop(trial):
    """The disk takes half a second for each file: a change of a plugin waits for it, the rest of the order with that, and a ping does not."""
    trial.hook(failure="closed", answers={"hook.change": {"veto": "no"}})
    trial.kept()
    host = Host("--plugins", trial.plugins, "--no-sync", store=trial.store, inject=["-e", "trace=fsync", "-e", "inject=fsync:delay_exit=500000"])
    name = {"id": "org.example.hook"}
    trust(host, "hook")
    host.put(request(1, "plugin.disable", name), request(2, "plugin.info", name), create(3), request(4, "mood.list"), request(5, "plugin.enable", name),
             create(6), request(7, "host.ping"))
    start = time.monotonic()
    got = host.read(10, 7)
    taken = time.monotonic() - start
    check(taken < 0.4 and [one["id"] for one in got] == [7], f"the ping took {taken:.1f} s, behind {[one.get('id') for one in got[:-1]]}")
    got += host.read(10, 6)
    check([one["id"] for one in got if "id" in one][1:] == [1, 2, 3, 4, 5, 6], f"not in order: {[one.get('id') for one in got]}")
    found = by_id(got)
    states = [found[number]["result"]["state"] for number in (1, 2, 5)]
    check(states == ["disabled", "disabled", "stopped"], f"{states}")
    check((kind(found[3]), kind(found[6]), len(found[4]["result"]["items"])) == ("ok", "refused", 2), f"{outcomes(got)}")
    check(host.end() == 0, "it does not end well")
    again = trial.host()
    check(again.result("plugin.info", name)["state"] == "stopped", "it was not kept")
    again.end()


def answers_of(host, plugin="org.example.asks"):
    """The answers to the plugin, in order."""
    return [line.split()[-1] for line in host.log(plugin) if line.startswith("answer")]


def await_answers_of(host, count, seconds=15):
    end = time.monotonic() + seconds
    while len(answers_of(host)) < count and time.monotonic() < end:
        host.read(0.1)


CASES = [value for name, value in list(globals().items())
         if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("trial",)
         and value.__code__.co_argcount == 1]
NEEDS_STRACE = {"change_before_one_that_needs_it_durable", "history_of_a_tool_that_fails", "large_import_beside_a_failed_sync", "hooked_change_whose_sync_fails", "hooked_batch_whose_sync_fails",
                "batch_behind_another_of_a_hook", "plugin_request_whose_sync_fails", "lanes_wait_beside_each_other", "plugin_is_changed_beside_the_loop"}


def on_its_own(case):
    def run():
        trial = Trial()
        try:
            case(trial)
        finally:
            shutil.rmtree(trial.folder, ignore_errors=True)
    return run


@script("host", case=(str, "this one alone"), jobs=4)
def main(options):
    global BINARY
    BINARY = options.host
    cases = [case for case in CASES if options.case in (None, case.__name__)]
    if shutil.which("strace") is None:
        print("SKIPPED: strace")
        cases = [case for case in cases if case.__name__ not in NEEDS_STRACE]
    return run_cases([(case.__name__, on_its_own(case)) for case in cases], jobs=options.jobs)
