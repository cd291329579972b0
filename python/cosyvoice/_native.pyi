# Made by tools/make_stubs.py from the compiled module; do not edit.
"""The compiled core of cosyvoice; use the package, not this module."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import numpy.typing
from typing_extensions import Buffer


version: str = '0.1.0'

def error_classes() -> dict[str, str]:
    """The code of each error, as in error events, and the name of its class."""

def open_log() -> None:
    """From now on the core's messages wait for next_log()."""

def next_log() -> tuple[int, str] | None:
    """
    Blocks for the next (level from 0 debug to 3 error, message); None once close_log() was called.
    """

def close_log() -> None:
    """
    No further messages; next_log() returns None when it has given out what waits.
    """

class DelaySummary:
    """Distribution of one duration, in milliseconds."""

    @property
    def count(self) -> int: ...

    @property
    def mean(self) -> float: ...

    @property
    def p50(self) -> float: ...

    @property
    def p99(self) -> float: ...

    @property
    def max(self) -> float: ...

class Stats:
    """Counters of an engine at one moment."""

    @property
    def sessions(self) -> int: ...

    @property
    def sessions_opened(self) -> int: ...

    @property
    def sessions_ended(self) -> int: ...

    @property
    def accepted_samples(self) -> int: ...

    @property
    def decoded_samples(self) -> int: ...

    @property
    def dropped_samples(self) -> int: ...

    @property
    def skipped_samples(self) -> int: ...

    @property
    def chunks(self) -> int: ...

    @property
    def batches(self) -> int: ...

    @property
    def partials(self) -> int: ...

    @property
    def finals(self) -> int: ...

    @property
    def errors(self) -> int: ...

    @property
    def callback_errors(self) -> int: ...

    @property
    def partial_delay(self) -> DelaySummary: ...

    @property
    def final_delay(self) -> DelaySummary: ...

    @property
    def delivery_delay(self) -> DelaySummary: ...

    @property
    def session_bytes(self) -> int: ...

    @property
    def state_bytes(self) -> int: ...

    @property
    def second_passes(self) -> int: ...

    @property
    def second_pass_timeouts(self) -> int: ...

    @property
    def second_pass_overflows(self) -> int: ...

    @property
    def second_pass_failures(self) -> int: ...

    @property
    def second_pass_restarts(self) -> int: ...

    @property
    def dictionary_swaps(self) -> int: ...

    @property
    def search_swaps(self) -> int: ...

    @property
    def config_failures(self) -> int: ...

    @property
    def second_pass_delay(self) -> DelaySummary: ...

