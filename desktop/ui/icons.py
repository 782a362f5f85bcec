"""Icons drawn from `resources/icons/*.svg`, in one colour or in that of the moment when they are painted."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QStyleOption

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


def two_tone(name: str, ink: str, outline: str) -> QIcon:
    """The same for an icon with an outline, which is painted in a colour of its own."""
    result = QIcon()
    for size_px in SIZES_PX:
        result.addPixmap(pixmap(name, ink, size_px, outline))
    return result


def tinted(name: str, ink: Callable[[], str]) -> QIcon:
    """`resources/icons/<name>.svg` in the colour that `ink` names each time it is painted, at any size.

    Raises FileNotFoundError for a name that is not there. Main thread only.
    """
    svg(name)
    return QIcon(_TintedEngine(name, ink))


_COPIES: list[QIconEngine] = []


class _TintedEngine(QIconEngine):
    """Paints in the colour of the moment, so that no icon has to be set again for another theme."""

    def __init__(self, name: str, ink: Callable[[], str]) -> None:
        super().__init__()
        self._name, self._ink = name, ink

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        painter.drawPixmap(rect, self._drawn(rect.size(), ratio, mode))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float) -> QPixmap:
        return self._drawn(size, scale, mode)  # since Qt 6.9 the size is that before the scale

    def clone(self) -> QIconEngine:
        # Qt owns the copy, which PySide does not know: it would take it away as soon as nobody here holds it.
        copy = _TintedEngine(self._name, self._ink)
        _COPIES.append(copy)
        return copy

    def _drawn(self, size: QSize, ratio: float, mode: QIcon.Mode) -> QPixmap:
        side_px = max(1, round(min(size.width(), size.height()) * ratio))
        picture = _shaded(_drawing(self._name, self._ink(), side_px), mode)
        picture.setDevicePixelRatio(ratio)
        return picture


@lru_cache(maxsize=512)  # a page has some dozens, each in a few sizes and colours
def _drawing(name: str, colour: str, side_px: int) -> QPixmap:
    return pixmap(name, colour, side_px)


def _shaded(picture: QPixmap, mode: QIcon.Mode) -> QPixmap:
    """The icon as the style shows what cannot be used."""
    if mode != QIcon.Mode.Disabled:
        return QPixmap(picture)
    return QApplication.style().generatedIconPixmap(mode, picture, QStyleOption())


def app_icon() -> QIcon:
    """The program's own icon, which has its own colours."""
    return icon("app", "#000000")


def pixmap(name: str, colour: str, size_px: int, outline: str = "none") -> QPixmap:
    """The icon as one square picture."""
    source = svg(name).replace("currentColor", colour).replace("outlineColor", outline)
    renderer = QSvgRenderer(QByteArray(source.encode()))
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
