#!/usr/bin/env python3
"""Runs the editors' code of Docs/Editors against a host, each in its editor without a screen.

For each: the editor loads the code while there is no host, requests the list and shows an error. The host is installed; a mood is added, marked,
shared and opened; another program adds one, and the list shows it. Another program makes thousands of changes at once; the list shows
the last. The host is killed; the list shows later moods without a command. The host is killed in the middle of a request,
which fails; the next one works. Then again with a host that answers oddly (oddhost.py): the list shows the valid moods, and goes on.
An editor that is not installed is named as SKIPPED.

Usage: editors.py HOST [--only NAME] [--changes N]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from harness import One, script

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs", "Editors")
LINES_MAX = 290
SECONDS_MAX = 120
ODD_HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oddhost.py")

# The expected output of each editor, in order. A line with SEEN comes from the test: the list has this mood now.
SHOWN = [
    r"no program moodboard|moodboard cannot be started",
    r"One is recorded",
    r"SEEN One\b",
    r"SEEN Two\b",
    r"is a favorite",
    r"SEEN ★",
    r"SHARED 😊 (One|Two)\W+Recorded",
    r"DETAIL .*😊.*(One|Two).*Favorite\W+Yes",
    r"SEEN Last\b",
    r"SEEN Four\b",
    r"moodboard: .*(ended|died|not running|not an open channel)",
    r"Three is recorded",
    r"SEEN Three\b",
]

EMACS = """
(load (expand-file-name "moodboard.el"))
(defun shown () (if (get-buffer "*moods*") (with-current-buffer "*moods*" (buffer-string)) ""))
(defun try (command &rest given)
  (condition-case failure (apply command given) (error (message "%s" (error-message-string failure)))))
(defun until-seen (text)
  (let ((end (+ (float-time) 20)))
    (while (and (< (float-time) end) (not (string-match-p text (shown)))) (accept-process-output nil 0.05))
    (message "%s %s" (if (string-match-p text (shown)) "SEEN" "LACKING") text)))
