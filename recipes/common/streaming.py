"""Layers that give the same numbers over a whole utterance and chunk by chunk.

A frame attends to its whole own chunk and to `left` frames before the chunk. Over a whole utterance a mask says so;
in a stream the keys and values of the past come from a window of fixed length, oldest first, of which the last
``min(seen, window)`` places are valid.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Past = tuple[Tensor, Tensor]  # keys and values, each [batch, window, dim]


def chunk_mask(frames: int, chunk: int, left: int) -> Tensor:
    """Return which frame (row) may see which (column), shape [frames, frames]; lengths in frames."""
    time = torch.arange(frames)
    start = time // chunk * chunk
    return (time >= (start - left)[:, None]) & (time < (start + chunk)[:, None])


def step_mask(seen: Tensor, window: int, new: Tensor) -> Tensor:
    """Return which of `window` past and of the new frames are there, shape [batch, 1, 1, window + frames].

    `seen` ([batch], i64) counts the frames before the chunk, `new` ([batch, frames, dim]) gives the chunk's length.
    """
    past = torch.arange(window) >= window - seen.clamp(max=window)[:, None]
    return torch.cat([past, torch.ones_like(new[:, :, 0], dtype=torch.bool)], 1)[:, None, None]


def rotate(x: Tensor, ages: Tensor, rates: Tensor) -> Tensor:
    """Return `x` ([batch, heads, frames, size]) turned by rotary positions.

    `ages` ([frames]) are the frames' places, `rates` ([size / 2]) the turns of each pair, in radians a frame.
    """
    half = rates.shape[0]
    angles = ages[:, None].to(torch.float32) * rates
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)


class Attention(nn.Module):
    """Multi-head self-attention over the past and the new frames."""

    def __init__(self, dim: int, heads: int, rotary: bool = False) -> None:
        super().__init__()
        self.heads, self.rotary = heads, rotary
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        half = dim // heads // 2
        self.rates: Tensor
        self.register_buffer("rates", torch.tensor([1000 ** (-i / half) for i in range(half)]), persistent=False)

    def forward(self, x: Tensor, mask: Tensor, past: Past | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return the result, the new keys and the new values, each of the shape of `x` ([batch, frames, dim])."""
        query, new_keys, new_values = self.qkv(x).split(self.qkv.in_features, -1)
        keys, values = new_keys, new_values
        if past is not None:
            keys, values = torch.cat([past[0], keys], 1), torch.cat([past[1], values], 1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (query, keys, values))
        if self.rotary:
            ages = torch.arange(k.shape[2])
            q, k = rotate(q, ages[k.shape[2] - q.shape[2] :], self.rates), rotate(k, ages, self.rates)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2)), new_keys, new_values


class Layer(nn.Module):
    """A pre-norm Transformer layer."""

    def __init__(self, dim: int, heads: int, hidden: int, rotary: bool = False) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, rotary)
        self.ffn_norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x: Tensor, mask: Tensor, past: Past | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Return the result, the new keys and the new values, each of the shape of `x` ([batch, frames, dim])."""
        y, keys, values = self.attention(self.attention_norm(x), mask, past)
        x = x + y
        return x + self.down(F.gelu(self.up(self.ffn_norm(x)))), keys, values


def halve(convolution: nn.Conv1d, x: Tensor, tail: Tensor) -> Tensor:
    """Return the GELU of a convolution of width 3 and stride 2, shape [batch, frames / 2, channels out].

    Frame j reads frames 2j - 1, 2j and 2j + 1 of `x` ([batch, frames, channels]); `tail` ([batch, 1, channels]) is the
    frame before `x`.
    """
    return F.gelu(convolution(torch.cat([tail, x], 1).transpose(1, 2))).transpose(1, 2)
