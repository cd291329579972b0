"""``cosyvoice demo``: a recording, transcribed as it plays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import soundfile
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cosyvoice.cli.options import ChunkMs, ConfigFile, Model, open_engine
from cosyvoice.embedded import audio_path
from cosyvoice.events import Event, parse_event

if TYPE_CHECKING:
    from cosyvoice.stats import DelaySummary

PACKET_MS = 64


class _Screen:
    """Partials on one line that is updated in place; in a pipe, a line for each."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
        self.finals: list[Event] = []

    def __enter__(self) -> _Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def on_partial(self, line: str) -> None:
        text = parse_event(line).text
        if self._live is None:
            self._console.print(f"partial: {text}", highlight=False, soft_wrap=True)
        else:
            self._live.update(Text(text, style="dim"), refresh=True)

    def on_final(self, line: str) -> None:
        event = parse_event(line)
        if event.text:
            self.finals.append(event)
            self._console.print(f"final:   {event.text}", highlight=False, soft_wrap=True)


def _word_table(finals: list[Event]) -> Table:
    table = Table(title="words")
    for column in ("word", "start", "end", "confidence"):
        table.add_column(column, justify="left" if column == "word" else "right")
    for word in (word for final in finals for word in final.words):
        table.add_row(
            word.word, f"{word.start_ms / 1000:.2f} s", f"{word.end_ms / 1000:.2f} s", f"{word.confidence:.2f}"
        )
    return table


def _delays(name: str, delay: DelaySummary) -> str:
    return f"{name} delay: mean {delay.mean:.1f} ms, P99 {delay.p99:.1f} ms, most {delay.max:.1f} ms ({delay.count} measured)"


def demo(
    model: Model = None,
    chunk_ms: ChunkMs = None,
    config: ConfigFile = None,
) -> None:
    """Play a bundled recording into the engine in real time and show what it hears."""
    console = Console()
    pcm, rate = soundfile.read(audio_path("demo"), dtype="int16")
    packet = rate * PACKET_MS // 1000
    with open_engine(config, model, chunk_ms=chunk_ms, max_stream=1) as engine, _Screen(console) as screen:
        info = engine.model
        console.print(
            f"model {info.name} {info.version} ({info.language}, {info.weights}), {info.default_chunk_ms} ms chunks"
        )
        engine.register_callback(screen.on_partial, screen.on_final)
        session = engine.new_session(name="demo", sample_rate=rate)
        cpu_begin = time.process_time()
        begin = time.monotonic()
        for start in range(0, len(pcm), packet):
            part = pcm[start : start + packet]
            # A packet has come when its last sample has been spoken.
            time.sleep(max(0.0, begin + (start + len(part)) / rate - time.monotonic()))
            session.feed(part)
        session.finish()
        engine.close()
        cpu = time.process_time() - cpu_begin
        stats = engine.stats()
    seconds = len(pcm) / rate
    console.print(_word_table(screen.finals))
    console.print(
        f"{seconds:.2f} s of audio took {cpu:.2f} s of one core: real-time factor {cpu / seconds:.3f}", highlight=False
    )
    console.print(_delays("partial", stats.partial_delay), highlight=False, soft_wrap=True)
    console.print(_delays("final", stats.final_delay), highlight=False, soft_wrap=True)
