"""A microphone, played by a module that stands in for sounddevice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from importlib.metadata import metadata

import pytest
from commands import COMMAND, LITE, cosyvoice
from support import PATIENCE, transcribe

FAKE = '''
import os, threading
from pathlib import Path
from types import SimpleNamespace

class PortAudioError(Exception):
    pass

WHERE = Path(__file__).parent
DEVICES = [
    {"name": "Speaker", "max_input_channels": 0, "default_samplerate": 44100.0},
    {"name": "Headset", "max_input_channels": 1, "default_samplerate": 16000.0},
    {"name": "Desk", "max_input_channels": 2, "default_samplerate": 16000.0},
]
default = SimpleNamespace(device=[1, 0])

def query_devices(device=None, kind=None):
    if kind is None:
        return DEVICES
    if device is None:
        device = 1
    if isinstance(device, str):
        found = [each for each in DEVICES if device.lower() in each["name"].lower() and each["max_input_channels"]]
        if not found:
            raise ValueError(f"No input device matching {device!r}")
        return found[0]
    if not 0 <= device < len(DEVICES) or not DEVICES[device]["max_input_channels"]:
        raise PortAudioError(f"Error querying device {device}")
    return DEVICES[device]

class RawInputStream:
    """Plays a recording as fast as it is taken, marks the end with a file, and is silent or, if told to, ends."""

    def __init__(self, *, samplerate, blocksize, device, channels, dtype, callback, finished_callback):
        assert (samplerate, channels, dtype) == (16000, 1, "int16")
        self.size, self.callback, self.finished = 2 * blocksize, callback, finished_callback
        self.thread = threading.Thread(target=self.play)

    def start(self):
        self.thread.start()

    def close(self):
        self.thread.join()
        self.finished()

    def play(self):
        pcm = (WHERE / "speech.raw").read_bytes()
        for at in range(0, len(pcm), self.size):
            lost = at == self.size and "FAKE_OVERFLOW" in os.environ
            block = pcm[at : at + self.size]
            self.callback(memoryview(block), len(block) // 2, None, SimpleNamespace(input_overflow=lost))
        (WHERE / "played").touch()
        if "FAKE_UNPLUGGED" in os.environ:
            self.finished()
'''


@pytest.fixture
def fake(tmp_path, speech):
    """The environment in which the module is found, and the file that says that the recording was played."""
    (tmp_path / "sounddevice.py").write_text(FAKE, "utf-8")
    (tmp_path / "speech.raw").write_bytes(speech[:64000].tobytes())
    return {"PYTHONPATH": str(tmp_path)}, tmp_path / "played"


def listen_until_interrupted(fake, *options, number=signal.SIGINT, **more):
    env, played = fake
    process = subprocess.Popen(
        [*COMMAND, "listen", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | env | more,
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while not played.exists() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    out, errors = process.communicate(timeout=PATIENCE)
    return out, errors, process.returncode


def test_ctrl_c_ends_with_the_last_final(fake, trained, speech):
    out, _, code = listen_until_interrupted(fake)
    assert code == 0
    # Partials are for terminals: these are the finals, and nothing that was said before Ctrl-C is missing.
    assert out.splitlines() == [final.text for final in transcribe(trained, speech[:64000]) if final.text]


def test_json_lines_are_the_events_and_lost_sound_is_told(fake):
    options = (*LITE, "--format", "jsonl", "--device", "desk")
    out, errors, code = listen_until_interrupted(fake, *options, number=signal.SIGTERM, FAKE_OVERFLOW="1")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert {event["type"] for event in events} == {"speech_start", "partial", "final"}
    assert events[-1]["ended"]
    assert {event["session"] for event in events} == {"Desk"}
    assert errors.splitlines() == [
        "the device lost sound before it was read; words may be missing",
        "the device lost sound 1 times: this machine is too busy",
    ]


def test_a_microphone_that_goes_away_ends_with_what_was_said_and_1(fake):
    done = cosyvoice("listen", *LITE, env=fake[0] | {"FAKE_UNPLUGGED": "1"})
    assert done.returncode == 1
    assert done.stdout.strip()
    assert done.stderr == "cosyvoice: Headset stopped; is it still plugged in?\n"


def test_devices_are_listed_and_a_wrong_one_is_named(fake):
    done = cosyvoice("listen", "--list-devices", env=fake[0])
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == ["*  1  Headset  (1 channels, 16000 Hz)", "   2  Desk  (2 channels, 16000 Hz)"]
    done = cosyvoice("listen", *LITE, "--device", "nowhere", env=fake[0])
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "'nowhere'" in line
    assert "--list-devices" in line


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ImportError('no module')", "pip install 'cosyvoice-linux[listen]'"),
        ("raise OSError('PortAudio library not found')", "apt install libportaudio2"),
        (
            "class default: device = [-1, -1]\ndef query_devices(): return []",
            "no device that records sound",
        ),
    ],
)
def test_what_is_missing_is_one_line_with_the_remedy(tmp_path, body, said):
    (tmp_path / "sounddevice.py").write_text(body, "utf-8")
    done = cosyvoice("listen", "--list-devices", env={"PYTHONPATH": str(tmp_path)})
    assert (done.stdout, done.returncode) == ("", 1)
    (line,) = done.stderr.splitlines()
    assert said in line


def test_the_extra_that_the_message_names_is_there():
    assert "listen" in (metadata("cosyvoice-linux").get_all("Provides-Extra") or [])
