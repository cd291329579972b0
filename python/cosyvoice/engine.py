"""The engine: loads a model and carries sessions."""

from __future__ import annotations

import dataclasses
import os
import weakref
from typing import TYPE_CHECKING, Any, Literal, Self

from cosyvoice import _native
from cosyvoice._core_log import forwarder
from cosyvoice._dispatcher import Callbacks, Dispatcher
from cosyvoice._shutdown import Shutdown
from cosyvoice.config import EngineConfig
from cosyvoice.errors import CosyVoiceError, InvalidArgument, UnknownSession
from cosyvoice.hotwords import pairs_of
from cosyvoice.session import Claim, Session
from cosyvoice.stats import ModelInfo, Stats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from typing_extensions import Buffer

    from cosyvoice.hotwords import Hotwords
    from cosyvoice.second_pass.pool import SecondPass

__all__ = ["Engine"]


def _model_name(model: str | os.PathLike[str] | None) -> str:
    """What the core takes: empty is the default model."""
    return "" if model is None else os.fspath(model)


def _options(config: EngineConfig | str | os.PathLike[str] | None, given: dict[str, Any]) -> dict[str, Any]:
    """The configuration's fields with the keywords that were given laid over them."""
    if isinstance(config, (str, os.PathLike)):
        config = EngineConfig.load(config)
    elif config is None:
        config = EngineConfig()
    elif not isinstance(config, EngineConfig):
        raise TypeError(
            f"config is of type {type(config).__name__}; pass a cosyvoice.EngineConfig or the path of a YAML file"
        )
    options = dataclasses.asdict(config)
    options.update({name: value for name, value in given.items() if value is not None})
    options["model_path"] = _model_name(options["model_path"])
    for name in ("second_pass", "dictionary", "vad_model", "lm", "hotwords"):
        options[name] = os.fspath(options[name])
    if options["vad"] == "silero" and not options["vad_model"]:
        from cosyvoice.silero import find

        options["vad_model"] = os.fspath(find())
    if options["second_pass"]:
        from cosyvoice.second_pass.pool import check

        check(options["second_pass"])
    if options["itn"]:
        from cosyvoice.text.itn import check as check_itn

        check_itn()
    return options


def _second_pass(native: _native.Engine, options: dict[str, Any]) -> SecondPass | None:
    """The workers that hear the engine's utterances again, where the options name a model."""
    if not options["second_pass"]:
        return None
    from cosyvoice.second_pass.pool import SecondPass

    try:
        return SecondPass(native, options)
    except BaseException:
        native.close()
        raise


def _writer(itn: bool) -> Callable[[str], str]:
    """What the JSON of finals goes through."""
    if not itn:
        return str
    from cosyvoice.text.itn import with_display

    return with_display


def _phrases(grammar: Iterable[str] | None) -> list[str]:
    """The phrases of a grammar, which a text is not: its letters would be the phrases."""
    if grammar is None:
        return []
    if isinstance(grammar, (str, bytes)):
        raise TypeError(f"grammar is the text {grammar!r}; pass a list of phrases")
    phrases = list(grammar)
    if not phrases:
        raise InvalidArgument("the grammar is empty, so nothing could be heard; name phrases, or pass None")
    return phrases