class ModelInfo:
    """Facts of a loaded model, from its manifest."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def language(self) -> str: ...

    @property
    def weights(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def chunk_ms(self) -> list[int]: ...

    @property
    def default_chunk_ms(self) -> int: ...

    @property
    def look_ahead_ms(self) -> int: ...

    @property
    def sample_rate(self) -> int: ...

    @property
    def output_frame_ms(self) -> int: ...

    @property
    def precision(self) -> str: ...

    @property
    def precision_reason(self) -> str: ...

def read_config(path: str) -> dict[str, Any]:
    """
    The options of a configuration file and the environment, by keyword; without a file where path is empty.
    """

def config_text(path: str) -> str:
    """
    The whole configuration, defaults and environment included, as commented YAML.
    """

def config_schema() -> list[dict[str, str]]:
    """One row for each key of the configuration."""

def set_embedded_bundles(directory: str) -> None:
    """Where the bundles that are known by name lie."""

def embedded_bundles() -> list[str]:
    """Their names."""

def resolve_bundle(name: str) -> str:
    """
    The directory of an embedded bundle; any other name as it is; empty: the default bundle.
    """

class Engine:
    """
    The engine of engine.h. Events cross as the JSON that every outlet sends.
    """

    def __init__(self, *, model_path: str, chunk_ms: int, precision: str, max_stream: int, batch_size: int, workers: int, partial_timeout: int, max_utterance: int, idle_timeout: int, back_pressure: str, block_timeout: int, ring_bytes: int, fifo_bytes: int, max_batch_ms: float, close_timeout: int, cpus: str, huge_pages: bool, simd: str, log_level: str, second_pass: str, second_pass_workers: int, second_pass_timeout_ms: int, start_timeout: int, vad: str, vad_threshold: float, vad_hangover_ms: int, vad_pre_roll_ms: int, vad_model: str, dictionary: str, dictionary_version: int, watch_config: bool, config_file: str, beam_size: int, lm: str, lm_weight: float, word_bonus: float, blank_penalty: float, token_threshold: float, score_threshold: float, alternatives: int, hotwords: str, hotword_boost: float, hold_back: int, search_version: int) -> None: ...

    def new_session(self, *, name: str, sample_rate: int, encoding: str, model: str, chunk_ms: int, priority: str, hotwords: Sequence[tuple[str, float]], grammar: Sequence[str]) -> int: ...

    def set_hotwords(self, hotwords: Sequence[tuple[str, float]]) -> None: ...

    def set_session_hotwords(self, sid: int, hotwords: Sequence[tuple[str, float]]) -> None: ...

    def feed_pcm(self, sid: int, pcm: Buffer) -> None: ...

    def end_utterance(self, sid: int) -> None: ...

    def reset(self, sid: int) -> None: ...

    def finish(self, sid: int) -> None: ...

    def close_session(self, sid: int) -> None: ...

    def swap_dictionary(self, path: str) -> None: ...

    def swap_lm(self, lm: str) -> None: ...

    def release(self, sid: int) -> None: ...

    def close(self) -> None: ...

    def stats(self) -> Stats: ...

    def clear_delays(self) -> None: ...

    def model(self) -> ModelInfo: ...

    def next_event(self, sid: int, timeout_ms: int) -> str | None: ...

    def next_partial(self, sid: int) -> str | None: ...

    def drain(self, timeout_ms: int) -> list[tuple[str, int, str]]:
        """Waits for events; each is (type, sid, JSON). Empty on time-out."""

    def drain_open(self) -> bool: ...

    def attach_drain(self) -> None: ...

    def mark_dispatcher_thread(self) -> None: ...

    def count_callback_error(self) -> None: ...

    def next_second_pass(self, timeout_ms: int) -> tuple[int, str, bytes] | None:
        """
        Waits for an utterance to hear again: (id, language, 16-bit samples at 16 kHz). None on time-out.
        """

    def answer_second_pass(self, id: int, text: str, words: Sequence[tuple[str, int, int, float]]) -> None: ...

    def refuse_second_pass(self, id: int) -> None: ...

    def count_second_pass_restart(self) -> None: ...

class PacerReport:
    """What the sessions of one paced run saw."""

    @property
    def fed_samples(self) -> int: ...

    @property
    def refused_samples(self) -> int: ...

    @property
    def lost_samples(self) -> int: ...

    @property
    def dropped_samples(self) -> int: ...

    @property
    def skipped_samples(self) -> int: ...

    @property
    def partial_events(self) -> int: ...

    @property
    def final_events(self) -> int: ...

    @property
    def error_events(self) -> int: ...

    @property
    def partial_delay(self) -> DelaySummary: ...

    @property
    def final_delay(self) -> DelaySummary: ...

    @property
    def wall_seconds(self) -> float: ...

    @property
    def cpu_percent(self) -> float: ...

    @property
    def rss_mb(self) -> float: ...

    @property
    def feeder_late_ms(self) -> float: ...

def run_pacer(engine: Engine, recording: Buffer, *, streams: int, seconds: float, warm_up_seconds: float, chunk_ms: int, together: bool) -> PacerReport:
    """
    Feeds an int16 mono recording to many sessions in real time; the engine must have no callbacks.
    """

def read_manifest(bundle: str) -> dict[str, Any]:
    """
    A bundle's manifest, checked with its files: general facts and those of the network; paths are absolute.
    """

def network_choice(bundle: str, precision: str) -> tuple[str, str]:
    """
    Which of a bundle's networks an engine with this `precision` takes here, `f32` or `int8`, and why.
    """

class LanguageModel:
    """A compiled n-gram model, mapped."""

    @staticmethod
    def open(path: str) -> LanguageModel:
        """Maps a model without reading it whole."""

    def facts(self) -> dict[str, Any]:
        """What the file says of itself."""

    def verify(self) -> bool:
        """Whether the file is what was written, by its SHA-256; reads all of it."""

    def words(self) -> int:
        """How many words it has, <unk>, <s> and </s> among them."""

    def word(self, id: int) -> str:
        """The text of a word, '' beyond the last."""

    def find(self, word: str) -> int:
        """A word's id; 0 where it is unknown."""

    def score_sentence(self, words: Sequence[str]) -> list[tuple[float, bool]]:
        """
        log10 P of each word after those before it, and whether the model has it; last, the sentence's end.
        """

def build_language_model(read: Callable[[int], bytes], name: str, out: str, quantise: bool, unit: str, tokens: str) -> dict[str, Any]:
    """
    Compiles an ARPA file, which `read` gives in pieces and messages call `name`; the new file's facts.
    """

def build_facts() -> dict[str, str]:
    """
    Version, commit, compiler, build type, and OpenVINO's versions: compiled with and loaded.
    """

def inference_devices() -> list[dict[str, Any]]:
    """
    The devices that OpenVINO finds: name, full_name, capabilities. Networks run on the CPU.
    """

def inference_precision() -> str:
    """The number type that networks are compiled for."""

def simd_variants() -> list[str]:
    """The Front-End's variants that this processor can run, widest last."""

def simd_chosen() -> str:
    """The one that this process uses."""

def session_memory(ring_bytes: int, fifo_bytes: int, max_utterance: int, second_pass: str, beam_size: int) -> dict[str, int]:
    """Bytes mapped for one session by part, its network states aside."""

class Search:
    """
    For tests and tuning: the search of one session over a network's output.
    """

    def __init__(self, bundle: str, *, beam_size: int = 0, lm: str = '', lm_weight: float = 0.3, word_bonus: float = 2.0, blank_penalty: float = 0.0, token_threshold: float = 12.0, score_threshold: float = 20.0, alternatives: int = 0, hotwords: Sequence[tuple[str, float]] = []) -> None: ...

    def decode(self, log_probs: numpy.typing.NDArray[numpy.float32], chunk_frames: int = 8) -> tuple[str, list[tuple[str, float]]]:
        """
        One utterance, fed chunk by chunk: its text, and the others with their shares.
        """

def log_mel(bundle: str, pcm: Buffer, sample_rate: int) -> numpy.typing.NDArray[numpy.float32]:
    """
    For tests and exports: feature rows [frames, dim] of float32 samples, through ring, resampler and lanes.
    """

def log_probs(bundle: str, features: Buffer, chunk_frames: int, precision: str = 'f32') -> numpy.typing.NDArray[numpy.float32]:
    """
    For tests: log-probabilities [frames, vocabulary] of feature rows, flattened, fed to the network chunk by chunk.
    """

def resample(pcm: Buffer, from_hz: int, to_hz: int) -> numpy.typing.NDArray[numpy.float32]:
    """
    For tests: float32 samples at another rate, sample 0 at time 0, as many as cover the same time.
    """
