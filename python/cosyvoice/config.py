"""The engine's options. The core checks the values and reads configuration files; this says what they are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, Self

from cosyvoice import _native

__all__ = ["EngineConfig"]


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """Options of an :class:`~cosyvoice.Engine`; times are in milliseconds.

    Parameters
    ----------
    model_path
        The default model: an embedded bundle's name, a bundle's directory, or None for the embedded ``en``.
    chunk_ms
        The audio of one network step, for sessions of the default model that name none; 0 means the model's default.
    precision
        Which of a bundle's networks computes: ``f32``, ``int8``, or ``auto``, the INT8 one where the bundle has one and the
        processor has VNNI. ``int8`` refuses a bundle without one.
    max_stream
        Sessions at once; their memory is mapped at start.
    batch_size
        Most chunks in one inference.
    workers
        Inference threads; 0 means one for each core that this process may use.
    partial_timeout
        Silence, in audio time, that ends an utterance.
    max_utterance
        From here on the next short pause ends the utterance, and five seconds later nothing more is waited for.
    idle_timeout
        Wall-clock time without audio that ends an utterance.
    back_pressure
        What a feed does when the session's ring is full: ``block`` up to ``block_timeout``, or ``reject`` at once. Either way
        :class:`~cosyvoice.BufferFull` says that nothing was taken.
    block_timeout
        How long ``block`` waits for room.
    ring_bytes
        A session's audio buffer, in bytes of its encoding; a power of two.
    fifo_bytes
        A session's events that wait to be taken; a power of two.
    max_batch_ms
        Batches are capped so that one inference stays below this.
    close_timeout
        How long ``close`` lets sessions finish.
    cpus
        Cores for the engine's threads, like ``0-3,8``, of those that the process may use; empty means all of them.
    huge_pages
        Ask the kernel for transparent huge pages for the sessions' memory.
    simd
        The Front-End's vectors, for the whole process: ``auto``, ``baseline``, ``avx2`` or ``avx512``.
    log_level
        The least important messages that go to the ``cosyvoice`` logger, for the whole process.
    second_pass
        The directory of a faster-whisper model that hears every utterance again; empty means none. Needs the extra
        ``cosyvoice-linux[whisper]``.
    second_pass_workers
        Processes that do so, each with a copy of the model.
    second_pass_timeout_ms
        A final waits so long for its second pass, then it has the stream's words.
    dictionary
        A YAML file of what is shown for what is recognised; empty means none.
    dictionary_version
        Where it rises in ``config_file``, the dictionary is read again.
    watch_config
        Look at ``config_file`` whenever it changes.
    config_file
        The file that these options are from, as :meth:`load` sets it; empty means none.
    start_timeout
        Silence, in audio time, before the first word that ends an utterance with an empty final; 0 means none does.
    vad
        Who tells speech from silence, so that silence skips the network and ``speech_start`` comes early: ``off``, ``energy``
        (the levels above a session's noise) or ``silero`` (Silero's network).
    vad_threshold
        What counts as speech: dB above the noise (``energy``) or a probability (``silero``); 0 means the kind's own.
    vad_hangover_ms
        After speech so much counts as speech too.
    vad_pre_roll_ms
        Before speech so much goes through the network, at least.
    vad_model
        The file of Silero's network; empty means where ``cosyvoice model fetch-vad`` puts it.
    itn
        Finals have a field ``display``: the text with English numbers, times and money as they are written. Needs the extra
        ``cosyvoice-linux[itn]``.
    beam_size
        Hypotheses that the search keeps; 0 means the best path, or 32 where there is anything for a beam to weigh.
    lm
        The file of a compiled language model; empty means the model's own, where its bundle has one, ``none`` none.
    lm_weight
        Of the language model's log-probability beside the network's.
    word_bonus
        What each word adds to a text's log-probability where there is a language model.
    blank_penalty
        What is taken from the log-probability of blank.
    token_threshold
        Pieces so much below the best of a frame are not looked at.
    score_threshold
        Hypotheses so much below the best are dropped.
    alternatives
        Other texts that finals carry.
    hotwords
        A file of hotwords for all sessions: a phrase a line, and behind a tab its boost. Empty means none.
    hotword_boost
        The boost of phrases that state none.
    hold_back
        Partials leave out words that ended less than this ago, in milliseconds of audio; 0 means none.
    search_version
        Where it rises in ``config_file``, `lm`, `hotwords` and what they weigh are switched while sessions run.
    """

    model_path: str | None = None
    chunk_ms: int = 0
    precision: Literal["auto", "f32", "int8"] = "auto"
    max_stream: int = 128
    batch_size: int = 16
    workers: int = 0
    partial_timeout: int = 2800
    max_utterance: int = 30000
    idle_timeout: int = 5000
    back_pressure: Literal["block", "reject"] = "block"
    block_timeout: int = 5000
    ring_bytes: int = 256 * 1024
    fifo_bytes: int = 64 * 1024
    max_batch_ms: float = 40.0
    close_timeout: int = 10000
    cpus: str = ""
    huge_pages: bool = False
    simd: Literal["auto", "baseline", "avx2", "avx512"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    second_pass: str = ""
    second_pass_workers: int = 1
    second_pass_timeout_ms: int = 3000
    dictionary: str = ""
    dictionary_version: int = 1
    watch_config: bool = True
    config_file: str = ""
    start_timeout: int = 0
    vad: Literal["off", "energy", "silero"] = "off"
    vad_threshold: float = 0.0
    vad_hangover_ms: int = 300
    vad_pre_roll_ms: int = 300
    vad_model: str = ""
    itn: bool = False
    beam_size: int = 0
    lm: str = ""
    lm_weight: float = 0.3
    word_bonus: float = 2.0
    blank_penalty: float = 0.0
    token_threshold: float = 12.0
    score_threshold: float = 20.0
    alternatives: int = 0
    hotwords: str = ""
    hotword_boost: float = 5.0
    hold_back: int = 0
    search_version: int = 1

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Self:
        """Read a configuration file and, over it, the ``COSYVOICE_…`` variables of the environment.

        Parameters
        ----------
        path
            The YAML file; None reads the environment alone.

        Raises
        ------
        InvalidConfig
            With file, line, key, what was expected and what was found.
        """
        return cls(**_native.read_config("" if path is None else os.fspath(path)))
