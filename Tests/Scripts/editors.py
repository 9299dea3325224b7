#!/usr/bin/env python3
"""Runs the editors' code of Docs/Editors.md against a host, each in its editor without a screen.

For each: the editor loads the code while there is no host, asks and is told so; the host is installed, a mood is added;
the editor subscribes and is notified of the next mood; the host is killed in the middle of a request, which fails; the next
one works. An editor that is not installed is named as SKIPPED.

Usage: editors.py HOST [--only NAME]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs", "Editors.md")
LINES_MAX = 60
SECONDS_MAX = 60

# What each editor shows, in this order but for the answer and the notification of one request.
SHOWN = [
    r"no program moodboard|moodboard cannot be started",
    r"is revision 1\b",
    r"moodboard: mood is at 2\b",
    r"is revision 2\b",
    r"moodboard: .*(ended|died|not running|not an open channel)",
    r"is revision 3\b",
]

EMACS = """
(defun try (label)
  (condition-case failure (mood "😊" label) (user-error (message "%s" (error-message-string failure)))))
(try "None")
(call-process (expand-file-name "install"))
(try "One")
(mood-watch)
(try "Two")
(accept-process-output nil 0.5)
(call-process (expand-file-name "kill-midway"))
(try "Killed")
(try "Three")
"""

NEOVIM = """
local shown = 0
vim.notify = function(text) shown = shown + 1; io.stdout:write(text .. "\\n") end
local function try(command, count)
  local before = shown
  vim.cmd(command)
  vim.wait(15000, function() return shown >= before + count end, 10)
end
package.loaded.moodboard = dofile("code.lua")
try("Mood 😊 None", 1)
vim.fn.system("./install")
try("Mood 😊 One", 1)
try("MoodWatch", 1)
try("Mood 😊 Two", 2)
vim.fn.system("./kill-midway")
try("Mood 😊 Killed", 1)
try("Mood 😊 Three", 1)
"""

VIM = """
source code.vim
Mood 😊 None
call system('./install')
Mood 😊 One
MoodWatch
Mood 😊 Two
sleep 500m
call system('./kill-midway')
Mood 😊 Killed
Mood 😊 Three
call writefile(split(execute('messages'), "\\n"), 'shown')
qall!
"""

VSCODE = """
const Module = require("node:module");
const { execFileSync } = require("node:child_process");
const commands = {};
const show = (text) => console.log(text);
let inputs = [];
const vscode = {
  window: {
    showInputBox: async () => inputs.shift(), showInformationMessage: show, showErrorMessage: show,
    setStatusBarMessage: show,
  },
  commands: { registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);
const context = { subscriptions: [] };
require("./code.js").activate(context);
const add = (label) => { inputs = ["😊", label]; return commands["moodboard.add"](); };
(async () => {
  await add("None");
  execFileSync("./install");
  await add("One");
  await commands["moodboard.watch"]();
  await add("Two");
  execFileSync("./kill-midway");
  await add("Killed");
  await add("Three");
  for (const one of context.subscriptions) one?.dispose();
})();
"""

# name: the language of its block, the file of the code, the file and the text that drive it, and how it is run.
EDITORS = {
    "emacs": ("elisp", "code.el", "drive.el", EMACS, ["emacs", "-Q", "--batch", "-l", "code.el", "-l", "drive.el"]),
    "nvim": ("lua", "code.lua", "drive.lua", NEOVIM,
             ["nvim", "--headless", "-n", "-u", "NONE", "-c", "luafile drive.lua", "-c", "qall!"]),
    "vim": ("vim", "code.vim", "drive.vim", VIM,
            ["vim", "-N", "-n", "-u", "NONE", "-i", "NONE", "-es", "-S", "drive.vim"]),
    "node": ("js", "code.js", "drive.js", VSCODE, ["node", "drive.js"]),
}

# The host with its process id in a file; it appears in the PATH when it is installed.
HOST = """#!/bin/sh
echo $$ > {folder}/pid
exec {host} "$@"
"""
INSTALL = """#!/bin/sh
cp {folder}/host {folder}/bin/moodboard
"""
# While another process holds the store's lock a change waits for it; then the host is gone, and a little later the lock is free.
KILL = """#!/bin/sh
flock {folder}/store/lock sh -c 'touch {folder}/held; sleep 1; kill -KILL $(cat {folder}/pid); sleep 0.3' \\
    < /dev/null > {folder}/killed 2>&1 &
while [ ! -e {folder}/held ]; do sleep 0.02; done
"""


def code(language):
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
    if len(blocks) != 1:
        sys.exit(f"Docs/Editors.md has {len(blocks)} blocks of {language}")
    lines = blocks[0].count("\n")
    if lines >= LINES_MAX:
        sys.exit(f"Docs/Editors.md: the block of {language} has {lines} lines, {LINES_MAX - 1} are allowed")
    return blocks[0]


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def run(name, host):
    """What is wrong, or None."""
    language, code_file, drive_file, drive, command = EDITORS[name]
    block = code(language)
    with tempfile.TemporaryDirectory(prefix="editor-") as folder:
        os.mkdir(os.path.join(folder, "bin"))
        for file, text in (("host", HOST), ("install", INSTALL), ("kill-midway", KILL)):
            write(folder, file, text.format(folder=folder, host=host), 0o755)
        write(folder, code_file, block)
        write(folder, drive_file, drive)
        environment = {
            "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ.get("PATH", ""), "HOME": folder,
            "MOODBOARD_STORE": os.path.join(folder, "store"), "TERM": "dumb",
            # Emacs and Node take UTF-8 from here; Vim must do without, as on a machine without locales.
            "LC_ALL": "C" if name == "vim" else "C.UTF-8",
        }
        if shutil.which("moodboard", path=environment["PATH"]):
            return "a moodboard is installed in the PATH already"
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired as error:
            return f"it did not end within {SECONDS_MAX} s\n{(error.stdout or b'').decode('utf-8', 'replace')}"
        shown = done.stdout.decode("utf-8", "replace").replace("\r", "\n")
        if os.path.exists(os.path.join(folder, "shown")):
            with open(os.path.join(folder, "shown"), encoding="utf-8") as file:
                shown += file.read()
        kept = subprocess.run(
            [host, "--store", environment["MOODBOARD_STORE"]], stdout=subprocess.PIPE, timeout=SECONDS_MAX,
            input=b'{"jsonrpc":"2.0","id":1,"method":"mood.list","params":{"sort":"label"}}\n').stdout.decode()
        missing = [pattern for pattern in SHOWN if not re.search(pattern, shown)]
        if missing:
            return f"it did not show {missing[0]}\n{shown}"
        if re.findall(r'"label":"(\w+)"', kept) != ["Two", "Three", "One"] or kept.count("😊") != 3:
            return f"the moods are not those that were added: {kept}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Runs the editors' code of Docs/Editors.md.")
    parser.add_argument("host")
    parser.add_argument("--only", choices=EDITORS)
    options = parser.parse_args()
    host = os.path.abspath(options.host)
    failed = 0
    for name in [options.only] if options.only else EDITORS:
        if not shutil.which(name):
            print(f"SKIPPED: {name}")
            continue
        problem = run(name, host)
        failed += problem is not None
        print(f"ok    {name}" if problem is None else f"FAIL  {name}: {problem}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
