"""Streaming speech recognition for hundreds of live sessions on one machine.

>>> import cosyvoice
>>> with cosyvoice.Engine() as engine, engine.new_session() as session:  # doctest: +SKIP
...     session.feed(pcm)

The engine is loaded when one of its names is first used, not by ``import cosyvoice``: the command line shows its help without
it, and says what is wrong where it cannot be loaded.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice._preload import load_native

if TYPE_CHECKING:
    from cosyvoice.config import EngineConfig
    from cosyvoice.embedded import embedded_models
    from cosyvoice.engine import Engine
    from cosyvoice.errors import (
        BufferFull,
        ConcurrentFeed,
        CosyVoiceError,
        EngineClosed,
        EngineForked,
        EngineFull,
        InferenceFailed,
        InternalError,
        InvalidArgument,
        InvalidAudio,
        InvalidConfig,
        InvalidModel,
        ModelNotFound,
        SessionFinished,
        UnknownSession,
    )
    from cosyvoice.events import Alternative, Event, Word, parse_event
    from cosyvoice.session import Session
    from cosyvoice.stats import DelaySummary, ModelInfo, Stats

    __version__: str

_MODULES = ("config", "embedded", "engine", "errors", "events", "session", "stats")


def cmake_dir() -> str:
    """The directory for ``-Dcosyvoice_DIR=``, with which C++ programs find headers and library."""
    from cosyvoice import _native

    return str(Path(_native.__file__).resolve().parent / "cmake")


if not TYPE_CHECKING:  # for type checkers only the names above exist

    def __getattr__(name: str) -> object:
        """Load the engine when one of its names is first used."""
        if name == "_native":
            return load_native()
        if name == "__version__":
            return load_native().version
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        for module in map(import_module, (f"cosyvoice.{part}" for part in _MODULES)):
            globals().update({public: getattr(module, public) for public in module.__all__ if public in __all__})
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Alternative",
    "BufferFull",
    "ConcurrentFeed",
    "CosyVoiceError",
    "DelaySummary",
    "Engine",
    "EngineClosed",
    "EngineConfig",
    "EngineForked",
    "EngineFull",
    "Event",
    "InferenceFailed",
    "InternalError",
    "InvalidArgument",
    "InvalidAudio",
    "InvalidConfig",
    "InvalidModel",
    "ModelInfo",
    "ModelNotFound",
    "Session",
    "SessionFinished",
    "Stats",
    "UnknownSession",
    "Word",
    "cmake_dir",
    "embedded_models",
    "parse_event",
]
