// Moods of a MoodBoard host in a tree, for VS Code. The tree follows every change, by any program. The host is started when
// the tree is first shown or a command is run, and anew after it has ended.
"use strict";

const vscode = require("vscode");
const { spawn } = require("node:child_process");

const LIMIT = 200;

/** The connection to a host. */
class Host {
  constructor(command, onEvent, onEnd) {
    this.waiting = new Map();
    this.last = 0;
    this.child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    let isOver = false;
    const end = (reason) => {
      if (isOver) return;
      isOver = true;
      onEnd(this, reason);
      for (const { reject } of this.waiting.values()) reject(new Error(reason));
      this.waiting.clear();
    };
    this.child.on("error", (error) => end(`${command[0]} cannot be started (${error.code}); install it`));
    this.child.on("close", () => end("the host ended before it answered"));
    this.child.stdin.on("error", () => {}); // "close" tells.
    let rest = "";
    // Split at LF alone: Node's readline would also split at U+2028, which may stand in a note.
    this.child.stdout.setEncoding("utf8").on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) this.read(line, onEvent);
    });
  }

  /** A line that is no message fails what waits, and the next one is read. */
  read(line, onEvent) {
    let message = {};
    try {
      message = Object(JSON.parse(line));
    } catch (error) {
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    }
    this.hear(message, onEvent);
  }

  hear({ id, result, error, method, params }, onEvent) {
    if (method === "events.event") return onEvent(Object(params));
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) request?.reject(new Error(error.message));
    else if (Object(result) !== result) request?.reject(new Error("the host has answered with nothing"));
    else request?.resolve(result);
  }

  call(method, params) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  }
}

/** A cell as text; of a kind that is not known, what it says to those who cannot see it. */
function cellText(cell) {
  if (Object(cell) !== cell) return "(a cell that cannot be shown)";
  switch (cell.type) {
    case "hero": return `# ${cell.emoji}`;
    case "info": return `${cell.title}: ${cell.value}`;
    case "text": case "notes": case "relativeTime": case "hint": return cell.text;
    default: return cell.accessibility?.label ?? cell.type;
  }
}

/** The tree of moods, and the pages of those that are open. */
class Moods {
  constructor() {
    this.treeChanged = new vscode.EventEmitter();
    this.pageChanged = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.treeChanged.event;
    this.onDidChange = this.pageChanged.event;
    this.pages = new Set(); // addresses of open ones
    this.isSubscribed = false;
    this.isShown = false;
    this.pause = 1000; // milliseconds until a host that could not be reached is tried again
  }

  call(method, params) {
    this.host ??= new Host(
      vscode.workspace.getConfiguration("moodboard").get("command", ["moodboard"]),
      (event) => this.hear(event), (host, reason) => this.ended(host, reason));
    return this.host.call(method, params);
  }

  /** After many events one look. */
  hear(event) {
    // Too many came while this was busy: the subscription has ended.
    if (event.lagged) this.isSubscribed = false;
    this.later(200);
  }

  ended(host) {
    if (this.host !== host) return;
    this.host = undefined;
    this.isSubscribed = false;
    if (this.isClosed) return;
    this.later(this.pause);
    this.pause = Math.min(60000, 2 * this.pause);
  }

  later(milliseconds) {
    if (!this.isShown) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.look();
    }, milliseconds);
  }

  look() {
    this.treeChanged.fire(undefined);
    for (const page of this.pages) this.pageChanged.fire(vscode.Uri.parse(page));
  }

  // The tree.

  async getChildren(mood) {
    if (mood) return [];
    this.isShown = true;
    try {
      if (!this.isSubscribed) {
        this.isSubscribed = true;
        this.call("events.subscribe", { topics: ["mood"] }).catch(() => { this.isSubscribed = false; });
      }
      const page = await this.call("mood.list", { limit: LIMIT });
      if (!Array.isArray(page.items)) throw new Error("the host has answered with no list");
      this.pause = 1000;
      return page.empty ? [{ message: page.empty.title, detail: page.empty.hint }] : page.items.map(Object);
    } catch (error) {
      // It is tried again when the host has ended, or soon where it goes on.
      if (this.host) this.later(this.pause);
      return [{ message: error.message }];
    }
  }

  /** One that is otherwise than a mood hides no other. */
  getTreeItem(mood) {
    try {
      return this.usualItem(mood);
    } catch {
      return new vscode.TreeItem("(a mood that cannot be shown)");
    }
  }

  usualItem(mood) {
    if (mood.message) return Object.assign(new vscode.TreeItem(mood.message), { tooltip: mood.detail });
    return Object.assign(new vscode.TreeItem(`${mood.isFavorite ? "★ " : ""}${mood.emoji} ${mood.label}`), {
      id: mood.id,
      description: [new Date(mood.timestamp).toLocaleString(), ...mood.tags.map((tag) => `#${tag}`)].join(" "),
      contextValue: "mood",
      command: { command: "moodboard.open", title: "Open", arguments: [mood] },
    });
  }

  // A page for one mood: its screen, cell by cell.

  async provideTextDocumentContent(uri) {
    this.pages.add(uri.toString());
    try {
      const screen = await this.call("mood.detail", { id: uri.path.replace(/^\/|\.md$/g, "") });
      return screen.cells.map(cellText).join("\n\n") + "\n";
    } catch (error) {
      return `moodboard: ${error.message}\n`;
    }
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.host?.child.stdin.end();
  }
}

exports.activate = (context) => {
  const moods = new Moods();
  const show = (text) => vscode.window.showInformationMessage(text);
  const command = (name, run) => vscode.commands.registerCommand(`moodboard.${name}`, (...given) =>
    run(...given).catch((error) => vscode.window.showErrorMessage(`moodboard: ${error.message}`)));
  const page = (mood) => vscode.Uri.parse(`moodboard:/${mood.id}.md`);

  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("moodboard.moods", moods),
    vscode.workspace.registerTextDocumentContentProvider("moodboard", moods),
    vscode.workspace.onDidCloseTextDocument((document) => moods.pages.delete(document.uri.toString())),
    command("refresh", async () => moods.look()),
    command("add", async () => {
      const emoji = await vscode.window.showInputBox({ prompt: "Emoji" });
      const label = emoji && await vscode.window.showInputBox({ prompt: "Label" });
      if (!label) return;
      const mood = await moods.call("mood.create", { emoji, label });
      show(`${mood.emoji} ${mood.label} is recorded`);
    }),
    command("favorite", async ({ id }) => {
      const mood = await moods.call("mood.toggleFavorite", { id });
      show(`${mood.label} is ${mood.isFavorite ? "a" : "no"} favorite`);
    }),
    command("share", async ({ id }) => {
      const { text } = await moods.call("mood.share", { id });
      await vscode.env.clipboard.writeText(text);
      show(text);
    }),
    command("open", async (mood) => {
      await moods.call("mood.get", { id: mood.id });
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(page(mood)), { preview: true });
    }),
    { dispose: () => moods.close() });
};
