"""Reading what is to go along with a question: files, documents, pictures, and how large they are.

Everything here blocks, and belongs on a pool thread. Nothing is cut without being asked for: what is too
large is refused, or its beginning is taken by `beginning` when the user says so.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.chat.attachments import Attached, Attachment, Kind
from desktop.chat.context_use import estimated
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.sandbox.process import Child
from desktop.sandbox.refusals import from_os
from desktop.tools.ocr import Ocr
from desktop.tools.pdf import read_pdf
from desktop.tools.text import SNIFFED_BYTES, encoding_of, size_text

LONGEST_FILE_BYTES = 100_000_000  # of a document or a picture
LONGEST_TEXT_BYTES = 5_000_000  # some million tokens: more than any context
COUNTED_CHARACTERS = 400_000  # of a longer text so much is counted, and the rest reckoned from it
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
PDF = b"%PDF-"
PDF_WITHIN = 1024  # readers find the mark within so many bytes


@dataclass(frozen=True)
class Size:
    """In tokens."""

    tokens: int
    is_estimate: bool


class Attacher:
    """Makes attachments. Any thread but the main one."""

    def __init__(
        self,
        ocr: Ocr | None = None,
        parser: Parser | None = None,
        count: Callable[[str], int | None] = lambda _text: None,
    ) -> None:
        """`ocr` None: no pictures. `parser` reads documents. `count` tells the tokens of a text, None
        while no model is loaded."""
        self._ocr = ocr
        self._parser = parser or Parser(lambda: available().best)
        self._count = count

    def file(self, path: Path, on_start: Callable[[Child], None] = lambda _child: None) -> Attachment:
        """A text in any common encoding, a PDF, or a picture whose text is read. Raises UserFacing.

        `on_start` gets the process that reads a document or a picture, so that it can be cancelled.
        """
        data = _bytes_of(path)
        if PDF in data[:PDF_WITHIN]:
            return self._pdf(path, data, on_start)
        if data.startswith(PICTURES) or (data.startswith(b"RIFF") and data[8:12] == b"WEBP"):
            return self._picture(data, path.name, Kind.PICTURE, str(path), on_start)
        return self.text(_decoded(path.name, data), Kind.FILE, path.name, str(path), path.name)

    def picture(
        self,
        data: bytes,
        name: str,
        kind: Kind = Kind.PICTURE,
        on_start: Callable[[Child], None] = lambda _child: None,
    ) -> Attachment:
        """The text in a picture that is no file: pasted, or a part of the screen. Raises UserFacing."""
        return self._picture(data, name, kind, "", on_start)

    def text(
        self, text: str, kind: Kind, name: str, path: str = "", tainted_by: str | None = None
    ) -> Attachment:
        """`tainted_by` None: the words of others where `kind` says so. Raises UserFacing for no text."""
        if not text.strip():
            raise _empty(name)
        source = _SOURCES.get(kind, name) if tainted_by is None else tainted_by
        size = self.size(text)
        return Attachment(Attached(name, kind, path, source, size.tokens, size.is_estimate), text)

    def size(self, text: str) -> Size:
        """How many tokens `text` has, as the loaded model counts."""
        part = text[:COUNTED_CHARACTERS]
        counted = self._count(part)
        if counted is None:
            return Size(estimated(text), True)
        if len(part) == len(text):
            return Size(counted, False)
        return Size(counted * len(text) // len(part), True)

    def sized_anew(self, attachment: Attachment) -> Attachment:
        """The same, counted with the model that is loaded now."""
        size = self.size(attachment.text)
        return replace(
            attachment,
            about=replace(attachment.about, tokens=size.tokens, is_estimate=size.is_estimate),
        )

    def beginning(self, attachment: Attachment, tokens: int) -> Attachment:
        """The first `tokens` tokens, ended at a word; it says of itself that it is a part."""
        text, about = attachment.text, attachment.about
        if about.tokens <= tokens:
            return attachment
        fits, too_long = 0, min(len(text), max(tokens, 1) * 64)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self._tokens_of(text[:middle]) <= tokens:
                fits = middle
            else:
                too_long = middle
        part = _at_word(text[:fits])
        size = self.size(part)
        whole = about.whole_tokens or about.tokens
        return Attachment(
            replace(about, tokens=size.tokens, is_estimate=size.is_estimate, whole_tokens=whole), part
        )

    # -- inside -------------------------------------------------------------------------------

    def _tokens_of(self, text: str) -> int:
        counted = self._count(text)
        return estimated(text) if counted is None else counted

    def _pdf(self, path: Path, data: bytes, on_start: Callable[[Child], None]) -> Attachment:
        found = read_pdf(data, self._parser, on_start)
        name = path.name
        if found.read < found.pages:  # said in the name, so that nothing is missing unnoticed
            name = f"{path.name} (pages 1 to {found.read:,} of {found.pages:,})"
        return self.text(found.text, Kind.PDF, name, str(path), path.name)

    def _picture(
        self, data: bytes, name: str, kind: Kind, path: str, on_start: Callable[[Child], None]
    ) -> Attachment:
        if self._ocr is None:
            raise UserFacing(
                "Text in pictures cannot be read here.",
                "Nothing was attached.",
                "Attach a text or a PDF.",
                code="ocr-missing",
            )
        text = self._ocr.read(data, on_start)
        if not text.strip():
            raise UserFacing(
                f"There is no readable text in {name}, and Steward reads only the text of pictures.",
                "Nothing was attached.",
                "Try a sharper picture or a larger part.",
                code="ocr-empty",
            )
        return self.text(text, kind, name, path)


_SOURCES = {
    Kind.CLIPBOARD: "the clipboard",
    Kind.SELECTION: "the selected text",
    Kind.SCREEN: "the screen",
    Kind.PASTE: "pasted text",
    Kind.TEXT: "",
}


def _bytes_of(path: Path) -> bytes:
    """All of an ordinary file; a pipe or a device is refused without waiting for it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if path.is_dir():
            raise _is_folder(path) from error
        raise from_os(error, str(path)) from error
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        os.close(descriptor)
        raise _is_folder(path)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(found.st_mode):
            raise _refused(path.name, "it is no ordinary file", "Attach a file.")
        if found.st_size > LONGEST_FILE_BYTES:
            raise _refused(
                path.name, f"it has {size_text(found.st_size)}, more than 100 MB", "Attach a part of it."
            )
        return file.read(LONGEST_FILE_BYTES + 1)


def _decoded(name: str, data: bytes) -> str:
    if len(data) > LONGEST_TEXT_BYTES:
        raise _refused(
            name,
            f"it has {size_text(len(data))}, far more than any model reads at once",
            "Attach the part that you need, or ask the assistant to search in it.",
        )
    try:
        text = encoding_of(data[:SNIFFED_BYTES], name).decode(data)
    except UserFacing as error:
        action = "Save it as text or PDF and attach that."
        raise UserFacing(error.cause, "Nothing was attached.", action, code=error.code) from error
    return text.replace("\r\n", "\n")


def _at_word(text: str) -> str:
    """Without the beginning of a word or line at its end, where that is little."""
    for mark in ("\n", " "):
        cut = text.rfind(mark)
        if cut > len(text) * 0.9:
            return text[:cut]
    return text


def _is_folder(path: Path) -> UserFacing:
    return _refused(path.name, "it is a folder", "Attach the files in it, or ask the assistant to list it.")


def _empty(name: str) -> UserFacing:
    return _refused(name, "there is no text in it", "Choose another one.")


def _refused(name: str, reason: str, action: str) -> UserFacing:
    return UserFacing(
        f"{name} was not attached: {reason}.", "Nothing was changed.", action, code="attachment"
    )