(try #'moodboard)
(call-process (expand-file-name "install"))
(moodboard-mode 1)
(call-interactively (key-binding (kbd "C-c m m")))
(try #'moodboard-add "😊" "One")
(until-seen "One")
(call-process (expand-file-name "other") nil nil nil "Two")
(until-seen "Two")
(goto-char (point-min))
(try #'moodboard-favorite)
(until-seen "★")
(try #'moodboard-share)
(message "SHARED %s" (current-kill 0))
(try #'moodboard-open)
(with-current-buffer "*mood*"
  (message "DETAIL %s" (replace-regexp-in-string "\\n" " " (buffer-substring-no-properties (point-min) (point-max)))))
(call-process (expand-file-name "flood") nil 0)
(until-seen "Last")
(call-process (expand-file-name "kill"))
(call-process (expand-file-name "other") nil nil nil "Four")
(until-seen "Four")
(call-process (expand-file-name "kill-midway"))
(try #'moodboard-add "😊" "Killed")
(try #'moodboard-add "😊" "Three")
(until-seen "Three")
"""

NEOVIM = """
local function say(text) io.stdout:write(text .. "\\n") end
local told = 0
vim.notify = function(text) told = told + 1; say(text) end
local function shown()
  local buffer = vim.fn.bufnr("moodboard://moods")
  return buffer < 0 and "" or table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\\n")
end
local function until_seen(text)
  local function is_there() return shown():find(text, 1, true) ~= nil end
  say((vim.wait(20000, is_there, 50) and "SEEN " or "LACKING ") .. text)
end
local function try(command)
  local before = told
  vim.cmd(command)
  vim.wait(15000, function() return told > before end, 10)
end
vim.opt.runtimepath:append(".")
require("moodboard").setup()
try("MoodAdd 😊 None")
vim.fn.system("./install")
vim.cmd("Moods")
try("MoodAdd 😊 One")
until_seen("One")
vim.fn.system("./other Two")
until_seen("Two")
vim.api.nvim_win_set_cursor(0, { 1, 0 })
try("normal f")
until_seen("★")
try("normal s")
say("SHARED " .. vim.fn.getreg('"'))
vim.cmd("MoodOpen")
vim.wait(5000, function() return vim.fn.bufname() == "moodboard://mood" end, 10)
say("DETAIL " .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), " "))
vim.fn.jobstart("./flood")
until_seen("Last")
vim.fn.system("./kill")
vim.fn.system("./other Four")
until_seen("Four")
vim.fn.system("./kill-midway")
try("MoodAdd 😊 Killed")
try("MoodAdd 😊 Three")
until_seen("Three")
"""

VIM = """
set hidden
source plugin/moodboard.vim
function! Shown() abort
  return join(getbufline('^moodboard://moods$', 1, '$'), "\\n")
endfunction
function! UntilSeen(text) abort
  for turn in range(400)
    if stridx(Shown(), a:text) >= 0 | break | endif
    sleep 50m
  endfor
  echomsg (stridx(Shown(), a:text) >= 0 ? 'SEEN' : 'LACKING') a:text
endfunction
Moods
call system('./install')
Moods
MoodAdd 😊 One
call UntilSeen('One')
call system('./other Two')
call UntilSeen('Two')
call cursor(1, 1)
normal f
call UntilSeen('★')
normal s
echomsg 'SHARED' substitute(@", "\\n", ' ', 'g')
MoodOpen
echomsg 'DETAIL' join(getline(1, '$'))
call job_start('./flood')
call UntilSeen('Last')
call system('./kill')
call system('./other Four')
call UntilSeen('Four')
call system('./kill-midway')
MoodAdd 😊 Killed
MoodAdd 😊 Three
call UntilSeen('Three')
call writefile(split(execute('messages'), "\\n"), 'shown')
qall!
"""

VSCODE = """
const Module = require("node:module");
const { execFileSync, spawn } = require("node:child_process");
const commands = {};
const say = (text) => console.log(text);
let inputs = [], tree, pages, copied, list = [];
class EventEmitter {
  constructor() { this.heard = []; this.event = (hear) => { this.heard.push(hear); return { dispose() {} }; }; }
  fire(value) { for (const hear of this.heard) hear(value); }
}
const nothing = { dispose() {} };
const vscode = {
  EventEmitter,
  TreeItem: class { constructor(label) { this.label = label; } },
  Uri: { parse: (text) => ({ path: new URL(text).pathname, toString: () => text }) },
  env: { clipboard: { writeText: async (text) => { copied = text; } } },
  window: {
    showInputBox: async () => inputs.shift(), showInformationMessage: say, showErrorMessage: say,
    registerTreeDataProvider: (_, provider) => { tree = provider; return nothing; },
    showTextDocument: async (document) => say("DETAIL " + document.text.replaceAll("\\n", " ")),
  },
  workspace: {
    getConfiguration: () => ({ get: (_, otherwise) => otherwise }),
    registerTextDocumentContentProvider: (_, provider) => { pages = provider; return nothing; },
    onDidCloseTextDocument: () => nothing,
    openTextDocument: async (uri) => ({ uri, text: await pages.provideTextDocumentContent(uri) }),
  },
  commands: { registerCommand: (name, run) => { commands[name] = run; return nothing; } },
};
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);
const context = { subscriptions: [] };
require("./vscode/extension.js").activate(context);
const look = async () => { list = (await tree.getChildren()).map((mood) => [mood, tree.getTreeItem(mood).label]); };
const shown = () => list.map(([, label]) => label).join("\\n");
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
async function untilSeen(text) {
  for (let turn = 0; turn < 400 && !shown().includes(text); turn++) await pause(50);
  say((shown().includes(text) ? "SEEN " : "LACKING ") + text);
}
const add = (label) => { inputs = ["😊", label]; return commands["moodboard.add"](); };
(async () => {
  tree.onDidChangeTreeData(look);
  await look();
  say(shown());
  execFileSync("./install");
  await commands["moodboard.refresh"]();
  await add("One");
  await untilSeen("One");
  execFileSync("./other", ["Two"]);
  await untilSeen("Two");
  await commands["moodboard.favorite"](list[0][0]);
  await untilSeen("★");
  await commands["moodboard.share"](list[0][0]);
  say("SHARED " + copied);
  await commands["moodboard.open"](list[0][0]);
  spawn("./flood");
  await untilSeen("Last");
  execFileSync("./kill");
  execFileSync("./other", ["Four"]);
  await untilSeen("Four");
  execFileSync("./kill-midway");
  await add("Killed");
  await add("Three");
  await untilSeen("Three");
  for (const one of context.subscriptions) one?.dispose();
})();
"""

# With odd answers the list is shown, and another program adds one mood after the other.
ODD_EMACS = EMACS.split("(try #'moodboard)")[0] + """
(call-process (expand-file-name "install"))
(moodboard)
(dolist (label '("A" "B" "C" "D" "E" "F" "Good"))
  (call-process (expand-file-name "other") nil nil nil label)
  (let ((end (+ (float-time) 0.5))) (while (< (float-time) end) (accept-process-output nil 0.05))))
(until-seen "Good")
(call-process (expand-file-name "other") nil nil nil "Later")
(until-seen "Later")
"""
ODD_NEOVIM = NEOVIM.split("try(\"MoodAdd 😊 None")[0] + """
vim.fn.system("./install")
vim.cmd("Moods")
for _, label in ipairs({ "A", "B", "C", "D", "E", "F", "Good" }) do
  vim.fn.system("./other " .. label)
  vim.wait(500, function() return false end)
end
until_seen("Good")
vim.fn.system("./other Later")
until_seen("Later")
"""
ODD_VIM = VIM.split("Moods\n")[0] + """
call system('./install')
Moods
for label in ['A', 'B', 'C', 'D', 'E', 'F', 'Good']
  call system('./other ' .. label)
  sleep 500m
endfor
call UntilSeen('Good')
call system('./other Later')
call UntilSeen('Later')
call writefile(split(execute('messages'), "\\n"), 'shown')
qall!
"""
ODD_VSCODE = VSCODE.split("(async () => {\n")[0] + """
(async () => {
  tree.onDidChangeTreeData(look);
  execFileSync("./install");
  await look();
  for (const label of ["A", "B", "C", "D", "E", "F", "Good"]) {
    execFileSync("./other", [label]);
    await pause(500);
  }
  await untilSeen("Good");
  execFileSync("./other", ["Later"]);
  await untilSeen("Later");
  for (const one of context.subscriptions) one?.dispose();
})();
"""
ODD = {"emacs": ODD_EMACS, "nvim": ODD_NEOVIM, "vim": ODD_VIM, "node": ODD_VSCODE}
ODD_SHOWN = [r"SEEN Good\b", r"SEEN Later\b"]

# name: the file with its code, the text that drives it, the file of that text, and the command.
EDITORS = {
    "emacs": ("moodboard.el", EMACS, "drive.el", ["emacs", "-Q", "--batch", "-l", "drive.el"]),
    "nvim": ("lua/moodboard.lua", NEOVIM, "drive.lua",
             ["nvim", "--headless", "-n", "-u", "NONE", "-c", "luafile drive.lua", "-c", "qall!"]),
    "vim": ("plugin/moodboard.vim", VIM, "drive.vim",
            ["vim", "-N", "-n", "-u", "NONE", "-i", "NONE", "-es", "-S", "drive.vim"]),
    "node": ("vscode/extension.js", VSCODE, "drive.js", ["node", "drive.js"]),
}

SCRIPTS = {
    # The host, which writes its process id to a file; it appears in PATH when it is installed.
    "host": """#!/bin/sh
echo $$ > {folder}/pid
exec {host} "$@"
""",
    "install": """#!/bin/sh
cp {folder}/host {folder}/bin/moodboard
""",
    "kill": """#!/bin/sh
kill -KILL $(cat {folder}/pid)
""",
    # Another program adds a mood.
    "other": """#!/bin/sh
printf '{{"jsonrpc":"2.0","id":1,"method":"mood.create","params":{{"emoji":"😊","label":"%s"}}}}\\n' "$1" |
    {host} > {folder}/other.answers
""",
    # Another program makes many changes at once.
    "flood": """#!/bin/sh
{host} < {folder}/flood.requests > {folder}/flood.answers
""",
    # A change waits while another process holds the store's lock. Then the host is killed, and a little later the lock
    # is free.
    "kill-midway": """#!/bin/sh
flock {folder}/store/lock sh -c 'touch {folder}/held; sleep 1; kill -KILL $(cat {folder}/pid); sleep 0.3' \\
    < /dev/null > {folder}/killed 2>&1 &
while [ ! -e {folder}/held ]; do sleep 0.02; done
""",
}


def flood(changes):
    """Many changes of one mood, then a mood that marks their end."""
    flooded = "019b7c65-1a3e-7000-8000-000000000009"
    calls = [("mood.create", {"id": flooded, "emoji": "😊", "label": "Flood"})]
    calls += [("mood.setNotes", {"id": flooded, "notes": f"Note {number}"}) for number in range(changes)]
    calls.append(("mood.create", {"emoji": "😊", "label": "Last"}))
    return "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
        for number, (method, params) in enumerate(calls))


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def run(name, host, changes, is_odd=False):
    """The problem, or None."""
    code_file, drive, drive_file, command = EDITORS[name]
    if is_odd:
        drive = ODD[name]
    with open(os.path.join(FOLDER, code_file), encoding="utf-8") as file:
        lines = sum(1 for _ in file)
    if lines >= LINES_MAX:
        return f"{code_file} has {lines} lines, {LINES_MAX - 1} are allowed"
    with tempfile.TemporaryDirectory(prefix="editor-", ignore_cleanup_errors=True) as folder:
        os.mkdir(os.path.join(folder, "bin"))
        shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
        for file, text in SCRIPTS.items():
            program = f"{sys.executable} {ODD_HOST} {host}" if is_odd and file == "host" else host
            write(folder, file, text.format(folder=folder, host=program), 0o755)
        write(folder, "flood.requests", flood(changes))
        write(folder, drive_file, drive)
        environment = {
            "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ.get("PATH", ""), "HOME": folder,
            "MOODBOARD_STORE": os.path.join(folder, "store"), "TERM": "dumb",
            # Emacs and Node take UTF-8 from here; Vim must work without, as on a machine without locales.
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
        place = 0
        for pattern in ODD_SHOWN if is_odd else SHOWN:
            found = re.compile(pattern).search(shown, place)
            if not found:
                return f"it did not show {pattern}\n{shown[:20000]}"
            place = found.start()
        if not is_odd and re.findall(r'"label":"(\w+)"', kept) != ["Two", "Three", "One", "Last", "Four", "Flood"]:
            return f"the moods are not those that were added: {kept}"
    return None


@script("host", only=One(EDITORS), changes=(3000, "how many of the flood"))
def main(options):
    host = options.host
    failed = 0
    for name in [options.only] if options.only else EDITORS:
        if not shutil.which(name):
            print(f"SKIPPED: {name}")
            continue
        problem = run(name, host, options.changes) or run(name, host, options.changes, is_odd=True)
        failed += problem is not None
        print(f"ok    {name}" if problem is None else f"FAIL  {name}: {problem}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0
