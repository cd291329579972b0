"""Golden files from a bundle's network: ``python -m recipes.common.golden --help``.

A file holds ``pcm`` ([samples], 16-bit, 16 kHz) and for each chunk length N of the manifest, in feature frames:

``features_N``  [frames + look_ahead, bins], float32: of the samples followed by zeros, by at least the manifest's
                tail and until the frames are a whole number of chunks
``log_probs_N`` [output frames, vocabulary], float32: one pass over the whole utterance under the chunk mask, float32
                arithmetic on the weights as stored
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import yaml

from recipes.common.audio import read_pcm
from recipes.common.features import log_mel
from recipes.common.network import Network, as_stored, stream
from recipes.common.pool import Pcm

TOLERANCE = 1e-4  # between the whole pass and the stream


def fed_features(pcm: Pcm, manifest: dict[str, Any], chunk: int) -> npt.NDArray[np.float32]:
    """Return what the engine feeds for an utterance that is finished, shape [frames + look_ahead, bins]."""
    features, network = manifest["features"], manifest["network"]
    tail = network["tail_padding_ms"] * features["sample_rate"] // 1000
    spare = (chunk + network["look_ahead"] + 2) * features["hop_ms"] * features["sample_rate"] // 1000
    fewest = len(log_mel(np.concatenate([pcm, np.zeros(tail, np.int16)]), features)) - network["look_ahead"]
    frames = -(-fewest // chunk) * chunk + network["look_ahead"]
    return log_mel(np.concatenate([pcm, np.zeros(tail + spare, np.int16)]), features)[:frames]


@torch.no_grad()
def write_golden(path: Path, network: Network, manifest: dict[str, Any], pcm: Pcm) -> None:
    """Write a golden file; raise where streaming and the whole pass disagree."""
    as_stored(network)
    arrays: dict[str, npt.NDArray[Any]] = {"pcm": pcm}
    for chunk in manifest["network"]["chunks"]:
        features = fed_features(pcm, manifest, chunk)
        fed = torch.from_numpy(features)[None]
        whole = network(fed, chunk).log_softmax(-1)
        difference = float((whole - stream(network, fed, chunk)).abs().max())
        if difference > TOLERANCE:
            raise ValueError(f"chunk {chunk}: the stream differs from the whole pass by {difference:.1e}")
        arrays |= {f"features_{chunk}": features, f"log_probs_{chunk}": whole[0].numpy()}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, allow_pickle=False, **arrays)


def main(description: str | None, manifest: Path, trained: Callable[[Path], Network]) -> None:
    """Serve the command line of a network's golden file; `trained` makes the network from a checkpoint."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weights", type=Path, required=True, help="the checkpoint that the bundle was exported from")
    parser.add_argument("--audio", type=Path, required=True, help="a recording that may be passed on")
    parser.add_argument("--seconds", type=float, default=2.0, help="of the recording to use")
    parser.add_argument("--golden", type=Path, required=True, help="the .npz file to write")
    arguments = parser.parse_args()
    pcm = read_pcm(arguments.audio)[: int(arguments.seconds * 16000)]
    write_golden(arguments.golden, trained(arguments.weights), yaml.safe_load(manifest.read_text("utf-8")), pcm)
