"""Streaming speech recognition for hundreds of live sessions on one machine.

>>> import cosyvoice
>>> with cosyvoice.Engine() as engine, engine.new_session() as session:  # doctest: +SKIP
...     session.feed(pcm)
"""

from cosyvoice._preload import preload_openvino

preload_openvino()

# The compiled module needs what was loaded above.
from pathlib import Path  # noqa: E402

from cosyvoice import _native  # noqa: E402
from cosyvoice.config import EngineConfig  # noqa: E402
from cosyvoice.embedded import embedded_models  # noqa: E402
from cosyvoice.engine import Engine  # noqa: E402
from cosyvoice.errors import (  # noqa: E402
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
from cosyvoice.events import Event, Word, parse_event  # noqa: E402
from cosyvoice.session import Session  # noqa: E402
from cosyvoice.stats import DelaySummary, ModelInfo, Stats  # noqa: E402

__version__ = _native.version


def cmake_dir() -> str:
    """The directory for ``-Dcosyvoice_DIR=``, with which C++ programs find headers and library."""
    return str(Path(_native.__file__).resolve().parent / "cmake")


__all__ = [
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
