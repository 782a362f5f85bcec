"""Text spoken by the system's own speech program, and ended at once where that is wished.

On Linux eSpeak NG, or speech-dispatcher where that alone is there; `say` on macOS; System.Speech by
PowerShell on Windows. Nothing is carried along, and nothing leaves the computer. Where a program takes its
text from a pipe it gets it so: arguments can be read by everybody on the computer while a program runs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import Cancelled, UserFacing
from desktop.system.reasons import SystemReason

TRIED_S = 10.0  # to say what it can; speech-dispatcher starts its server for that
LONGEST = 20_000  # characters: half an hour of speech
LONGEST_MARKDOWN = 2 * LONGEST  # of an answer: code and addresses are not read
LONGEST_ARGUMENT = 4_000
FALLBACK = "en"
_POWERSHELL = (
    "Add-Type -AssemblyName System.Speech;[Console]::InputEncoding = [Text.Encoding]::UTF8;(New-Object "
    "System.Speech.Synthesis.SpeechSynthesizer).Speak([Console]::In.ReadToEnd())"
)


@dataclass(frozen=True)
class SpeechProgram:
    """`speak` reads the text from its input, or as its last argument with `as_argument`; `{language}` in it
    is a two-letter code. `stop` silences what goes on after the program was ended; () for most. `probe` ends
    with 0 and a few words where it works; () where being there is enough. `failed` begins the line in which
    it says that nobody heard it, although it ends with 0."""

    speak: tuple[str, ...]
    probe: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    as_argument: bool = False
    failed: str = ""


PROGRAMS = {
    "linux": (
        # Without a sound card or a sound server it reads its text, says "error: …" and ends well.
        SpeechProgram(
            ("espeak-ng", "--stdin", "-v", "{language}"), ("espeak-ng", "--voices=en"), failed="error: "
        ),
        SpeechProgram(
            ("spd-say", "-w", "-l", "{language}", "--"),
            ("spd-say", "-O"),
            ("spd-say", "-C"),
            as_argument=True,
        ),
    ),
    "darwin": (SpeechProgram(("say", "-f", "-")),),
    "win32": (SpeechProgram(("powershell", "-NoProfile", "-NonInteractive", "-Command", _POWERSHELL)),),
}


def speech_program(platform: str = sys.platform) -> SpeechProgram | None:
    """The first that is there and works; None where there is none. Blocks for up to some seconds."""
    return next((each for each in PROGRAMS.get(platform, ()) if _works(each)), None)


def _works(program: SpeechProgram) -> bool:
    if shutil.which(program.speak[0]) is None:
        return False
    if not program.probe:
        return True
    try:
        done = subprocess.run(
            program.probe, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=TRIED_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and bool(done.stdout.strip())


class Speaker:
    """Speaks one text at a time. Any thread."""

    def __init__(self, program: SpeechProgram) -> None:
        self._program = program
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted: object | None = None  # what is to be spoken now; None after `stop`

    def speak(self, text: str, language: str) -> None:
        """Blocks until all of `text` was spoken. Raises Cancelled where `stop` came first, and UserFacing."""
        wanted = object()
        with self._lock:
            self._wanted = wanted
        for piece in self._pieces(text[:LONGEST]):
            self._say(piece, language or FALLBACK, wanted)

    def stop(self) -> None:
        """End it at once; harmless when nothing is spoken."""
        with self._lock:
            self._wanted = None
            process = self._process
        if process is not None:
            process.terminate()
            if self._program.stop:
                subprocess.run(self._program.stop, capture_output=True, check=False, timeout=TRIED_S)

    def _say(self, text: str, language: str, wanted: object) -> None:
        program = self._program
        command = [part.replace("{language}", language) for part in program.speak]
        command += [text] if program.as_argument else []
        with self._lock:
            if self._wanted is not wanted:
                raise Cancelled
            try:
                process = self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
                )
            except OSError as error:
                raise self._failure(str(error.strerror)) from error
        _, said = process.communicate(b"" if program.as_argument else text.encode())
        with self._lock:
            # Another text may be spoken already, and its process is not ours to forget.
            self._process = None if self._process is process else self._process
            if self._wanted is not wanted:
                raise Cancelled
        words = said.decode(errors="replace").strip().splitlines()
        refused = [line for line in words if program.failed and line.startswith(program.failed)]
        if process.returncode or refused:
            why = (refused or words or [program.speak[0]])[-1].removeprefix(program.failed)
            raise self._failure(why)

    def _failure(self, why: str) -> UserFacing:
        """In the named program's words: without a sound card eSpeak NG says "No such file or directory"."""
        return UserFacing(SystemReason.SPEECH_FAILED.of(program=Path(self._program.speak[0]).name, why=why))

    def _pieces(self, text: str) -> list[str]:
        """The whole text, or its paragraphs where it goes as an argument."""
        if not self._program.as_argument:
            return [text]
        return [each[:LONGEST_ARGUMENT] for each in text.split("\n") if each.strip()]


# Every repetition has an end: an answer of a model server may be 400,000 brackets that nothing closes, and
# looking from each of them to the end of the text would take hours, on the thread that draws.
_FENCED = re.compile(r"^[ \t]*(`{3,9}|~{3,9})[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.{0,999}?\$\$|\\\[.{0,999}?\\\]|\\\(.{0,999}?\\\)", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\]\n]{0,500})\]\([^)\n]{0,999}\)")
_LINK = re.compile(r"\[([^\]\n]{1,500})\]\([^)\n]{0,999}\)")
_ADDRESS = re.compile(r"<?https?://(?:www\.)?([^/\s>)]+)[^\s>)]*>?")
_RULE = re.compile(r"^(?:(?=[|:\- \t]*?-{3})[|:\- \t]+|[ \t]*[*_]{3,}[ \t]*)$", re.MULTILINE)
_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,500}>")
_SIGNS = re.compile(r"[*_`~|]+")


def spoken_words(markdown: str) -> str:
    """What of an answer is read aloud: its words, without code blocks, formulas, addresses and signs."""
    text = _FORMULA.sub(" ", _FENCED.sub("\n", markdown[:LONGEST_MARKDOWN]))
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = _TAG.sub(" ", _ADDRESS.sub(r"\1", text))
    # Inside a word a sign is part of it: read_file is no emphasis.
    text = re.sub(r"(?<=\w)_(?=\w)", " ", _MARK.sub("", _RULE.sub("", text)))
    text = re.sub(r"(?<![ \t])[ \t]*\|[ \t]*(?=\S)", ", ", text)
    lines = (" ".join(_SIGNS.sub(" ", line).split()).lstrip(", ") for line in text.splitlines())
    return "\n".join(line for line in lines if line)
