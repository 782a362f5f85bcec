"""What can go along with a question: clipboard, selected text, and text from a part of the screen, as chips.

Before a click only lengths are known here; a text is read when its chip is pressed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import structlog
from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QClipboard, QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.chat.attachments import Attachment, AttachmentKind, AttachmentReader
from desktop.errors import Cancelled, UserFacing
from desktop.qt.background import Background
from desktop.system.clipboard import is_secret
from desktop.system.selection import CopiedSelection
from desktop.tools.clipboard import Clipboard
from desktop.tools.ocr import Ocr, missing
from desktop.tools.screen import Picture, Screen
from desktop.ui import theme
from desktop.ui.chat.chips import size_words
from desktop.ui.chat.composer import Chip
from desktop.ui.chat.selection_bar import WORDS
from desktop.ui.language import tr, tr_noop
from desktop.ui.reasons import WindowReason
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.layout import FlowLayout, emptied, let_go

log = structlog.get_logger(__name__)

CHOOSING_S = 60.0


class ContextSources(QObject):
    """The clipboard, the selection and the screen. Main thread only."""

    picking = Signal(bool)  # the user marks a part of the screen: our window is in the way
    reading = Signal(bool)  # the text in the picture is being read
    found = Signal(str)
    refused = Signal(object)  # UserFacing

    def __init__(
        self,
        background: Background,
        clipboard: Clipboard,
        screen: Screen | None,
        ocr: Ocr | None,
        copying: CopiedSelection | None = None,
        is_composited: bool = True,
    ) -> None:
        """Without `screen` and `ocr` no text is read from the screen. `copying` is for systems that do not
        tell what is selected. `is_composited`: the desktop can show what is behind a window.
        """
        super().__init__()
        self.is_composited = is_composited
        self._clipboard = clipboard
        self._background = background
        self._screen = screen
        self._ocr = ocr
        self._copying = copying

    @property
    def has_screen(self) -> bool:
        return self._screen is not None and self._ocr is not None

    @property
    def copies_selection(self) -> bool:
        """Whether selected text is had by copying it in the other program, which needs the focus for it."""
        return self._copying is not None

    def copy_selection(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        """Soon, out of the program that has the focus by then. The clipboard is as before afterwards."""
        if self._copying is not None:
            self._copying.take(lambda text: done(text.strip()), refused)

    def lengths(self, with_selection: bool = True) -> tuple[int, int]:
        """Characters on the clipboard and in the selection; 0 also for what a password manager marked, and
        for a selection that is not wanted, which is not looked at."""
        if not with_selection:
            return len(self.clipboard()), 0
        return len(self.clipboard()), UNKNOWN if self.copies_selection else len(self.selection())

    def clipboard(self) -> str:
        """The text of the clipboard, "" where there is none to give."""
        try:
            clip = self._clipboard.read()
        except UserFacing as error:
            log.info("the clipboard was not looked at", reason=str(error))
            return ""
        return (clip.text or "").strip()

    def selection(self) -> str:
        """What is selected in another window, where the system tells that."""
        board = QGuiApplication.clipboard()
        if not board.supportsSelection() or board.ownsSelection():
            return ""
        # An empty selection gives None, whatever the stubs say.
        data = cast("QMimeData | None", board.mimeData(QClipboard.Mode.Selection))
        if data is None or not data.hasText() or is_secret(data):
            return ""
        return data.text().strip()

    def pick(self) -> None:
        """Let the user mark a part of the screen, and read the text in it."""
        if self._screen is None or self._ocr is None:
            return
        if not self._ocr.is_here:
            self.refused.emit(missing())
            return
        self.picking.emit(True)
        self._background.run(
            self._screen.choose, CHOOSING_S, done=self._on_picked, failed=self._on_failed(self._picked)
        )

    # -- inside -------------------------------------------------------------------------------

    def _picked(self) -> None:
        self.picking.emit(False)

    def _read(self) -> None:
        self.reading.emit(False)

    def _on_picked(self, picture: Picture | None) -> None:
        self.picking.emit(False)
        if picture is None or self._ocr is None:
            return
        self.reading.emit(True)
        self._background.run(
            self._ocr.read, picture.png, done=self._on_read, failed=self._on_failed(self._read)
        )

    def _on_read(self, text: str) -> None:
        self.reading.emit(False)
        if text.strip():
            self.found.emit(text)
        else:
            self.refused.emit(UserFacing(WindowReason.OCR_EMPTY.of()))

    def _on_failed(self, over: Callable[[], None]) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            over()
            if isinstance(error, UserFacing):
                self.refused.emit(error)
            elif not isinstance(error, Cancelled):
                raise error

        return failed


NAMES = {
    "clipboard": tr_noop("Clipboard"),
    "selection": tr_noop("Selected text"),
    "screen": tr_noop("Text from the screen"),
}

KINDS = {
    "clipboard": AttachmentKind.CLIPBOARD,
    "selection": AttachmentKind.SELECTION,
    "screen": AttachmentKind.SCREEN,
}

SHOWN = 40  # characters of a queued question
UNKNOWN = -1  # a length that is known only after the click


class ChipRow(QWidget):
    """Emits what is wanted; reads nothing. Main thread only."""

    clipboard_wanted = Signal()
    selection_wanted = Signal()
    action_wanted = Signal(object)  # TextAction, with what is selected
    screen_wanted = Signal()
    removed = Signal(int)  # the number of an attachment
    unqueue_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("quick_ask_chips")
        self._flow = FlowLayout(self)
        self._queue: tuple[str, ...] = ()
        self._attached: list[Attachment] = []
        self._lengths = (0, 0)
        self._has_screen = False
        self._reading = False
        self._offers = {
            "clipboard": self._offer("clipboard", "clipboard", self.clipboard_wanted.emit),
            "selection": self._offer("selection", "selection", self.selection_wanted.emit),
            "screen": self._offer("screen", "region", self.screen_wanted.emit),
        }
        # Beside the chip that they are about.
        self.action_buttons = [
            IconButton(
                "", tr(words), f"quick_ask_{each.value}", partial(self.action_wanted.emit, each), parent=self
            )
            for each, words in WORDS.items()
        ]
        theme.current().changed.connect(self._rebuild)
        self._rebuild()

    # -- what goes along ----------------------------------------------------------------------

    @property
    def attached(self) -> tuple[Attachment, ...]:
        return tuple(self._attached)

    def attach(self, source: str, text: str) -> Attachment | None:
        """`source` is a key of NAMES, or "" for pasted text. None where there is no text."""
        if not text.strip():
            return None
        name = tr(NAMES.get(source, tr_noop("Added text")))
        made = AttachmentReader().text(text, KINDS.get(source, AttachmentKind.PASTE), name)
        self._attached.append(made)
        self._rebuild()
        return made

    def put_back(self, attachments: Sequence[Attachment]) -> None:
        """What could not be sent."""
        self._attached += attachments
        self._rebuild()

    def show_counted(self, was: Attachment, counted: Attachment) -> None:
        """The size of one is known now; one that is gone is ignored."""
        for number, each in enumerate(self._attached):
            if each is was:
                self._attached[number] = counted
                self._rebuild()

    def clear(self) -> None:
        """Take all chips away."""
        self._attached.clear()
        self._rebuild()

    # -- what is shown ------------------------------------------------------------------------

    def show_lengths(self, clipboard: int, selection: int) -> None:
        """Show lengths in characters; 0 is not offered, UNKNOWN is without a number."""
        self._lengths = (clipboard, selection)
        self._rebuild()

    def show_screen(self, offered: bool, reading: bool = False) -> None:
        """Whether text can be read from the screen, and whether that is being done."""
        self._has_screen, self._reading = offered, reading
        self._rebuild()

    def show_queue(self, texts: Sequence[str]) -> None:
        """Questions that wait for their turn."""
        self._queue = tuple(texts)
        self._rebuild()

    def height_for(self, width: int) -> int:
        """0 where there is no chip."""
        return self._flow.heightForWidth(width) if not self.isHidden() else 0

    # -- inside -------------------------------------------------------------------------------

    def _offer(self, name: str, icon: str, wanted: Callable[[], None]) -> IconButton:
        return IconButton(
            icon,
            tr(NAMES[name]),
            f"quick_ask_{name}",
            wanted,
            parent=self,
        ).labelled(tr(NAMES[name]))

    def _style(self) -> str:
        """An edge that shows what can be pressed, as on other chips."""
        px = theme.px
        tokens = theme.tokens()
        edge = tokens.text if theme.current().high_contrast else tokens.control_border
        return f"border: 1px solid {edge}; border-radius: {px(6)}px; padding: {px(2)}px {px(8)}px"

    def _rebuild(self) -> None:
        for widget in emptied(self._flow):
            if isinstance(widget, Chip):
                let_go(widget)
        chips = [self._queued(number, text) for number, text in enumerate(self._queue)]
        chips += [self._attachment(number, each) for number, each in enumerate(self._attached)]
        for chip in chips:
            self._flow.addWidget(chip)
            chip.show()
        self._show_offers()
        anything = bool(chips) or any(not offer.isHidden() for offer in self._offers.values())
        self.setVisible(anything)
        self.updateGeometry()

    def _show_offers(self) -> None:
        taken = {each.about.kind for each in self._attached}
        for name, length in zip(("clipboard", "selection"), self._lengths, strict=True):
            offer = self._offers[name]
            if length == UNKNOWN:
                offer.setText(f" {tr(NAMES[name])}")
                offer.set_words(tr("Copy what is selected in the window behind, and put the clipboard back"))
            else:
                offer.setText(f" {tr(NAMES[name])} · {_characters(length)}")  # the icon is close
                offer.set_words(
                    tr("Add “{name}”, {characters}", name=tr(NAMES[name]), characters=_characters(length))
                )
            offer.setVisible(length != 0 and KINDS[name] not in taken)
        screen = self._offers["screen"]
        screen.setText(tr(" Reading the picture…") if self._reading else f" {tr(NAMES['screen'])}")
        screen.set_words(tr("Select a part of the screen and add the text in it"))
        screen.setEnabled(not self._reading)
        screen.setVisible(self._has_screen)
        for name, offer in self._offers.items():
            offer.setStyleSheet(self._style())
            offer.fit()
            self._flow.addWidget(offer)
            if name == "selection":
                self._show_actions(not offer.isHidden())

    def _show_actions(self, shown: bool) -> None:
        for each, words in zip(self.action_buttons, WORDS.values(), strict=True):
            each.labelled(tr(words))
            each.set_words(tr("{action} what is selected", action=tr(words)))
            each.setStyleSheet(self._style())
            each.fit()
            each.setVisible(shown)
            self._flow.addWidget(each)

    def _attachment(self, number: int, attachment: Attachment) -> Chip:
        name = attachment.about.name
        chip = Chip(
            f"{name} · {size_words(attachment.about)}",
            attachment.text[:500],
            f"attached_{number}",
            tr("Remove: {name}", name=name),
            self,
        )
        chip.removed.connect(lambda: self._remove(number))
        return chip

    def _remove(self, number: int) -> None:
        del self._attached[number]
        self._rebuild()
        self.removed.emit(number)

    def _queued(self, number: int, text: str) -> Chip:
        line = " ".join(text.split())
        words = tr("Queued: {line}{value}", line=line[:SHOWN], value="…" if len(line) > SHOWN else "")
        chip = Chip(words, text[:500], f"queued_{number}", tr("Take this question back"), self)
        chip.removed.connect(lambda: self.unqueue_wanted.emit(number))
        return chip


def _characters(length: int) -> str:
    return tr("1 character") if length == 1 else tr("{length:,} characters", length=length)
