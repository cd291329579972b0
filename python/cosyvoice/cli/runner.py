"""Recordings through an engine, many at once, as batch-priority sessions."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice.cli.audio_file import BadRecording, Part, Raw, Recording, open_recording
from cosyvoice.cli.emission import Emission
from cosyvoice.cli.transcript import Track, Transcript
from cosyvoice.errors import BufferFull, CosyVoiceError
from cosyvoice.events import Event, parse_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from cosyvoice.engine import Engine
    from cosyvoice.session import Session

# Called with the share of a file that was read since the last call, and with the seconds of audio in it.
Progress = Callable[[float, float], object]


@dataclass(frozen=True, slots=True)
class Split:
    """Each channel is a speaker; without names they are channel-1 and so on."""

    names: tuple[str, ...] = ()

    def speakers(self, recording: Recording) -> Sequence[str]:
        """One name for each channel."""
        if not self.names:
            return [f"channel-{number}" for number in range(1, recording.channels + 1)]
        if len(self.names) != recording.channels:
            raise BadRecording(f"has {recording.channels} channels, but there are {len(self.names)} names for them")
        return self.names


class _Stopped(Exception):
    """Nobody wants the rest of the files."""


@dataclass
class _Collector:
    """One session's finals, filled by the dispatcher."""

    finals: list[Event] = field(default_factory=list)
    shown: list[tuple[int | None, ...]] = field(default_factory=list)
    emission: Emission = field(default_factory=Emission)
    error: str | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class _Room:
    """Places for sessions, of which a file takes as many as it has speakers, all at once or none."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = places
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, places: int) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._free >= places)
            self._free -= places
        try:
            yield
        finally:
            with self._changed:
                self._free += places
                self._changed.notify_all()


class FileRunner:
    """Feeds files to an engine as fast as it takes them and collects the finals. Takes the engine's callbacks.

    ``at_once`` is the most sessions at one time. With ``split`` each channel has a session of its own, else they are mixed.
    With ``emission`` the tracks say when each word was first shown.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        at_once: int,
        progress: Progress | None = None,
        split: Split | None = None,
        raw: Raw | None = None,
        emission: bool = False,
    ) -> None:
        self._engine = engine
        self._room = _Room(at_once)
        self._progress = progress
        self._split = split
        self._raw = raw
        self._collectors: dict[str, _Collector] = {}
        self._stopped = threading.Event()
        engine.register_callback(self._take_partial if emission else None, self._take, self._take)

    def run_ahead(self, parts: Iterable[Part], ahead: int) -> Iterator[Transcript]:
        """One transcript for each part, in order; of those that nobody has asked for, no more than ``ahead`` are there."""
        with ThreadPoolExecutor(self._room.places, thread_name_prefix="cosyvoice-file") as pool:
            jobs: deque[Future[Transcript]] = deque()
            try:
                for number, part in enumerate(parts):
                    jobs.append(pool.submit(self._transcribe, str(number), part))
                    if len(jobs) >= ahead:
                        yield jobs.popleft().result()
                while jobs:
                    yield jobs.popleft().result()
            except BaseException:
                self._stop(pool)
                raise

    def run(self, paths: Sequence[Path], *, in_order: bool = True) -> Iterator[Transcript]:
        """One transcript for each path, as soon as it is done and, when in order, those before it are.

        Whoever stops asking (Ctrl-C, a closed pipe) stops the files in flight: their sessions are closed.
        """
        with ThreadPoolExecutor(self._room.places, thread_name_prefix="cosyvoice-file") as pool:
            try:
                jobs = deque(pool.submit(self._transcribe, str(number), path) for number, path in enumerate(paths))
                if in_order:
                    while jobs:
                        yield jobs.popleft().result()
                else:
                    # No list of the jobs is kept, for it would keep every transcript.
                    done = as_completed(jobs)
                    del jobs
                    for job in done:
                        yield job.result()
            except BaseException:
                self._stop(pool)
                raise

    def _stop(self, pool: ThreadPoolExecutor) -> None:
        self._stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)

    def _take_partial(self, line: str) -> None:
        event = parse_event(line)
        self._collectors[event.session].emission.partial(event)

    def _take(self, line: str) -> None:
        event = parse_event(line)
        collector = self._collectors[event.session]
        if event.type == "final":
            collector.finals.append(event)
            collector.shown.append(collector.emission.final(event))
        elif event.type == "error":
            collector.error = event.message
        if event.ended:
            collector.ended.set()

    def _transcribe(self, name: str, source: Path | Part) -> Transcript:
        path = source.path if isinstance(source, Part) else source
        try:
            recording = source.open() if isinstance(source, Part) else open_recording(source, self._raw)
            speakers = self._speakers(recording)
        except BadRecording as error:
            self._report(1.0, 0.0)
            return Transcript(path, error=str(error))
        with self._room.taken(len(speakers)):
            return self._hear(name, recording, speakers)

    def _speakers(self, recording: Recording) -> Sequence[str | None]:
        """One for each session that the file takes."""
        speakers = [None] if self._split is None else self._split.speakers(recording)
        if len(speakers) > self._room.places:
            raise BadRecording(f"has {len(speakers)} channels; {self._room.places} at most can be split, so mix them")
        return speakers

    def _hear(self, name: str, recording: Recording, speakers: Sequence[str | None]) -> Transcript:
        """One session a speaker."""
        collectors: list[_Collector] = []
        fault = recording.fault
        read = 0
        try:
            with ExitStack() as stack:
                sessions = []
                for number in range(len(speakers)):
                    collector = self._collectors[f"{name}/{number}"] = _Collector()
                    session = self._engine.new_session(
                        name=f"{name}/{number}", sample_rate=recording.sample_rate, encoding="f32le", priority="batch"
                    )
                    collectors.append(collector)
                    sessions.append(stack.enter_context(session))
                try:
                    for block in recording.blocks():
                        self._feed(sessions, block)
                        read += len(block)
                        self._report(len(block) / recording.frames, len(block) / recording.sample_rate)
                except BadRecording as error:
                    fault = str(error)  # what was read before is finished all the same
        except (_Stopped, CosyVoiceError) as error:
            fault = str(error)
        for collector in collectors:
            collector.ended.wait()
        for number in range(len(speakers)):
            self._collectors.pop(f"{name}/{number}", None)
        self._report(1.0 - read / recording.frames, 0.0)
        faults = [collector.error for collector in collectors if collector.error is not None]
        tracks = tuple(
            Track(who, tuple(each.finals), tuple(each.shown), each.emission.shown, each.emission.changed)
            for who, each in zip(speakers, collectors, strict=False)
        )
        return Transcript(
            recording.path, recording.seconds, tracks, faults[0] if faults else fault, recording.modified_ns
        )

    def _report(self, share: float, seconds: float) -> None:
        if self._progress is not None:
            self._progress(share, seconds)

    def _feed(self, sessions: Sequence[Session], block: npt.NDArray[np.float32]) -> None:
        mixed = self._split is None and block.shape[1] > 1
        channels = [block.mean(axis=1, dtype=np.float32)] if mixed else block.T
        for session, samples in zip(sessions, channels, strict=True):
            self._feed_one(session, np.ascontiguousarray(samples))

    def _feed_one(self, session: Session, samples: npt.NDArray[np.float32]) -> None:
        while not self._stopped.is_set():
            try:
                self._engine.feed_pcm(session, samples)  # type: ignore[arg-type]
            except BufferFull:
                continue  # the engine is busy with the other files
            return
        raise _Stopped("was not finished")
