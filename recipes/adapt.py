"""A recipe for other recordings: ``python -m recipes.adapt --help``.

Takes a network's recipe, puts the pools of the manifests given in place of its own, and keeps the rest.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from recipes.common.recipe import RecipeError, load


def adapted(recipe: dict[str, Any], corpus: list[Path], dev: list[Path], hours: float | None) -> dict[str, Any]:
    """Return a recipe of the manifests `corpus`, each a pool of its name, to be evaluated on `dev`."""
    names = [path.stem for path in corpus]
    if len(set(names)) < len(names):
        raise RecipeError(
            f"two manifests have one name: {', '.join(map(str, corpus))}; a pool takes its name from them"
        )
    tokens = {key: value for key, value in recipe.get("tokens", {}).items() if key != "sentences"}
    training = recipe["training"] | ({} if hours is None else {"hours": hours})
    pools = {path.stem: {"manifest": str(path.resolve())} for path in corpus}
    evaluation = [str(path.resolve()) for path in dev]
    return recipe | {"tokens": tokens, "training": training, "evaluation": evaluation, "pools": pools}


def main() -> None:
    """Write the recipe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True, help="manifests to train on")
    parser.add_argument("--dev", type=Path, nargs="*", default=[], help="manifests to evaluate on")
    parser.add_argument("--hours", type=float, help="of training")
    parser.add_argument("--out", type=Path, required=True, help="the recipe to write")
    arguments = parser.parse_args()
    try:
        base = yaml.safe_load(arguments.recipe.read_text("utf-8"))
        recipe = adapted(base, arguments.corpus, arguments.dev, arguments.hours)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True), "utf-8")
        load(arguments.out)
    except RecipeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
