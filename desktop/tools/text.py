"""Bytes of a file as text for the model: whatever the encoding, cut to size, binary refused."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from desktop.errors import UserFacing

SHOWN_BYTES = 4000  # to the model; more costs a small model its attention
_SAMPLE = 8192

# How some files begin, for the refusal to say what they are.
_MAGIC = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"GGUF", "a model file"),
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str


def decoded(content: bytes, shown: str) -> Decoded:
    """`content` as text. Raises UserFacing for a binary file, saying what it seems to be."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(content.decode(encoding, "replace"), encoding)
    kind = next((name for magic, name in _MAGIC if content.startswith(magic)), "")
    if kind or b"\0" in content[:_SAMPLE]:
        raise UserFacing(
            f"{shown} is not text: it is {kind or 'a binary file'}.",
            "Nothing was changed.",
            "Name a text file.",
            code="not-text",
        )
    try:
        return Decoded(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(content) - 3:  # cut in the middle of a letter
            return Decoded(content.decode("utf-8", "ignore"), "utf-8")
    return Decoded(content.decode("cp1252", "replace"), "cp1252")


def head_tail(text: str, limit: int = SHOWN_BYTES) -> str:
    """`text`, or its beginning and end with a notice of what is missing between. `limit` in UTF-8 bytes."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    dropped = len(raw) - head - tail
    start = raw[:head].decode("utf-8", "ignore")
    end = raw[-tail:].decode("utf-8", "ignore")
    return f"{start}\n[… {dropped:,} bytes left out …]\n{end}"
