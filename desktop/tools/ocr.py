"""Text in pictures, read on this computer by Tesseract, which people install themselves."""

from __future__ import annotations

import locale
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from desktop.errors import UserFacing
from desktop.sandbox.confinement import Method
from desktop.sandbox.process import Child, ChildEnding, Command, Limits

TIME_S = 25.0
LONGEST_BYTES = 20_000_000
# Languages of the system as Tesseract names their data.
NAMES = (
    {"de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld", "pl": "pol", "sv": "swe"}
    | {"da": "dan", "nb": "nor", "fi": "fin", "cs": "ces", "tr": "tur", "ru": "rus", "uk": "ukr", "el": "ell"}
    | {"ja": "jpn", "ko": "kor", "zh": "chi_sim", "ar": "ara", "he": "heb", "hi": "hin", "hu": "hun"}
)
GET_IT = {
    "win32": "Install it with: winget install UB-Mannheim.TesseractOCR",
    "darwin": "Install it with: brew install tesseract",
}
GET_IT_ON_LINUX = "Install it with your package manager: the package is tesseract-ocr or tesseract."


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
            raise _unreadable("it is larger than 20 MB")
        with tempfile.TemporaryDirectory(prefix="steward-ocr-") as made:
            folder = Path(made)
            (folder / "picture").write_bytes(picture)
            child = Child(self._command(program, folder), Limits(time_s=TIME_S))
            on_start(child)
            outcome = child.run()
            if outcome.ending is ChildEnding.TIMED_OUT:
                raise _unreadable(f"it took longer than {TIME_S:.0f} seconds")
            text = folder / "text.txt"
            if outcome.exit_code != 0 or not text.exists():
                raise _unreadable("it is no picture, or a kind that Tesseract does not know")
            return _tidy(text.read_text(encoding="utf-8", errors="replace"))

    def _command(self, program: str, folder: Path) -> Command:
        words = (program, str(folder / "picture"), str(folder / "text"), "-l", "+".join(_chosen(program)))
        return Command(words, folder, method=self._confinement(), writable=(folder,))


def missing() -> UserFacing:
    """Raised, and shown by `doctor`, where there is no reader."""
    return UserFacing(
        "Reading text in pictures needs the program Tesseract, which is not on this computer.",
        "Nothing was read.",
        GET_IT.get(sys.platform, GET_IT_ON_LINUX),
        code="ocr-missing",
    )


@cache
def _chosen(program: str) -> tuple[str, ...]:
    """English and the system's language, as far as their data are installed."""
    done = subprocess.run(
        [program, "--list-langs"], capture_output=True, text=True, timeout=10, check=False, errors="replace"
    )
    installed = {line.strip() for line in done.stdout.splitlines()[1:]}
    wanted = ("eng", NAMES.get((locale.getlocale()[0] or "")[:2], "eng"))
    found = tuple(dict.fromkeys(name for name in wanted if name in installed))
    return found or tuple(sorted(installed - {"osd"}))[:1] or ("eng",)


def _tidy(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.replace("\f", "\n").splitlines()]
    return "\n".join(line for line in lines if line)


def _unreadable(reason: str) -> UserFacing:
    return UserFacing(
        f"The picture could not be read: {reason}.",
        "The picture is unchanged.",
        "Try another picture.",
        code="ocr",
    )
