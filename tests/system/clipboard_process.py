"""A program on a screen of its own: holds a clipboard, or reads it as a tool does.

`hold TEXT [HINT]` puts it there, prints `ready` and stays; `write TEXT` does as a tool. `read` prints what
lies there as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict

from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from desktop.system.clipboard import QtClipboard
from desktop.system.main_thread import MainThread


def hold(text: str, hint: str = "") -> None:
    data = QMimeData()
    data.setText(text)
    if hint:
        data.setData("x-kde-passwordManagerHint", hint.encode())
    QApplication.clipboard().setMimeData(data)
    print("ready", flush=True)


def use(clipboard: QtClipboard, what: str, *text: str) -> None:
    """On a thread of its own."""
    if what == "write":
        clipboard.write(*text)
        print("ready", flush=True)
        return
    print(json.dumps(asdict(clipboard.read())), flush=True)
    QTimer.singleShot(0, QApplication.instance(), QApplication.quit)


def main(what: str, *words: str) -> int:
    application = QApplication([])
    window = QWidget()
    window.show()
    clipboard = QtClipboard(MainThread())
    if what == "hold":
        QTimer.singleShot(0, window, lambda: hold(*words))
    else:
        thread = threading.Thread(target=use, args=(clipboard, what, *words), daemon=True)
        QTimer.singleShot(0, window, thread.start)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
