"""Batches out of pools, each a function of its number alone, so that training can go on anywhere."""

import itertools
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.fft
import torch
from torch import Tensor
from torch.utils.data import IterableDataset

from recipes.common import augment
from recipes.common.features import frame, mel_filters, window
from recipes.common.pool import SAMPLE_RATE, Pcm, Pool, Row, Span
from recipes.common.taught import Frames, Taught, are_posteriors, lay, lay_posteriors, width
from recipes.common.tokens import BLANK, Tokens

ROUND = 4  # batches that are drawn together
CROWD = 4  # people who babble
HELD_OUT = 60  # one text of so many is never trained on, in any pool


@dataclass(frozen=True)
class Mixture:
    """What is heard: pools with their shares, seconds in a batch, and how the start is made easy."""

    folder: Path
    shares: Mapping[str, float]
    seconds: float = 56
    longest_s: float = 27
    easy_steps: int = 500  # short utterances only, nothing changed
    easy_longest_s: float = 4
    join: float = 0.7  # chance that a batch's short utterances are joined: less of it is silence and padding
    join_up_to_s: float = 12
    augmentation: augment.Augmentation = field(default_factory=augment.Augmentation)
    align: int = 16  # feature frames: utterances end at a multiple
    look_ahead: int = 1
    frame_ms: int = 0  # of the network's output, for which a teacher's frames are wanted; 0: none are
    seed: int = 0


@dataclass(frozen=True)
class Batch:
    """Utterances padded with silence, and their targets one after the other."""

    features: Tensor  # [batch, frames + look_ahead, bins]
    targets: Tensor  # [pieces of all]
    lengths: Tensor  # [batch], pieces of each
    seconds: float
    taught: Tensor | None = None  # [batch, output frames, width], the teacher's frames
    known: Tensor | None = None  # [batch, output frames], where there are any


Drawn = tuple[Pcm, Row, Frames | None]


@dataclass(frozen=True)
class Example:
    """One or more utterances as the network hears them."""

    features: npt.NDArray[np.float32]  # [frames, bins]
    ids: list[int]
    lesson: list[tuple[Frames | None, Span]]
    seconds: float


class FastLogMel:
    """Log-mel of `common.features` in float32, with stretched filters on request; for plain log-mel manifests."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        self.features = features
        width = features["window_ms"] * features["sample_rate"] // 1000
        self._window = window(features["window"], width).astype(np.float32)
        stretches = np.round(np.arange(0.8, 1.21, 0.02), 2)
        self._filters = {stretch: mel_filters(features, stretch).astype(np.float32) for stretch in stretches}

    def __call__(self, audio: augment.Audio, stretch: float = 1.0) -> npt.NDArray[np.float32]:
        """Return the features of `audio` ([samples], full scale 1), shape [frames, bins]."""
        frames = frame(audio, self.features).astype(np.float32) * self._window
        spectrum = scipy.fft.rfft(frames, self.features["fft"], axis=1)
        power = spectrum.real**2 + spectrum.imag**2
        mel = power @ self._filters[np.round(round(stretch / 0.02) * 0.02, 2)]
        log = {"ln": np.log, "log10": np.log10}[self.features["log"]]
        values = log(np.maximum(mel, self.features["floor"])) + self.features["offset"]
        return np.asarray(self.features["scale"] * values, np.float32)


def _groups(drawn: list[Drawn], together: int) -> Iterator[list[Drawn]]:
    """Yield what was drawn in groups of one or more utterances, which have `together` samples at most or are alone."""
    group: list[Drawn] = []
    for one in drawn:
        if group and sum(row.samples for _, row, _ in [*group, one]) > together:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def held_out(row: Row) -> bool:
    """Whether a row's text is kept for choosing among checkpoints."""
    return zlib.crc32(row.text.encode()) % HELD_OUT == 0


