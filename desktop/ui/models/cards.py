"""Models to choose from, one card each; the card that offers a better one, the card that asks for a token
where a repository wants one, and the page around them.

A keyboard and a screen reader meet the models as radio buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.errors import UserFacing
from desktop.models.fit import Fit
from desktop.models.setup import ModelChoice
from desktop.ui import theme
from desktop.ui.language import language_in_use, size_text, tr
from desktop.ui.models.words import (
    choice_description,
    choice_facts,
    choice_name,
    fit_words,
    speed_words,
    trust_words,
)
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, button
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, ScrollColumn, clear, inset, is_mirrored, named, sized


class Card(QFrame):
    """A rounded surface with a border; its `column` takes what lies on it. Follows the theme."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.column = theme.space(QVBoxLayout(self), 4, (16, 12, 16, 12))

    def paintEvent(self, _event: QPaintEvent) -> None:
        radius = theme.px(8)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("hairline" if not theme.current().high_contrast else "text"), 1))
        painter.setBrush(theme.colour("surface_1"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


LICENCE_CODE = "licence-not-accepted"


def wants_token(error: UserFacing) -> bool:
    """Whether the answer to this error is a token."""
    return error.code == LICENCE_CODE


class TokenCard(QWidget):
    """The site wants to know who asks: the error, and a field for the access token."""

    def __init__(
        self,
        error: UserFacing,
        on_token: Callable[[str], None],
        on_give_up: Callable[[], None],
    ) -> None:
        super().__init__()
        self.setObjectName("token_card")
        self._on_token = on_token
        self.field = QLineEdit()
        self.field.setObjectName("token_field")
        # A token opens an account; whoever looks over a shoulder must not read it.
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText("hf_…")
        self.field.setAccessibleName(tr("Access token"))
        label = Label(tr("Access token of your Hugging Face account"), SMALL_PX, name="token_label")
        label.setBuddy(self.field)
        column = theme.space(QVBoxLayout(self), 8)
        column.addWidget(ErrorCard(error))
        column.addWidget(label)
        column.addWidget(self.field)
        column.addLayout(self._buttons(on_give_up))
        self.field.textChanged.connect(lambda text: self.save_button.setEnabled(bool(text.strip())))
        self.field.returnPressed.connect(self._on_save)

    def _buttons(self, on_give_up: Callable[[], None]) -> FlowLayout:
        self.save_button = button(tr("Save token and try again"), "save_token_button", primary=True)
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(self._on_save)
        other = button(tr("Choose another model"), "token_give_up_button", on_give_up)
        row = FlowLayout()
        row.addWidget(self.save_button)
        row.addWidget(other)
        return row

    def _on_save(self) -> None:
        token = self.field.text().strip()
        if token:
            # Whoever takes it keeps it; nothing that is shown holds it any longer.
            self.field.clear()
            self._on_token(token)


_FIT_SIGNS = {
    Fit.FITS: ("check", "success"),
    Fit.TIGHT: ("warning", "warning"),
    Fit.TOO_LARGE: ("warning", "danger"),
}


class ChoiceCard(QRadioButton):
    """One model: its name, what it is good for, size and licence, whether it fits, whether we tried it."""

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__()
        self.choice = choice
        self._hovered = False
        named(self, f"choice_{choice.entry.id}", choice_name(choice))
        self.setAccessibleDescription(choice_description(choice))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._lay_out()

    # -- a radio button that is as large as its words -------------------------------------------

    def sizeHint(self) -> QSize:
        # Qt would answer for a dot with a text, and this one has no text of its own.
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is for the window's main button. Desktops of the GNOME kind, Xfce among them, have it press
        whatever button has the keyboard, and it would choose again what is chosen."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def hitButton(self, pos: QPoint) -> bool:
        # Qt takes only dot and text for the button; here the whole card is one.
        return self.rect().contains(pos)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The dot is painted at the side where one begins to read.
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._give_room()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A card with a radio mark; the frame of the chosen one is the accent."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter)
        self._paint_mark(painter)

    def _paint_frame(self, painter: QPainter) -> None:
        radius = float(theme.px(8))
        inner = self.rect().toRectF().adjusted(1, 1, -1, -1)
        frame = theme.colour("accent" if self.isChecked() else "control_border")
        painter.setPen(QPen(frame, 1.5 if self.isChecked() else 1))
        painter.setBrush(theme.colour("surface_2" if self._hovered else "surface_1"))
        painter.drawRoundedRect(inner, radius, radius)

    def _paint_mark(self, painter: QPainter) -> None:
        side, left, top = theme.px(16), theme.px(12), theme.px(14)
        if is_mirrored(self):
            left = self.width() - left - side
        chosen = self.isChecked()
        painter.setPen(QPen(theme.colour("accent" if chosen else "control_border"), 1.5))
        painter.setBrush(theme.colour("background"))
        painter.drawEllipse(left, top, side, side)
        if chosen:
            inset = round(side * 0.27)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.colour("accent")))
            painter.drawEllipse(left + inset, top + inset, side - 2 * inset, side - 2 * inset)

    # -- its words ------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        entry = self.choice.entry.in_language(language_in_use())
        self._words = QVBoxLayout(self)
        self._give_room()
        self._words.addLayout(self._heading())
        self._words.addWidget(Label(entry.good_for, SMALL_PX, name="choice_good_for"))
        self._words.addLayout(self._fit_row())
        facts = choice_facts(self.choice)
        self._words.addWidget(Label(facts, CAPTION_PX, colour="secondary", name="choice_facts"))
        if entry.licence_note:
            note = Label(entry.licence_note, CAPTION_PX, colour="secondary", name="choice_licence_note")
            self._words.addWidget(note)
        for child in self.findChildren(QWidget):
            # A click on a word is a click on the card.
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def _give_room(self) -> None:
        """Leave room for the dot beside the words."""
        theme.space(self._words, 4, (40, 12, 12, 12))

    def _heading(self) -> FlowLayout:
        row = FlowLayout()
        row.addWidget(
            _Name(self.choice.entry.in_language(language_in_use()).name, bold=True, name="choice_name")
        )
        for words in trust_words(self.choice):
            badge = WordBadge(words)
            row.addWidget(badge)
        return row

    def _fit_row(self) -> QHBoxLayout:
        sign, token = _FIT_SIGNS[self.choice.fit] if self.choice.has_room else ("warning", "warning")
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(Sign(sign, token), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(Label(fit_words(self.choice), SMALL_PX, name="choice_fit"), 1)
        return row


class WordBadge(Label):
    """A word or two in a rounded frame."""

    def __init__(self, text: str) -> None:
        super().__init__(text, CAPTION_PX, colour="secondary", name="badge")
        self.setWordWrap(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)


class ChoiceList(QWidget):
    """Cards below each other, one of them chosen. Arrow keys move the choice, Tab leaves the list."""

    chosen = Signal(object)  # ModelChoice

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(self._on_toggled)
        self._column = theme.space(QVBoxLayout(self), 8)
        self.cards: tuple[ChoiceCard, ...] = ()

    @property
    def current(self) -> ModelChoice | None:
        card = self._group.checkedButton()
        return card.choice if isinstance(card, ChoiceCard) else None

    def show_choices(
        self, choices: Sequence[ModelChoice], chosen_id: str, headings: Mapping[int, str] | None = None
    ) -> None:
        """Replace the cards; the one called `chosen_id` is chosen, else none.

        `headings` are shown above the card of that number.
        """
        clear(self._column)
        self.cards = tuple(ChoiceCard(choice) for choice in choices)
        for number, card in enumerate(self.cards):
            if headings and number in headings:
                self._column.addWidget(self._heading(headings[number]))
            self._column.addWidget(card)
            # The group makes the choice exclusive and gives the arrow keys; the layout alone does not.
            self._group.addButton(card)
            card.setChecked(card.choice.entry.id == chosen_id)

    def _heading(self, text: str) -> Label:
        label = Label(text, SMALL_PX, bold=True, colour="secondary", name="list_heading")
        label.setContentsMargins(0, theme.px(8), 0, 0)
        return label

    def take_focus(self) -> None:
        card = self._group.checkedButton()
        if card is not None:
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_toggled(self, card: QAbstractButton, on: bool) -> None:
        if on and isinstance(card, ChoiceCard):
            self.chosen.emit(card.choice)


class _Name(Label):
    """In one line where there is room for it, so that the badges stand beside it."""

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        words = self.fontMetrics()
        width = words.horizontalAdvance(self.text()) + 2
        # At some sizes a laid-out line is a pixel taller than its font says.
        return QSize(width, max(words.height(), self.heightForWidth(width)))


class BetterModelCard(Card):
    """A better model fits this computer: what it is good at, how large and how quick it is. Shown once, and
    gone for good when it is not wanted."""

    def __init__(
        self, choice: ModelChoice, get: Callable[[ModelChoice], object], decline: Callable[[str], object]
    ) -> None:
        super().__init__("better_model")
        entry = choice.entry.in_language(language_in_use())
        size = size_text(entry.size_bytes or 0)
        self.column.addWidget(
            Label(tr("A better model fits this computer"), BODY_PX, bold=True, name="better_model_heading")
        )
        facts = (f"{entry.name}: {entry.good_for}", speed_words(choice.speed))
        self.column.addWidget(
            Label(
                ". ".join(each for each in facts if each),
                SMALL_PX,
                colour="secondary",
                name="better_model_facts",
            )
        )
        kept = tr("The model that you have stays. This project has not tried the new one itself.")
        self.column.addWidget(Label(kept, SMALL_PX, colour="secondary", name="better_model_kept"))
        self.get_button = button(
            tr("Download ({size})", size=size),
            "better_model_get",
            lambda: get(choice),
            described=tr("Download {name}", name=entry.name),
        )
        self.decline_button = button(tr("No, thanks"), "better_model_decline", lambda: decline(entry.id))
        self.column.addSpacing(theme.px(4))
        self.column.addLayout(ActionRow(self.get_button, self.decline_button))


HEADING_PX = 20.0


class CardPage(QWidget):
    """A heading, what scrolls below it, and buttons that are always in sight."""

    def __init__(self, name: str, heading: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.heading = Label(heading, HEADING_PX, bold=True, name=f"{name}_heading")
        self.buttons = theme.space(FlowLayout(), 0, (4, 0, 0, 4))
        self._scroll = ScrollColumn(f"{name}_scroll", revealed_px=64)
        self.body = theme.space(self._scroll.body, 12, (4, 4, 12, 4))
        self.reveal = self._scroll.reveal
        column = theme.space(QVBoxLayout(self), 12, (20, 24, 12, 16))
        column.addLayout(inset(self.heading, left=4))
        column.addWidget(self._scroll, 1)
        column.addLayout(self.buttons)
        sized(self, min_width=320)  # the widest button of an error still fits

    def scroll_to_top(self) -> None:
        self._scroll.verticalScrollBar().setValue(0)
