"""``cosyvoice listen``: a microphone to text, as it is spoken."""

from __future__ import annotations

import enum
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from cosyvoice.cli.microphone import Microphone, NoMicrophone, devices, load, microphone
from cosyvoice.cli.options import (
    Beam,
    ChunkMs,
    ConfigFile,
    HotwordFile,
    Itn,
    LanguageModel,
    Model,
    Vad,
    open_engine,
)
from cosyvoice.cli.screen import Screen
from cosyvoice.errors import BufferFull, CosyVoiceError, error_for
from cosyvoice.events import parse_event

if TYPE_CHECKING:
    from types import FrameType

    from cosyvoice.session import Session


class Format(enum.StrEnum):
    """How what is heard is written."""

    TEXT = "text"
    JSONL = "jsonl"


class _Heard:
    """Takes the engine's events. What goes wrong with them is kept, and ``stop`` is called."""

    def __init__(self, screen: Screen, form: Format, stop: Callable[[], None]) -> None:
        self._screen = screen
        self._form = form
        self._stop = stop
        self.fault: Exception | None = None

    def __call__(self, line: str) -> None:
        if self.fault is not None:
            return
        try:
            self._show(line)
        except OSError as error:  # nobody reads our output any more
            self._fail(error)

    def _show(self, line: str) -> None:
        event = parse_event(line)
        if self._form is Format.JSONL:
            typer.echo(line)
        elif event.type == "partial":
            self._screen.partial(event.text)
        elif event.type == "final" and event.text:
            self._screen.line(event.display or event.text)
        if event.type == "error":
            self._fail(error_for(event.code, event.message))

    def _fail(self, fault: Exception) -> None:
        self.fault = fault
        self._stop()


class _Ending:
    """Ends the work at the first Ctrl-C or termination; the second one has its usual effect."""

    def __init__(self) -> None:
        self._asked = False
        self._end: Callable[[], None] | None = None

    def __enter__(self) -> _Ending:
        self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def by(self, end: Callable[[], None]) -> None:
        """How the work is ended."""
        self._end = end
        if self._asked:
            end()

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.__exit__()
        self._asked = True
        if self._end is not None:
            self._end()


def _feed(session: Session, sound: Microphone, heard: _Heard) -> None:
    """Until somebody stops the microphone."""
    told = False
    for block in sound.blocks():
        while heard.fault is None:
            try:
                session.feed(block)
            except BufferFull:
                continue  # the microphone's own queue holds what comes meanwhile
            except CosyVoiceError:
                if heard.fault is None:
                    raise
            break
        if sound.overflows and not told:
            told = True
            typer.echo("the device lost sound before it was read; words may be missing", err=True)


def _tell_losses(sound: Microphone) -> None:
    if sound.overflows:
        typer.echo(f"the device lost sound {sound.overflows} times: this machine is too busy", err=True)
    if sound.late_ms:
        typer.echo(f"{sound.late_ms} ms of sound came faster than it could be recognised and are missing", err=True)


def listen(
    device: Annotated[
        str | None,
        typer.Option("--device", help="A microphone's number or part of its name.", show_default=False),
    ] = None,
    list_devices: Annotated[bool, typer.Option("--list-devices", help="Name the microphones and exit.")] = False,
    output_format: Annotated[
        Format, typer.Option("--format", help="text: a line for each utterance; jsonl: every event, partials too.")
    ] = Format.TEXT,
    model: Model = None,
    itn: Itn = None,
    chunk_ms: ChunkMs = None,
    vad: Vad = None,
    beam: Beam = None,
    lm: LanguageModel = None,
    hotwords: HotwordFile = None,
    config: ConfigFile = None,
) -> None:
    """Show what a microphone hears, until Ctrl-C."""
    if list_devices:
        lines = devices()
        if not lines:
            raise NoMicrophone("there is no device that records sound")
        typer.echo("\n".join(lines))
        return
    load()  # what is missing is told before the model is loaded
    console = Console()
    options = {"chunk_ms": chunk_ms, "vad": vad, "itn": itn, "beam_size": beam, "lm": lm, "hotwords": hotwords}
    with open_engine(config, model, **options, max_stream=1) as engine:
        with _Ending() as ending, microphone(device) as sound, Screen(console) as screen:
            ending.by(sound.stop)
            if sys.stderr.isatty():
                typer.echo(f"listening to {sound.name} at {sound.sample_rate} Hz; Ctrl-C ends", err=True)
            heard = _Heard(screen, output_format, sound.stop)
            engine.register_callback(heard, heard, heard)
            session = engine.new_session(name=sound.name, sample_rate=sound.sample_rate)
            _feed(session, sound, heard)
            if heard.fault is None:
                session.finish()
            engine.close()  # the last final has come
        _tell_losses(sound)
    if heard.fault is not None:
        raise heard.fault
    if sound.stopped_by_itself:
        raise NoMicrophone(f"{sound.name} stopped; is it still plugged in?")