def pad(features: list[npt.NDArray[np.float32]], silence: npt.NDArray[np.float32], align: int, ahead: int) -> Tensor:
    """Return utterances ([frames, bins] each) followed by silence, shape [batch, frames + ahead, bins]."""
    frames = -(-max(len(one) for one in features) // align) * align + ahead
    whole = np.tile(silence, (len(features), frames, 1))
    for place, one in zip(whole, features, strict=True):
        place[: len(one)] = one
    return torch.from_numpy(whole)


class Batches(IterableDataset[Batch]):
    """Endless batches from number `start`."""

    def __init__(self, mixture: Mixture, features: Mapping[str, Any], tokens: Path, start: int) -> None:
        self.mixture, self.features, self.tokens_model, self.start = mixture, features, tokens, start

    def _open(self) -> None:
        mixture = self.mixture
        audio = {name: mixture.folder / f"{name}.pcm" for name in mixture.shares}
        there = [name for name, pcm in audio.items() if pcm.exists() and pcm.stat().st_size > 0]
        self._pools = {name: Pool(mixture.folder, name) for name in there}
        longest = mixture.longest_s * SAMPLE_RATE
        self._rows = {
            name: [row for row in pool.rows if row.text and 4000 < row.samples < longest and not held_out(row)]
            for name, pool in self._pools.items()
        }
        self._taught = {name: Taught(mixture.folder, name, pool.rows) for name, pool in self._pools.items()}
        # A share counts hours, a draw counts utterances.
        weights = [
            mixture.shares[name] / (sum(row.samples for row in rows) / max(len(rows), 1) + 1)
            for name, rows in self._rows.items()
        ]
        self._chances = np.array(weights) * [bool(rows) for rows in self._rows.values()]
        self._chances /= self._chances.sum()

    def _draw(self, rng: np.random.Generator, longest_s: float) -> list[Drawn]:
        """Return utterances of about the same length, enough for a round."""
        names = list(self._pools)
        drawn: list[tuple[str, Row]] = []
        while len(drawn) < 400:
            name = names[rng.choice(len(names), p=self._chances)]
            row = self._rows[name][rng.integers(len(self._rows[name]))]
            if row.samples <= longest_s * SAMPLE_RATE:
                drawn.append((name, row))
        drawn.sort(key=lambda item: item[1].samples)
        start = int(rng.integers(len(drawn)))
        chosen, seconds = [], 0.0
        for name, row in drawn[start:] + drawn[:start][::-1]:
            chosen.append((self._pools[name].pcm(row), row, self._taught[name](row) if self.mixture.frame_ms else None))
            seconds += row.samples / SAMPLE_RATE
            if seconds > ROUND * self.mixture.seconds:
                break
        return chosen

    def _lay_out(self, lessons: list[list[tuple[Frames | None, Span]]], features: int) -> tuple[Tensor, Tensor]:
        """Return the teacher's frames of each recording where they belong, and where there are any."""
        frame_ms = self.mixture.frame_ms
        shape = (len(lessons), features * self.features["hop_ms"] // frame_ms)
        target = np.zeros((*shape, width(self.mixture.folder)), np.float32)
        known = np.zeros(shape, np.bool_)
        frame, posteriors = frame_ms * SAMPLE_RATE // 1000, are_posteriors(self.mixture.folder)
        for row, lesson in enumerate(lessons):
            for frames, span in lesson:
                if frames is None:
                    continue
                if posteriors:
                    lay_posteriors(frames, span, frame, target[row], known[row], BLANK)
                else:
                    lay(frames, span, frame, target[row], known[row])
        return torch.from_numpy(target), torch.from_numpy(known)

    def _example(self, group: list[Drawn], others: list[Pcm], easy: bool, rng: np.random.Generator) -> Example:
        """Return a group's features, changed at random unless it is `easy`, and what is to be learnt from them."""
        parts = [pcm for pcm, _, _ in group]
        how = self.mixture.augmentation
        if easy:
            audio, spans = augment.clean(parts, rng)
            features = self._log_mel(audio)
        else:
            audio, spans = augment.vary(parts, others, how, rng)
            features = self._log_mel(audio, rng.uniform(*how.stretch))
            augment.mask(features, how, rng)
        ids = self._tokens.encode(" ".join(row.text for _, row, _ in group))
        lesson = [(frames, span) for (_, _, frames), span in zip(group, spans, strict=True)]
        return Example(features, ids, lesson, sum(row.samples for _, row, _ in group) / SAMPLE_RATE)

    def _round(self, number: int) -> list[list[Example]]:
        """Return the examples of `ROUND` batches: drawn together, so that each batch holds some of about one length."""
        mixture, rng = self.mixture, np.random.default_rng((self.mixture.seed, number))
        easy = number * ROUND < mixture.easy_steps
        drawn = self._draw(rng, mixture.easy_longest_s if easy else mixture.longest_s)
        joined = not easy and rng.random() < mixture.join
        together = int(joined * rng.uniform(0.3, 1) * mixture.join_up_to_s * SAMPLE_RATE)
        others = [drawn[i][0] for i in rng.integers(len(drawn), size=CROWD)]
        examples = [self._example(group, others, easy, rng) for group in _groups(drawn, together)]
        examples.sort(key=lambda one: len(one.features))
        ends = np.cumsum([len(one.features) for one in examples])
        places = np.minimum((ends - 1) * ROUND // ends[-1], ROUND - 1)
        batches = [[one for one, place in zip(examples, places, strict=True) if place == i] for i in range(ROUND)]
        return [batches[i] for i in rng.permutation(ROUND) if batches[i]]

    def _batch(self, examples: list[Example]) -> Batch:
        padded = pad([one.features for one in examples], self._silence, self.mixture.align, self.mixture.look_ahead)
        lessons = [one.lesson for one in examples]
        return Batch(
            padded,
            torch.tensor([i for one in examples for i in one.ids]),
            torch.tensor([len(one.ids) for one in examples]),
            sum(one.seconds for one in examples),
            *(self._lay_out(lessons, padded.shape[1]) if self.mixture.frame_ms else ()),
        )

    def __iter__(self) -> Iterator[Batch]:
        torch.set_num_threads(1)
        self._tokens, self._log_mel = Tokens(self.tokens_model), FastLogMel(self.features)
        self._silence = self._log_mel(np.zeros(SAMPLE_RATE, np.float32))[-1]
        first = self.start // ROUND
        for number in itertools.count(first):
            if (number - first) % (500 // ROUND) == 0:
                self._open()
            yield from map(self._batch, self._round(number))
