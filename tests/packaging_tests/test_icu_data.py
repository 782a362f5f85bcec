"""What is cleared in Qt's copy of ICU, and that Qt does the same without it."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.package import icu_data
from bootstrap.programs import Stop

QT = pytest.importorskip("PySide6", reason="Qt's own library is read")
LIBRARIES = sorted((Path(QT.__file__).parent / "Qt" / "lib").glob(f"{icu_data.NAME}.*"))
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="this Qt carries no ICU")

ASKED = Path(__file__).with_name("qt_texts.py")


@pytest.fixture(scope="module")
def cleared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of Qt's library, cleared."""
    copy = tmp_path_factory.mktemp("icu") / LIBRARIES[0].name
    shutil.copy(LIBRARIES[0], copy)
    icu_data.clear(copy)
    return copy


def test_only_the_named_items_are_cleared(cleared: Path) -> None:
    """Byte for byte; the size, the table and all other items stay."""
    before, after = LIBRARIES[0].read_bytes(), cleared.read_bytes()
    assert len(before) == len(after)
    gone = [item for item in icu_data.items(before) if item[0].partition("/")[0] in icu_data.UNUSED]
    assert {name.partition("/")[0] for name, _, _ in gone} == set(icu_data.UNUSED)
    expected = bytearray(before)
    for _, start, end in gone:
        expected[start:end] = bytes(end - start)
    assert bytes(expected) == after


def test_a_package_shrinks_by_it(cleared: Path) -> None:
    """By more than half of what the library takes in one."""
    before, after = (len(lzma.compress(file.read_bytes(), preset=0)) for file in (LIBRARIES[0], cleared))
    assert after < before / 2


def test_qt_does_the_same_without_them(cleared: Path) -> None:
    """Orders words, writes dates and numbers, reads encodings and finds boundaries, in eight languages."""
    without, with_all = told(cleared), told(None)
    assert (without.pop("icu"), with_all.pop("icu")) == (str(cleared), str(LIBRARIES[0].resolve()))
    assert without == with_all


def told(preloaded: Path | None) -> dict[str, str]:
    """What Qt answers in a process of its own, with this library in the place of its own."""
    environ = dict(os.environ)
    if preloaded is not None:
        environ["LD_PRELOAD"] = str(preloaded)
    done = subprocess.run([sys.executable, ASKED], env=environ, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "content",
    [b"", b"\x7fELF" + bytes(5000), b"CmnD", bytes(20) + b"CmnD" + bytes(20)],
    ids=["empty", "no table", "only the format", "no head"],
)
def test_a_library_of_another_form_stops_the_build(content: bytes, tmp_path: Path) -> None:
    """Rather than a package that is made of something that nobody understood."""
    library = tmp_path / icu_data.NAME
    library.write_bytes(content)
    with pytest.raises(Stop, match="no table"):
        icu_data.clear(library)
    assert library.read_bytes() == content


def test_a_small_table_is_read(tmp_path: Path) -> None:
    """Names without the package's, in the order in which the items lie."""
    head = struct.pack("<HBBHHBBBB4s", 24, *(0xDA, 0x27), 20, 0, 0, 0, 2, 0, b"CmnD").ljust(24, b"\0")
    names = [b"icudt1l/coll/de.res\0", b"icudt1l/unit/de.res\0", b"icudt1l/zu.res\0"]
    first = 4 + 8 * 3
    place_of = [first + sum(map(len, names[:number])) for number in range(3)]
    data = first + sum(map(len, names))
    table = struct.pack("<I6I", 3, *(place_of[0], data, place_of[1], data + 4, place_of[2], data + 8))
    content = b"ELF " + head + table + b"".join(names) + b"KEEPGONELAST"
    library = tmp_path / icu_data.NAME
    library.write_bytes(content)
    assert [name for name, _, _ in icu_data.items(content)] == ["coll/de.res", "unit/de.res"]
    icu_data.clear(library)
    assert library.read_bytes() == content.replace(b"GONE", bytes(4))
