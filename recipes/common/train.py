"""The training loop: CTC and a teacher's frames over random chunk lengths, a schedule by the clock, checkpoints."""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from recipes.common.batches import Batch, Batches
from recipes.common.network import Network
from recipes.common.tokens import BLANK


@dataclass(frozen=True)
class Schedule:
    """How long and how fast; rates are multiplied by each group's own."""

    hours: float  # of wall clock
    fall_from: float = 0.75  # of the hours: until then the rates stay, then they fall to `last` of their peak
    frozen_steps: int = 300  # in which only the head learns
    warm_up_steps: int = 300  # in which the rest starts to
    upper_groups: int = 3  # of the parameter groups; the others learn only in a middle part of the hours
    all_learn: tuple[float, float] = (0.05, 0.75)
    last: float = 0.02
    match: float = 0.0  # weight of the teacher's frames beside the CTC loss a piece
    posteriors: bool = False  # they are the probabilities of pieces
    match_alone: float = 0.0  # of the hours, in which nothing else is learnt
    match_until: float = 1.0  # of the hours; the weight falls to nothing
    chunks: tuple[int, ...] = (16, 32, 64, 0)  # feature frames; 0: the whole utterance
    chances: tuple[float, ...] = (0.25, 0.4, 0.25, 0.1)
    average: float = 0.999  # of the weights, a step
    checkpoint_s: float = 300
    clip: float = 1.0


@dataclass
class Progress:
    """Where training is; saved with each checkpoint."""

    step: int = 0
    elapsed_s: float = 0.0
    heard_s: float = 0.0


def _ctc(logits: Tensor, batch: Batch) -> Tensor:
    """Return the CTC loss a piece."""
    log_probs = logits.log_softmax(-1).transpose(0, 1)
    frames = torch.full((logits.shape[0],), logits.shape[1])
    loss = F.ctc_loss(log_probs, batch.targets, frames, batch.lengths, BLANK, "sum", zero_infinity=True)
    return loss / batch.lengths.sum()


