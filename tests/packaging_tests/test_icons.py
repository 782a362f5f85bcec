"""The icon of the program on macOS; that of Windows is looked at in test_windows.py."""

from __future__ import annotations

import struct

from bootstrap.package.icons import ICNS_TYPES, icns


def test_the_icon_of_macos_holds_a_picture_of_each_size() -> None:
    """Each entry says how long it is, and the PNG in it is as wide as Apple's name for it says."""
    content = icns()
    assert (content[:4], struct.unpack(">I", content[4:8])[0]) == (b"icns", len(content))
    place, found = 8, {}
    while place < len(content):
        kind, size = struct.unpack(">4sI", content[place : place + 8])
        picture = content[place + 8 : place + size]
        assert picture.startswith(b"\x89PNG")
        found[kind] = struct.unpack(">I", picture[16:20])[0]
        place += size
    assert found == ICNS_TYPES
