"""Where the question is typed: grows with the text, one button that sends or stops, and chips."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.attachments import Attachment, AttachmentKind, AttachmentReader, Draft, joined
from desktop.chat.context_use import FRAMES_TOKENS
from desktop.engine.events import LargerContext
from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.chat.chips import AttachmentChip, Pending
from desktop.ui.chat.dictation import DictationButton
from desktop.ui.language import tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, emptied, from_its_side, is_mirrored, named
from desktop.ui.widgets.menu import Menu

CHARACTERS_PER_TOKEN = 4  # a rule of thumb where nothing is counted
TALLEST_SHARE = 0.4
BESIDE_CHIPS = 24  # of a composer's width
MOST_ATTACHMENTS = 12


class Composer(QFrame):
    """Emits what the user wants; knows nothing of conversations and reads no files. Main thread only.

    `sent` carries a `Draft`. `recall_wanted`: Up was pressed in the empty box.
    """

    sent = Signal(object)
    stop_wanted = Signal()
    recall_wanted = Signal()
    unqueue_wanted = Signal(int)  # the number of a queued message
    edit_queued_wanted = Signal(int)
    height_changed = Signal()
    file_choice_wanted = Signal()
    screen_wanted = Signal()
    clipboard_wanted = Signal()
    files_given = Signal(list)  # of Path
    picture_given = Signal(QImage)
    attached = Signal(int)  # the key of a text that goes along now: its size is a guess so far
    beginning_wanted = Signal(int, int)  # the key of one that is too large, and how many tokens fit
    search_wanted = Signal(int, int)  # the same: passages instead of the beginning
    folder_wanted = Signal()  # into which the chat is to look
    parts_wanted = Signal(int)  # of an attachment: its key
    context_wanted = Signal(object)  # LargerContext
    attachment_opened = Signal(object)  # Attachment
    attachments_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._busy = False
        self._host = ""  # where what is sent goes; "" is this computer
        self._keys = count()
        self._pending: list[Pending] = []
        self._room: int | None = None
        # Which context would have room for so many tokens more; the owner knows.
        self.larger_context: Callable[[int], LargerContext | None] = lambda _missing: None
        self.setObjectName("composer")
        self.setProperty("ring_radius", 20)
        self.note = ContextNote(self)
        self.text = ComposerText(self)
        self.send_button = SendButton(self)
        self.dictation = DictationButton(self)
        self.add_button = IconButton("plus", tr("Add to the message"), "composer_add", size=36)
        self.menu = self._make_menu()
        self.add_button.drop_down(self.menu)
        self._queued = _chip_row()
        self._chips = _chip_row()
        self._lay_out()
        self._connect()
        theme.space(self._outer, 4, (10, 9, 10, 9))
        theme.space(self._row, 8)
        theme.current().changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    # -- what the owner sets ------------------------------------------------------------------

    def set_busy(self, busy: bool) -> None:
        """While an answer comes the button stops it; sending then queues."""
        self._busy = busy
        self._update_button()

    def show_destination(self, host: str) -> None:
        """Show that what is sent goes to `host`; "" for the model of this computer."""
        self._host = host
        self.setProperty("elsewhere", bool(host))
        self.style().unpolish(self)
        self.style().polish(self)
        prompt = tr("Message to {host}", host=host) if host else tr("Ask anything…")
        self.text.setPlaceholderText(prompt)
        self.text.setAccessibleName(prompt if host else tr("Message to Steward"))
        self._update_button()

    def set_text(self, text: str) -> None:
        """Replace what is in the box and put the cursor at its end."""
        self.text.setPlainText(text)
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def set_draft(self, draft: Draft) -> None:
        """Replace what is in the box and what goes along."""
        self.set_text(draft.text)
        self._pending = [Pending(next(self._keys), each.about.name, each) for each in draft.attachments]
        self._show_attachments()

    def put_before(self, draft: Draft) -> None:
        """A message comes back: before what is typed."""
        # What is typed meanwhile is never thrown away.
        self.set_draft(joined((draft, self.whole_draft())))

    def put_behind(self, draft: Draft) -> None:
        """More of the message comes from elsewhere: behind what is typed."""
        self.set_draft(joined((self.whole_draft(), draft)))

    def show_queue(self, texts: Sequence[str]) -> None:
        """The messages that wait for their turn, each with a way to take it back."""
        _refill(self._queued, [self._queue_chip(number, text) for number, text in enumerate(texts)])
        self.height_changed.emit()

    def offer(self, words: str, name: str, act: Callable[[], object]) -> QAction:
        """One more entry of the menu of what can be added, such as a kept prompt."""
        action = self.menu.addAction(words)
        action.setObjectName(name)
        action.triggered.connect(lambda _checked=False: act())
        return action

    # -- what goes along ----------------------------------------------------------------------

    def add_attachment(self, text: str, kind: AttachmentKind = AttachmentKind.PASTE, name: str = "") -> None:
        """Text that goes along with the message, shown as a chip."""
        # An empty clipboard or selection makes no chip.
        if not text.strip():
            return
        made = AttachmentReader().text(text, kind, name or _name_of(kind))
        if len(self._pending) < MOST_ATTACHMENTS:
            pending = Pending(next(self._keys), made.about.name, made)
            self._pending.append(pending)
            self._show_attachments()
            self.attached.emit(pending.key)

    def begin_attachment(self, name: str) -> int | None:
        """A chip for what is being read; its key. None where no more can go along."""
        if len(self._pending) >= MOST_ATTACHMENTS:
            return None
        pending = Pending(next(self._keys), name)
        self._pending.append(pending)
        self._show_attachments()
        return pending.key

    def finish_attachment(self, key: int, attachment: Attachment) -> None:
        """Show what was read, or counted anew; one that was removed meanwhile is ignored."""
        # Reading takes place on the pool; the user may have removed the chip, or sent without it, in between.
        if pending := self._find(key):
            pending.attachment, pending.error, pending.name = attachment, None, attachment.about.name
            self._show_attachments()

    def refuse_attachment(self, key: int, error: UserFacing) -> None:
        """Show that it could not be read; the chip says so until it is removed."""
        if pending := self._find(key):
            pending.error = error
            self._show_attachments()

    def remove_attachment(self, key: int) -> None:
        """Take a chip away: it does not go along."""
        self._pending = [each for each in self._pending if each.key != key]
        self._show_attachments()

    def set_room(self, tokens: int | None) -> None:
        """How many tokens a message may have with all that goes along; None: nobody knows."""
        if tokens != self._room:
            self._room = tokens
            self._show_attachments()

    @property
    def pending(self) -> tuple[Pending, ...]:
        """What goes along, is being read, or could not be, in order."""
        return tuple(self._pending)

    # -- what would be sent -------------------------------------------------------------------

    def draft(self) -> str:
        """What is typed."""
        return self.text.toPlainText().strip()

    def whole_draft(self) -> Draft:
        """What would be sent now."""
        read = (each.attachment for each in self._pending if each.is_ready)
        return Draft(self.draft(), tuple(each for each in read if each is not None))

    def take_draft(self) -> Draft:
        """Return the draft and empty the box; what could not be read goes, too."""
        draft = self.whole_draft()
        self.clear()
        return draft

    def clear(self) -> None:
        self.text.clear()
        self._pending.clear()
        self._show_attachments()

    def height_for(self, width: int, window_height: int) -> int:
        """What the composer needs, up to 40 % of the window; the text scrolls beyond that."""
        inner = width - theme.px(BESIDE_CHIPS)
        rows = sum(
            row.heightForWidth(inner) + theme.px(4) for row in (self._queued, self._chips) if row.count()
        )
        if not self.note.isHidden():
            rows += self.note.heightForWidth(inner) + theme.px(4)
        padding = self._outer.contentsMargins().top() + self._outer.contentsMargins().bottom() + 2
        side = theme.px(36) + theme.px(36) + theme.px(20) + theme.px(16) + 2
        if not self.dictation.isHidden():
            side += self.dictation.sizeHint().width() + theme.px(8)
        wanted = max(self.text.wanted_height(width - side), theme.px(36))
        # The messages stay in sight, however long the text.
        tallest = max(int(window_height * TALLEST_SHARE), theme.px(56))
        least = theme.px(56) + rows if rows else theme.px(56)
        return max(least, min(wanted + padding + rows, tallest))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and self._pending:
            self._fit_chips()
            self.height_changed.emit()

    # -- inside -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.text, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.dictation, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._row = row
        self._outer = QVBoxLayout(self)
        self._outer.addWidget(self.note)
        self._outer.addLayout(self._queued)
        self._outer.addLayout(self._chips)
        self._outer.addLayout(row)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._on_text_changed)
        self.text.send_pressed.connect(self._on_send)
        self.text.escape_pressed.connect(self._on_escape)
        self.text.recall_pressed.connect(self.recall_wanted)
        self.text.long_text_pasted.connect(self.add_attachment)
        self.text.files_given.connect(self.files_given)
        self.text.picture_given.connect(self.picture_given)
        self.text.focus_moved.connect(self.update)
        self.send_button.clicked.connect(self._on_button)
        self.dictation.width_changed.connect(self.height_changed)
        self.note.height_changed.connect(self.height_changed)

    def _make_menu(self) -> Menu:
        menu = Menu(self, "composer_menu")
        menu.offer(tr("File or picture…"), "file", self.file_choice_wanted.emit, "add_file")
        menu.offer(tr("Folder to look into…"), "folder", self.folder_wanted.emit, "add_folder")
        menu.offer(tr("Text from a part of the screen"), "region", self.screen_wanted.emit, "add_screen")
        menu.offer(tr("Text from the clipboard"), "clipboard", self.clipboard_wanted.emit, "add_clipboard")
        menu.aboutToShow.connect(self._on_menu)
        return menu

    def _on_menu(self) -> None:
        """Only whether there is something is looked at, not what."""
        data = QGuiApplication.clipboard().mimeData()
        full = data is not None and (data.hasText() or data.hasImage() or data.hasUrls())
        for action in self.menu.actions():
            if action.objectName() == "add_clipboard":
                action.setEnabled(full)

    def _on_text_changed(self) -> None:
        if self._weigh():
            self._show_attachments()
        self._update_button()
        self.height_changed.emit()

    def _on_button(self) -> None:
        self.stop_wanted.emit() if self._busy else self._on_send()

    def send(self) -> None:
        """Send as if the button was pressed: what cannot be sent yet stays."""
        self._on_send()

    def _on_send(self) -> None:
        # What is being said belongs to the message, and is looked at before it is sent.
        if self.dictation.in_hand:
            self.dictation.press()
        elif not self._obstacle() and self.whole_draft():
            self.sent.emit(self.take_draft())

    def _on_escape(self) -> None:
        if self.dictation.in_hand:
            self.dictation.cancel_wanted.emit()
        elif self._busy:
            self.stop_wanted.emit()

    def _update_button(self) -> None:
        has_something = bool(self.whole_draft())
        self.send_button.show_state(self._busy, has_something, self._obstacle(), self._host)

    def _obstacle(self) -> str:
        """Why the message cannot be sent yet; "" where it can."""
        if any(each.is_reading for each in self._pending):
            return tr("Cannot be sent yet: something is still being read")
        if any(each.excess is not None for each in self._pending):
            return tr("Cannot be sent: what is attached is too large for the model's context")
        return ""

    def _find(self, key: int) -> Pending | None:
        return next((each for each in self._pending if each.key == key), None)

    def _show_attachments(self) -> None:
        self._weigh()
        _refill(self._chips, [self._attachment_chip(n, each) for n, each in enumerate(self._pending)])
        self._fit_chips()
        self._update_button()
        self.attachments_changed.emit()
        self.height_changed.emit()

    def _fit_chips(self) -> None:
        for at in range(self._chips.count()):
            item = self._chips.itemAt(at)
            chip = item.widget() if item is not None else None
            if isinstance(chip, AttachmentChip):
                chip.fit(self.width() - theme.px(BESIDE_CHIPS))

    def _weigh(self) -> bool:
        """Each in order takes its room beside what is typed; the first that has too little is told how much
        there is. True when something has changed."""
        before = [each.excess for each in self._pending]
        left = self._room
        if left is not None:
            # The frames of a message are in the room already; a short question costs no more than they hold
            # back.
            left -= max(len(self.draft()) // CHARACTERS_PER_TOKEN - FRAMES_TOKENS, 0)
        for each in self._pending:
            each.excess, each.larger = None, None
            if left is None or each.attachment is None:
                continue
            tokens = each.attachment.about.tokens
            if tokens > left:
                each.excess = max(left, 0)
                each.larger = self.larger_context(tokens - each.excess)
            else:
                left -= tokens
        return before != [each.excess for each in self._pending]

    def _attachment_chip(self, number: int, pending: Pending) -> AttachmentChip:
        chip = AttachmentChip(pending, f"attachment_{number}", self)
        chip.removed.connect(lambda: self._on_removed(number, pending.key))
        chip.opened.connect(lambda: self._on_opened(pending))
        chip.beginning_wanted.connect(lambda tokens: self.beginning_wanted.emit(pending.key, tokens))
        chip.search_wanted.connect(lambda tokens: self.search_wanted.emit(pending.key, tokens))
        chip.parts_wanted.connect(lambda: self.parts_wanted.emit(pending.key))
        chip.context_wanted.connect(self.context_wanted)
        return chip

    def _on_removed(self, number: int, key: int) -> None:
        """The focus goes on to the next chip, or back into the box."""
        self.remove_attachment(key)
        item = self._chips.itemAt(min(number, len(self._pending) - 1))
        chip = item.widget() if item is not None else None
        # Else the focus would fall to the window, and the next press of a key would go nowhere.
        following = chip.cross if isinstance(chip, AttachmentChip) else self.text
        following.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_opened(self, pending: Pending) -> None:
        if pending.attachment is not None:
            self.attachment_opened.emit(pending.attachment)

    def _queue_chip(self, number: int, text: str) -> Chip:
        line = " ".join(text.split())
        shown = f"{line[:40]}{'…' if len(line) > 40 else ''}"
        words = tr("Queued: {text}", text=shown)
        chip = Chip(words, text[:500], f"queued_{number}", tr("Take this message back"), self)
        chip.removed.connect(lambda: self.unqueue_wanted.emit(number))
        chip.add_button("edit", tr("Edit this message"), lambda: self.edit_queued_wanted.emit(number))
        return chip

    def _on_theme_changed(self) -> None:
        """The document of a text has a font of its own, and chips are made for one zoom."""
        self.text.set_font(theme.font())
        self._show_attachments()


def _name_of(kind: AttachmentKind) -> str:
    return {
        AttachmentKind.CLIPBOARD: tr("Clipboard"),
        AttachmentKind.SCREEN: tr("Part of the screen"),
        AttachmentKind.PASTE: tr("Pasted text"),
    }.get(kind, tr("Text"))


class SendButton(IconButton):
    """Round; an arrow that sends, a square that stops, in the same place."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("send", tr("Send"), "send", size=36, parent=parent)
        self.setProperty("ring_radius", 18)
        self.show_state(busy=False, has_text=False)

    def show_state(self, busy: bool, has_text: bool, obstacle: str = "", host: str = "") -> None:
        """`obstacle` says why the message cannot be sent yet; `host` where it goes."""
        self.setEnabled(busy or (has_text and not obstacle))
        # High contrast paints no ground of ours behind the sign.
        on_ground = self.isEnabled() and not theme.current().high_contrast
        enabled = "on_accent" if on_ground else "secondary"
        self.set_icon("stop" if busy else "send", enabled)
        words = _button_words(busy, has_text, obstacle)
        is_sent = has_text and host and not busy and not obstacle
        self.set_words(tr("Send to {host} (Enter)", host=host) if is_sent else words)