class Trainer:
    """Trains `network` from `groups` of parameters, the head's first; goes on from ``last.pt`` in `folder`.

    `taught` is the width of the teacher's frames; 0 without a teacher.
    """

    def __init__(
        self,
        network: Network,
        groups: list[dict[str, Any]],
        schedule: Schedule,
        folder: Path,
        pause: Path | None,
        taught: int = 0,
    ) -> None:
        self.network, self.schedule, self.folder, self.pause = network, schedule, folder, pause
        # From the network's frames to the teacher's.
        self.lesson = nn.Linear(network.width, taught) if taught and not schedule.posteriors else None
        if self.lesson is not None:
            groups[0]["params"] = [*groups[0]["params"], *self.lesson.parameters()]
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        self.average = copy.deepcopy(network).eval()
        # Where the CPU has no instructions for it, bfloat16 is emulated at a tenth of float32's speed.
        self._bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        self.progress = Progress()
        if (folder / "last.pt").exists():
            saved = torch.load(folder / "last.pt", weights_only=True)
            self.network.load_state_dict(saved["trained"])
            self.average.load_state_dict(saved["network"])
            self.optimizer.load_state_dict(saved["optimizer"])
            if self.lesson is not None:
                self.lesson.load_state_dict(saved["lesson"])
            self.progress = Progress(**saved["progress"])

    def save(self, name: str = "last.pt") -> None:
        """Write a checkpoint: the averaged weights as ``network``, and all that going on needs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        contents = {
            "network": self.average.state_dict(),
            "trained": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "lesson": self.lesson.state_dict() if self.lesson is not None else None,
            "progress": vars(self.progress),
        }
        torch.save(contents, self.folder / "new.pt")
        (self.folder / "new.pt").replace(self.folder / name)

    @property
    def _done(self) -> float:
        """How much of the hours is over."""
        return min(1.0, self.progress.elapsed_s / (3600 * self.schedule.hours))

    def _set_rates(self) -> int:
        """Set the rates for this step and return how many of the groups learn."""
        step, schedule, done = self.progress.step, self.schedule, self._done
        falling = max(0.0, done - schedule.fall_from) / (1 - schedule.fall_from)
        fall = 1 - (1 - schedule.last) * falling
        unfrozen = step >= schedule.frozen_steps
        warm = min(1.0, (step - schedule.frozen_steps + 1) / schedule.warm_up_steps) if unfrozen else 0.0
        for i, group in enumerate(self.optimizer.param_groups):
            group["lr"] = self.rates[i] * fall * (min(1.0, (step + 1) / 50) if i == 0 else warm)
        if not unfrozen:
            return 1
        return len(self.rates) if schedule.all_learn[0] <= done < schedule.all_learn[1] else schedule.upper_groups

    def _loss(self, batch: Batch) -> Tensor:
        """Return the loss at a chunk length drawn by the step's number."""
        generator = torch.Generator().manual_seed(self.progress.step)
        drawn = int(torch.multinomial(torch.tensor(self.schedule.chances), 1, generator=generator))
        features = batch.features
        offset = 4 * torch.randint(0, 750, (len(features),), generator=generator)
        offset *= torch.rand(len(features), generator=generator) < 0.5
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bfloat16):
            frames = self.network.encode(features, self.schedule.chunks[drawn] or features.shape[1], offset)
            logits = self.network.classify(frames)
        match = max(0.0, 1 - self._done / self.schedule.match_until) * self.schedule.match
        alone = self._done < self.schedule.match_alone
        loss = torch.zeros(()) if alone else _ctc(logits.float(), batch)
        if match and batch.taught is not None and batch.known is not None and batch.known.any():
            known, taught = batch.known, batch.taught[batch.known]
            if self.lesson is not None:
                loss = loss + match * F.mse_loss(self.lesson(frames.float())[known], taught)
            else:
                loss = loss + match * F.kl_div(logits.float()[known].log_softmax(-1), taught, reduction="batchmean")
        return loss

    def _step(self, batch: Batch) -> float:
        learning = self._set_rates()
        for i, group in enumerate(self.optimizer.param_groups):
            for parameter in group["params"]:
                parameter.requires_grad_(i < learning)
        loss = self._loss(batch)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(
            (one for group in self.optimizer.param_groups for one in group["params"]), self.schedule.clip
        )
        self.optimizer.step()
        keep = min(self.schedule.average, (1 + self.progress.step) / (10 + self.progress.step))
        with torch.no_grad():
            for mean, now in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(now, 1 - keep)
        return float(loss.detach())

    def run(self, batches: Batches, validate: Callable[[Network], str]) -> None:
        """Train until the hours are over; print losses, and what `validate` says at each checkpoint."""
        loader = DataLoader(batches, batch_size=None, num_workers=1, prefetch_factor=8, multiprocessing_context="spawn")
        saved, losses, before = time.monotonic(), 0.0, time.monotonic()
        falls_after_s = 3600 * self.schedule.hours * self.schedule.fall_from
        self.network.train()
        for batch in loader:
            while self.pause is not None and self.pause.exists():
                time.sleep(1)
            losses += self._step(batch)
            now, progress = time.monotonic(), self.progress
            progress.step += 1
            progress.heard_s += batch.seconds
            if progress.elapsed_s < falls_after_s <= progress.elapsed_s + now - before:
                self.save("steady.pt")  # as `last.pt`, with more hours, training goes on as if it had never slowed down
            progress.elapsed_s += now - before
            before = now
            if progress.step % 50 == 0:
                heard = f"heard {progress.heard_s / 3600:.2f} h in {progress.elapsed_s / 60:.1f} min"
                print(f"step {progress.step} loss {losses / 50:.3f} {heard}", flush=True)
                losses = 0.0
            over = progress.elapsed_s > 3600 * self.schedule.hours
            if now - saved > self.schedule.checkpoint_s or over:
                self.save()
                print(f"checkpoint at {progress.step}: {validate(self.average)}", flush=True)
                saved = time.monotonic()
            if over:
                return
