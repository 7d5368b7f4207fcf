"""Hybrid search of the peers: how good by how slow, drawn from the last table of `peers.py` that has both.

    python benchmarks/plot.py [benchmarks/README.md] [benchmarks/peers.svg]

Right is slower (ms at the median, logarithmic), up is better (nDCG@10).
"""

import math
import re
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 360, 56, 44, 16, 150
CELL = re.compile(r"(0\.\d+) · ([\d.]+) / ")
TICKS = (0.5, 1, 2, 5, 10, 20, 50, 100)
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #444 } .own { font-weight: 600; fill: #0b5d4e }
line { stroke: #ccc } circle { fill: #8a8f98 } circle.own { fill: #0b5d4e }
@media (prefers-color-scheme: dark) {
  text { fill: #bbb } line { stroke: #444 } .own, circle.own { fill: #5cc9b1 }
}
"""


def read_points(markdown: str) -> dict[str, tuple[float, float]]:
    """By name, nDCG@10 and the median of hybrid search in ms; a later table's rows replace an earlier one's."""
    points = {}
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) == 7 and (found := CELL.match(cells[3])):
            points[cells[0]] = float(found[1]), float(found[2])
    return points


def drawn(points: dict[str, tuple[float, float]]) -> str:
    """As SVG."""
    slowest, fastest = max(ms for _, ms in points.values()) * 1.3, min(ms for _, ms in points.values()) / 1.3
    low = math.floor(min(gain for gain, _ in points.values()) * 50 - 0.5) / 50
    high = math.ceil(max(gain for gain, _ in points.values()) * 50 + 0.5) / 50

    def x(ms: float) -> float:
        share = math.log(ms / fastest) / math.log(slowest / fastest)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(gain: float) -> float:
        return round(HEIGHT - BOTTOM - (gain - low) / (high - low) * (HEIGHT - BOTTOM - TOP), 1)

    parts = [f"<style>{STYLE}</style>"]
    for step in range(round((high - low) * 50) + 1):
        gain = low + step / 50
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(gain)}" y2="{y(gain)}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(gain) + 4}" text-anchor="end">{gain:.2f}</text>')
    for ms in TICKS:
        if fastest <= ms <= slowest:
            parts.append(f'<text x="{x(ms)}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{ms:g} ms</text>')
    taken: list[tuple[float, float, float]] = []  # where a label begins and ends, and its line
    for name, (gain, ms) in sorted(points.items(), key=lambda point: -point[1][1]):
        own = ' class="own"' if name.startswith("muniment") else ""
        label = escape(name.split("_")[0] if own else name.replace("_", " "))
        begins, line = x(ms) + 10, y(gain) + 4
        ends = begins + 7.5 * len(label)
        while any(begins < other[1] and other[0] < ends and abs(line - other[2]) < 15 for other in taken):
            line += 16
        taken.append((begins, ends, line))
        parts.append(
            f'<circle{own} cx="{x(ms)}" cy="{y(gain)}" r="6"/><text{own} x="{begins}" y="{line}">{label}</text>'
        )
    title = "nDCG@10 of hybrid search, by its median time"
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 4}">{title}</text>')
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>{"".join(parts)}</svg>\n'


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    source = given[0] if given else HERE / "README.md"
    target = given[1] if len(given) > 1 else HERE / "peers.svg"
    target.write_text(drawn(read_points(source.read_text(encoding="utf-8"))), encoding="utf-8")
