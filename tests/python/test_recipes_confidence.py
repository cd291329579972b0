"""The numbers of a manifest's `confidence`: found again where they are known, and written without harm."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from recipes.common.confidence import before, fit, mapped, write


def test_numbers_that_made_the_words_are_found_again():
    rng = np.random.default_rng(0)
    numbers = (0.6, -1.2)
    heard = rng.uniform(0.05, 0.999, 40000)
    words = [(one, bool(rng.random() < mapped(one, numbers))) for one in heard]
    assert fit(words) == pytest.approx(numbers, abs=0.05)


def test_words_that_can_be_told_apart_without_fault_have_finite_numbers():
    scale, offset = fit([(0.3, False), (0.4, False), (0.8, True), (0.9, True)])
    assert scale > 1
    assert np.isfinite([scale, offset]).all()


@pytest.mark.parametrize("confidence", [0.001, 0.3, 0.5, 0.97])
def test_a_map_is_undone(confidence):
    assert before(mapped(confidence, (0.6, -1.2)), (0.6, -1.2)) == pytest.approx(confidence)


def test_a_manifest_keeps_the_rest_of_its_text(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text("name: en  # a remark\nemission_offset_ms: 0\nfeatures: {fft: 512}\n", "utf-8")
    for numbers in ((0.5, -1.0), (0.94412, 0.25)):
        write(path, numbers)
    text = path.read_text("utf-8")
    assert yaml.safe_load(text)["confidence"] == {"scale": 0.944, "offset": 0.25}
    assert text.count("confidence") == 1
    assert text.startswith("name: en  # a remark\nemission_offset_ms: 0\nconfidence")
    assert text.endswith("}\nfeatures: {fft: 512}\n")
