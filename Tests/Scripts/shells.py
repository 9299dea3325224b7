#!/usr/bin/env python3
"""Uses `mood` as a person does at a shell: completion in bash, zsh and fish, editors, lists and pagers in a real terminal (tmux).

    Tests/Scripts/shells.py PATH/TO/mood PATH/TO/moodboard [--keep]

A completed line is run too, and must be a command that works. A missing program is `SKIPPED: name`.
"""

import os
import shutil
import stat
import subprocess
import tempfile
import traceback
import unicodedata

from browse import Terminal

from harness import needs, script

# The text before Tab and after it. {} is a space in a word, as each shell writes it.
COMPLETIONS = [
    ("mood show @la", "mood show @last"),
    ("mood show @1 @ad", "mood show @1 @added"),
    ("mood add melt", "mood add melting"),
    ("mood add calm +spo", "mood add calm +sport"),
    ("mood list --tag spo", "mood list --tag sport"),
    ("mood list --tag=spo", "mood list --tag=sport"),
    ("mood list --label Quite", "mood list --label Quite{}content"),
    ("mood list --time-zone Europe/Hels", "mood list --time-zone Europe/Helsinki"),
    ("mood export dayl", "mood export daylio"),
    ("mood store verif", "mood store verify"),
    ("mood rpc mood.toggleF", "mood rpc mood.toggleFavorite"),
    ("mood import mood-fi", "mood import mood-file.csv"),
    ("mood palette rm melt", "mood palette rm melting"),
    ("mood settings keepZ", "mood settings keepZone"),
]
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ["source <(mood completion bash)"], "\\ "),
    "zsh": (
        ["zsh", "-f", "-i"],
        ["unsetopt zle_bracketed_paste beep; PS1='$ '", "autoload -U compinit; compinit -u -D", "source <(mood completion zsh)"],
        "\\ ",
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        ["function fish_prompt; echo '$ '; end; set -g fish_autosuggestion_enabled 0; function fish_greeting; end",
         "mood completion fish | source"],
        "\\ ",
    ),
}


def complete(shell, environment):
    program, setup, space = SHELLS[shell]
    terminal = Terminal(environment, name=shell, program=["sh"])
    try:
        # Uses a shell with a known prompt.
        terminal.type(" ".join(program))
        terminal.press("Enter")
        for line in setup:
            terminal.type(line)
            terminal.press("Enter")
        terminal.type("clear; echo rea''dy")
        terminal.press("Enter")
        terminal.wait("ready")
        for typed, wanted in COMPLETIONS:
            terminal.type(typed)
            terminal.press("Tab")
            terminal.wait(wanted.format(space))
            terminal.press("C-e", "C-u")
        # Runs the command that Tab made.
        for typed, said in (("mood show @la", "From Windows"), ("mood list --label Quite", "Quite content")):
            terminal.type("clear")
            terminal.press("Enter")
            terminal.type(typed)
            terminal.press("Tab")
            terminal.wait(typed)
            terminal.press("Enter")
            terminal.wait(said)
    finally:
        terminal.close()


