"""How exact word times are: python benchmarks/word_times.py [MODEL …] (default: en en-lite)

Single words, read by the voices of flite (Debian's package of that name) and cut to their sound, stand between silences of known
length: so it is known when each begins. `cosyvoice evaluate` hears them as streams, in every chunk length of the model. Prints
a JSON object a line: the median and the 90th percentile of the absolute errors of the words' starts, and the median lateness, by
which `emission_offset_ms` of the manifest would have to grow. Words that were not heard as they were said do not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import soundfile

from cosyvoice import _native
from cosyvoice.embedded import resolve_model

if TYPE_CHECKING:
    import numpy.typing as npt

VOICES = ("slt", "rms", "awb")  # of 16 kHz
RATE = 16000
TOGETHER = 6  # words in a recording
SILENCE_MS = (60, 500)
AUDIBLE = 0.01  # of a word's peak: -40 dB
WORDS = [
    "about", "after", "again", "always", "another", "because", "before", "between", "business", "children",
    "company", "country", "different", "evening", "every", "example", "family", "father", "follow", "friend",
    "garden", "general", "going", "government", "happen", "history", "holiday", "house", "important", "interest",
    "kitchen", "language", "letter", "little", "machine", "market", "members", "minister", "minute", "moment",
    "money", "morning", "mother", "mountain", "never", "nothing", "number", "office", "often", "other", "paper",
    "people", "person", "picture", "possible", "problem", "question", "reason", "report", "river", "second",
    "service", "several", "sister", "something", "station", "story", "student", "summer", "system", "teacher",
    "thousand", "together", "tomorrow", "under", "until", "village", "water", "weather", "whether", "window",
    "winter", "without", "woman", "wonder", "yellow", "yesterday",
]  # fmt: skip
