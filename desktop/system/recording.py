"""What the microphone hears, recorded by a program of the system.

`parec` of PulseAudio (PipeWire answers it, too), `pw-record` of PipeWire or `arecord` of ALSA, whichever is
there first. Nothing is opened before somebody asks for it, and the recording stays in memory. On macOS and
Windows no such program belongs to the system.
"""

from __future__ import annotations

import array
import os
import selectors
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from desktop.errors import Cancelled, UserFacing
from desktop.system.reasons import SystemReason

RATE_HZ = 16_000
BYTES_PER_S = RATE_HZ * 2  # one channel of signed 16 bits
LONGEST_S = 60
LONGEST_BYTES = LONGEST_S * BYTES_PER_S
# A microphone that is open hums; one that is muted gives zeros, or nearly.
QUIETEST_PEAK = 200
BEGUN_WITHIN_S = 10.0
_READ_BYTES = 1 << 16


@dataclass(frozen=True)
class RecordingProgram:
    """`command` writes raw samples to its output until it is ended."""

    command: tuple[str, ...]


PROGRAMS = {
    "linux": (
        # Without a wish for less it hands over two seconds at once, and the last ones would be lost.
        RecordingProgram(
            ("parec", "--raw", "--format=s16le", f"--rate={RATE_HZ}", "--channels=1", "--latency-msec=50")
        ),
        RecordingProgram(("pw-record", "--format=s16", f"--rate={RATE_HZ}", "--channels=1", "-")),
        RecordingProgram(("arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", str(RATE_HZ), "-c", "1", "-")),
    )
}


def recording_program(platform: str = sys.platform) -> RecordingProgram | None:
    """The first that is there; None where there is none."""
    return next((each for each in PROGRAMS.get(platform, ()) if shutil.which(each.command[0])), None)


class Recording:
    """One recording. `run` blocks; the other methods are for any thread, and count before it begins, too."""

    def __init__(self, program: RecordingProgram) -> None:
        self._program = program
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = self._cancelled = False

    def run(self, on_heard: Callable[[int], None] = lambda _seconds: None) -> bytes:
        """Samples (see `RATE_HZ`) until `stop`, or LONGEST_S of them. `on_heard` is told the whole seconds
        that are there, 0 with the first sound. Raises Cancelled after `cancel`, and UserFacing: no
        microphone, or silence."""
        process = self._begin()
        try:
            heard = self._read(process, on_heard)
        finally:
            process.terminate()
            complaint = self._end(process)
        if self._cancelled:
            raise Cancelled
        if not heard and not self._stopped:
            raise UserFacing(SystemReason.NO_MICROPHONE.of(why=complaint))
        if is_silent(heard):
            raise UserFacing(SystemReason.NOTHING_HEARD.of())
        return heard

    def stop(self) -> None:
        """End the recording: `run` returns what it has."""
        self._stopped = True
        self._terminate()

    def cancel(self) -> None:
        """Nobody wants it any more."""
        self._cancelled = True
        self._terminate()

    # -- inside -------------------------------------------------------------------------------

    def _begin(self) -> subprocess.Popen[bytes]:
        with self._lock:
            # The microphone is not opened for what was given up while it waited for a thread.
            if self._stopped or self._cancelled:
                raise Cancelled
            try:
                self._process = subprocess.Popen(
                    self._program.command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            except OSError as error:
                raise UserFacing(SystemReason.NO_MICROPHONE.of(why=str(error.strerror))) from error
            return self._process

    def _read(self, process: subprocess.Popen[bytes], on_heard: Callable[[int], None]) -> bytes:
        assert process.stdout is not None
        heard, announced_s = bytearray(), -1
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while len(heard) < LONGEST_BYTES:
                # A program can wait for ever for a device that never answers.
                if not selector.select(BEGUN_WITHIN_S):
                    break
                block = os.read(process.stdout.fileno(), _READ_BYTES)
                if not block:
                    break
                heard += block
                seconds = min(len(heard) // BYTES_PER_S, LONGEST_S)  # the last read may bring more
                if seconds > announced_s:
                    announced_s = seconds
                    on_heard(seconds)
        return bytes(heard[: min(len(heard), LONGEST_BYTES) // 2 * 2])  # whole samples

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        """The last line of what it complained of."""
        try:
            _, said = process.communicate(timeout=BEGUN_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else self._program.command[0]

    def _terminate(self) -> None:
        with self._lock:
            process = self._process
        if process is not None:
            process.terminate()


def is_silent(samples: bytes) -> bool:
    """Whether nothing in it is louder than a muted microphone."""
    read = array.array("h", samples)
    if sys.byteorder == "big":
        read.byteswap()
    return max(map(abs, read), default=0) < QUIETEST_PEAK
