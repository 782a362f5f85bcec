"""The text of PDF documents, read in a process of its own.

PDF is a large format and files come from strangers: a document that makes the reader loop or eat memory ends
with its child process, and the program goes on.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import UserFacing
from desktop.sandbox.confinement import Method
from desktop.sandbox.process import Child, Command, Ending, Limits

TIME_S = 30.0
LONGEST_BYTES = 100_000_000
START = (
    "import sys; sys.path.append(sys.argv[1]); from desktop.tools.pdf_reader import main; main(sys.argv[2:])"
)
VERB = "read-pdf"  # of the bundle, which has no bare interpreter


@dataclass(frozen=True)
class PdfText:
    """`pages` is how many the document has, `read` how many of them were read before the limits."""

    text: str
    pages: int
    read: int


def read_pdf(data: bytes, confinement: Callable[[], Method], on_start: Callable[[Child], None]) -> PdfText:
    """The text of a document. Blocks for up to 30 s; any thread but the main one. Raises UserFacing.

    `confinement` is how the reader is kept from writing elsewhere and from the network; `on_start` gets the
    child, so that it can be cancelled.
    """
    if len(data) > LONGEST_BYTES:
        raise _refused("it is larger than 100 MB", "Attach the part that you need, or a smaller document.")
    with tempfile.TemporaryDirectory(prefix="steward-pdf-") as made:
        folder = Path(made)
        (folder / "document.pdf").write_bytes(data)
        words = (*_reader(), str(folder / "document.pdf"), str(folder / "text.json"))
        ended = _run(words, folder, confinement, on_start)
        if not ended:
            raise _refused(f"it took longer than {TIME_S:.0f} seconds", "Attach the part that you need.")
        return _result(folder / "text.json")


def _reader() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable, VERB)
    return (sys.executable, "-I", "-c", START, str(Path(__file__).resolve().parents[2]))


def _run(
    words: tuple[str, ...],
    folder: Path,
    confinement: Callable[[], Method],
    on_start: Callable[[Child], None],
) -> bool:
    """False when it did not end in time."""
    command = Command(words, folder, method=confinement(), writable=(folder,))
    child = Child(command, Limits(time_s=TIME_S))
    on_start(child)
    return child.run().ending is not Ending.TIMED_OUT


def _result(file: Path) -> PdfText:
    """What the reader has left."""
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it died: of the memory limit, as a rule
        raise _refused("it needs more memory than a document may", "Attach the part that you need.") from None
    reason = said.get("refused", "")
    if reason == "encrypted":
        raise _refused(
            "it is protected by a password",
            "Open it elsewhere, save it without the password and attach that.",
        )
    if reason == "damaged":
        raise _refused("the file is damaged or no PDF", "Open it elsewhere and save it again.")
    if reason == "no-text":
        raise _refused(
            "its pages are pictures without text", "Attach pictures of the pages: text in pictures is read."
        )
    return PdfText(str(said["text"]), int(said["pages"]), int(said["read"]))


def _refused(reason: str, action: str) -> UserFacing:
    return UserFacing(f"The PDF could not be read: {reason}.", "The file is unchanged.", action, code="pdf")
