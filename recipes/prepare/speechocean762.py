"""speechocean762 (OpenSLR 101): English read by Mandarin natives, 5 hours, free for any purpose.

    train/{wav.scp,text,utt2spk}  test/…  WAVE/SPEAKER0001/000010011.WAV

Its own training and test part; a few of the training part's speakers are held out as dev.
"""

from pathlib import Path

from recipes.prepare.corpus import Parts, Utterance, hold_out, need, pairs, run

HINT = "give the folder that holds train, test and WAVE"


def _part(corpus: Path, name: str) -> list[Utterance]:
    files = {kind: need(corpus / name / kind, "speechocean762", HINT) for kind in ("wav.scp", "text", "utt2spk")}
    texts, speakers = dict(pairs(files["text"])), dict(pairs(files["utt2spk"]))
    return [
        Utterance(corpus / path, texts[key], f"speechocean762_{speakers[key]}")
        for key, path in pairs(files["wav.scp"])
        if key in texts and key in speakers
    ]


def prepare(corpus: Path, _out: Path) -> Parts:
    """Return the utterances by part."""
    train, dev = hold_out(_part(corpus, "train"))
    return {"train": train, "dev": dev, "test": _part(corpus, "test")}


if __name__ == "__main__":
    run(prepare, __doc__, HINT)
