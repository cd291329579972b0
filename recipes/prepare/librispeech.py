"""LibriSpeech (OpenSLR 12): books read aloud, CC BY 4.0; whichever of its subsets are there.

    train-clean-100/READER/CHAPTER/{READER-CHAPTER.trans.txt,READER-CHAPTER-0000.flac}  dev-clean/…  test-other/…

Every ``train-*`` goes into the manifest ``train``; each subset of dev and test has a manifest of its own name.
"""

from pathlib import Path

from recipes.prepare.corpus import NotThisCorpus, Parts, Utterance, pairs, run

HINT = "the folder LibriSpeech, which holds train-clean-100, dev-clean and others"
TRAIN = ("train-clean-100", "train-clean-360", "train-other-500")
HELD = ("dev-clean", "dev-other", "test-clean", "test-other")


def _subset(folder: Path) -> list[Utterance]:
    return [
        Utterance(transcripts.with_name(f"{key}.flac"), text, f"librispeech_{key.split('-')[0]}")
        for transcripts in sorted(folder.glob("*/*/*.trans.txt"))
        for key, text in pairs(transcripts)
    ]


def prepare(corpus: Path, _out: Path) -> Parts:
    """Return the utterances by part."""
    parts = {"train": [one for name in TRAIN for one in _subset(corpus / name)]}
    parts |= {name: _subset(corpus / name) for name in HELD}
    there = {name: found for name, found in parts.items() if found}
    if not there:
        raise NotThisCorpus(f"{corpus} holds no subset of LibriSpeech with transcripts; give {HINT}")
    return there


if __name__ == "__main__":
    run(prepare, __doc__, HINT)