class Engine:
    """Streaming speech recognition for many sessions at once.

    Parameters
    ----------
    model_path
        An embedded bundle's name (``en``, ``en-lite``) or a bundle's directory; None is ``en``.
    max_stream
        Sessions at once (128).
    batch_size
        Most chunks in one inference (16).
    partial_timeout
        Milliseconds of silence that end an utterance (2800).
    config
        All options in one frozen dataclass, or the path of a YAML file, whose values the environment's ``COSYVOICE_…``
        variables override. A keyword given beside it wins.
    hotwords
        Phrases that all sessions prefer: a file, ``{"Bluetooth": 4.0}``, or a list of phrases and (phrase, boost) pairs.
    chunk_ms, workers, …
        The other keywords are the other fields of :class:`~cosyvoice.EngineConfig`, which describes them all. None leaves the
        configuration's value.

    Raises
    ------
    InvalidArgument, InvalidConfig, ModelNotFound, InvalidModel
        With a message that says what to change.

    Notes
    -----
    Every method may be called from any thread, callbacks included; the audio of one session comes from one thread at a time.
    After ``fork`` the child's copy raises ``EngineForked``. Leaving the interpreter closes the engine.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str] | None = None,
        max_stream: int | None = None,
        batch_size: int | None = None,
        partial_timeout: int | None = None,
        *,
        config: EngineConfig | str | os.PathLike[str] | None = None,
        chunk_ms: int | None = None,
        precision: Literal["auto", "f32", "int8"] | None = None,
        workers: int | None = None,
        max_utterance: int | None = None,
        idle_timeout: int | None = None,
        back_pressure: Literal["block", "reject"] | None = None,
        block_timeout: int | None = None,
        ring_bytes: int | None = None,
        fifo_bytes: int | None = None,
        max_batch_ms: float | None = None,
        close_timeout: int | None = None,
        cpus: str | None = None,
        huge_pages: bool | None = None,
        simd: Literal["auto", "baseline", "avx2", "avx512"] | None = None,
        log_level: Literal["debug", "info", "warning", "error"] | None = None,
        second_pass: str | os.PathLike[str] | None = None,
        second_pass_workers: int | None = None,
        second_pass_timeout_ms: int | None = None,
        dictionary: str | os.PathLike[str] | None = None,
        dictionary_version: int | None = None,
        watch_config: bool | None = None,
        start_timeout: int | None = None,
        vad: Literal["off", "energy", "silero"] | None = None,
        vad_threshold: float | None = None,
        vad_hangover_ms: int | None = None,
        vad_pre_roll_ms: int | None = None,
        vad_model: str | os.PathLike[str] | None = None,
        itn: bool | None = None,
        beam_size: int | None = None,
        lm: str | os.PathLike[str] | None = None,
        lm_weight: float | None = None,
        word_bonus: float | None = None,
        blank_penalty: float | None = None,
        token_threshold: float | None = None,
        score_threshold: float | None = None,
        alternatives: int | None = None,
        hotwords: str | os.PathLike[str] | Hotwords | None = None,
        hotword_boost: float | None = None,
        hold_back: int | None = None,
        search_version: int | None = None,
    ) -> None:
        listed = None if isinstance(hotwords, (str, os.PathLike)) else hotwords
        given = {
            "model_path": model_path,
            "chunk_ms": chunk_ms,
            "precision": precision,
            "max_stream": max_stream,
            "batch_size": batch_size,
            "partial_timeout": partial_timeout,
            "workers": workers,
            "max_utterance": max_utterance,
            "idle_timeout": idle_timeout,
            "back_pressure": back_pressure,
            "block_timeout": block_timeout,
            "ring_bytes": ring_bytes,
            "fifo_bytes": fifo_bytes,
            "max_batch_ms": max_batch_ms,
            "close_timeout": close_timeout,
            "cpus": cpus,
            "huge_pages": huge_pages,
            "simd": simd,
            "log_level": log_level,
            "second_pass": second_pass,
            "second_pass_workers": second_pass_workers,
            "second_pass_timeout_ms": second_pass_timeout_ms,
            "dictionary": dictionary,
            "dictionary_version": dictionary_version,
            "watch_config": watch_config,
            "start_timeout": start_timeout,
            "vad": vad,
            "vad_threshold": vad_threshold,
            "vad_hangover_ms": vad_hangover_ms,
            "vad_pre_roll_ms": vad_pre_roll_ms,
            "vad_model": vad_model,
            "itn": itn,
            "beam_size": beam_size,
            "lm": lm,
            "lm_weight": lm_weight,
            "word_bonus": word_bonus,
            "blank_penalty": blank_penalty,
            "token_threshold": token_threshold,
            "score_threshold": score_threshold,
            "alternatives": alternatives,
            "hotwords": "" if listed is not None else hotwords,
            "hotword_boost": hotword_boost,
            "hold_back": hold_back,
            "search_version": search_version,
        }
        options = _options(config, given)
        self._hotword_boost: float = options["hotword_boost"]
        pairs = pairs_of(listed, self._hotword_boost)
        forwarder.start()
        self._second_pass: str = options["second_pass"]
        # What finals go through; the core itself writes no digits.
        self._written: Callable[[str], str] = _writer(options.pop("itn"))
        self._native = _native.Engine(**options)
        if pairs:
            try:
                self._native.set_hotwords(pairs)
            except BaseException:
                self._native.close()
                raise
        second_pass_pool = _second_pass(self._native, options)
        self._dispatcher = Dispatcher(self._native, self._written)
        self._claims: weakref.WeakSet[Claim] = weakref.WeakSet()
        self._shutdown = Shutdown(self._native, self._dispatcher, second_pass_pool, options["close_timeout"] / 1000)
        # Runs when the engine is garbage and at the interpreter's exit.
        weakref.finalize(self, self._shutdown)

    def register_callback(
        self,
        on_partial: Callable[[str], object] | None,
        on_final: Callable[[str], object] | None,
        on_event: Callable[[str], object] | None = None,
    ) -> None:
        """Send events to these; each gets one JSON string with at least ``text``.

        They are called on one thread, in each session's order. Events that are neither partial nor final go to ``on_event``, or
        to the ``cosyvoice`` logger without it. What a callback raises is logged and counted. Register before opening sessions;
        a second call replaces the first.
        """
        for name, callback in (("on_partial", on_partial), ("on_final", on_final), ("on_event", on_event)):
            if callback is not None and not callable(callback):
                raise TypeError(f"{name} is of type {type(callback).__name__}; pass a callable or None")
        self._dispatcher.callbacks = Callbacks(on_partial, on_final, on_event)
        self._dispatcher.start()

    def new_session(
        self,
        *,
        name: str | None = None,
        sample_rate: int = 16000,
        encoding: Literal["s16le", "f32le", "mulaw", "alaw"] = "s16le",
        model: str | os.PathLike[str] | None = None,
        chunk_ms: int | None = None,
        priority: Literal["live", "batch"] = "live",
        hotwords: Hotwords | None = None,
        grammar: Iterable[str] | None = None,
    ) -> Session:
        """Open a session.

        Parameters
        ----------
        name
            Goes into the session's events.
        sample_rate
            Hz, 8000 to 48000.
        encoding
            Of the bytes that will be fed.
        model
            An embedded bundle's name or a bundle's directory, where it is not the engine's.
        chunk_ms
            One of the model's chunk lengths (``engine.model.chunk_ms``); None is the engine's, or the model's default.
        priority
            ``batch`` sessions, files for example, get what live ones leave over.
        hotwords
            Phrases that this session prefers beside the engine's: ``{"Bluetooth": 4.0}``, or a list of phrases and (phrase,
            boost) pairs.
        grammar
            Phrases, in any order and number, that alone can be heard; with ``"[unk]"`` among them, any other word is heard
            as ``[unk]``.

        Raises
        ------
        EngineFull
            When ``max_stream`` sessions are open.
        InvalidArgument, ModelNotFound, InvalidModel, EngineClosed, EngineForked
        """
        sid = self._native.new_session(
            name="" if name is None else name,
            sample_rate=sample_rate,
            encoding=encoding,
            model=_model_name(model),
            chunk_ms=0 if chunk_ms is None else chunk_ms,
            priority=priority,
            hotwords=pairs_of(hotwords, self._hotword_boost),
            grammar=_phrases(grammar),
        )
        claim = Claim(self._native, sid)
        if self._dispatcher.callbacks is None:
            self._claims.add(claim)
            if self._dispatcher.started:
                self._native.next_partial(sid)
        return Session(self, claim, name)

    def set_hotwords(self, hotwords: Hotwords | None) -> None:
        """Replace the hotwords of all sessions; None takes them away.

        An utterance that has words keeps those that it began with; every other takes the new ones with its next audio.
        """
        self._native.set_hotwords(pairs_of(hotwords, self._hotword_boost))

    def set_session_hotwords(self, sid: int, hotwords: Hotwords | None) -> None:
        """Replace one session's own hotwords, which stand beside the engine's; see :meth:`set_hotwords`."""
        self._native.set_session_hotwords(self._own(sid), pairs_of(hotwords, self._hotword_boost))

    def feed_pcm(self, sid: int, pcm: Buffer) -> None:
        """Hand over audio of a session: all of it is taken or, on an error, none.

        Parameters
        ----------
        sid
            What :meth:`new_session` returned.
        pcm
            Bytes in the session's encoding, or a one-channel C-contiguous buffer of int16 or float32.

        Raises
        ------
        InvalidAudio
            For an odd byte count, a value that is not a number, or more than the session's ring holds.
        BufferFull
            When the ring is full and, under ``block``, stayed so for ``block_timeout``.
        ConcurrentFeed, SessionFinished, UnknownSession, EngineClosed, EngineForked
        TypeError
            For anything else; the message says what to pass.
        """
        self._native.feed_pcm(self._own(sid), pcm)

    def _own(self, sid: int) -> int:
        """Each engine counts its own sessions, so another engine's may have the same number."""
        if isinstance(sid, Session) and sid.engine is not self:
            raise UnknownSession(f"session {int(sid)} belongs to another engine; use the engine that opened it")
        return sid

    def end_utterance(self, sid: int) -> None:
        """Mark the end of an utterance: all audio fed before is in its final, and the session goes on."""
        self._native.end_utterance(self._own(sid))

    def reset(self, sid: int) -> None:
        """Discard the open utterance and the audio not yet decoded, without a final; the session goes on."""
        self._native.reset(self._own(sid))

    def finish(self, sid: int) -> None:
        """Say that no more audio comes. Does not block; the last final carries ``ended``."""
        self._native.finish(self._own(sid))

    def close_session(self, sid: int) -> None:
        """Discard unread audio and end the session with a last final of reason ``close``."""
        self._native.close_session(self._own(sid))

    def close(self) -> None:
        """Finish what was fed, deliver what is left, ``close_timeout`` at most, and stop. A second call does nothing.

        From a callback it returns at once, and the engine closes after the callback has returned.
        """
        self._shutdown.close()

    @property
    def native(self) -> _native.Engine:
        """The compiled engine, for the package's own tools."""
        return self._native

    def swap_dictionary(self, path: str | os.PathLike[str] | None) -> None:
        """Show utterances with the dictionary at `path`, or with none; those that have words already keep theirs.

        Raises
        ------
        InvalidConfig
            With file, line and what is wrong; what was there stays.
        """
        self._native.swap_dictionary("" if path is None else os.fspath(path))

    def swap_lm(self, lm: str | os.PathLike[str]) -> None:
        """Search utterances with this language model; those that have words keep theirs.

        `lm` is as the engine's keyword: a compiled model's path, ``"none"``, or empty for the model's own. The weight stays. The
        whole file is read first, in this thread.

        Raises
        ------
        ModelNotFound, InvalidModel
            No such file, or it is not what was written; what was there stays.
        """
        self._native.swap_lm(os.fspath(lm))

    def stats(self) -> Stats:
        """The engine's counters now."""
        return Stats.of(self._native.stats())

    @property
    def second_pass(self) -> str | None:
        """The directory of the model that hears utterances again, or None."""
        return self._second_pass or None

    @property
    def model(self) -> ModelInfo:
        """Facts of the default model."""
        return ModelInfo.of(self._native.model())

    def _start_dispatcher(self) -> Dispatcher:
        """For asynchronous iteration: drain, while sessions that are pulled keep their events."""
        if not self._dispatcher.started:
            for claim in tuple(self._claims):
                try:
                    self._native.next_partial(claim.sid)
                except CosyVoiceError:
                    continue
            self._dispatcher.start()
        return self._dispatcher

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
