"""This computer's clipboard through Qt, which only the main thread may touch."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection
from typing import TypeVar, cast

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard, QGuiApplication, QImage

from desktop.errors import UserFacing
from desktop.system.main_thread import MainThread
from desktop.system.reasons import SystemReason
from desktop.tools.clipboard import Clip

T = TypeVar("T")

# What password managers put beside a secret: KDE's, nspasteboard.org's for macOS, Microsoft's for Windows and
# an older one there. Qt wraps the Windows names in a MIME type of its own, so they are looked for within.
KDE_HINT = "x-kde-passwordManagerHint"
MARKS = (
    "org.nspasteboard.concealedtype",
    "x-nspasteboard-concealed-type",
    "excludeclipboardcontentfrommonitorprocessing",
    "clipboard viewer ignore",
)
HISTORY = "canincludeinclipboardhistory"  # a secret where its number is 0


class QtClipboard:
    """Made on the main thread while there is a QGuiApplication; a `tools.clipboard.Clipboard`."""

    def __init__(self, main_thread: MainThread) -> None:
        self._main_thread = main_thread

    def read(self) -> Clip:
        return self._on_main(self._read)

    def write(self, text: str) -> None:
        self._on_main(lambda: _clipboard().setText(text))

    def _on_main(self, what: Callable[[], T]) -> T:
        if threading.current_thread() is threading.main_thread():
            return what()
        return self._main_thread.call(what)

    def _read(self) -> Clip:
        # An empty clipboard gives None, whatever the stubs say.
        data = cast("QMimeData | None", _clipboard().mimeData())
        if data is None:
            return Clip()
        # Before its text is taken: what a password manager marked is never held here.
        if is_secret(data, _native_formats()):
            return Clip(is_secret=True)
        return Clip(data.text()) if data.hasText() and not data.hasUrls() else _other(data)


def is_secret(data: QMimeData, native_formats: Collection[str] = ()) -> bool:
    """Whether a password manager marked it."""
    formats = [*data.formats(), *native_formats]
    for name in formats:
        folded = name.casefold()
        if name == KDE_HINT and bytes(data.data(name).data()).strip(b"\0 ") == b"secret":
            return True
        if any(mark in folded for mark in MARKS):
            return True
        if HISTORY in folded and not any(bytes(data.data(name).data())):
            return True
    return False


def _other(data: QMimeData) -> Clip:
    """Files are given by their paths, because they are text for whoever pastes; the rest by its kind."""
    if data.hasUrls():
        paths = [url.toLocalFile() or url.toString() for url in data.urls()]
        return Clip("\n".join(paths))
    if data.hasImage():
        picture = data.imageData()
        size = f" of {picture.width()} × {picture.height()} pixels" if isinstance(picture, QImage) else ""
        return Clip(kind=f"a picture{size}")
    formats = data.formats()
    return Clip(kind=f"data of the kind {formats[0]}") if formats else Clip()


def _clipboard() -> QClipboard:
    return QGuiApplication.clipboard()


def _native_formats() -> Collection[str]:
    if sys.platform == "darwin":
        return _pasteboard_types()
    return ()


def _pasteboard_types() -> Collection[str]:
    from desktop.system.selection import RealPasteboard

    try:
        return RealPasteboard().types()
    except (OSError, AttributeError) as error:
        raise UserFacing(SystemReason.CLIPBOARD_UNKNOWN.of()) from error
