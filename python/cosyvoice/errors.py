"""What can go wrong, one class for each cause.

Every class carries the ``code`` that error events name. The compiled core raises these classes; nothing here decides.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "BufferFull",
    "ConcurrentFeed",
    "CosyVoiceError",
    "EngineClosed",
    "EngineForked",
    "EngineFull",
    "InferenceFailed",
    "InternalError",
    "InvalidArgument",
    "InvalidAudio",
    "InvalidConfig",
    "InvalidModel",
    "ModelNotFound",
    "SessionFinished",
    "UnknownSession",
    "error_for",
]


class CosyVoiceError(Exception):
    """The base of everything this package raises about its own work."""

    code: ClassVar[str] = "internal"

    def __str__(self) -> str:
        # KeyError would show the message's repr.
        return Exception.__str__(self)


class InvalidArgument(CosyVoiceError, ValueError):
    """An option or argument is out of range."""

    code = "invalid_argument"


class InvalidAudio(CosyVoiceError, ValueError):
    """An odd byte count, a value that is not a number, or a packet larger than the session's ring."""

    code = "invalid_audio"


class ModelNotFound(CosyVoiceError, FileNotFoundError):
    """No such bundle directory or file."""

    code = "model_not_found"


class InvalidModel(CosyVoiceError, ValueError):
    """A manifest or network is unreadable, incomplete or contradicts itself."""

    code = "invalid_model"


class InvalidConfig(CosyVoiceError, ValueError):
    """A configuration file or environment variable is unreadable or out of range."""

    code = "invalid_config"


class EngineFull(CosyVoiceError, RuntimeError):
    """``max_stream`` sessions are open."""

    code = "engine_full"


class EngineClosed(CosyVoiceError, RuntimeError):
    """The engine was closed."""

    code = "engine_closed"


class EngineForked(CosyVoiceError, RuntimeError):
    """The process forked after the engine was made; make the engine in the child."""

    code = "engine_forked"


class UnknownSession(CosyVoiceError, LookupError):
    """This sid never existed, or its session has ended."""

    code = "unknown_session"


class SessionFinished(CosyVoiceError, RuntimeError):
    """Audio came after ``finish``."""

    code = "session_finished"


class BufferFull(CosyVoiceError, RuntimeError):
    """The session's ring is full; nothing of the packet was taken."""

    code = "buffer_full"


class ConcurrentFeed(CosyVoiceError, RuntimeError):
    """Two threads feed one session at the same time."""

    code = "concurrent_feed"


class InferenceFailed(CosyVoiceError, RuntimeError):
    """The network failed on this session's audio."""

    code = "inference_failed"


class InternalError(CosyVoiceError, RuntimeError):
    """A fault of this package."""

    code = "internal"


_BY_CODE: dict[str, type[CosyVoiceError]] = {cls.code: cls for cls in CosyVoiceError.__subclasses__()}


def error_for(code: str, message: str) -> CosyVoiceError:
    """The exception that an error event's code stands for; an unknown code gives the base class."""
    return _BY_CODE.get(code, CosyVoiceError)(message)
