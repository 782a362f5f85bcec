"""Cards: a row of a list, a row with a switch, a notice, a line over a page, a question or a form in its
place, what came of an action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.visible import breakable, plain_tip, visible
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import GAP_PX, ActionRow, Switch, action, relabel, small
from desktop.ui.widgets.error_card import Action, ErrorCard
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import ScrollColumn, clear, from_its_side, inset, named

NARROW = 400  # below this a row has its buttons below its words
WORDS_AT_LEAST = 220  # and where the buttons would leave less than this to them
BESIDE_AT_MOST = 2  # more buttons than these take half of the width from words that need it


class Row(QFrame):
    """`words` and `captions` are shown as they are: what cannot be seen is written out."""

    def __init__(
        self,
        icon: str,
        ink: str,
        words: str,
        captions: Sequence[str],
        buttons: Sequence[QPushButton] = (),
    ) -> None:
        super().__init__()
        self._buttons = tuple(buttons)
        named(self, "row", visible(words))
        self.setAccessibleDescription(". ".join(captions))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label(breakable(words), SMALL_PX, name="row_words")
        # Commands and paths are copied from here.
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sign = Sign(icon, ink, SMALL_PX)
        self._text = QVBoxLayout()
        self._text.addWidget(self.words)
        self.captions = tuple(
            Label(breakable(caption), CAPTION_PX, colour="secondary", name="row_caption")
            for caption in captions
            if caption
        )
        for label in self.captions:
            self._text.addWidget(label)
        self._line = QHBoxLayout()
        # Beside the first of several lines; words alone stand in the middle, beside their buttons.
        alignment = Qt.AlignmentFlag.AlignTop if self.captions else Qt.AlignmentFlag.AlignVCenter
        self._line.addWidget(self._sign, 0, alignment)
        self._line.addLayout(self._text, 1)
        self._below: ActionRow | None = None  # most rows of a long list never need it
        self._is_narrow = False
        for each in self._buttons:
            small(each)
            self._line.addWidget(each, 0, Qt.AlignmentFlag.AlignTop)
        self.column = QVBoxLayout(self)  # what belongs to the row may go below its line
        self.column.addLayout(self._line)
        theme.space(self.column, 8, (12, 8, 8, 8))
        theme.space(self._line, GAP_PX)
        theme.space(self._text, 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # By the row's own width: it stands in windows, cards and splitters.
        width = event.size().width()
        narrow = width < theme.px(NARROW) or width - self._beside() < theme.px(WORDS_AT_LEAST)
        narrow = narrow or len(self._buttons) > BESIDE_AT_MOST
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._place_buttons()

    def add_below(self, widget: QWidget) -> None:
        """What belongs to the row, below its words."""
        self.column.addLayout(inset(widget, left=SMALL_PX + 3 + GAP_PX))

    def _place_buttons(self) -> None:
        """Place the buttons beside the words or, where these would be squeezed, below them."""
        if not self._buttons:
            return
        if self._below is None:
            self._below = ActionRow()
            self.column.insertLayout(1, self._below)
        for each in self._buttons:
            if self._is_narrow:
                self._line.removeWidget(each)
                self._below.addWidget(each)
            else:
                self._below.removeWidget(each)
                self._line.addWidget(each, 0, Qt.AlignmentFlag.AlignTop)

    def _beside(self) -> int:
        """What the buttons, the sign and the gaps take of the row's width, in pixels."""
        beside = (self._sign, *self._buttons)
        return sum(each.sizeHint().width() + self._line.spacing() for each in beside)


