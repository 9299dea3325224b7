#!/usr/bin/env python3
"""Uses `mood browse` and `mood` alone in a real terminal (tmux), and checks the screen.

    Tests/Scripts/browse.py PATH/TO/mood PATH/TO/moodboard [--keep]

Each step presses keys and waits until the screen holds what it should. At the end the terminal must be as it was, after q, after
SIGTERM and after SIGKILL. With tmux missing it is `SKIPPED`.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import needs, script


class Terminal:
    """A window of tmux with a shell."""

    def __init__(self, environment, columns=80, lines=24, name="", program=("sh",)):
        self.name = f"browse{name}-{os.getpid()}"
        shell = ["env", "-i"] + [f"{name}={value}" for name, value in environment.items()] + [*program]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), "-s", "t", *shell)
        self.wait("$")

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-L", self.name, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"tmux {arguments}: {done.stderr}")
        return done.stdout

    def screen(self):
        return [line.rstrip() for line in self.tmux("capture-pane", "-t", "t", "-p").split("\n")]

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", "-t", "t", *([key] if key.startswith("-") else ["--", key]))

    def type(self, text):
        self.tmux("send-keys", "-t", "t", "-l", "--", text)

    def wait(self, *texts, gone=(), seconds=10):
        """Waits until the screen has all texts, and none of the others."""
        end = time.monotonic() + seconds
        while True:
            screen = "\n".join(self.screen())
            if all(text in screen for text in texts) and not any(text in screen for text in gone):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"{texts} without {gone} is not on the screen:\n{screen}")
            time.sleep(0.05)

    def modes(self):
        device = self.tmux("display-message", "-p", "-t", "t", "#{pane_tty}").strip()
        words = subprocess.run(["stty", "-a", "-F", device], capture_output=True, text=True, check=True).stdout.split()
        return {word for word in words if word.rstrip(";").lstrip("-") in ("icanon", "isig", "echo", "icrnl")}

    def size(self, columns, lines):
        self.tmux("resize-window", "-t", "t", "-x", str(columns), "-y", str(lines))

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)


def youngest(program):
    """The process id of the last started `mood`."""
    found = subprocess.run(["pgrep", "-n", "-f", f"^{program} (browse|key)"], capture_output=True, text=True, check=True)
    return int(found.stdout)


def browse(terminal, mood, environment):
    before = terminal.modes()
    terminal.type(f"{mood} browse")
    terminal.press("Enter")
    # The list comes first; the menu is one key back.
    screen = terminal.wait("Moods", "› ★ 😊 Happy", "😴 Tired", "n New mood", "q Quit")
    assert screen.count("q Quit") == 1, screen
    terminal.press("Escape")
    screen = terminal.wait("MoodBoard", "› 01    Intro State", "04-05 CRUD + Detail", "q Quit")
    assert screen.count("q Quit") == 1, screen
    terminal.press("End", "Enter")
    terminal.wait("Moods", "› ★ 😊 Happy", "😴 Tired", "n New mood")

    # Another program's change appears by itself.
    subprocess.run([mood, "add", "🥳", "Proud"], env=environment, check=True, capture_output=True)
    terminal.wait("🥳 Proud", "Changed elsewhere: 🥳 Proud created")

    # The form, over the list.
    terminal.press("n")
    terminal.wait("Intro State", "› Label", "s Save", gone=["✗"])
    # An emoji brings its label; a typed label stays.
    terminal.press("Up", "Up", "Right", "Enter")
    terminal.wait("Label    Excited", "Save", gone=["✗"])
    terminal.press("Down", "Down", "Enter", "C-u")
    terminal.wait("Label:")
    terminal.press("Enter")
    terminal.wait("✗ The label must not be empty", gone=["s Save"])
    terminal.press("Enter")
    terminal.type("Rested, é")
    terminal.wait("Label: Rested, é")
    terminal.press("Enter")
    terminal.wait("Save", gone=["✗"])
    terminal.press("s")
    terminal.wait("Moods", "🎉 Rested, é", gone=["Intro State"])

    # Undo asks nothing and shows what it did; so does redo.
    terminal.press("u")
    terminal.wait("Took back: Recorded 🎉 Rested, é. U makes it again.", gone=["› 🎉 Rested"])
    terminal.press("U")
    terminal.wait("Made again: Recorded 🎉 Rested, é")

    # A search, until Escape; notes and tags of a found mood are edited.
    terminal.press("/")
    terminal.type("resTED")
    terminal.press("Enter")
    terminal.wait("Moods: resTED", "🎉 Rested, é", gone=["Happy"])
    terminal.press("e")
    terminal.wait("Intro State", "Label    Rested, é", "Tags")
    terminal.press("Down", "Down", "Enter")
    terminal.type("sea")
    terminal.press("Enter")
    terminal.wait("sea", "Save")
    terminal.press("s")
    terminal.wait("Moods: resTED", gone=["Intro State"])
    terminal.press("/", "C-u")
    terminal.type("#SEA @today")
    terminal.press("Enter")
    terminal.wait("Moods: #SEA @today", "🎉 Rested, é", gone=["Happy"])
    terminal.press("Escape")
    terminal.wait("Moods", "Happy", "Tired", gone=["#SEA"])

    # Its detail, a favorite, notes.
    terminal.press("Home", "Enter")
    terminal.wait("Rested, é", "No notes yet", "a Add to favorites")
    terminal.press("a")
    terminal.wait("Rested, é ★", "r Remove from favorites")
    terminal.press("Enter")
    terminal.type("A walk")
    terminal.press("Enter")
    terminal.wait("› A walk")

    # Another size, then deleting with a question, and back to the menu.
    terminal.size(50, 12)
    terminal.wait("Rested, é ★", "q Quit")
    terminal.size(80, 24)
    terminal.press("d")
    terminal.wait("Delete: are you sure? [y/N]")
    terminal.press("y")
    terminal.wait("Moods", gone=["Rested"])
    terminal.press("q")
    terminal.wait("$", gone=["New mood"])
    assert terminal.modes() == before, (before, terminal.modes())


def ended(terminal, mood, number):
    """The terminal must be usable after every kind of end."""
    before = terminal.modes()
    terminal.type(f"{mood} browse")
    terminal.press("Enter")
    terminal.wait("New mood")
    assert terminal.modes() != before
    os.kill(youngest(mood), number)
    terminal.wait("$", gone=["New mood"])
    time.sleep(0.5)
    terminal.type("echo it is $((40 + 2))")
    terminal.press("Enter")
    terminal.wait("it is 42")
    assert terminal.modes() == before, (number, before, terminal.modes())


def synced(mood, folder, environment):
    """Two stores that share a folder, each in a terminal: both show a change of one."""
    stores = [os.path.join(folder, name) for name in ("left", "right")]
    os.mkdir(os.path.join(folder, "shared"))
    for number, store in enumerate(stores):
        more = [] if number else ["--new"]
        subprocess.run([mood, "--store", store, "sync", "setup", f"folder:{folder}/shared", *more], env=environment, check=True,
                       capture_output=True)
    terminals = []
    try:
        for number, store in enumerate(stores):
            terminals.append(Terminal(environment, name=number))
            terminals[number].type(f"{mood} --store {store} browse")
            terminals[number].press("Enter")
            terminals[number].wait("Moods", "n New mood")
        subprocess.run([mood, "--store", stores[0], "add", "🥳", "Seen by both"], env=environment, check=True, capture_output=True)
        # Two seconds of quiet, three until the other one polls, and the time of two rounds.
        for one in terminals:
            one.wait("🥳 Seen by both", seconds=30)
    finally:
        for one in terminals:
            one.press("q")
            one.close()


@script("mood", "moodboard", keep=(False, "leave the folder"))
def main(options):
    needs("tmux")
    folder = tempfile.mkdtemp(prefix="browse.")
    # In one folder, as they are installed.
    for path, name in ((options.mood, "mood"), (options.moodboard, "moodboard")):
        shutil.copy2(path, os.path.join(folder, name))
    mood = os.path.join(folder, "mood")
    environment = {
        "HOME": folder, "PATH": f"{folder}:/usr/bin:/bin", "TERM": "screen-256color", "PS1": "$ ", "TZ": "UTC", "LANG": "C.UTF-8",
    }
    subprocess.run([mood, "rpc", "store.insertSamples"], env=environment, check=True, capture_output=True)
    terminal = Terminal(environment)
    try:
        browse(terminal, mood, environment)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGKILL):
            ended(terminal, mood, number)
        synced(mood, folder, environment)
        print("browse: every screen was as expected, the terminal came back each time, two stores showed one change")
        return 0
    except AssertionError as error:
        print(f"browse: {error}", file=sys.stderr)
        return 1
    finally:
        terminal.close()
        if not options.keep:
            shutil.rmtree(folder)
