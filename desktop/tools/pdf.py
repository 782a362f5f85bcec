"""The text of PDF documents, read in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.sandbox.parser import Failure, ParseFailed, Parser, ParserLimits
from desktop.sandbox.process import Child

READER = "desktop.tools.confined_parsers:read_document"
LIMITS = ParserLimits(time_s=30.0)
LONGEST_BYTES = 100_000_000


@dataclass(frozen=True)
class PdfText:
    """`pages` is how many the document has, `read` how many of them were read before the limits."""

    text: str
    pages: int
    read: int


def read_pdf(data: bytes, parser: Parser, on_start: Callable[[Child], None] = lambda _child: None) -> PdfText:
    """The text of a document. Blocks for up to 30 s; any thread but the main one. Raises UserFacing.

    `on_start` gets the child that reads it, so that it can be cancelled.
    """
    if len(data) > LONGEST_BYTES:
        raise _refused("it is larger than 100 MB", "Attach the part that you need, or a smaller document.")
    try:
        said = parser.parse(READER, data, limits=LIMITS, on_start=on_start)
    except ParseFailed as failed:
        raise _explained(failed) from failed
    return PdfText(str(said["text"]), int(said["pages"]), int(said["read"]))


def _explained(failed: ParseFailed) -> UserFacing:
    if failed.failure in (Failure.TOO_SLOW, Failure.CANCELLED):
        return _refused(f"it took longer than {LIMITS.time_s:.0f} seconds", "Attach the part that you need.")
    if failed.failure is Failure.TOO_LARGE:
        return _refused("it needs more memory than a document may", "Attach the part that you need.")
    if failed.reason == "encrypted":
        return _refused(
            "it is protected by a password",
            "Open it elsewhere, save it without the password and attach that.",
        )
    if failed.reason == "no-text":
        return _refused(
            "its pages are pictures without text", "Attach pictures of the pages: text in pictures is read."
        )
    return _refused("the file is damaged or no PDF", "Open it elsewhere and save it again.")


def _refused(reason: str, action: str) -> UserFacing:
    return UserFacing(f"The PDF could not be read: {reason}.", "The file is unchanged.", action, code="pdf")
