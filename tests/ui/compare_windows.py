"""Pictures of every window before a change and after it, compared by pixel.

    python -m tests.ui.compare_windows take FOLDER [-k WORDS]    takes the pictures of the tree it runs in
    python -m tests.ui.compare_windows compare BEFORE AFTER REPORT

The pictures are those that the tests marked `pictures` take, in every look that they know. While they are
taken the clock stands still, carets do not blink and the machine has a fixed size, so that the same tree
gives the same pixels twice. The file needs nothing of the tree but these tests: it can be laid into an
older one.

`compare` writes REPORT/index.txt and, for each picture that differs, what was, what is and where (in red).
Its exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).resolve().parents[2]
TAKEN = ROOT / "test-artefacts"
NOON = 1_773_489_600.0  # 14 March 2026, 12:00 UTC
GIB = 2**30

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]


class Memory(NamedTuple):
    """A machine as large as the words in the windows need it."""

    total: int = 16 * GIB
    available: int = 12 * GIB
    used: int = 4 * GIB
    percent: float = 25.0


class Disk(NamedTuple):
    total: int = 500 * GIB
    used: int = 200 * GIB
    free: int = 300 * GIB
    percent: float = 40.0


@pytest.hookimpl
def pytest_load_initial_conftests() -> None:
    """What a picture shows of the moment and of the machine is the same each time.

    Before any module of the program is there: some keep `time.time` as what a clock is made of.
    """
    ticks, real = itertools.count(), time.time

    def now() -> float:
        # pytest and its plugins measure their time-outs with this clock: standing still, none would end.
        ours = str(sys._getframe(1).f_globals["__name__"]).startswith(("desktop", "tests"))
        # It goes on by a microsecond a look: what is ordered by time keeps its order.
        return NOON + next(ticks) / 1_000_000 if ours else real()

    patch = pytest.MonkeyPatch()  # never undone: the process is there for the pictures
    patch.setattr(time, "time", now)
    patch.setattr(psutil, "virtual_memory", Memory)
    for module in (psutil, shutil):
        patch.setattr(module, "disk_usage", lambda _path: Disk())


@pytest.fixture(autouse=True)
def _still_caret(qapp: QApplication) -> None:
    qapp.setCursorFlashTime(0)


def take(folder: Path, words: str = "") -> int:
    """Take the pictures into `folder`, in place of what is there; returns pytest's exit status."""
    shutil.rmtree(TAKEN, ignore_errors=True)
    command = [sys.executable, "-m", "pytest", "tests/ui", "-m", "pictures", "-p", "tests.ui.compare_windows"]
    command += ["--basetemp", str(Path(tempfile.gettempdir(), "pictured"))]  # windows show the paths of files
    if words:
        command += ["-k", words]
    status = subprocess.run(command, cwd=ROOT, env=os.environ | {"TZ": "UTC"}, check=False).returncode
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(TAKEN, folder)
    return status


@dataclass(frozen=True)
class Difference:
    """One picture in both folders. `share` is the part of the pixels that differ, 0 to 1."""

    name: str
    share: float
    note: str = ""

    def __str__(self) -> str:
        return f"{self.share:8.4%}  {self.name}  {self.note}".rstrip()


def compare(before: Path, after: Path, report: Path) -> list[Difference]:
    """Compare the pictures of two folders by name; writes `report` anew."""
    shutil.rmtree(report, ignore_errors=True)
    report.mkdir(parents=True)
    names = [{str(file.relative_to(root)) for file in root.rglob("*.png")} for root in (before, after)]
    found = [_difference(before, after, name, report) for name in sorted(names[0] & names[1])]
    found += [Difference(name, 1.0, "only before") for name in sorted(names[0] - names[1])]
    found += [Difference(name, 1.0, "only after") for name in sorted(names[1] - names[0])]
    different = sorted((each for each in found if each.share), key=lambda each: -each.share)
    lines = [f"{len(found) - len(different)} of {len(found)} pictures are equal", *map(str, different)]
    (report / "index.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def _difference(before: Path, after: Path, name: str, report: Path) -> Difference:
    was, now = _pixels(before / name), _pixels(after / name)
    if was.shape != now.shape:
        _keep(report, name, (was, now))
        return Difference(name, 1.0, f"{was.shape[1]}x{was.shape[0]} became {now.shape[1]}x{now.shape[0]}")
    differs = (was != now).any(axis=2)
    share = float(differs.mean())
    if share:
        marked = (now // 4 + 160).astype(np.uint8)
        marked[differs] = (0, 0, 220, 255)  # blue, green, red, alpha
        _keep(report, name, (was, now, marked))
    return Difference(name, share, _where(differs) if share else "")


def _where(differs: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> str:
    """The rectangle around all that differs."""
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    return f"x {columns[0]} to {columns[-1]}, y {rows[0]} to {rows[-1]}"


def _pixels(file: Path) -> Pixels:
    """Height x width x (blue, green, red, alpha)."""
    image = QImage(str(file)).convertToFormat(QImage.Format.Format_ARGB32)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()].copy()


def _keep(report: Path, name: str, pictures: Sequence[Pixels]) -> None:
    """Side by side: before, after, and where they differ."""
    height = max(picture.shape[0] for picture in pictures)
    padded = [np.pad(each, ((0, height - each.shape[0]), (0, 8), (0, 0))) for each in pictures]
    joined = np.ascontiguousarray(np.concatenate(padded, axis=1))
    image = QImage(
        joined.tobytes(), joined.shape[1], height, joined.shape[1] * 4, QImage.Format.Format_ARGB32
    )
    (report / name).parent.mkdir(parents=True, exist_ok=True)
    image.save(str(report / name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    verbs = parser.add_subparsers(dest="verb", required=True)
    taking = verbs.add_parser("take")
    taking.add_argument("folder", type=Path)
    taking.add_argument("-k", dest="words", default="", help="only the tests whose names hold this")
    comparing = verbs.add_parser("compare")
    for name in ("before", "after", "report"):
        comparing.add_argument(name, type=Path)
    args = parser.parse_args()
    if args.verb == "take":
        return take(args.folder, args.words)
    found = compare(args.before, args.after, args.report)
    print((args.report / "index.txt").read_text(encoding="utf-8"), end="")
    return int(any(each.share for each in found))


if __name__ == "__main__":
    sys.exit(main())
