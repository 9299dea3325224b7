"""Curves over time as an SVG, panel under panel: plain text that every browser shows."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, GAP = 900, 130, 70, 150, 56, 26
COLORS = ["#1f5fa8", "#c0504d", "#4f8a3d", "#8064a2", "#b8860b"]


class Panel:
    """`curves`: name → [(second, value)]; `floor` is the value at the bottom."""

    def __init__(self, title, unit, curves, is_logarithmic=False, floor=0.0):
        self.title, self.unit, self.curves = title, unit, curves
        self.is_logarithmic, self.floor = is_logarithmic, floor
        values = [value for curve in curves.values() for _, value in curve] or [0]
        self.low, self.high = floor, max(values + [floor * 10]) if is_logarithmic else max(max(values), floor + 1)

    def height_of(self, value):
        """From 0 at the bottom to 1 at the top."""
        if self.is_logarithmic:
            return math.log(max(value, self.floor) / self.low) / math.log(self.high / self.low)
        return max(0.0, (value - self.low) / (self.high - self.low))

    def marks(self):
        """Values with a line across."""
        if self.is_logarithmic:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            return [10.0 ** power for power in range(first, last + 1)]
        span = self.high - self.low
        step = 10 ** math.floor(math.log10(span / 2))
        step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 5)
        return [self.low + step * number for number in range(int(span / step) + 1)]


def draw(title, seconds, panels, spans, marks):
    """The text of the SVG. `spans`: (name, color, begin, end), shaded; `marks`: (name, color, [second]), at the top."""
    inner = WIDTH - LEFT - RIGHT
    total = TOP + len(panels) * (HEIGHT + GAP) + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{total}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="14">{html.escape(title)}</text>']

    def across(second):
        return LEFT + inner * second / max(seconds, 1e-9)

    for place, panel in enumerate(panels):
        top = TOP + place * (HEIGHT + GAP)
        for _, color, begin, end in spans:
            parts.append(f'<rect x="{across(begin):.1f}" y="{top}" width="{across(end) - across(begin):.1f}" height="{HEIGHT}"'
                         f' fill="{color}"/>')
        parts.append(f'<text x="{LEFT}" y="{top - 5}">{html.escape(panel.title)}, {html.escape(panel.unit)}</text>')
        for value in panel.marks():
            y = top + HEIGHT * (1 - panel.height_of(value))
            parts.append(f'<line x1="{LEFT}" x2="{LEFT + inner}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>'
                         f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        for number, (name, curve) in enumerate(panel.curves.items()):
            color = COLORS[number % len(COLORS)]
            points = " ".join(f"{across(second):.1f},{top + HEIGHT * (1 - panel.height_of(value)):.1f}" for second, value in curve)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1"/>'
                         f'<text x="{LEFT + inner + 8}" y="{top + 12 + number * 14}" fill="{color}">{html.escape(name)}</text>')
    bottom = TOP + len(panels) * (HEIGHT + GAP) - GAP
    for _, color, moments in marks:
        for second in moments:
            parts.append(f'<line x1="{across(second):.1f}" x2="{across(second):.1f}" y1="26" y2="32" stroke="{color}"/>')
    for number in range(7):
        second = seconds * number / 6
        parts.append(f'<text x="{across(second):.1f}" y="{bottom + 16}" text-anchor="middle">{second:.0f} s</text>')
    names = dict.fromkeys([(name, color) for name, color, *_ in spans] + [(name, color) for name, color, _ in marks])
    for number, (name, color) in enumerate(names):
        x = LEFT + number * 150
        parts.append(f'<rect x="{x}" y="{bottom + 24}" width="12" height="12" fill="{color}" stroke="#999"/>'
                     f'<text x="{x + 18}" y="{bottom + 34}">{html.escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
