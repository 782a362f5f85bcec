"""Takes a picture of the screen from a thread, as a tool would.

`python -m tests.system.grab_screen WAY FILE`: WAY is `grab`, `choose` (the frame is the upper left quarter),
`portal` or `portal-choose`. Prints the size, or the code of the error.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRect
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from desktop.errors import UserFacing
from desktop.system import screen as screens
from desktop.system.main_thread import MainThread


def quarter(picture: QPixmap, done: Callable[[QRect | None], None]) -> None:
    done(QRect(0, 0, picture.width() // 2, picture.height() // 2))


def main(way: str, file: Path) -> None:
    application = QApplication([])
    window = QWidget()
    window.setStyleSheet("background: #ff0000")
    window.setGeometry(0, 0, 200, 100)
    window.show()
    if way.startswith("portal"):
        screens.uses_portal = lambda: True
    main_thread = MainThread()
    screen = screens.QtScreen(main_thread, quarter)

    def look() -> None:
        try:
            picture = screen.choose(10) if way.endswith("choose") else screen.grab()
            assert picture is not None
            file.write_bytes(picture.png)
            print(picture.width, picture.height, flush=True)
        except UserFacing as error:
            print(error.code, flush=True)
            print(error, file=sys.stderr)
        main_thread.call(application.quit)

    thread = threading.Thread(target=look)
    thread.start()
    application.exec()
    thread.join()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
