"""The self test: load the model as it is configured, and recognise the recording that comes with the package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosyvoice.doctor.finding import Finding, advice, good, problem, unseen
from cosyvoice.doctor.memory import rss
from cosyvoice.errors import CosyVoiceError

if TYPE_CHECKING:
    from cosyvoice.doctor.core import Core
    from cosyvoice.doctor.settings import Settings
    from cosyvoice.stats import ModelInfo

PATIENCE = 120.0  # seconds
PACKET = 1024  # samples
FINDINGS = ("model.bundle", "model.precision", "model.self_test")


@dataclass(slots=True)
class Trial:
    """How far it came. ``model`` is None where none was loaded, and ``error`` says why it went no further."""

    model: ModelInfo | None = None
    state_bytes: int = 0
    network_bytes: int = 0  # by which the process grew
    load_seconds: float = 0.0
    audio_seconds: float = 0.0
    run_seconds: float = 0.0
    words: int | None = None
    error: str = ""

    @property
    def loaded(self) -> bool:
        """A model was loaded."""
        return self.model is not None


def run(settings: Settings, core: Core) -> Trial:
    """Do it. Whatever fails is told in the result."""
    trial = Trial()
    if core.native is None:
        trial.error = "the compiled core cannot be loaded"
    elif settings.options is None:
        trial.error = "the configuration cannot be read"
    else:
        try:
            _run(trial, settings.options)
        except (CosyVoiceError, ImportError, OSError, RuntimeError) as error:
            trial.error = str(error)
    return trial


def _run(trial: Trial, options: dict[str, Any]) -> None:
    import soundfile

    from cosyvoice.config import EngineConfig
    from cosyvoice.embedded import audio_path
    from cosyvoice.engine import Engine

    config = EngineConfig(**options | {"max_stream": 1, "back_pressure": "block", "log_level": "error"})
    before, begin = rss(Path("/")), time.monotonic()
    with Engine(config=config) as engine:
        trial.load_seconds = time.monotonic() - begin
        trial.network_bytes = max(0, (rss(Path("/")) or 0) - (before or 0))
        trial.state_bytes = engine.stats().state_bytes
        trial.model = engine.model
        pcm, rate = soundfile.read(audio_path("demo"), dtype="int16")
        begin = time.monotonic()
        session = engine.new_session(name="doctor", sample_rate=rate)
        for start in range(0, len(pcm), PACKET):
            session.feed(pcm[start : start + PACKET])
        session.finish()
        words = 0
        while (final := session.result(PATIENCE)) is not None:
            words += len(final.words)
        trial.run_seconds = time.monotonic() - begin
        trial.audio_seconds = len(pcm) / rate
        trial.words = words


def look(trial: Trial, core: Core, settings: Settings) -> list[Finding]:
    """The findings of this subject."""
    if core.native is None or settings.options is None:
        return [unseen(name, f"not tried: {trial.error}") for name in FINDINGS]
    return [_bundle(trial), _precision(trial, settings), _self_test(trial)]


def _bundle(trial: Trial) -> Finding:
    model = trial.model
    if model is None:
        return problem("model.bundle", f"cannot be loaded: {trial.error}", "cosyvoice doctor --model en")
    value = {
        "name": model.name,
        "version": model.version,
        "language": model.language,
        "weights": model.weights,
        "path": model.path,
        "chunk_ms": model.default_chunk_ms,
        "load_seconds": round(trial.load_seconds, 3),
        "network_bytes": trial.network_bytes,
    }
    says = (
        f"{model.name} {model.version} ({model.language}, {model.weights} weights), {model.default_chunk_ms} ms chunks, "
        f"loaded in {trial.load_seconds:.1f} s"
    )
    return good("model.bundle", says, value)


def _precision(trial: Trial, settings: Settings) -> Finding:
    model = trial.model
    if model is None:
        return unseen("model.precision", "not known, as no model was loaded")
    value = {
        "chosen": model.precision,
        "reason": model.precision_reason,
        "asked": settings.get("precision", "auto"),
    }
    return good("model.precision", f"{model.precision}: {model.precision_reason}", value)


def _self_test(trial: Trial) -> Finding:
    name = "model.self_test"
    if trial.model is None:
        return unseen(name, "not tried, as no model was loaded")
    if trial.words is None:
        return problem(name, f"the recording was not recognised: {trial.error}", "cosyvoice demo")
    value = {"words": trial.words, "audio_seconds": trial.audio_seconds, "run_seconds": round(trial.run_seconds, 3)}
    says = f"heard {trial.words} words in {trial.audio_seconds:.1f} s of audio, in {trial.run_seconds:.1f} s"
    if trial.model.weights == "random":
        return good(name, f"{says}; random weights write none", value)
    if trial.words == 0 and trial.model.language == "en":
        return advice(name, f"{says}, and the recording is English speech", "cosyvoice demo --model en", value)
    return good(name, says, value)
