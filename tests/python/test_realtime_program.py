"""The microphone program of the examples runs as it stands, apart from MODEL_PATH."""

from __future__ import annotations

import difflib
import subprocess
import sys
import textwrap

import soundfile
from support import PATIENCE, REPOSITORY

from cosyvoice.embedded import resolve_model

PROGRAM = REPOSITORY / "examples" / "python" / "realtime_asr.py"

# A microphone that plays a file, then three seconds of silence, and is then unplugged.
MICROPHONE = """
    import wave

    paInt16 = 8

    class _Stream:
        def __init__(self):
            with wave.open({wav!r}) as file:
                assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
                self._pcm = file.readframes(file.getnframes()) + bytes(2 * 3 * 16000)

        def read(self, frames, exception_on_overflow=True):
            assert exception_on_overflow is False
            if not self._pcm:
                raise OSError("the microphone was unplugged")
            pcm, self._pcm = self._pcm[: 2 * frames], self._pcm[2 * frames :]
            return pcm

    class PyAudio:
        def open(self, *, format, channels, rate, input, frames_per_buffer):
            assert (format, channels, rate, input, frames_per_buffer) == (paInt16, 1, 16000, True, 1024)
            return _Stream()
"""


def test_the_program_prints_partials_and_finals(tmp_path, speech):
    soundfile.write(tmp_path / "speech.wav", speech, 16000, subtype="PCM_16")
    (tmp_path / "pyaudio.py").write_text(textwrap.dedent(MICROPHONE).format(wav=str(tmp_path / "speech.wav")), "utf-8")
    original = PROGRAM.read_text("utf-8")
    adapted = original.replace('"/opt/cosyvoice/models/aishell2_int8"', repr(resolve_model("en")))
    changed = [line for line in difflib.ndiff(original.splitlines(), adapted.splitlines()) if line[0] in "+-"]
    assert [line[2:].split(" =")[0] for line in changed] == ["MODEL_PATH", "MODEL_PATH"]
    (tmp_path / "realtime_asr.py").write_text(adapted, "utf-8")

    done = subprocess.run(
        [sys.executable, tmp_path / "realtime_asr.py"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert "the microphone was unplugged" in done.stderr
    lines = done.stdout.splitlines()
    kinds = {line.split(":")[0].strip() for line in lines}
    assert kinds == {"partial", "final"}
    heard = [line.removeprefix("final :").strip() for line in lines if line.startswith("final :")]
    assert any(heard), "the silence ended an utterance that has words"
