"""The comparison of pictures tells equal ones from others."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from tests.ui.compare_windows import compare


def a_picture(file: Path, width: int, dot: tuple[int, int] | None = None) -> None:
    image = QImage(width, 10, QImage.Format.Format_ARGB32)
    image.fill(QColor("white"))
    if dot is not None:
        image.setPixelColor(*dot, QColor("black"))
    file.parent.mkdir(parents=True, exist_ok=True)
    assert image.save(str(file))


@pytest.mark.parametrize(
    ("width", "dot", "share", "note"),
    [
        (20, None, 0.0, ""),
        (20, (3, 7), 0.005, "x 3 to 3, y 7 to 7"),
        (21, None, 1.0, "20x10 became 21x10"),
    ],
)
def test_one_picture(
    tmp_path: Path, width: int, dot: tuple[int, int] | None, share: float, note: str
) -> None:
    """A pixel, a size or nothing differs."""
    before, after, report = (tmp_path / name for name in ("before", "after", "report"))
    a_picture(before / "pages" / "log.png", 20)
    a_picture(after / "pages" / "log.png", width, dot)
    [found] = compare(before, after, report)
    assert (found.share, found.note) == (share, note)
    assert (report / "pages" / "log.png").exists() == bool(share)


def test_a_picture_of_one_side(tmp_path: Path) -> None:
    """What is missing on a side is a difference, and is named in the report."""
    before, after, report = (tmp_path / name for name in ("before", "after", "report"))
    a_picture(before / "gone.png", 20)
    a_picture(after / "new.png", 20)
    assert [each.note for each in compare(before, after, report)] == ["only before", "only after"]
    assert "gone.png  only before" in (report / "index.txt").read_text(encoding="utf-8")
