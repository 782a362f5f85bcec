"""Files that another process writes, makes and replaces."""

from __future__ import annotations

import os
from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop.qt.file_watch import FileWatch


def test_each_way_to_write_a_file_is_heard(qtbot: QtBot, tmp_path: Path) -> None:
    """One that is made, one that grows, one that is replaced twice; not the file beside them."""
    file = tmp_path / "folder" / "list.json"
    watch = FileWatch([file])
    heard: list[bool] = []
    watch.changed.connect(lambda: heard.append(True))

    def after(write: object) -> None:
        before = len(heard)
        assert callable(write)
        write()
        qtbot.waitUntil(lambda: len(heard) > before)

    def replace(text: str) -> None:
        part = tmp_path / "part"
        part.write_text(text)
        os.replace(part, file)

    after(lambda: file.write_text("one"))
    after(lambda: file.write_text("one and two"))
    after(lambda: replace("three"))
    after(lambda: replace("four and more"))
    qtbot.wait(50)
    count = len(heard)
    (file.parent / "other.json").write_text("x")
    qtbot.wait(100)
    assert len(heard) == count
    watch.deleteLater()
