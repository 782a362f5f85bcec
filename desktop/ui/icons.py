"""Icons drawn from `resources/icons/*.svg` in the colour that is asked for."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.paths import resources

# What trays and buttons ask for at 100 %, 125 %, 150 % and 200 % of screen scale.
SIZES_PX = (16, 20, 24, 32, 40, 48, 64)


def icon(name: str, colour: str) -> QIcon:
    """`resources/icons/<name>.svg` with every `currentColor` painted in `colour`, sharp at all sizes.

    Raises FileNotFoundError for a name that is not there. Main thread only.
    """
    result = QIcon()
    for size_px in SIZES_PX:
        result.addPixmap(pixmap(name, colour, size_px))
    return result


def app_icon() -> QIcon:
    """The program's own icon, which has its own colours."""
    return icon("app", "#000000")


def pixmap(name: str, colour: str, size_px: int) -> QPixmap:
    """The same as one square picture."""
    renderer = QSvgRenderer(QByteArray(svg(name).replace("currentColor", colour).encode()))
    picture = QPixmap(size_px, size_px)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size_px, size_px))
    painter.end()
    return picture


def svg(name: str) -> str:
    """The source of an icon."""
    return (folder() / f"{name}.svg").read_text(encoding="utf-8")


def folder() -> Path:
    return resources() / "icons"
