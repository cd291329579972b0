"""What an engine counts and what it knows of its model, as frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cosyvoice import _native

__all__ = ["DelaySummary", "ModelInfo", "Stats"]


@dataclass(frozen=True, slots=True)
class DelaySummary:
    """Distribution of one duration, in milliseconds."""

    count: int
    mean: float
    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, native: _native.DelaySummary) -> DelaySummary:
        """A copy of the core's numbers."""
        return cls(native.count, native.mean, native.p50, native.p99, native.max)


@dataclass(frozen=True, slots=True)
class Stats:
    """An engine's counters at one moment; samples count at the sessions' own rates.

    ``dropped_samples`` were discarded by reset, close or an error, each reported by an event; ``skipped_samples`` were silence
    that did not go through the network. Delays run to the moment an event is queued, ``delivery_delay`` from there to the
    outlet. ``session_bytes`` and ``state_bytes`` are mapped for one session.

    ``second_passes`` are finals whose words are the second pass's. Others went without it: no answer came in time
    (``second_pass_timeouts``), too many utterances waited (``second_pass_overflows``), or a worker failed
    (``second_pass_failures``). ``second_pass_delay`` is how long finals waited.

    ``dictionary_swaps`` counts the first one too; ``search_swaps`` are switches of language model or hotwords, by the
    configuration file or a call; ``config_failures`` are changes of the configuration file that were refused.
    """

    sessions: int
    sessions_opened: int
    sessions_ended: int
    accepted_samples: int
    decoded_samples: int
    dropped_samples: int
    skipped_samples: int
    chunks: int
    batches: int
    partials: int
    finals: int
    errors: int
    callback_errors: int
    partial_delay: DelaySummary
    final_delay: DelaySummary
    delivery_delay: DelaySummary
    session_bytes: int
    state_bytes: int
    second_passes: int
    second_pass_timeouts: int
    second_pass_overflows: int
    second_pass_failures: int
    second_pass_restarts: int
    dictionary_swaps: int
    search_swaps: int
    config_failures: int
    second_pass_delay: DelaySummary

    @classmethod
    def of(cls, native: _native.Stats) -> Stats:
        """A copy of the core's counters."""
        return cls(
            sessions=native.sessions,
            sessions_opened=native.sessions_opened,
            sessions_ended=native.sessions_ended,
            accepted_samples=native.accepted_samples,
            decoded_samples=native.decoded_samples,
            dropped_samples=native.dropped_samples,
            skipped_samples=native.skipped_samples,
            chunks=native.chunks,
            batches=native.batches,
            partials=native.partials,
            finals=native.finals,
            errors=native.errors,
            callback_errors=native.callback_errors,
            partial_delay=DelaySummary.of(native.partial_delay),
            final_delay=DelaySummary.of(native.final_delay),
            delivery_delay=DelaySummary.of(native.delivery_delay),
            session_bytes=native.session_bytes,
            state_bytes=native.state_bytes,
            second_passes=native.second_passes,
            second_pass_timeouts=native.second_pass_timeouts,
            second_pass_overflows=native.second_pass_overflows,
            second_pass_failures=native.second_pass_failures,
            second_pass_restarts=native.second_pass_restarts,
            dictionary_swaps=native.dictionary_swaps,
            search_swaps=native.search_swaps,
            config_failures=native.config_failures,
            second_pass_delay=DelaySummary.of(native.second_pass_delay),
        )


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts of a loaded model, from its manifest, and which of its networks was chosen: ``f32`` or ``int8``, and why."""

    name: str
    version: int
    language: str
    weights: str
    path: str
    chunk_ms: tuple[int, ...]
    default_chunk_ms: int
    look_ahead_ms: int
    sample_rate: int
    output_frame_ms: int
    precision: str
    precision_reason: str

    @classmethod
    def of(cls, native: _native.ModelInfo) -> ModelInfo:
        """A copy of what the core read."""
        return cls(
            name=native.name,
            version=native.version,
            language=native.language,
            weights=native.weights,
            path=native.path,
            chunk_ms=tuple(native.chunk_ms),
            default_chunk_ms=native.default_chunk_ms,
            look_ahead_ms=native.look_ahead_ms,
            sample_rate=native.sample_rate,
            output_frame_ms=native.output_frame_ms,
            precision=native.precision,
            precision_reason=native.precision_reason,
        )
