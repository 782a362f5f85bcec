"""Text in pictures, read on this computer by Tesseract, which people install themselves."""

from __future__ import annotations

import locale
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from desktop.errors import UserFacing
from desktop.sandbox.confinement import Method
from desktop.sandbox.process import Child, ChildEnding, Command, Limits
from desktop.temporary import temporary_folder
from desktop.tools.reasons import ToolReason

# Less than a call has, so that the user is told what took so long.
TIME_S = 25.0
LONGEST_BYTES = 20_000_000
# Languages of the system as Tesseract names their data.
NAMES = (
    {"de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld", "pl": "pol", "sv": "swe"}
    | {"da": "dan", "nb": "nor", "fi": "fin", "cs": "ces", "tr": "tur", "ru": "rus", "uk": "ukr", "el": "ell"}
    | {"ja": "jpn", "ko": "kor", "zh": "chi_sim", "ar": "ara", "he": "heb", "hi": "hin", "hu": "hun"}
)
MISSING_ON = {"win32": ToolReason.OCR_MISSING_ON_WINDOWS, "darwin": ToolReason.OCR_MISSING_ON_MAC}


class Ocr:
    """Reads pictures. Any thread; one picture takes a second or two."""

    def __init__(self, confinement: Callable[[], Method], program: str | None = None) -> None:
        """`confinement` is how the reader is kept from writing elsewhere and from the network."""
        self._confinement = confinement
        self._program = program or shutil.which("tesseract")

    @property
    def is_here(self) -> bool:
        return self._program is not None

    def read(self, picture: bytes, on_start: Callable[[Child], None] = lambda _child: None) -> str:
        """The text of a picture (PNG, JPEG, TIFF, WebP, BMP), "" where there is none. Raises UserFacing.

        `on_start` gets the child, so that it can be cancelled.
        """
        program = self._program
        if program is None:
            raise missing()
        if len(picture) > LONGEST_BYTES:
            raise UserFacing(ToolReason.OCR_TOO_LARGE.of())
        with temporary_folder("ocr") as folder:
            (folder / "picture").write_bytes(picture)
            child = Child(self._command(program, folder), Limits(time_s=TIME_S))
            on_start(child)
            outcome = child.run()
            if outcome.ending is ChildEnding.TIMED_OUT:
                raise UserFacing(ToolReason.OCR_SLOW.of(seconds=round(TIME_S)))
            # Tesseract adds the ending by itself.
            text = folder / "text.txt"
            if outcome.exit_code != 0 or not text.exists():
                raise UserFacing(ToolReason.OCR_NO_PICTURE.of())
            return _tidy(text.read_text(encoding="utf-8", errors="replace"))

    def _command(self, program: str, folder: Path) -> Command:
        # A picture is a file from anywhere, and its reader a large library in C: it is confined.
        words = (program, str(folder / "picture"), str(folder / "text"), "-l", "+".join(_chosen(program)))
        return Command(words, folder, method=self._confinement(), writable=(folder,))


def missing() -> UserFacing:
    """Raised, and shown by `doctor`, where there is no reader."""
    return UserFacing(MISSING_ON.get(sys.platform, ToolReason.OCR_MISSING).of())


@cache
def _chosen(program: str) -> tuple[str, ...]:
    """English and the system's language, as far as their data are installed."""
    done = subprocess.run(
        [program, "--list-langs"], capture_output=True, text=True, timeout=10, check=False, errors="replace"
    )
    installed = {line.strip() for line in done.stdout.splitlines()[1:]}
    wanted = ("eng", NAMES.get((locale.getlocale()[0] or "")[:2], "eng"))
    # Each language costs time and errors, so no more than the two that are likely.
    found = tuple(dict.fromkeys(name for name in wanted if name in installed))
    return found or tuple(sorted(installed - {"osd"}))[:1] or ("eng",)


def _tidy(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.replace("\f", "\n").splitlines()]
    return "\n".join(line for line in lines if line)