def edit(mood, folder, environment):
    """Editors with the results of real ones."""

    def run(script, *arguments):
        editor = os.path.join(folder, "editor.sh")
        runs = os.path.join(folder, "runs")
        with open(editor, "w") as file:
            file.write(f'#!/bin/sh\necho run >> "{runs}"\n{script}\n')
        os.chmod(editor, stat.S_IRWXU)
        if os.path.exists(runs):
            os.remove(runs)
        done = subprocess.run([mood, *arguments, "-e"], env={**environment, "EDITOR": editor}, capture_output=True, check=False)
        with open(runs) as file:
            return done.returncode, done.stderr.decode(), len(file.readlines())

    drafts = os.path.join(folder, ".local/state/moodboard/drafts")

    def kept():
        return os.listdir(drafts) if os.path.isdir(drafts) else []

    def count():
        return int(subprocess.run([mood, "list", "--count"], env=environment, capture_output=True, check=True).stdout)

    before = count()
    for script in (': > "$1"', 'printf "\\n\\n" > "$1"', "true"):
        status, said, runs = run(script, "add")
        assert (status, said.count("\n"), runs) == (1, 1, 1), (script, status, said, runs)
    assert run("true", "edit", "@last")[0] == 0
    assert not kept() and count() == before
    windows = b"\xef\xbb\xbf---\r\nemoji: \xf0\x9f\x98\x8a\r\nlabel: From Windows\r\ntags: sea\r\n---\r\none\r\ntwo\r\n"
    latin = b"---\nemoji: \xf0\x9f\x98\x8a\nlabel: Caf\xe9\n---\n"
    for name, data in (("windows", windows), ("latin", latin)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    status, said, _ = run(f'cp "{folder}/windows" "$1"', "add")
    shown = subprocess.run([mood, "list", "--label", "from windows", "--jsonl"], env=environment, capture_output=True, check=True)
    assert status == 0 and b'"notes":"one\\ntwo","tags":["sea"]' in shown.stdout, (status, said, shown.stdout)
    status, said, runs = run(f'cp "{folder}/latin" "$1"', "edit", "@last")
    assert (status, runs, len(kept())) == (65, 1, 1) and "UTF-8" in said, (status, said, runs, kept())
    os.rename(os.path.join(drafts, kept()[0]), os.path.join(drafts, "mood-1000.md"))
    run("true", "edit", "@last")
    assert not kept(), "a draft of more than thirty days goes"


def columns(line):
    return sum(
        0 if unicodedata.combining(one) or one == "\ufe0f" else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line
    )


def draw(environment):
    """Output fits into the window, and shows what a person looks for."""
    for width in (40, 80, 120):
        terminal = Terminal(environment, columns=width, lines=50, name=f"w{width}")
        try:
            commands = ["year 2026", "month 2026-11", "stats", "stats 2026", "list", "tags", "settings", "palette"]
            # An id has more columns than the narrowest window.
            for number, command in enumerate(commands + (["show @last"] if width >= 80 else [])):
                terminal.type(f"clear; mood {command}; echo do''ne {number}")
                terminal.press("Enter")
                terminal.wait(f"done {number}")
                # Joins lines that the terminal had to break.
                lines = terminal.tmux("capture-pane", "-t", "t", "-p", "-J").split("\n")
                for line in lines:
                    assert columns(line.rstrip()) <= width, f"{command} at {width}: {line}"
                if command == "list" and width >= 80:
                    assert any("A note" in line for line in lines), "\n".join(lines)
        finally:
            terminal.close()


def page(environment):
    """less shows colors or none, for every value of LESS."""
    for number, less in enumerate((None, "", "-F -X", "FX", "-S", "-+R", "--quit-if-one-screen")):
        more = {} if less is None else {"LESS": less}
        terminal = Terminal({**environment, "PAGER": "less", **more}, lines=10, name=f"p{number}")
        try:
            terminal.type("clear; mood list")
            terminal.press("Enter")
            screen = terminal.wait("MOOD", "@1 ")
            assert "ESC" not in screen and "[1m" not in screen and "[2m" not in screen, (less, screen)
            terminal.press("q")
        finally:
            terminal.close()


@script("mood", "moodboard", keep=(False, "leave the folder"))
def main(options):
    needs("tmux")
    folder = tempfile.mkdtemp(prefix="shells.")
    # In one folder, as they are installed.
    for path, name in ((options.mood, "mood"), (options.moodboard, "moodboard")):
        shutil.copy2(path, os.path.join(folder, name))
    mood = os.path.join(folder, "mood")
    environment = {
        "HOME": folder, "PATH": f"{folder}:/usr/bin:/bin", "TERM": "screen-256color", "PS1": "$ ", "TZ": "Europe/Helsinki",
        "LANG": "C.UTF-8",
    }
    with open(os.path.join(folder, "mood-file.csv"), "w") as file:
        file.write("mood,when\n")
    # Its folder is the working directory of each shell.
    os.chdir(folder)

    def at_shell(*arguments):
        subprocess.run([mood, *arguments], env=environment, check=True, capture_output=True)

    at_shell("palette", "add", "🫠", "Melting", "--valence", "-0.2", "--alias", "gooey")
    for number in range(12):
        at_shell("add", "🙂", "Quite content", f"@2026-11-{number + 1:02} 10:00", "+sport", "-n", "A note " + "of some length " * 6)
    at_shell("add", "calm,", "A", "note", "of", "the", "latest", "+sport", "--scale", "sleep=7")
    try:
        edit(mood, folder, environment)
        draw(environment)
        page(environment)
        tried = []
        for shell in SHELLS:
            if shutil.which(shell) is None:
                print(f"SKIPPED: {shell}")
                continue
            complete(shell, environment)
            tried.append(shell)
        print(f"shells: {len(COMPLETIONS)} completions each in {', '.join(tried)}; editors, lists and pagers as expected")
        return 0
    except AssertionError:
        traceback.print_exc()
        return 1
    finally:
        if not options.keep:
            shutil.rmtree(folder)
