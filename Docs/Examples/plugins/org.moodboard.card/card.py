#!/usr/bin/env python3
"""A MoodBoard plugin: a mood as a picture (SVG, 640 × 360) to share.

It asks the host for nothing: the mood comes with the request.
"""

import datetime
import json
import sys
import unicodedata
import xml.sax.saxutils
import zoneinfo

# From unpleasant to pleasant: background and text. Blue and orange are told apart by colour-blind people too.
COLORS = [(-0.3, "#d6e4f0", "#12304a"), (0.3, "#eeeeee", "#222222"), (1.1, "#fde7c8", "#4a2c00")]
NOTE_COLUMNS, NOTE_LINES, LABEL_COLUMNS = 52, 4, 24


def columns(text):
    """How wide a text is: wide characters count twice, combining ones not at all."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text, width):
    """The text, or as much of it as fits with an ellipsis."""
    if columns(text) <= width:
        return text
    while text and columns(text) >= width:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text, width, lines):
    """At most so many lines; the last one ends with an ellipsis if there is more."""
    found = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and columns(line) + 1 + columns(word) > width:
                found.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        if line:
            found.append(line)
    if len(found) > lines:
        found = found[:lines - 1] + [found[lines - 1] + " " + "…" * width]
    return [cut(line, width) for line in found]


def xml_text(text):
    """Escaped, and without the characters that XML forbids."""
    allowed = "".join(c for c in text if c in "\t\n" or " " <= c and c not in "\ufffe\uffff")
    return xml.sax.saxutils.escape(allowed, {'"': "&quot;"})


def svg(mood, time_zone):
    zone = zoneinfo.ZoneInfo(mood.get("timeZone") or time_zone)
    when = datetime.datetime.fromisoformat(mood["timestamp"].replace("Z", "+00:00")).astimezone(zone)
    day = when.strftime("%Y-%m-%d %H:%M")
    background, ink = next((b, i) for limit, b, i in COLORS if mood.get("valence", 0) < limit)
    notes = wrap(mood.get("notes", ""), NOTE_COLUMNS, NOTE_LINES)
    tags = cut(" ".join("#" + "_".join(tag.split()) for tag in mood.get("tags", [])), NOTE_COLUMNS)

    def line(x, y, size, text, more=""):
        return f'  <text x="{x}" y="{y}" font-size="{size}"{more}>{xml_text(text)}</text>'

    star = " ★" if mood.get("isFavorite") else ""
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360" role="img"'
        f' font-family="system-ui, sans-serif" fill="{ink}">',
        f"  <title>{xml_text(mood['emoji'])} {xml_text(mood['label'])}</title>",
        f"  <desc>{xml_text(day)}. {xml_text(mood.get('notes', ''))}</desc>",
        f'  <rect width="640" height="360" rx="24" fill="{background}"/>',
        line(40, 140, 96, mood["emoji"]),
        line(180, 110, 36, cut(mood["label"], LABEL_COLUMNS) + star, ' font-weight="bold"'),
        line(180, 148, 20, day),
        *(line(40, 205 + 28 * number, 20, text) for number, text in enumerate(notes)),
        line(40, 335, 18, tags, ' opacity="0.8"'),
        "</svg>", ""])


def answer(method, params):
    if method == "plugin.hello":
        return {"protocol": 1, "name": "Picture card", "version": "1.0.0"}
    if method == "share.render" and params["format"] == "card":
        return {"text": svg(params["mood"], params["timeZone"])}
    return None


for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue  # a notification: plugin.goodbye, or a cancellation
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        reply["result"] = answer(request["method"], request.get("params") or {})
        if reply["result"] is None:
            del reply["result"]
            reply["error"] = {"code": -32601, "message": f"There is no method {request['method']}."}
    except Exception as error:  # one bad mood must not end the plugin
        reply["error"] = {"code": -32603, "message": f"{type(error).__name__}: {error}"}
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()
