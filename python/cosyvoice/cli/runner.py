"""Recordings through an engine, many at once, as batch-priority sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cosyvoice.cli.audio_file import BadRecording, open_recording
from cosyvoice.errors import BufferFull, CosyVoiceError
from cosyvoice.events import Event, Word, parse_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cosyvoice.engine import Engine

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Transcript:
    """What came of one file; ``error`` says what was wrong with it, in one line."""

    path: Path
    seconds: float = 0.0
    finals: tuple[Event, ...] = ()
    error: str | None = None

    @property
    def text(self) -> str:
        """The utterances' texts in one line."""
        return " ".join(final.text for final in self.finals if final.text)

    @property
    def words(self) -> tuple[Word, ...]:
        """Every word, with times from the file's start."""
        return tuple(word for final in self.finals for word in final.words)


@dataclass
class _Collector:
    """One session's finals, filled by the dispatcher."""

    finals: list[Event] = field(default_factory=list)
    error: str | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class FileRunner:
    """Feeds files to an engine as fast as it takes them and collects the finals. Takes the engine's callbacks."""

    def __init__(self, engine: Engine, *, at_once: int, progress: Progress | None = None) -> None:
        self._engine = engine
        self._at_once = at_once
        self._progress = progress
        self._collectors: dict[str, _Collector] = {}
        self._stopped = threading.Event()
        engine.register_callback(None, self._take, self._take)

    def run(self, paths: Sequence[Path]) -> Iterator[Transcript]:
        """One transcript for each path, in the order given, each as soon as it and those before it are done.

        Whoever stops asking (Ctrl-C, a closed pipe) stops the files in flight: their sessions are closed.
        """
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="cosyvoice-file") as pool:
            try:
                yield from pool.map(self._transcribe, map(str, range(len(paths))), paths)
            except BaseException:
                self._stopped.set()
                raise

    def _take(self, line: str) -> None:
        event = parse_event(line)
        collector = self._collectors[event.session]
        if event.type == "final":
            collector.finals.append(event)
        elif event.type == "error":
            collector.error = event.message
        if event.ended:
            collector.ended.set()

    def _transcribe(self, name: str, path: Path) -> Transcript:
        try:
            recording = open_recording(path)
        except BadRecording as error:
            return Transcript(path, error=str(error))
        collector = self._collectors[name] = _Collector()
        session = self._engine.new_session(
            name=name, sample_rate=recording.sample_rate, encoding="f32le", priority="batch"
        )
        fault: str | None = "truncated: the header promises more" if recording.truncated else None
        try:
            with session:
                for block in recording.blocks():
                    self._feed(session, block)
                    if self._progress is not None:
                        self._progress(len(block) / recording.sample_rate)
        except (BadRecording, CosyVoiceError) as error:
            fault = str(error)
        collector.ended.wait()
        del self._collectors[name]
        return Transcript(path, recording.seconds, tuple(collector.finals), collector.error or fault)

    def _feed(self, session: int, block: object) -> None:
        while not self._stopped.is_set():
            try:
                self._engine.feed_pcm(session, block)  # type: ignore[arg-type]
            except BufferFull:
                continue  # the engine is busy with the other files
            return
        raise BadRecording("was not finished")
