"""Word error rates of a network, streamed or over whole utterances under the chunk mask, which is the same."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from recipes.common.audio import read_pcm
from recipes.common.batches import FastLogMel, held_out, pad
from recipes.common.ctc import greedy
from recipes.common.manifest import read_entries
from recipes.common.network import Network, as_stored
from recipes.common.pool import SAMPLE_RATE, Pcm, Pool
from recipes.common.text import normalise
from recipes.common.tokens import Tokens
from recipes.common.word_errors import word_error_rate

Heard = Sequence[tuple[str, Pcm]]  # texts with their samples


def read_manifest(path: Path) -> Heard:
    """Return the utterances of a manifest."""
    return [
        (normalise(entry.text), read_pcm(entry.audio, entry.start, entry.end, entry.channel))
        for entry in read_entries(path)
    ]


def read_held_out(folder: Path, name: str, most: int) -> Heard:
    """Return at most `most` utterances of a pool whose texts are never trained on."""
    pool = Pool(folder, name)
    rows = [row for row in pool.rows if row.text and held_out(row) and row.samples > SAMPLE_RATE / 2]
    return [(row.text, pool.pcm(row)) for row in rows[:most]]


@torch.no_grad()
def transcribe(
    network: Network, heard: Heard, features: Mapping[str, Any], tokens: Tokens, chunk: int, tail_ms: int
) -> list[str]:
    """Return the words of each utterance at `chunk` feature frames, `tail_ms` of zeros after it; 0: full context."""
    log_mel = FastLogMel(features)
    tail = np.zeros(tail_ms * SAMPLE_RATE // 1000, np.float32)
    silence = log_mel(np.zeros(SAMPLE_RATE, np.float32))[-1]
    texts = []
    for _, pcm in heard:
        one = log_mel(np.concatenate([pcm.astype(np.float32) / 32768, tail]))
        whole = pad([one], silence, chunk or network.stride, network.look_ahead)
        texts.append(greedy(network(whole, chunk or whole.shape[1])[0], tokens))
    return texts


def error_rate(
    network: Network, heard: Heard, features: Mapping[str, Any], tokens: Tokens, chunk: int, tail_ms: int
) -> float:
    """Return the word error rate; arguments as of `transcribe`."""
    texts = transcribe(network, heard, features, tokens, chunk, tail_ms)
    return word_error_rate((reference, text) for (reference, _), text in zip(heard, texts, strict=True))


def main(description: str | None, manifest_path: Path, trained: Callable[[Path], Network]) -> None:
    """Serve the command line of a checkpoint's evaluation: a row for each set and chunk length, and some texts."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--manifests", type=Path, nargs="*", default=[], help="sets to evaluate on")
    parser.add_argument("--pool", type=Path, help="the folder of pools, for their held-out utterances")
    parser.add_argument("--names", nargs="*", default=[], help="of the pools")
    parser.add_argument("--most", type=int, default=200, help="utterances of each pool")
    parser.add_argument("--chunks", type=int, nargs="+", help="feature frames; 0: full context")
    parser.add_argument("--left", type=int, help="frames of the layers that a chunk sees before itself")
    parser.add_argument("--show", type=int, default=0, help="texts of each set to print")
    arguments = parser.parse_args()
    manifest = yaml.safe_load(manifest_path.read_text("utf-8"))
    network, tokens = as_stored(trained(arguments.weights)), Tokens(arguments.tokens)
    sets: dict[str, Heard] = {path.stem: read_manifest(path) for path in arguments.manifests}
    sets |= {f"held-out {name}": read_held_out(arguments.pool, name, arguments.most) for name in arguments.names}
    if arguments.left is not None:
        network.left = arguments.left
    tail = manifest["network"]["tail_padding_ms"]
    for name, heard in sets.items():
        if not heard:
            print(f"{name}: no utterances; give --manifests, or pools with more texts")
            continue
        for chunk in arguments.chunks or manifest["network"]["chunks"]:
            texts = transcribe(network, heard, manifest["features"], tokens, chunk, tail)
            pairs = [(reference, text) for (reference, _), text in zip(heard, texts, strict=True)]
            length = f"{chunk * manifest['features']['hop_ms']} ms" if chunk else "full context"
            print(f"{name}: {len(heard)} utterances, {length}: WER {100 * word_error_rate(pairs):.1f} %", flush=True)
        for reference, text in pairs[: arguments.show]:
            print(f"  {reference}\n  {text}\n")
