"""A terminal recording of `cosyvoice demo`, and the animated picture of it that README and guides show.

tools/record_demo.py             run the demo in a terminal of its own, write demo.cast (asciinema's format) and demo.svg
tools/record_demo.py --draw      draw demo.svg again from demo.cast
tools/record_demo.py --check     fail when demo.svg is not what demo.cast gives
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time
from html import escape
from pathlib import Path

import pyte

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
COLUMNS, ROWS = 92, 30
PROMPT = "$ cosyvoice demo\r\n"
LONGEST_PAUSE = 1.0  # seconds of the picture: loading the model is not worth watching
HOLD = 6.0  # seconds that the last frame stays
CHARACTER, LINE, MARGIN = 8.4, 18, 14  # of 14 px monospace

Cast = list[tuple[float, str]]


def record() -> Cast:
    """What the demo writes to a terminal, with the seconds since its start."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
        os.execv(sys.executable, [sys.executable, "-c", "from cosyvoice.cli import main; main()", "demo"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    begin = time.monotonic()
    cast = [(0.0, PROMPT)]
    try:
        while select.select([terminal], [], [])[0]:
            cast.append((time.monotonic() - begin, os.read(terminal, 65536).decode("utf-8")))
    except OSError:  # the terminal's other end was closed
        pass
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise SystemExit("the demo failed:\n" + "".join(text for _, text in cast))
    return cast


def write_cast(cast: Cast, path: Path) -> None:
    header = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "cosyvoice demo"}
    lines = [json.dumps(header), *(json.dumps([round(at, 3), "o", text]) for at, text in cast)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def read_cast(path: Path) -> Cast:
    return [(at, text) for at, _, text in map(json.loads, path.read_text("utf-8").splitlines()[1:])]


def frames_of(cast: Cast) -> list[tuple[float, list[str]]]:
    """The screens that differ, each with the seconds at which it appears, long pauses cut."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    frames: list[tuple[float, list[str]]] = []
    shown = before = 0.0
    for at, text in cast:
        shown += min(at - before, LONGEST_PAUSE)
        before = at
        stream.feed(text)
        display = [line.rstrip() for line in screen.display]
        if not frames or frames[-1][1] != display:
            frames.append((shown, display))
    return frames


def draw(cast: Cast) -> str:
    """All frames one below the other, and a window that steps over them; without animation it shows the last."""
    frames = frames_of(cast)
    height_of_text = LINE * max(at + 1 for at, line in enumerate(frames[-1][1]) if line)
    height = height_of_text + 2 * MARGIN + 4
    width = round(CHARACTER * COLUMNS) + 2 * MARGIN
    whole = frames[-1][0] + HOLD
    last = -(len(frames) - 1) * height
    stops = "".join(
        f"\n      {100 * at / whole:.3f}% {{ transform: translateY({-number * height}px) }}"
        for number, (at, _) in enumerate(frames)
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "  <title>A recording of cosyvoice demo in a terminal</title>",
        "  <style>",
        '    text { font: 14px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }',
        f"    .frames {{ transform: translateY({last}px); animation: play {whole:.2f}s step-end infinite }}",
        f"    @keyframes play {{{stops}\n      100% {{ transform: translateY({last}px) }}\n    }}",
        "    @media (prefers-reduced-motion: reduce) { .frames { animation: none } }",
        "  </style>",
        f'  <rect width="{width}" height="{height}" rx="8" fill="#1f2630"/>',
        '  <g class="frames">',
    ]
    for number, (_, display) in enumerate(frames):
        for row, line in enumerate(display):
            if line:
                y = number * height + MARGIN + LINE * (row + 1) - 4
                length = f'textLength="{CHARACTER * len(line):.1f}" lengthAdjust="spacingAndGlyphs"'
                lines.append(f'    <text xml:space="preserve" x="{MARGIN}" y="{y}" {length}>{escape(line)}</text>')
    return "\n".join([*lines, "  </g>", "</svg>"]) + "\n"


def main(arguments: list[str]) -> int:
    cast, picture = PICTURES / "demo.cast", PICTURES / "demo.svg"
    if arguments == ["--check"]:
        if picture.read_text("utf-8") != draw(read_cast(cast)):
            print("docs/pictures/demo.svg is stale: run tools/record_demo.py --draw", file=sys.stderr)
            return 1
        return 0
    if arguments not in ([], ["--draw"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not arguments:
        write_cast(record(), cast)
    picture.write_text(draw(read_cast(cast)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
