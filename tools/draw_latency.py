"""Draws docs/pictures/latency.svg from latency.json: rows of `cosyvoice bench --json`, the machine and the date.

tools/draw_latency.py            write it
tools/draw_latency.py --check    fail when it is not what the figures give
"""

from __future__ import annotations

import json
import math
import sys
from html import escape
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
LEFT, RIGHT, TOP, STEP = 270, 940, 70, 44  # of the plot, and from row to row
MARKS = (("p50", "P50"), ("p99", "P99"), ("max", "max"))

STYLE = """
    text { font: 14px system-ui, "DejaVu Sans", sans-serif; fill: #1f2933 }
    .head { font-weight: 700 }
    .small { font-size: 12px; fill: #52606d }
    .grid { stroke: #9aa5b1; stroke-opacity: .4 }
    .range { stroke: #5b7083; stroke-opacity: .45; stroke-width: 10; stroke-linecap: round }
    .p50 { fill: #2b6cb0 } .p99 { fill: #dd8a1b } .max { fill: #c53030 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e7eb }
      .small { fill: #b0bac5 }
      .p50 { fill: #7db8f0 } .p99 { fill: #f2b45c } .max { fill: #f08a8a }
    }"""


def name_of(row: dict[str, Any]) -> str:
    return f"{row['model']}, {row['streams']} streams, {row['chunk_ms']} ms"


def draw(figures: dict[str, Any]) -> str:
    """The chart: for each row a bar from P50 to the maximum, on one axis of milliseconds."""
    rows = figures["rows"]
    most = 20 * math.ceil(max(row["partial_delay_ms"]["max"] for row in rows) / 20)
    bottom = TOP + STEP * len(rows)

    def x(milliseconds: float) -> str:
        return f"{LEFT + (RIGHT - LEFT) * milliseconds / most:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {bottom + 76}" role="img">',
        f"  <title>{escape(figures['title'])}</title>\n  <style>{STYLE}\n  </style>",
        f'  <text class="head" x="20" y="28">{escape(figures["title"])}, ms</text>',
    ]
    for at in range(0, most + 1, most // 5):
        lines.append(f'  <path class="grid" d="M{x(at)} {TOP - 14}V{bottom}"/>')
        lines.append(f'  <text class="small" x="{x(at)}" y="{bottom + 18}" text-anchor="middle">{at}</text>')
    for number, row in enumerate(rows):
        delay, y = row["partial_delay_ms"], TOP + STEP * number + 10
        lines.append(f'  <text x="20" y="{y}">{escape(name_of(row))}</text>')
        starts = "all start together" if row["together"] else "starts spread over a second"
        lines.append(f'  <text class="small" x="20" y="{y + 16}">{starts}</text>')
        lines.append(f'  <path class="range" d="M{x(delay["p50"])} {y}H{x(delay["max"])}"/>')
        for mark, label in MARKS:
            lines.append(f'  <circle class="{mark}" cx="{x(delay[mark])}" cy="{y}" r="6">')
            lines.append(f"    <title>{label} {delay[mark]} ms</title></circle>")
        numbers = " · ".join(f"{label} {delay[mark]:.1f}" for mark, label in MARKS)
        lines.append(f'  <text class="small" x="{x(delay["p50"])}" y="{y + 22}">{numbers}</text>')
    for number, (mark, label) in enumerate(MARKS):
        lines.append(f'  <circle class="{mark}" cx="{LEFT + 80 * number}" cy="44" r="6"/>')
        lines.append(f'  <text class="small" x="{LEFT + 80 * number + 12}" y="48">{label}</text>')
    lines.append(
        f'  <text class="small" x="20" y="{bottom + 44}">{escape(figures["machine"])}, {figures["date"]}</text>'
    )
    lines.append(f'  <text class="small" x="20" y="{bottom + 62}">{escape(figures["source"])}</text>')
    return "\n".join(lines) + "\n</svg>\n"


def main(check: bool) -> int:
    picture = draw(json.loads((PICTURES / "latency.json").read_text("utf-8")))
    target = PICTURES / "latency.svg"
    if not check:
        target.write_text(picture, "utf-8")
    elif not target.exists() or target.read_text("utf-8") != picture:
        print("docs/pictures/latency.svg is stale: run tools/draw_latency.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
