"""AISHELL-1 (OpenSLR 33): Mandarin, 178 hours, Apache-2.0; texts become characters without spaces.

    transcript/aishell_transcript_v0.8.txt  wav/{train,dev,test}/S0002/BAC009S0002W0122.wav

The archive holds an archive for each speaker in ``wav``, which must be unpacked there first.
"""

import sys
from pathlib import Path

from recipes.prepare.corpus import NotThisCorpus, Parts, Utterance, need, pairs, run

HINT = "give the folder data_aishell, which holds wav and transcript"


def prepare(corpus: Path, _out: Path) -> Parts:
    """Return the utterances by part."""
    transcripts = need(corpus / "transcript" / "aishell_transcript_v0.8.txt", "AISHELL-1", HINT)
    texts = {key: "".join(text.split()) for key, text in pairs(transcripts)}
    parts: dict[str, list[Utterance]] = {}
    for part in ("train", "dev", "test"):
        recordings = sorted((corpus / "wav" / part).glob("*/*.wav"))
        parts[part] = [
            Utterance(path, texts[path.stem], f"aishell_{path.parent.name}")
            for path in recordings
            if path.stem in texts
        ]
        if not parts[part]:
            packed = next((corpus / "wav").glob("*.tar.gz"), None)
            remedy = f"unpack {packed} and its siblings there" if packed else HINT
            raise NotThisCorpus(f"{corpus / 'wav' / part} holds no recordings with transcripts; {remedy}")
        # The corpus is published so: some hundred recordings have none.
        if without := len(recordings) - len(parts[part]):
            print(f"{part}: {without} recordings have no transcript and are left out", file=sys.stderr)
    return parts


if __name__ == "__main__":
    run(prepare, __doc__, HINT)
