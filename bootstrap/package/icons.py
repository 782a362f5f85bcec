"""The program's icon in the formats of Windows and macOS, made of the pictures that Linux uses.

Both are containers of PNG files. Needs the standard library only.
"""

from __future__ import annotations

import struct
from pathlib import Path

from bootstrap.programs import ROOT

PICTURES = ROOT / "installers" / "linux" / "icons"
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Apple's names of sizes: in points, and the same with twice as many pixels for sharp screens.
ICNS_TYPES = {
    b"icp4": 16,
    b"icp5": 32,
    b"icp6": 64,
    b"ic07": 128,
    b"ic08": 256,
    b"ic09": 512,
    b"ic11": 32,  # 16 points
    b"ic12": 64,  # 32 points
    b"ic13": 256,  # 128 points
    b"ic14": 512,  # 256 points
}


def ico(pictures: Path = PICTURES) -> bytes:
    """An .ico with PNG pictures inside, as Windows reads it since Vista."""
    images = [(size, (pictures / f"{size}.png").read_bytes()) for size in ICO_SIZES]
    head, body = struct.pack("<HHH", 0, 1, len(images)), b""
    for size, content in images:
        place = 6 + 16 * len(images) + len(body)
        edge = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", edge, edge, 0, 0, 1, 32, len(content), place)
        body += content
    return head + body


def icns(pictures: Path = PICTURES) -> bytes:
    """An .icns with PNG pictures inside, as macOS reads it since 10.7."""
    body = b""
    for kind, size in ICNS_TYPES.items():
        content = (pictures / f"{size}.png").read_bytes()
        body += kind + struct.pack(">I", 8 + len(content)) + content
    return b"icns" + struct.pack(">I", 8 + len(body)) + body