class SwitchRow(QFrame):
    """Words, what they mean, and at the end of the row `control`; a click anywhere is one on it.

    What else is told of it goes into `text`, below. Main thread only.
    """

    def __init__(
        self, control: Switch, words: str, about: str = "", *, danger: bool = False, spoken: str = ""
    ) -> None:
        """`spoken`: what a screen reader says where the words alone say too little."""
        super().__init__()
        self.control = control
        name = control.objectName()
        control.setAccessibleName(spoken or words)
        control.setAccessibleDescription(about)
        if not control.toolTip():
            control.setToolTip(plain_tip(spoken or words))  # its words stand at the other end
        self.words = Label(words, SMALL_PX, colour="danger" if danger else "text", name=f"{name}_words")
        self.text = QVBoxLayout()
        self.text.addWidget(self.words)
        if about:
            colour = "danger" if danger else "secondary"
            self.text.addWidget(Label(about, CAPTION_PX, colour=colour, name=f"{name}_help"))
        row = QHBoxLayout(self)
        row.addLayout(self.text, 1)
        row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        theme.space(self.text, 2)
        theme.space(row, 12, (0, 0, 0, 0))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The words are what people aim at."""
        super().mouseReleaseEvent(event)
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside and self.control.isEnabled():
            self.control.click()


class SwitchCard(QFrame):
    """Rows in one frame, with a hairline above each but the first. Main thread only."""

    def __init__(self, *rows: SwitchRow) -> None:
        super().__init__()
        self._rows = rows
        self.setObjectName("settings_card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.column = QVBoxLayout(self)
        for row in rows:
            self.column.addWidget(row)
        theme.space(self.column, 20, (12, 10, 12, 10))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(theme.colour("hairline"))
        for row in self._rows[1:]:
            y = row.y() - self.column.spacing() // 2
            painter.drawLine(theme.px(12), y, self.width() - theme.px(12), y)
        painter.end()


class EscapeFrame(QFrame):
    """Esc is for this frame, while it has the keyboard and wants the key, before it closes the window."""

    def wants_escape(self) -> bool:
        """Whether Esc means anything here now."""
        return True

    def on_escape(self) -> None:
        """What Esc does."""

    def event(self, event: QEvent) -> bool:
        # Qt asks for an override before it looks for a shortcut of the window, whose Esc closes it.
        if event.type() == QEvent.Type.ShortcutOverride and self._is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._is_escape(event):
            self.on_escape()
        else:
            super().keyPressEvent(event)

    def _is_escape(self, event: QEvent) -> bool:
        return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.wants_escape()


class Confirm(EscapeFrame):
    """A question in the place where it arose: never a window, never modal. Hidden until `ask`.

    The answer that changes nothing stands first, has the focus, and is Esc.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._act: Callable[[], None] = lambda: None
        self._refused: Callable[[], None] = lambda: None
        self.setObjectName(name)
        self.setProperty("confirm", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label("", SMALL_PX, name=f"{name}_words")
        self.no = action("", f"{name}_no", lambda: self.answer(False))
        self.yes = action("", f"{name}_yes", lambda: self.answer(True))
        self.yes.setProperty("danger", True)
        column = theme.space(QVBoxLayout(self), 8, (12, 10, 12, 10))
        column.addWidget(self.words)
        column.addLayout(ActionRow(self.no, self.yes))
        self.hide()

    def ask(
        self,
        words: str,
        yes: str,
        no: str,
        act: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Show the question; `act` is called for yes, `refused` for no. Asking again replaces it."""
        self._act, self._refused = act, refused
        self.words.setText(words)
        self.setAccessibleName(words)
        for each, text in ((self.no, no), (self.yes, yes)):
            relabel(each, text, text)
            each.setAccessibleDescription(words)
        self.show()
        # Enter right after a click must not do what cannot be taken back.
        self.no.setFocus(Qt.FocusReason.OtherFocusReason)

    def answer(self, agreed: bool) -> None:
        """What a click on a button does."""
        self.hide()
        (self._act if agreed else self._refused)()

    def on_escape(self) -> None:
        self.answer(False)


class Notice(QFrame):
    """What is so for the time being, with the one thing to do about it. Hidden until its owner shows it."""

    acted = Signal()

    def __init__(self, name: str, words: str, button: QPushButton) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # As high as its words and no higher, whatever room a short list below leaves.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.words = Label(words, SMALL_PX, name=f"{name}_words")
        self.button = button
        button.clicked.connect(lambda _checked: self.acted.emit())
        row = theme.space(QHBoxLayout(self), 8, (12, 8, 8, 8))
        row.addWidget(Sign("pause", "warning", BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()


class OutcomeLine(QHBoxLayout):
    """The place on a page that tells what came of the last action: words, or the error that it ended with."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._told = 0  # how often something was told

    def say(self, words: str, icon: str = "", ink: str = "secondary") -> None:
        """Show `words`, with a sign in the colour called `ink` where there is an `icon`."""
        self._told += 1
        clear(self)
        label = Label(words, SMALL_PX, colour=ink, name=self._name)
        label.setAccessibleName(words)
        if icon:
            self.addWidget(Sign(icon, ink), 0, Qt.AlignmentFlag.AlignTop)
        self.addWidget(label, 1)
        _bring_into_sight(label)

    def refuse(self, error: Exception, *actions: Action) -> None:
        """Show why it was refused, with `actions` or a way to close it. Anything else is raised: a bug."""
        if not isinstance(error, UserFacing):
            raise error
        self._told += 1
        clear(self)
        card = ErrorCard(error, actions or [(tr("Close"), self.clear)])
        self.addWidget(card)
        _bring_into_sight(card)

    def clear(self) -> None:
        """Show nothing, and take no room."""
        clear(self)

    def clearing(self) -> Callable[[], None]:
        """For an action that begins now: what it calls when it is done. It takes away what stands here now,
        and nothing that was told meanwhile: the pool keeps no order, and a later action may fail before."""
        told = self._told

        def clear_older() -> None:
            if told == self._told:
                self.clear()

        return clear_older


def _bring_into_sight(widget: QWidget) -> None:
    """What is told above a long list is told to somebody who has scrolled down to do it."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, ScrollColumn):
        around = around.parentWidget()
    if around is not None:
        around.reveal(widget)


class Banner(QFrame):
    """Hidden until it has words; its colour is the style sheet's, by `name`. What else belongs into `row`,
    the way out last, is added by whoever extends it. Main thread only.
    """

    def __init__(self, name: str, sign: Sign, colour: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}_banner")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.words = Label("", SMALL_PX, colour=colour, name=f"{name}_words", parent=self)
        self.row = theme.space(QHBoxLayout(self), 8, (12, 8, 8, 8))
        self.row.addWidget(sign)
        self.row.addWidget(self.words, 1)
        self.hide()

    def show_words(self, words: str) -> None:
        """Empty words take it away."""
        self.words.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))


class EntryForm(EscapeFrame):
    """`saved` comes with what was entered; `left` is Cancel or Esc."""

    saved = Signal(object)
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)

    def on_escape(self) -> None:
        self.left.emit()


Form = TypeVar("Form", bound=EntryForm)


class FormPlace(QVBoxLayout, Generic[Form]):
    """Where a page's form stands while there is one; the button that adds an entry is hidden as long."""

    def __init__(self, add: QPushButton) -> None:
        super().__init__()
        self._add = add
        self.form: Form | None = None

    def open(self, form: Form, focus: QWidget) -> None:
        """In the place of one that is open; `focus` is the field that gets the keyboard."""
        self.close()
        form.left.connect(self.close)
        self.form = form
        self.addWidget(form)
        self._add.hide()
        focus.setFocus()

    def close(self) -> None:
        """The keyboard goes back to the button, as the form that had it is gone."""
        if self.form is not None:
            clear(self)
            self.form = None
            self._add.show()
            self._add.setFocus()


def line_field(name: str, words: str, hint: str) -> QLineEdit:
    """One line to type into, with its hint inside while it is empty."""
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(words)
    made.setPlaceholderText(from_its_side(made, hint))
    made.setFont(theme.font(SMALL_PX))
    return made
