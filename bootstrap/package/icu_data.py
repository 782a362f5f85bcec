"""Qt's copy of ICU: the data that nothing in Steward asks for is cleared, so that packages shrink by it.

libicudata holds 32 MB of data for all languages as one table of named items. Qt asks it to compare texts
(collation), to read other encodings, for what letters are and for names of time zones. Names of units,
currencies, regions and languages, transliteration, spelled-out numbers and the dictionaries that cut lines of
Chinese or Thai it never asks for: it has tables and rules of its own. Their bytes become zeros, which take no
room in a compressed package. The library keeps its size, its table and its addresses, and ICU takes an item
without its head for one that is missing.

Standard library only, like everything that builds. Other systems' Qt carries no ICU.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from bootstrap.programs import Stop

NAME = "libicudata.so"
UNUSED = ("brkitr", "curr", "lang", "rbnf", "region", "translit", "unit")  # folders of the table
_HEAD = struct.Struct("<HBB")  # of the table and of each item: the head's length, then two fixed bytes
_MARK = (0xDA, 0x27)
_FORMAT = b"CmnD"  # common data: a table of names and places


def clear(library: Path) -> None:
    """Rewrite this libicudata in place. Raises Stop where its table is not read."""
    content = bytearray(library.read_bytes())
    for name, start, end in items(content):
        folder, _, _ = name.partition("/")
        if folder in UNUSED:
            content[start:end] = bytes(end - start)
    library.write_bytes(content)


def items(content: bytes | bytearray) -> Iterator[tuple[str, int, int]]:
    """The name without the package's, begin and end of each item. The last one is left out: nothing tells
    where it ends. Raises Stop where there is no such table.
    """
    begin = _table(content)
    count = struct.unpack_from("<I", content, begin)[0]
    pairs = struct.iter_unpack("<II", content[begin + 4 : begin + 4 + 8 * count])
    found = sorted((begin + data, _text(content, begin + name)) for name, data in pairs)
    for (start, name), (end, _) in pairwise(found):
        yield name.partition("/")[2], start, end


def _table(content: bytes | bytearray) -> int:
    """Where the table begins: behind a head that says that it is one."""
    place = content.find(_FORMAT)
    while place >= 0:
        # The format stands behind the head's length and marks (4), and sizes and versions of characters (8).
        head = place - 12
        if head >= 0:
            size, *mark = _HEAD.unpack_from(content, head)
            if tuple(mark) == _MARK:
                return head + int(size)
        place = content.find(_FORMAT, place + 1)
    raise Stop(f"{NAME} holds no table of ICU's data: bootstrap/package/icu_data.py has to be looked at.")


def _text(content: bytes | bytearray, place: int) -> str:
    return bytes(content[place : content.index(0, place)]).decode("ascii")