class Chip(QFrame):
    """A small label with a cross."""

    removed = Signal()

    def __init__(self, words: str, tip: str, name: str, remove_words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.label = QLabel(words)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setFont(theme.font(SMALL_PX))
        self.label.setToolTip(plain_tip(tip))
        self.cross = IconButton("close", remove_words, f"{name}_remove", self.removed.emit, size=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.sides(self, theme.px(8), 0, theme.px(2), 0))
        row.setSpacing(theme.px(4))
        row.addWidget(self.label)
        row.addWidget(self.cross)
        self._row = row

    def add_button(self, icon: str, words: str, act: Callable[[], object]) -> None:
        """One more, before the cross; called NAME_ICON."""
        made = IconButton(icon, words, f"{self.objectName()}_{icon}", act, size=24)
        self._row.insertWidget(1, made)


def _button_words(busy: bool, has_text: bool, obstacle: str) -> str:
    if busy:
        return tr("Stop the answer (Esc)")
    if obstacle:
        return obstacle
    return tr("Send (Enter)") if has_text else tr("Nothing to send yet: type a message")


def _chip_row() -> FlowLayout:
    return FlowLayout()


def _refill(row: FlowLayout, chips: Sequence[QFrame]) -> None:
    for widget in emptied(row):
        widget.hide()
        widget.setParent(None)  # gone at once for whoever looks for it
        widget.deleteLater()
    for chip in chips:
        row.addWidget(chip)
        chip.show()


LONGEST_PASTE = 2_000  # characters; what is longer becomes a chip
CURSOR_PX = 1  # room for the cursor at the right edge


class ComposerText(QPlainTextEdit):
    """Enter sends unless an input method is composing. Main thread only."""

    send_pressed = Signal()
    escape_pressed = Signal()
    recall_pressed = Signal()
    long_text_pasted = Signal(str)
    files_given = Signal(list)  # of Path, pasted or dropped
    picture_given = Signal(QImage)
    focus_moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._composing = False
        self._prompt = ""
        named(self, "composer_text", tr("Message to Steward"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(CURSOR_PX)
        self.setProperty("ring_on_parent", True)
        self.textChanged.connect(self._begin_at_its_side)
        self.setPlaceholderText(tr("Ask anything…"))
        self._begin_at_its_side()

    def setPlaceholderText(self, text: str) -> None:
        """What stands there in grey, also from the right."""
        self._prompt = text
        super().setPlaceholderText(from_its_side(self, text) if text else "")

    def set_font(self, font: QFont) -> None:
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.viewport().setFont(font)  # the placeholder is drawn in this one

    def wanted_height(self, width: int) -> int:
        """The height of all lines at `width`, whatever the width of the widget is now."""
        return math.ceil(self._lines_at(width) * self.fontMetrics().lineSpacing()) + 2 + 2 * CURSOR_PX

    def _lines_at(self, width: int) -> int:
        # Laid out apart from the widget: its own document knows only the width that it has, and to resize
        # the widget for a question asks for another layout, which asks the question again, without an end.
        option = QTextOption(self.document().defaultTextOption())
        option.setWrapMode(self.wordWrapMode())
        room = max(1.0, width - 2 * self.frameWidth() - 2 * self.document().documentMargin())
        lines, block = 0, self.document().firstBlock()
        while block.isValid():
            lines += _count_lines(block, self.document().defaultFont(), option, room)
            block = block.next()
        return max(1, lines)

    def sizeHint(self) -> QSize:
        return QSize(200, self.wanted_height(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.fontMetrics().lineSpacing() + 2 + 2 * CURSOR_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        # Enter confirms a word of an input method (Japanese, Chinese) and must not send half a sentence.
        if self._composing:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shifted:
            self.send_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        # Only in the empty box, where Up has nothing else to do.
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty():
            self.recall_pressed.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return takes(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Plain text, files and pictures; a long text becomes a chip, so that the box stays light."""
        if not self.take_along(source):
            self.insertPlainText(source.text())

    def take_along(self, source: QMimeData) -> bool:
        """Hand over what goes along with the message; False for text that belongs into the box."""
        files = files_in(source)
        if files:
            self.files_given.emit(files)
        # Spreadsheets put a picture beside the text that they copy; the text is what is meant.
        elif source.hasImage() and not source.text().strip():
            self.picture_given.emit(QImage(source.imageData()))
        elif len(source.text()) > LONGEST_PASTE:
            self.long_text_pasted.emit(source.text())
        else:
            return False
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self.setPlaceholderText(self._prompt)
            self._begin_at_its_side()

    def _begin_at_its_side(self) -> None:
        """Words stand at the side of their letters, which Qt leaves out here; the first ones decide."""
        first = self.document().firstBlock()
        empty, right = self.document().isEmpty(), Qt.LayoutDirection.RightToLeft
        from_the_right = is_mirrored(self) if empty else first.textDirection() == right
        wanted = Qt.AlignmentFlag.AlignRight if from_the_right else Qt.AlignmentFlag.AlignLeft
        option = self.document().defaultTextOption()
        if option.alignment() != wanted:
            option.setAlignment(wanted)
            self.document().setDefaultTextOption(option)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._composing = False
        self.focus_moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


def _count_lines(block: QTextBlock, font: QFont, option: QTextOption, width: float) -> int:
    layout = QTextLayout(block.text(), font)
    layout.setTextOption(option)
    # What an input method composes stands in the box, but not in the text.
    shown = block.layout()
    layout.setPreeditArea(shown.preeditAreaPosition(), shown.preeditAreaText())
    layout.beginLayout()
    lines = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        lines += 1
    layout.endLayout()
    return lines


def takes(source: QMimeData) -> bool:
    """Whether something in it can go along with a message."""
    return bool(files_in(source)) or source.hasImage() or source.hasText()


def files_in(source: QMimeData) -> list[Path]:
    """The files of this computer that are pasted or dropped; addresses of pages are text."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile() and url.toLocalFile()]


NARROW = 480


class ContextNote(QFrame):
    """One line above the text with a button; gone until there is something to say. Main thread only."""

    summarise_wanted = Signal()
    dismissed = Signal()
    height_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("context_note")
        self._sign = Sign("warning", "warning", SMALL_PX)
        self.label = Label("", SMALL_PX, name="context_note_words")
        self.button = IconButton(
            "",
            tr("Have the model summarise the older messages; they stay in the chat"),
            "context_note_summarise",
            self.summarise_wanted.emit,
        ).labelled(tr("Summarise older messages"))
        self.button.setProperty("link", True)
        self.cross = IconButton("close", tr("Hide this note"), "context_note_hide", self._hide, size=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.sides(self, theme.px(6), 0, 0, 0))
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        self._words = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._words.addWidget(self.label, 1)
        self._words.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(self._words, 1)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.hide()

    def heightForWidth(self, width: int) -> int:
        """In a narrow window the button stands under the words."""
        narrow = width < theme.px(NARROW)
        # Switched here and not on resize: the layout asks for the height first, and would take the one of
        # before.
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if direction != self._words.direction():
            self._words.setDirection(direction)
        return super().heightForWidth(width)

    def show_words(self, words: str, can_summarise: bool = True) -> None:
        """Empty words take it away."""
        changed = words != self.label.text() or self.isHidden() == bool(words)
        self.label.setText(words)
        self.setAccessibleName(words)
        self.button.setVisible(can_summarise)
        self.setVisible(bool(words))
        if changed:
            self.height_changed.emit()

    def set_working(self, working: bool) -> None:
        """The model is summarising."""
        self.button.setEnabled(not working)
        self.button.setText(tr("Summarising…") if working else tr("Summarise older messages"))
        self.button.fit()

    def _hide(self) -> None:
        self.show_words("")
        self.dismissed.emit()
