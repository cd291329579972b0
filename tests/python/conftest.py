from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile

from cosyvoice import Engine
from cosyvoice.embedded import audio_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt


@pytest.fixture(scope="session")
def speech() -> npt.NDArray[np.int16]:
    """The demo recording, 16 kHz."""
    pcm, rate = soundfile.read(audio_path("demo"), dtype="int16")
    assert rate == 16000
    return np.asarray(pcm)


@pytest.fixture
def make_engine() -> Iterator[Callable[..., Engine]]:
    """Makes small engines of the smaller network, and closes them."""
    engines: list[Engine] = []

    def make(**options: Any) -> Engine:
        engine = Engine(**{"model_path": "en-lite", "max_stream": 8, "workers": 1} | options)
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine of the smaller network that several tests share; it has no callbacks."""
    with Engine("en-lite", max_stream=8, workers=1) as shared:
        yield shared


@pytest.fixture(scope="module")
def trained() -> Iterator[Engine]:
    """An engine of the default network; it has no callbacks."""
    with Engine(max_stream=8) as shared:
        yield shared
