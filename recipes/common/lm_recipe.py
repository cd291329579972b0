"""What text a language model is made from: a YAML file. Values that begin with ``$NAME`` are as in ``recipe.py``.

A source is a mapping with a ``name`` and one of ``sentences`` (one a line), ``prose`` (running text) and ``manifest``
(transcripts), a pattern of paths each. ``sources`` are like what will be heard; ``background`` is other text, whose model is
mixed in with ``background_weight``.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml

from recipes.common.recipe import Keys, RecipeError, expand, matching

KINDS = ("sentences", "prose", "manifest")
__all__ = ["LmRecipe", "LmSource", "RecipeError", "load_lm"]


@dataclass(frozen=True)
class LmSource:
    """Files of one kind."""

    name: str
    kind: str
    paths: tuple[Path, ...]


@dataclass(frozen=True)
class LmRecipe:
    """The texts of a model, and its options."""

    order: int
    prune: tuple[int, ...]
    words: int | None  # the most frequent; None: all
    quantise: bool
    held_out: int  # one sentence in so many
    evaluation: tuple[Path, ...]  # manifests whose sentences are left out
    dictionaries: tuple[Path, ...]  # whose words the model has in any case
    sources: tuple[LmSource, ...]
    background: tuple[LmSource, ...]
    background_weight: float
    background_prune: tuple[int, ...]


def load_lm(path: Path) -> LmRecipe:
    """Return the recipe of a file; raises RecipeError where something in it is wrong."""
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RecipeError(f"{path} cannot be read: {error}") from error
    keys = Keys(expand(values, path), path, "")
    quantise = keys.choice("quantise", ("yes", "no"), "yes") == "yes"
    recipe = LmRecipe(
        keys.take("order", int, 4),
        tuple(keys.take("prune", list, [0])),
        keys.take("words", int, None),
        quantise,
        keys.take("held_out", int, 50),
        _paths(keys.take("evaluation", list, [])),
        _paths(keys.take("dictionaries", list, [])),
        tuple(_source(one, path) for one in keys.take("sources", list)),
        tuple(_source(one, path) for one in keys.take("background", list, [])),
        float(keys.take("background_weight", (int, float), 0.3)),
        tuple(keys.take("background_prune", list, [0])),
    )
    keys.end()
    return recipe


def _source(values: object, path: Path) -> LmSource:
    keys = Keys(values, path, "source: ")
    name = keys.take("name", str)
    kinds = [kind for kind in KINDS if kind in keys.values]
    if len(kinds) != 1:
        raise RecipeError(f"{path}: the source {name} is {kinds or 'nothing'}; give one of {', '.join(KINDS)}")
    source = LmSource(name, kinds[0], _paths([keys.take(kinds[0], str)]))
    keys.end()
    return source


def _paths(patterns: list[str]) -> tuple[Path, ...]:
    return tuple(Path(found) for one in patterns for found in matching(one))
