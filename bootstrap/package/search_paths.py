"""Takes folders of the building computer out of libraries: ELF's DT_RPATH and DT_RUNPATH.

A Python of one's own is linked with the folder that it was installed to. On another computer the loader would
look there first, and whoever can make that folder could put a library into it. Layout: elf(5), 64 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

PT_LOAD, PT_DYNAMIC = 1, 2
DT_STRTAB, DT_RPATH, DT_RUNPATH = 5, 15, 29
HEADER = b"\x7fELF\x02\x01"  # 64 bits, the lowest byte first


def forget(library: Path) -> tuple[str, ...]:
    """Empty the search paths of `library` that name absolute folders; returns them."""
    content = bytearray(library.read_bytes())
    found = [place for place in _search_paths(content) if _text(content, place).startswith("/")]
    texts = tuple(_text(content, place) for place in found)
    for place, text in zip(found, texts, strict=True):
        content[place : place + len(text)] = bytes(len(text))
    if found:
        library.write_bytes(content)
    return texts


def _search_paths(content: bytearray) -> Iterator[int]:
    """Where the texts begin in the file."""
    if not content.startswith(HEADER):
        return
    (table,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQ", content, table + number * size) for number in range(count)]
    entries = [
        struct.unpack_from("<QQ", content, place)
        for kind, _flags, offset, _address, _physical, length in segments
        if kind == PT_DYNAMIC
        for place in range(offset, offset + length, 16)
    ]
    texts = next((value for tag, value in entries if tag == DT_STRTAB), 0)
    for kind, _flags, offset, address, _physical, length in segments:
        if kind == PT_LOAD and address <= texts < address + length:
            start = offset + texts - address
            yield from (start + value for tag, value in entries if tag in (DT_RPATH, DT_RUNPATH))


def _text(content: bytearray, place: int) -> str:
    return content[place : content.index(0, place)].decode()
