"""A window of another program: it has the focus, and prints what is typed into it, a JSON line a change.
F11 gives it the whole screen, as in a browser."""

from __future__ import annotations

import json

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

TITLE = "Some terminal"


def main() -> None:
    app = QApplication([])
    window = QWidget()
    window.setWindowTitle(TITLE)
    field = QLineEdit()
    field.textChanged.connect(lambda text: print(json.dumps({"text": text}), flush=True))
    QVBoxLayout(window).addWidget(field)
    QShortcut(QKeySequence("F11"), window, window.showFullScreen)
    window.setGeometry(20, 420, 420, 200)
    window.show()
    field.setFocus()
    app.exec()


if __name__ == "__main__":
    main()
