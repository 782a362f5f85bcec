"""The text of PDF documents, read in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits
from desktop.sandbox.process import Child
from desktop.tools.reasons import ToolReason

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
        raise UserFacing(ToolReason.PDF_TOO_LARGE.of())
    try:
        said = parser.parse(READER, data, limits=LIMITS, on_start=on_start)
    except ParseFailed as failed:
        raise _explained(failed) from failed
    return PdfText(str(said["text"]), int(said["pages"]), int(said["read"]))


# The words with which the parsing function refuses a document.
_REFUSED = {"encrypted": ToolReason.PDF_PASSWORD, "no-text": ToolReason.PDF_PICTURES}


def _explained(failed: ParseFailed) -> UserFacing:
    if failed.failure in (ParseFailure.TOO_SLOW, ParseFailure.CANCELLED):
        return UserFacing(ToolReason.PDF_SLOW.of(seconds=round(LIMITS.time_s)))
    if failed.failure is ParseFailure.TOO_LARGE:
        return UserFacing(ToolReason.PDF_MEMORY.of())
    return UserFacing(_REFUSED.get(failed.reason, ToolReason.PDF_DAMAGED).of())
