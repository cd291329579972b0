"""One thing that the doctor looked at."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class Level(enum.StrEnum):
    """How much a finding matters."""

    GOOD = "good"
    UNSEEN = "unseen"  # could not be looked at
    ADVICE = "advice"  # the engine runs, and would run better
    PROBLEM = "problem"  # stops the engine


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found under a name that stays the same, and the command that sets it right where there is one."""

    name: str
    level: Level
    says: str
    command: str | None = None
    value: Any = None


def good(name: str, says: str, value: Any = None) -> Finding:
    """As it should be, or a fact that needs no judgement."""
    return Finding(name, Level.GOOD, says, None, value)


def unseen(name: str, says: str) -> Finding:
    """Not visible from here."""
    return Finding(name, Level.UNSEEN, says)


def advice(name: str, says: str, command: str | None = None, value: Any = None) -> Finding:
    """The engine runs, and would run better otherwise."""
    return Finding(name, Level.ADVICE, says, command, value)


def problem(name: str, says: str, command: str | None = None, value: Any = None) -> Finding:
    """Stops the engine."""
    return Finding(name, Level.PROBLEM, says, command, value)
