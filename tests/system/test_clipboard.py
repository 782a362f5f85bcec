"""The real clipboard, as far as a platform without a screen has one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("PySide6", reason="the clipboard is Qt's")
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from desktop.system.clipboard import QtClipboard, is_secret
from desktop.system.main_thread import MainThread
from desktop.tools.clipboard import Clip


def _marked(**formats: bytes) -> QMimeData:
    data = QMimeData()
    data.setText("hunter2")
    for name, value in formats.items():
        data.setData(name, value)
    return data


WINDOWS = 'application/x-qt-windows-mime;value="{}"'
MARKED = [
    ({"x-kde-passwordManagerHint": b"secret"}, (), True),
    ({"x-kde-passwordManagerHint": b"secret\0"}, (), True),
    ({"x-kde-passwordManagerHint": b"public"}, (), False),
    ({"application/x-nspasteboard-concealed-type": b""}, (), True),
    ({}, ("public.utf8-plain-text", "org.nspasteboard.ConcealedType"), True),
    ({}, ("public.utf8-plain-text",), False),
    ({WINDOWS.format("ExcludeClipboardContentFromMonitorProcessing"): b"\1"}, (), True),
    ({WINDOWS.format("CanIncludeInClipboardHistory"): b"\0\0\0\0"}, (), True),
    ({WINDOWS.format("CanIncludeInClipboardHistory"): b"\1\0\0\0"}, (), False),
    ({WINDOWS.format("Clipboard Viewer Ignore"): b"\1"}, (), True),
    ({}, (), False),
]


@pytest.mark.parametrize(("formats", "native", "secret"), MARKED)
def test_marks_of_password_managers(formats: dict[str, bytes], native: tuple[str, ...], secret: bool) -> None:
    """KDE, macOS and Windows each have their own."""
    assert is_secret(_marked(**formats), native) is secret


@pytest.fixture
def clipboard(qtbot: QtBot) -> Iterator[QtClipboard]:
    yield QtClipboard(MainThread())
    QGuiApplication.clipboard().clear()


def _elsewhere(qtbot: QtBot, what: Callable[[], object]) -> object:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(what()))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive())
    return results[0]


def test_a_tool_reads_and_writes_from_its_own_thread(qtbot: QtBot, clipboard: QtClipboard) -> None:
    """The main thread does it meanwhile."""
    _elsewhere(qtbot, lambda: clipboard.write("Grüße"))
    assert QGuiApplication.clipboard().text() == "Grüße"
    assert _elsewhere(qtbot, clipboard.read) == Clip("Grüße")


def test_kinds(qtbot: QtBot, clipboard: QtClipboard) -> None:
    """Nothing, a picture, files, a secret."""
    board = QGuiApplication.clipboard()
    board.clear()
    assert clipboard.read() == Clip()
    board.setImage(QImage(3, 2, QImage.Format.Format_RGB32))
    assert clipboard.read() == Clip(kind="a picture of 3 × 2 pixels")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/a b.txt"), QUrl.fromLocalFile("/tmp/c.txt")])
    board.setMimeData(files)
    assert clipboard.read() == Clip("/tmp/a b.txt\n/tmp/c.txt")
    board.setMimeData(_marked(**{"x-kde-passwordManagerHint": b"secret"}))
    assert clipboard.read() == Clip(is_secret=True)


@pytest.mark.skipif(sys.platform != "darwin", reason="the pasteboard is that of macOS")
def test_the_pasteboard_names_its_types(qtbot: QtBot, clipboard: QtClipboard) -> None:
    """Those of a plain text among them."""
    from desktop.system.selection import RealPasteboard

    clipboard.write("hello")
    assert any("text" in name for name in RealPasteboard().types())
