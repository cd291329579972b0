"""``cosyvoice demo``: a recording, transcribed as it plays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import soundfile
from rich.console import Console
from rich.table import Table

from cosyvoice.cli.options import ChunkMs, ConfigFile, Model
from cosyvoice.cli.screen import Screen
from cosyvoice.config import EngineConfig
from cosyvoice.embedded import audio_path
from cosyvoice.engine import Engine
from cosyvoice.events import Event, parse_event
from cosyvoice.second_pass.whisper import find_model

if TYPE_CHECKING:
    from cosyvoice.stats import DelaySummary

PACKET_MS = 64
SECOND_PASS_MS = 10000  # of patience, on a machine that nobody has sized for it


class _Shown:
    """Partials in place or, in a pipe, a line for each; finals are kept for the table."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.finals: list[Event] = []

    def on_partial(self, line: str) -> None:
        text = parse_event(line).text
        if self._screen.is_live:
            self._screen.partial(text)
        else:
            self._screen.line(f"partial: {text}")

    def on_final(self, line: str) -> None:
        event = parse_event(line)
        if event.text:
            self.finals.append(event)
            self._screen.line(f"final:   {event.text}")


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


def _second_pass(config: EngineConfig) -> dict[str, Any]:
    """Options for a model that is at hand, where none is configured."""
    if config.second_pass:
        return {}
    found = find_model()
    return {} if found is None else {"second_pass": found, "second_pass_timeout_ms": SECOND_PASS_MS}


def demo(
    model: Model = None,
    chunk_ms: ChunkMs = None,
    config: ConfigFile = None,
) -> None:
    """Play a bundled recording into the engine in real time and show what it hears."""
    console = Console()
    pcm, rate = soundfile.read(audio_path("demo"), dtype="int16")
    packet = rate * PACKET_MS // 1000
    loaded = EngineConfig.load(config)
    options = {"chunk_ms": chunk_ms, "max_stream": 1} | _second_pass(loaded)
    with Engine(model, config=loaded, **options) as engine, Screen(console) as screen:
        shown = _Shown(screen)
        info = engine.model
        console.print(
            f"model {info.name} {info.version} ({info.language}, {info.weights}), {info.default_chunk_ms} ms chunks"
        )
        if engine.second_pass is not None:
            console.print(
                f"second pass {engine.second_pass}: finals wait for its words", highlight=False, soft_wrap=True
            )
        engine.register_callback(shown.on_partial, shown.on_final)
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
    console.print(_word_table(shown.finals))
    console.print(
        f"{seconds:.2f} s of audio took {cpu:.2f} s of one core: real-time factor {cpu / seconds:.3f}", highlight=False
    )
    console.print(_delays("partial", stats.partial_delay), highlight=False, soft_wrap=True)
    console.print(_delays("final", stats.final_delay), highlight=False, soft_wrap=True)
    if engine.second_pass is not None:
        heard = f"second pass: {stats.second_passes} of {len(shown.finals)} finals are its words"
        console.print(f"{heard}; {_delays('added', stats.second_pass_delay)}", highlight=False, soft_wrap=True)
