"""Make the tokens and the pools of a recipe: ``python -m recipes.data --help``.

Run again, it goes on where it stopped: a pool that is complete is not made twice.
"""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recipes.common.collect import collect
from recipes.common.manifest import Entry, ManifestError, read_lines
from recipes.common.recipe import Recipe, RecipeError, Source, load
from recipes.common.tokens import Tokens
from recipes.tokens import learn


def options(values: Mapping[str, Any]) -> list[str]:
    """Return ``{must_not_contain: [a, b], limit: 9}`` as a command line takes it; true stands for a flag."""
    words = []
    for key, value in values.items():
        words.append(f"--{key.replace('_', '-')}")
        words += [] if value is True else [str(one) for one in (value if isinstance(value, list) else [value])]
    return words


def _run(module: str, *words: str) -> None:
    command = [sys.executable, "-m", module, *words]
    print(shlex.join(command[1:]), flush=True)
    if code := subprocess.run(command, check=False).returncode:
        sys.exit(code if code > 0 else 1)


class Maker:
    """Makes what a recipe asks for in a folder of pools."""

    def __init__(self, recipe: Recipe, tokens: Path, folder: Path, most_bad: int) -> None:
        self._recipe, self._tokens, self._folder, self._most_bad = recipe, tokens, folder, most_bad

    def tokens(self) -> None:
        """Learn the tokens from the recipe's text and from the transcripts of its manifests, unless they are there."""
        if self._tokens.exists():
            return
        recipe = self._recipe
        texts = Path(recipe.sentences).read_text("utf-8").splitlines() if recipe.sentences else []
        for source in recipe.pools.values():
            if source.kind == "manifest":
                texts += [item.text for _, item in read_lines(Path(source.value)) if isinstance(item, Entry)]
        learn(texts, recipe.language, recipe.unit, recipe.pieces, self._tokens)

    def _collect(self, name: str, manifest: Path, tokens: Tokens) -> None:
        found = collect(manifest, self._folder, self._recipe.language, tokens, self._most_bad, name)
        print(f"{name}: {found[0]} utterances, {found[1] / 3600:.2f} h, {found[2]} bad lines left out", flush=True)

    def pool(self, name: str, source: Source) -> None:
        """Make a pool, unless it is complete."""
        made = self._folder / f"{name}.made.json"
        origin = json.dumps({source.kind: source.value}, sort_keys=True)
        if made.exists() and made.read_text("utf-8") == origin and source.kind != "manifest":
            return
        if source.kind == "manifest":
            self._collect(name, Path(source.value), Tokens(self._tokens))
        elif source.kind == "label":
            manifest, values = self._folder / f"{name}.labels.jsonl", dict(source.value)
            recordings = str(values.pop("recordings"))
            _run(
                "recipes.label",
                recordings,
                "--out",
                str(manifest),
                *options({"language": self._recipe.language} | values),
            )
            self._collect(name, manifest, Tokens(self._tokens))
        else:
            where = ["--pool", str(self._folder)]
            held = ["--exclude", *map(str, self._recipe.evaluation)]
            _run("recipes.en.synthesise", *where, *held, *options({"name": name} | source.value))
        made.write_text(origin, "utf-8")


def main() -> None:
    """Make the tokens, then pool after pool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--tokens", type=Path, required=True, help="the tokens: learnt where they are not there")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--most-bad", type=int, default=50, help="bad lines of a manifest that are left out at most")
    arguments = parser.parse_args()
    try:
        recipe = load(arguments.recipe)
        maker = Maker(recipe, arguments.tokens, arguments.pool, arguments.most_bad)
        maker.tokens()
        for name, source in recipe.pools.items():
            maker.pool(name, source)
    except (RecipeError, ManifestError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
