"""The Whisper tiny.en encoder as a stream, with a CTC head at 40 ms."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from recipes.common.network import Network, State
from recipes.common.streaming import Layer, Past, chunk_mask, halve, step_mask

DIM, HEADS, LAYERS, BINS = 384, 6, 4, 80
POSITIONS = 1500  # rows of Whisper's table; positions wrap
LEFT = 150  # frames of 20 ms that a chunk sees before itself


class WhisperStream(Network):
    """4 layers of 384 over 20 ms frames; frame j reads mel frames 2j - 2 … 2j + 2, hence a look-ahead of one."""

    stride, look_ahead, width, left = 4, 1, 2 * DIM, LEFT

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(BINS, DIM, 3)
        self.conv2 = nn.Conv1d(DIM, DIM, 3, stride=2)
        self.register_buffer("positions", torch.zeros(POSITIONS, DIM))
        self.positions: Tensor
        self.layers = nn.ModuleList(Layer(DIM, HEADS, 4 * DIM) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(DIM)
        self.head = nn.Linear(2 * DIM, vocabulary)

    def _subsample(self, features: Tensor, first: Tensor, tails: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Return frames of 20 ms with their positions, and the first convolution's output at 10 ms."""
        padded = torch.cat([tails[0], features], 1).transpose(1, 2)
        hidden = F.gelu(self.conv1(padded)).transpose(1, 2)
        x = halve(self.conv2, hidden, tails[1])
        places = (first[:, None] + torch.arange(x.shape[1])) % POSITIONS
        return x + self.positions[places], hidden

    def _encode(self, x: Tensor, mask: Tensor, past: list[Past] | None) -> tuple[Tensor, list[Tensor]]:
        """Return the last layer's frames of 20 ms, shape [batch, frames, 384], and all new keys and values."""
        new: list[Tensor] = []
        for i, layer in enumerate(self.layers):
            x, keys, values = layer(x, mask, past[i] if past else None)
            new += [keys, values]
        return self.norm(x), new

    def encode(self, features: Tensor, chunk: int, offset: Tensor | None = None) -> Tensor:
        batch = len(features)
        first = torch.zeros(batch, dtype=torch.int64) if offset is None else offset // 2
        x, _ = self._subsample(features, first, [features.new_zeros(batch, 1, size) for size in (BINS, DIM)])
        return self._join(self._encode(x, chunk_mask(x.shape[1], chunk // 2, self.left), None)[0])

    @staticmethod
    def _join(x: Tensor) -> Tensor:
        """Return frames of 40 ms, each two of 20 ms."""
        return x.reshape(x.shape[0], -1, 2 * DIM)

    def classify(self, x: Tensor) -> Tensor:
        logits: Tensor = self.head(x)
        return logits

    def step(self, features: Tensor, position: Tensor, states: list[Tensor]) -> list[Tensor]:
        seen = torch.div(position, 2, rounding_mode="floor")
        x, hidden = self._subsample(features, seen, states[:2])
        past = [(states[2 + 2 * i], states[3 + 2 * i]) for i in range(LAYERS)]
        x, new = self._encode(x, step_mask(seen, self.left, x), past)
        return [self.classify(self._join(x)).log_softmax(-1), features[:, -2:-1], hidden[:, -1:], *new]

    def states(self) -> list[State]:
        rings = [State(f"{kind}_{i}", (1, self.left, DIM), 1) for i in range(LAYERS) for kind in ("keys", "values")]
        return [State("mel_tail", (1, 1, BINS)), State("hidden_tail", (1, 1, DIM)), *rings]
