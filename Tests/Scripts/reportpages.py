#!/usr/bin/env python3
"""Checks the drawings of `stats.render` in a browser: Chromium without a window, driven over its own pipe.

    reportpages.py HOST [--chromium PROGRAM] [--keep FOLDER] [--moods 400] [--seed 1]

Year, month, summary and report, as HTML and as SVG, light, dark and in print, 400 and 1,200 pixels wide. In each: nothing is wider
than the window, the page sends no request, no error is logged, and every visible text has a contrast of 4.5:1 or more
to its background (WCAG 2.2, 1.4.3; 3:1 where it is large). Prints the least contrast of each drawing. With `--keep` the
screenshots stay there. Exit 1 on failure; `SKIPPED` without Chromium.
"""
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from stores import Host

from harness import Skipped, script

LABELS = [("😊", "Happy"), ("😢", "Sad"), ("😌", "Calm"), ("😐", "Meh"), ("😰", "Stressed"), ("🐝", "A label that goes on and on, far longer than others do"),
          ("🎉", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW")]
TAGS = ["work", "rain", "sea", "a_tag_without_any_place_to_break_" + "x" * 30, "日本語", "<b>"]

# Every visible text with too little contrast to its background.
MEASURE = r"""
(() => {
  const parse = color => {
    const found = color.match(/rgba?\(([^)]+)\)/);
    if (!found) return null;
    const [r, g, b, a = 1] = found[1].split(/[ ,\/]+/).filter(Boolean).map(Number);
    return {r, g, b, a};
  };
  const light = ({r, g, b}) => {
    const part = value => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1});
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('print').matches;
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const page = isDark && scheme.includes('dark') ? {r: 18, g: 18, b: 18, a: 1} : {r: 255, g: 255, b: 255, a: 1};
  const paint = element => {
    const style = getComputedStyle(element);
    if (element instanceof SVGElement && !(element instanceof SVGSVGElement)) {
      if (element instanceof SVGTextElement || element instanceof SVGTSpanElement || element instanceof SVGGElement) return null;
      const fill = parse(style.fill);
      return fill && {...fill, a: fill.a * Number(style.fillOpacity) * Number(style.opacity)};
    }
    return parse(style.backgroundColor);
  };
  const result = {texts: 0, least: 99, wrong: []};
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('title, desc, style, head, script')) continue;
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden' || style.display === 'none') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    // What is there for screen readers alone takes no room.
    if (box.width < 2 || box.height < 2) continue;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const stack = document.elementsFromPoint(x, y);
    let layers = [];
    const place = stack.indexOf(element);
    for (const below of place < 0 ? [element] : stack.slice(place)) {
      const color = paint(below);
      if (!color || color.a === 0) continue;
      layers.push(color);
      if (color.a >= 0.99) break;
    }
    let ground = page;
    for (const layer of layers.reverse()) ground = over(layer, ground);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    if (!ink || (element instanceof SVGElement && /\p{Extended_Pictographic}/u.test(node.data))) continue;
    const seen = over({...ink, a: ink.a * Number(style.opacity)}, ground);
    const [a, b] = [light(seen), light(ground)].sort((a, b) => b - a);
    const contrast = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const wanted = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
    result.texts++;
    result.least = Math.min(result.least, contrast);
    if (contrast < wanted) result.wrong.push(`${contrast.toFixed(2)} "${node.data.trim().slice(0, 40)}" ${JSON.stringify(seen)} on ${JSON.stringify(ground)}`);
  }
  const root = document.documentElement;
  result.width = root.clientWidth;
  result.overflow = root.scrollWidth - root.clientWidth;
  result.wide = result.overflow <= 0 ? [] : [...document.querySelectorAll('body *')]
    .filter(element => element.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 5)
    .map(element => `${element.tagName} ${element.className.baseVal ?? element.className} ${(element.textContent || '').trim().slice(0, 40)}`);
  return JSON.stringify(result);
})()
"""


class Chromium:
    """Speaks the DevTools protocol over two pipes: JSON, each message ended by a zero byte."""

    def __init__(self, program, folder):
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()
        arguments = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                     "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + folder, "about:blank"]

        def place():
            os.dup2(to_child, 203)
            os.dup2(from_child, 204)
            os.dup2(203, 3)
            os.dup2(204, 4)

        self.process = subprocess.Popen(arguments, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self(domain + ".enable")

    def read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 16)
            if not part:
                sys.exit("Chromium has ended")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def __call__(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events = []
        self("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def close(self):
        try:
            self("Browser.close")
        except SystemExit:
            pass
        self.process.wait(20)


def fill(host, count, chance):
    for number in range(count):
        emoji, label = chance.choice(LABELS)
        day, hour = chance.randrange(330), chance.randrange(24)
        month, date = 1 + day // 30, 1 + day % 28
        mood = {"emoji": emoji, "label": label, "timestamp": f"{chance.choice([2024, 2026, 2026])}-{month:02}-{date:02}T{hour:02}:00:00Z",
                "tags": chance.sample(TAGS, chance.choice([0, 1, 2])), "notes": chance.choice(["", "slept well", "<script>alert(1)</script>", "x" * 120])}
        if chance.random() < 0.7:
            mood["valence"] = round(chance.uniform(-1, 1), 2)
        answer = host.ask("mood.create", mood)
        if "error" in answer:
            sys.exit(str(answer))


@script("host", chromium=str, keep=str, moods=400, seed=1)
def main(arguments):
    program = arguments.chromium or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        raise Skipped("chromium")
    failed = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        kept = arguments.keep or folder
        os.makedirs(kept, exist_ok=True)
        host = Host([arguments.host, "--in-memory", "--no-plugins", "--time-zone", "UTC"])
        fill(host, arguments.moods, random.Random(arguments.seed))
        browser = Chromium(program, os.path.join(folder, "profile"))
        for what in ("year", "month", "summary", "report"):
            for form in ("html", "svg"):
                answer = host.ask("stats.render", {"what": what, "format": form, "now": "2026-11-20T12:00:00Z"})
                path = os.path.join(folder, f"{what}.{form}")
                with open(path, "w") as out:
                    out.write(answer["result"]["text"])
                for media, scheme, width in [("screen", "light", 1200), ("screen", "dark", 1200), ("screen", "light", 400), ("screen", "dark", 400), ("print", "light", 794)]:
                    name = f"{what}-{form}-{media if media == 'print' else scheme}-{width}"
                    browser("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
                    browser("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                    browser.open("file://" + path)
                    # All of it in the window, because only visible parts can be checked.
                    size = browser("Page.getLayoutMetrics")["cssContentSize"]
                    browser("Emulation.setDeviceMetricsOverride", width=width, height=max(900, int(size["height"]) + 1), deviceScaleFactor=1, mobile=False)
                    found = json.loads(browser("Runtime.evaluate", expression=MEASURE, returnByValue=True)["result"]["value"])
                    asked = [event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
                    asked = [url for url in asked if url != "file://" + path]
                    said = [event for event in browser.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
                    if arguments.keep:
                        picture = browser("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
                        with open(os.path.join(kept, name + ".png"), "wb") as out:
                            out.write(base64.b64decode(picture))
                    problems = [f"contrast {line}" for line in found["wrong"][:5]] + [f"asks for {url}" for url in asked] + [f"logs {event}" for event in said]
                    if found["overflow"] > 0 and not (form == "svg"):
                        problems.append(f"is {found['overflow']} pixels too wide: {found['wide']}")
                    if found["texts"] == 0:
                        problems.append("shows no text")
                    print(f"{name}: {found['texts']} texts, least contrast {found['least']:.2f}" + ("" if not problems else " WRONG"))
                    for problem in problems:
                        failed.append(name)
                        print("   ", problem)
        browser.close()
    print("every drawing holds" if not failed else f"{len(set(failed))} do not hold")
    return failed
