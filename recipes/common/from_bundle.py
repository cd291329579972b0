"""The weights of a bundle's float16 network, back in PyTorch, so that training can go on from what was published."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openvino as ov
import torch
import yaml
from torch import Tensor

from recipes.common.export import convert
from recipes.common.network import Network, as_stored
from recipes.common.tokens import Tokens


def _constants(model: ov.Model) -> list[Any]:
    """Those that can be weights; whole numbers are axes and lengths, which another way to write the same may change."""
    constants = [node for node in model.get_ordered_ops() if node.get_type_name() == "Constant"]
    return [node for node in constants if node.get_element_type().is_real()]


def bundle_weights(folder: Path, network: Network) -> Mapping[str, Tensor]:
    """Return the weights of `folder`'s network by the names they have in `network`, which must be of its make.

    Exporting drops most names. So `network` is exported once more, filled with numbers that tell its weights apart:
    the graph comes out the same, and a constant's place in it says whose it is. Its weights are left overwritten.
    """
    manifest = yaml.safe_load((folder / "model.yaml").read_text("utf-8"))
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for tensor in network.state_dict().values():
            tensor.copy_(torch.randn(tensor.shape, generator=generator))
    core = ov.Core()
    path = folder / manifest["network"]["file"]
    published = _constants(core.read_model(path))
    scratch = path.with_name("marked.xml")
    try:
        ov.save_model(convert(as_stored(network), manifest), scratch, compress_to_fp16=True)
        marked = _constants(core.read_model(scratch))
        if [tuple(node.shape) for node in marked] != [tuple(node.shape) for node in published]:
            raise ValueError(f"{path} is not of this network's make: its constants have other shapes")
        places = {node.data.astype("f4").tobytes(): i for i, node in enumerate(marked)}
        return {name: _find(name, tensor, places, published) for name, tensor in network.state_dict().items()}
    finally:
        for file in (scratch, scratch.with_suffix(".bin")):
            file.unlink(missing_ok=True)


def _find(name: str, tensor: Tensor, places: Mapping[bytes, int], published: list[Any]) -> Tensor:
    place = places.get(tensor.detach().numpy().astype("f4").tobytes())
    if place is None:
        raise ValueError(f"the exported network has no constant with the values of {name}")
    return torch.from_numpy(published[place].data.astype("f4").reshape(tensor.shape).copy())


def main(
    description: str | None,
    make: Callable[[int], Network],
    as_trained: Callable[[dict[str, Tensor]], None] | None = None,
) -> None:
    """Serve the command line that makes a bundle a checkpoint; `as_trained` takes off what the export put on."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bundle", type=Path, required=True, help="the folder of the bundle")
    parser.add_argument("--weights", type=Path, required=True, help="the checkpoint to write")
    arguments = parser.parse_args()
    weights = dict(bundle_weights(arguments.bundle, make(len(Tokens(arguments.bundle / "tokens.txt")))))
    if as_trained is not None:
        as_trained(weights)
    arguments.weights.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"network": weights}, arguments.weights)
