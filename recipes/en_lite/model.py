"""The Transformer-Lite: 8 layers of 128 over 64 ms frames."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from recipes.common.network import Network, State
from recipes.common.streaming import Layer, Past, chunk_mask, halve, step_mask

DIM, HEADS, LAYERS, HIDDEN, BINS = 128, 4, 8, 768, 80
LEFT = 64  # frames of 64 ms that a chunk sees before itself


class TransformerLite(Network):
    """Two causal convolutions of stride 2, then layers whose rotary positions need no table and so last for ever."""

    stride, look_ahead, width, left = 4, 0, DIM, LEFT

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(BINS, DIM, 3, stride=2)
        self.conv2 = nn.Conv1d(DIM, DIM, 3, stride=2)
        self.layers = nn.ModuleList(Layer(DIM, HEADS, HIDDEN, rotary=True) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(DIM)
        self.head = nn.Linear(DIM, vocabulary)

    def _encode(
        self, features: Tensor, tails: list[Tensor], seen: Tensor | None, chunk: int, past: list[Past]
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """Return the last layer's frames, the first convolution's output (32 ms) and all new keys and values."""
        hidden = halve(self.conv1, features, tails[0])
        x = halve(self.conv2, hidden, tails[1])
        left = self.left
        mask = chunk_mask(x.shape[1], chunk // self.stride, left) if seen is None else step_mask(seen, left, x)
        new: list[Tensor] = []
        for i, layer in enumerate(self.layers):
            x, keys, values = layer(x, mask, past[i] if past else None)
            new += [keys, values]
        return self.norm(x), hidden, new

    def encode(self, features: Tensor, chunk: int, offset: Tensor | None = None) -> Tensor:
        del offset  # rotary positions need none
        tails = [F.pad(features[:, :0], (0, size - BINS, 1, 0)) for size in (BINS, DIM)]
        return self._encode(features, tails, None, chunk, [])[0]

    def classify(self, x: Tensor) -> Tensor:
        logits: Tensor = self.head(x)
        return logits

    def step(self, features: Tensor, position: Tensor, states: list[Tensor]) -> list[Tensor]:
        seen = torch.div(position, self.stride, rounding_mode="floor")
        past = [(states[2 + 2 * i], states[3 + 2 * i]) for i in range(LAYERS)]
        x, hidden, new = self._encode(features, states[:2], seen, 0, past)
        return [self.classify(x).log_softmax(-1), features[:, -1:], hidden[:, -1:], *new]

    def states(self) -> list[State]:
        rings = [State(f"{kind}_{i}", (1, self.left, DIM), 1) for i in range(LAYERS) for kind in ("keys", "values")]
        return [State("mel_tail", (1, 1, BINS)), State("hidden_tail", (1, 1, DIM)), *rings]
