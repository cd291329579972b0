"""What a network of these recipes offers: a pass over whole utterances, and steps with named states."""

from abc import abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class State:
    """A state of one stream as the manifest lists it; `ring_axis` is None where the output replaces the input."""

    name: str
    shape: tuple[int, ...]
    ring_axis: int | None = None


class Network(nn.Module):
    """A streaming network; both ways of calling it give the same log-probabilities."""

    stride: int  # feature frames for each output frame
    look_ahead: int  # feature frames past the chunk that a step reads
    width: int  # of an output frame, before the classes
    left: int  # frames of its layers that a chunk sees before itself

    def forward(self, features: Tensor, chunk: int, offset: Tensor | None = None) -> Tensor:
        """Return the logits of whole utterances, shape [batch, frames / stride, vocabulary]; arguments as of `encode`."""
        return self.classify(self.encode(features, chunk, offset))

    @abstractmethod
    def encode(self, features: Tensor, chunk: int, offset: Tensor | None = None) -> Tensor:
        """Return the last layer's output frames of whole utterances, shape [batch, frames / stride, width].

        `features` has shape [batch, frames + look_ahead, bins], with `frames` a multiple of the stride; `chunk` counts
        feature frames; `offset` ([batch], i64) is the position of the first frame, 0 when it is None.
        """

    @abstractmethod
    def classify(self, x: Tensor) -> Tensor:
        """Return the logits of output frames ([batch, frames, width])."""

    @abstractmethod
    def step(self, features: Tensor, position: Tensor, states: list[Tensor]) -> list[Tensor]:
        """Return the log-probabilities of one chunk and the outputs of the states, in the order of `states()`."""

    @abstractmethod
    def states(self) -> list[State]:
        """Return the states in the order in which `step` takes them."""


def as_stored(network: Network) -> Network:
    """Round the weights of `network` in place to what a float16 file holds, and return it for evaluation."""
    with torch.no_grad():
        for tensor in (*network.parameters(), *network.buffers()):
            tensor.copy_(tensor.half().float())
    return network.eval()


class Step(nn.Module):
    """A network's step with each state as an argument of its own, as it is exported."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor, position: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
        """Return the log-probabilities ([batch, frames, vocabulary]), then what each state's output holds."""
        return tuple(self.network.step(features, position, list(states)))


@torch.no_grad()
def stream(network: Network, features: Tensor, chunk: int) -> Tensor:
    """Return the log-probabilities of utterances fed chunk by chunk, shape [batch, frames / stride, vocabulary].

    `features` has shape [batch, frames + look_ahead, bins], with `frames` a whole number of chunks.
    """
    batch = len(features)
    states = [torch.zeros(batch, *state.shape[1:]) for state in network.states()]
    results = []
    for start in range(0, features.shape[1] - network.look_ahead, chunk):
        position = torch.full((batch,), start, dtype=torch.int64)
        fed = features[:, start : start + chunk + network.look_ahead]
        log_probs, *outputs = network.step(fed, position, states)
        results.append(log_probs)
        for i, state in enumerate(network.states()):
            if state.ring_axis is None:
                states[i] = outputs[i]
            else:
                joined = torch.cat([states[i], outputs[i]], state.ring_axis)
                window = state.shape[state.ring_axis]
                states[i] = joined.narrow(state.ring_axis, joined.shape[state.ring_axis] - window, window)
    return torch.cat(results, 1)
