"""What the microphone hears: real programs that write samples, and a real sound server where one is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.errors import Cancelled, UserFacing
from desktop.system import recording
from desktop.system.recording import (
    LONGEST_BYTES,
    LONGEST_S,
    Recording,
    RecordingProgram,
    is_silent,
    recording_program,
)

LOUD = "b'\\x00\\x10' * 8000"  # half a second
ONCE = f"import sys; sys.stdout.buffer.write({LOUD})"
ENDLESS = f"import sys\nwhile True:\n    sys.stdout.buffer.write({LOUD})"
OPEN = f"import sys, time; sys.stdout.buffer.write({LOUD}); sys.stdout.flush(); time.sleep(600)"


def python(code: str) -> RecordingProgram:
    return RecordingProgram((sys.executable, "-c", code))


def test_what_was_said_until_it_is_stopped_comes_back() -> None:
    """All of it, and the program that holds the microphone is ended."""
    made = Recording(python(OPEN))
    assert made.run(lambda _seconds: made.stop()) == b"\x00\x10" * 8000
    process = made._process
    assert process is not None
    assert process.returncode is not None


def test_it_ends_by_itself_after_a_minute_of_sound() -> None:
    """By the sound that came and not by a clock; the seconds are told as they come."""
    told: list[int] = []
    heard = Recording(python(ENDLESS)).run(told.append)
    assert len(heard) == LONGEST_BYTES
    assert told[-1] == LONGEST_S
    assert told == sorted(set(told))


def test_what_is_cancelled_gives_nothing() -> None:
    """While it goes on, and before it has begun: then the microphone is not opened."""
    made = Recording(python(OPEN))
    with pytest.raises(Cancelled):
        made.run(lambda _seconds: made.cancel())
    early = Recording(python(OPEN))
    early.cancel()
    with pytest.raises(Cancelled):
        early.run()
    assert early._process is None


@pytest.mark.parametrize(
    ("code", "wanted", "word"),
    [
        ("import sys; sys.exit('Stream error: No such entity')", "no-microphone", "No such entity"),
        ("", "no-microphone", "python"),
        (f"import sys; sys.stdout.buffer.write(bytes(len({LOUD})))", "nothing-heard", "nothing was heard"),
        ("import sys; sys.stdout.buffer.write(b'\\x05\\x00' * 4000)", "nothing-heard", "nothing was heard"),
    ],
)
def test_no_microphone_and_silence_are_sentences(code: str, wanted: str, word: str) -> None:
    """What the system's program complained of is told, and a muted microphone is told apart from none."""
    with pytest.raises(UserFacing) as caught:
        Recording(python(code)).run()
    assert caught.value.code == wanted
    assert word in caught.value.cause


def test_a_device_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that waits for ever for its device is ended."""
    monkeypatch.setattr(recording, "BEGUN_WITHIN_S", 0.2)
    with pytest.raises(UserFacing) as caught:
        Recording(python("import time; time.sleep(600)")).run()
    assert caught.value.code == "no-microphone"


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    """It may be removed between the look and the press."""
    with pytest.raises(UserFacing) as caught:
        Recording(RecordingProgram(("no-such-recorder",))).run()
    assert caught.value.code == "no-microphone"


def test_the_first_program_that_is_there_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PulseAudio's before ALSA's, none where there is none; macOS and Windows have none of their own."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert recording_program("linux") is None
    for name in ("arecord", "parec"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        found = recording_program("linux")
        assert found is not None
        assert found.command[0] == name
    assert recording_program("darwin") is None
    assert recording_program("win32") is None


def test_an_odd_byte_at_the_end_is_no_sample() -> None:
    """A program that is ended may have written half of one."""
    code = f"import sys; sys.stdout.buffer.write({LOUD} + b'x')"
    assert Recording(python(code)).run() == b"\x00\x10" * 8000
    assert is_silent(b"")


@pytest.fixture
def sound_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A real PulseAudio without any device but a null sink; yields where it listens."""
    if any(shutil.which(each) is None for each in ("pulseaudio", "parec", "paplay", "pactl")):
        pytest.skip("PulseAudio is not installed")
    place = tmp_path / "sound"
    script = tmp_path / "server.pa"
    script.write_text(
        f"load-module module-native-protocol-unix socket={place} auth-anonymous=1\n"
        "load-module module-null-sink sink_name=null\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{place}")
    command = ("pulseaudio", "-n", "-F", str(script), "--daemonize=no", "--exit-idle-time=-1")
    process = subprocess.Popen((*command, "--use-pid-file=no"), stderr=subprocess.DEVNULL)
    try:
        while subprocess.run(("pactl", "info"), capture_output=True).returncode:
            assert process.poll() is None, "the sound server did not start"
        yield place
    finally:
        process.terminate()
        process.wait()


def test_a_real_sound_server_is_recorded_and_one_without_a_source_is_told(sound_server: Path) -> None:
    """What is played is what is heard; without a source there is no microphone."""
    program = recording_program()
    assert program is not None
    assert program.command[0] == "parec"
    made = Recording(program)
    # A tone, again and again until it was heard: nobody knows when the recorder begins.
    tone = sound_server.parent / "tone.raw"
    tone.write_bytes((b"\x00\x20" * 20 + b"\x00\xe0" * 20) * 400)
    play = ("paplay", "--raw", "--format=s16le", "--rate=16000", "--channels=1", str(tone))
    ended = threading.Event()

    def play_on() -> None:
        while not ended.is_set():
            subprocess.run(play, check=True)

    player = threading.Thread(target=play_on)
    player.start()
    try:
        heard = made.run(lambda seconds: made.stop() if seconds else None)
    finally:
        ended.set()
        player.join()
    assert not is_silent(heard)
    subprocess.run(("pactl", "unload-module", "module-null-sink"), check=True)
    with pytest.raises(UserFacing) as caught:
        Recording(program).run()
    assert caught.value.code == "no-microphone"
