"""Word error rates of a checkpoint: ``python -m recipes.en.evaluate --help``."""

import argparse
from pathlib import Path

import yaml

from recipes.common.evaluate import Heard, read_held_out, read_manifest, transcribe
from recipes.common.export import as_stored
from recipes.common.tokens import Tokens
from recipes.common.word_errors import word_error_rate
from recipes.en.export import MANIFEST, trained


def main() -> None:
    """Print a row for each set and chunk length, greedy search; and some texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--manifests", type=Path, nargs="*", default=[], help="sets to evaluate on")
    parser.add_argument("--pool", type=Path, help="the folder of pools, for their held-out utterances")
    parser.add_argument("--names", nargs="*", default=[], help="of the pools")
    parser.add_argument("--most", type=int, default=200, help="utterances of each pool")
    parser.add_argument("--chunks", type=int, nargs="+", default=[16, 32, 64], help="feature frames; 0: full context")
    parser.add_argument("--show", type=int, default=0, help="texts of each set to print")
    arguments = parser.parse_args()
    manifest = yaml.safe_load(MANIFEST.read_text("utf-8"))
    network, tokens = as_stored(trained(arguments.weights)), Tokens(arguments.tokens)
    sets: dict[str, Heard] = {path.stem: read_manifest(path) for path in arguments.manifests}
    sets |= {f"held-out {name}": read_held_out(arguments.pool, name, arguments.most) for name in arguments.names}
    tail = manifest["network"]["tail_padding_ms"]
    for name, heard in sets.items():
        if not heard:
            print(f"{name}: no utterances; give --manifests, or pools with more texts")
            continue
        for chunk in arguments.chunks:
            texts = transcribe(network, heard, manifest["features"], tokens, chunk, tail)
            pairs = [(reference, text) for (reference, _), text in zip(heard, texts, strict=True)]
            length = f"{chunk * manifest['features']['hop_ms']} ms" if chunk else "full context"
            print(f"{name}: {len(heard)} utterances, {length}: WER {100 * word_error_rate(pairs):.1f} %", flush=True)
        for reference, text in pairs[: arguments.show]:
            print(f"  {reference}\n  {text}\n")


if __name__ == "__main__":
    main()
