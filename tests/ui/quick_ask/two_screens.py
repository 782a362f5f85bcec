"""Prints where the window stands while the pointer is on one screen, then on another at 150 %; as JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

SCREENS = [
    {"name": "left", "x": 0, "y": 0, "width": 1280, "height": 800, "logicalDpi": 96, "dpr": 1},
    {"name": "right", "x": 1280, "y": 0, "width": 1600, "height": 900, "logicalDpi": 96, "dpr": 1.5},
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "screens.json"
        config.write_text(json.dumps({"screens": SCREENS}), encoding="utf-8")
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={config}"
        json.dump(_places(), sys.stdout)


def _places() -> list[list[object]]:
    from PySide6.QtGui import QCursor
    from PySide6.QtWidgets import QApplication

    from desktop.settings import Theme as Mode
    from desktop.ui.quick_ask.window import QuickAskWindow
    from desktop.ui.theme import Theme

    app = QApplication([])
    Theme(app, Mode.LIGHT)
    window = QuickAskWindow(composited=False)
    found: list[list[object]] = []
    for x, y in ((300, 700), (2700, 10), (100, 100)):
        QCursor.setPos(x, y)
        window.place()
        window.show()
        app.processEvents()
        found.append([window.screen().name(), window.x(), window.y(), window.width()])
        window.hide()
    return found


if __name__ == "__main__":
    main()
