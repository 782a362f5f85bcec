"""How a window can look: light, dark, in high contrast, at 200 %, from the right, in German."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QLocale, Qt, QTranslator
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from desktop.settings import Theme as Mode
from desktop.ui.language import speak
from desktop.ui.theme import Theme

LOOKS = ("light", "dark", "high-contrast", "zoom-200", "mirrored", "german")


def yellow_on_black() -> QPalette:
    """What a system with high contrast may hand over."""
    palette, role = QPalette(QColor("#000000")), QPalette.ColorRole
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(which, QColor("#ffff00"))
    for which, colour in (
        (role.Base, "#000000"),
        (role.Link, "#00ffff"),
        (role.Highlight, "#00ff00"),
        (role.HighlightedText, "#000000"),
    ):
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor("#a0a0a0"))
    return palette


@contextmanager
def spoken(app: QApplication, look: str) -> Iterator[None]:
    """Language and direction, which windows take when they are made."""
    before = QLocale()
    if look == "german":
        assert speak(app, "de") == "de"
    if look == "mirrored":
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        yield
    finally:
        app.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for translator in app.findChildren(QTranslator):
            app.removeTranslator(translator)
            translator.deleteLater()
        QLocale.setDefault(before)


def dress(theme: Theme, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours and sizes, which windows follow while they are open."""
    if look == "dark":
        theme.set_mode(Mode.DARK)
    elif look == "zoom-200":
        theme.set_zoom(200)
    elif look == "high-contrast":
        theme._system_palette = yellow_on_black()
        monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
        theme.apply()
