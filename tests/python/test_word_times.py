"""Word times against synthetic audio whose word positions are known (made by benchmarks/word_times.py --keep)."""

from __future__ import annotations

import json

from commands import cosyvoice
from support import REPOSITORY


def test_words_begin_where_they_are_said():
    done = cosyvoice("evaluate", REPOSITORY / "tests" / "golden" / "word_times.jsonl", "--json", "--model", "en")
    assert (done.stderr, done.returncode) == ("", 0)
    starts = json.loads(done.stdout)["word_start_ms"]
    assert starts["words"] >= 15  # of 34: others were not heard as they were said
    assert starts["median_error"] < 80
