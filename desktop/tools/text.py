"""Texts: how a file is encoded, where they are cut for a small model, sizes in words, and plain letters."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.tools.reasons import ToolReason

SNIFFED_BYTES = 64 * 1024
SHOWN_BYTES = 4200  # a little more than the file tools show by themselves, so that nothing is cut twice
MARKS = (
    (codecs.BOM_UTF8, "utf-8", 1),
    (codecs.BOM_UTF32_LE, "utf-32-le", 4),
    (codecs.BOM_UTF32_BE, "utf-32-be", 4),
    (codecs.BOM_UTF16_LE, "utf-16-le", 2),
    (codecs.BOM_UTF16_BE, "utf-16-be", 2),
)
# How files begin, from the specification of each format.
KINDS = (
    (b"\x89PNG\r\n\x1a\n", ToolReason.FILE_KIND_PNG),
    (b"\xff\xd8\xff", ToolReason.FILE_KIND_JPEG),
    (b"GIF8", ToolReason.FILE_KIND_GIF),
    (b"RIFF", ToolReason.FILE_KIND_RIFF),
    (b"%PDF-", ToolReason.FILE_KIND_PDF),
    (b"PK\x03\x04", ToolReason.FILE_KIND_ZIP),
    (b"\x1f\x8b", ToolReason.FILE_KIND_GZIP),
    (b"BZh", ToolReason.FILE_KIND_BZIP2),
    (b"\xfd7zXZ\x00", ToolReason.FILE_KIND_XZ),
    (b"7z\xbc\xaf\x27\x1c", ToolReason.FILE_KIND_7ZIP),
    (b"\x28\xb5\x2f\xfd", ToolReason.FILE_KIND_ZSTD),
    (b"\x7fELF", ToolReason.FILE_KIND_PROGRAM),
    (b"MZ", ToolReason.FILE_KIND_WINDOWS_PROGRAM),
    (b"SQLite format 3\x00", ToolReason.FILE_KIND_SQLITE),
    (b"GGUF", ToolReason.FILE_KIND_MODEL),
    (b"OggS", ToolReason.FILE_KIND_SOUND),
    (b"ID3", ToolReason.FILE_KIND_SOUND),
    (b"fLaC", ToolReason.FILE_KIND_SOUND),
)

# What texts in Western European languages have beyond ASCII: a few letters; in Cyrillic it is nearly all.
WESTERN = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ€£§°«»·–—‘’“”„…¿¡´©®ªº\xa0")
WESTERN_SHARE = 0.25
# Guessed among; with all that exist, short texts come out as encodings that nobody has used for decades.
LEGACY = [
    *("cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
]


@dataclass(frozen=True)
class Encoding:
    """`width` is the size of its code unit: where a text may be cut."""

    name: str
    width: int = 1

    def decode(self, data: bytes) -> str:
        """A piece of the file, without byte order mark and without characters cut at either end."""
        return data.decode(self.name, errors="ignore").removeprefix("\ufeff")


def encoding_of(beginning: bytes, shown: str) -> Encoding:
    """How a file that begins so is read. Raises UserFacing `file-binary` with the kind when it is no text."""
    for mark, name, width in MARKS:
        if beginning.startswith(mark):
            return Encoding(name, width)
    kind = next((kind for start, kind in KINDS if beginning.startswith(start)), None)
    if kind or b"\0" in beginning:
        raise _binary(shown, kind or ToolReason.FILE_KIND_OTHER)
    if _is_utf8(beginning):
        return Encoding("utf-8")
    if _is_western(beginning):
        return Encoding("cp1252")
    # Guessing comes last: it is slow, and wrong for the short texts that UTF-8 and Western settle.
    # Here: it takes 2 MB for as long as the program runs, and most texts are UTF-8.
    from charset_normalizer import from_bytes

    found = from_bytes(beginning, cp_isolation=LEGACY).best()
    if found is None:
        raise _binary(shown, ToolReason.FILE_KIND_OTHER)
    return Encoding(found.encoding)


def _is_utf8(beginning: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)  # a character cut at the end is no error
    except UnicodeDecodeError:
        return False
    return True


def _is_western(beginning: bytes) -> bool:
    try:
        text = beginning.decode("cp1252")
    except UnicodeDecodeError:
        return False
    beyond = [character for character in text if not character.isascii()]
    return WESTERN.issuperset(beyond) and len(beyond) <= WESTERN_SHARE * sum(map(str.isalpha, text))


def _binary(shown: str, kind: ToolReason) -> UserFacing:
    return UserFacing(ToolReason.FILE_BINARY.of(path=shown, kind=kind.of()))


def size_text(size_bytes: int) -> str:
    """A size in decimal units, as file managers show them."""
    size = float(size_bytes)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def head_tail(text: str, limit: int = SHOWN_BYTES) -> str:
    """`text`, or its beginning and end with a notice between. `limit` in bytes of UTF-8."""
    raw = text.encode(errors="replace")
    if len(raw) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    start = raw[:head].decode("utf-8", "ignore")
    end = raw[-tail:].decode("utf-8", "ignore")
    return f"{start}\n[… {len(raw) - head - tail:,} bytes left out …]\n{end}"


def folded_letters(text: str) -> str:
    """Without case and accents, which nobody types to find something."""
    return without_accents(text.casefold())


def without_accents(text: str) -> str:
    """Each letter without its marks, its case as it is: "Août" is "Aout"."""
    apart = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
