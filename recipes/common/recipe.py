"""What data a network is made from: a recipe, a YAML file for each network.

A value that begins with ``$NAME`` takes a variable of the environment. A pool comes from exactly one of ``manifest``
(transcribed recordings), ``synthesise`` (options of ``en/synthesise.py``) and ``label`` (``recordings`` and options of
``label.py``). Shares are of the hours heard; without any, pools count by their hours.
"""

import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recipes.common.pool import Pool
from recipes.common.text import NORMALISERS
from recipes.common.tokens import UNITS

KINDS = ("manifest", "synthesise", "label")
_VARIABLE = re.compile(r"\$(\w+)")


class RecipeError(Exception):
    """A recipe that cannot be used; the message names file, key and remedy."""


@dataclass(frozen=True)
class Source:
    """Where a pool comes from; `value` is a path or the options of the kind."""

    share: float | None
    kind: str
    value: Any


@dataclass(frozen=True)
class Recipe:
    """The data of a network."""

    path: Path
    language: str
    unit: str
    pieces: int
    sentences: str | None  # a text from which tokens are learnt, beside the manifests of the pools
    hours: float  # of wall clock, of training
    seed: int
    evaluation: tuple[Path, ...]  # manifests whose texts no voice reads
    pools: Mapping[str, Source]

    def shares(self, folder: Path) -> dict[str, float]:
        """Return the share of each pool that is in `folder`."""
        there = [name for name in self.pools if (folder / f"{name}.jsonl").exists()]
        given = {name: self.pools[name].share for name in there}
        return {name: Pool(folder, name).hours if share is None else share for name, share in given.items()}


def expand(value: Any, path: Path) -> Any:
    """Return `value` with the variables in its strings replaced."""

    def variable(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise RecipeError(f"{path}: {match[0]} is not set; set it, as recipes/Makefile does")
        return os.environ[match[1]]

    if isinstance(value, str):
        return _VARIABLE.sub(variable, value)
    if isinstance(value, list):
        return [expand(one, path) for one in value]
    if isinstance(value, dict):
        return {key: expand(one, path) for key, one in value.items()}
    return value


class Keys:
    """A mapping of the file whose keys are taken one by one, so that none is left over."""

    def __init__(self, values: Any, path: Path, place: str) -> None:
        if not isinstance(values, dict):
            raise RecipeError(f"{path}: {place or 'the file'} is {values!r}; keys and values are wanted")
        self.values, self.path, self.place = dict(values), path, place

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = ...) -> Any:
        value = self.values.pop(key, default)
        if value is ...:
            raise RecipeError(f"{self.path}: {self.place}{key} is missing")
        if value is not default and (isinstance(value, bool) or not isinstance(value, kind)):
            raise RecipeError(f"{self.path}: {self.place}{key} is {value!r}, which it cannot be")
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        value = str(self.take(key, str, default))
        if value not in choices:
            raise RecipeError(f"{self.path}: {self.place}{key} is {value!r}; choose from {', '.join(choices)}")
        return value

    def end(self) -> None:
        if self.values:
            raise RecipeError(f"{self.path}: {self.place}{next(iter(self.values))} is no key of a recipe")


def matching(pattern: str) -> list[str]:
    """Return the files that a pattern matches; a path without any is kept, to be missed where it is read."""
    return sorted(glob.glob(pattern)) or [pattern]  # noqa: PTH207 - Path.glob takes no absolute pattern


def _source(values: Any, path: Path, place: str) -> Source:
    keys = Keys(values, path, place)
    share = keys.take("share", (int, float), None)
    kinds = [kind for kind in KINDS if kind in keys.values]
    if len(kinds) != 1:
        raise RecipeError(f"{path}: {place[:-1]} comes from {kinds or 'nothing'}; give one of {', '.join(KINDS)}")
    value = keys.take(kinds[0], str if kinds[0] == "manifest" else dict)
    keys.end()
    if share is not None and share <= 0:
        raise RecipeError(f"{path}: {place}share is {share}; it is above 0")
    return Source(share, kinds[0], value)


def load(path: Path) -> Recipe:
    """Return the recipe of a file; raises RecipeError where something in it is wrong."""
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RecipeError(f"{path} cannot be read: {error}") from error
    keys = Keys(expand(values, path), path, "")
    tokens = Keys(keys.take("tokens", dict, {}), path, "tokens.")
    unit = tokens.choice("unit", UNITS, "pieces")
    training = Keys(keys.take("training", dict), path, "training.")
    sources = keys.take("pools", dict)
    recipe = Recipe(
        path,
        keys.choice("language", tuple(NORMALISERS), "en"),
        unit,
        tokens.take("pieces", int, 256 if unit == "pieces" else 4095),
        tokens.take("sentences", str, None),
        float(training.take("hours", (int, float))),
        training.take("seed", int, 0),
        tuple(Path(found) for one in keys.take("evaluation", list, []) for found in matching(one)),
        {str(name): _source(one, path, f"pools.{name}.") for name, one in sources.items()},
    )
    for one in (keys, tokens, training):
        one.end()
    shares = {one.share is None for one in recipe.pools.values()}
    if len(shares) != 1:
        raise RecipeError(f"{path}: pools: give every pool a share or none" if shares else f"{path}: pools is empty")
    return recipe
