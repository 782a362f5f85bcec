"""What there is to set, read off the declarations in desktop/settings: nothing is listed a second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QDesktopServices,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.settings import Settings
from desktop.ui import theme
from desktop.ui.language import tr, words_of
from desktop.ui.pages.settings_editors import Offers, editor
from desktop.ui.pages.settings_fields import FieldGroup, FieldKind, SettingField
from desktop.ui.permission.visible import breakable
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import EnterButton, Switch, button, small
from desktop.ui.widgets.cards import Confirm
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, inset, named, sized


class SettingsGroup(QWidget):
    """Shows what a search leaves of it, or all but what is folded away. Main thread only.

    Nothing is chosen to be shown before `search` is called, once the group is in its page: a widget without
    a parent would appear as a window.
    """

    def __init__(
        self,
        group: FieldGroup,
        rows: Sequence[SettingRow],
        refreshed: Callable[[], None],
        parent: QWidget | None = None,
    ) -> None:
        # What gets another parent is styled anew with all that is in it: the outer stands before the inner.
        super().__init__(parent)
        self._refreshed = refreshed
        self._text = ""
        # sorted keeps the order of the declarations within each half.
        self.rows = tuple(sorted(rows, key=lambda row: row.field.display.more))
        named(self, f"settings_{group.name}", group.title)
        self.heading = Label(group.title, BODY_PX, bold=True, name="settings_heading", parent=self)
        self._help = Label(group.help, CAPTION_PX, colour="secondary", name="settings_about", parent=self)
        self._card = QFrame(self)
        self._card.setObjectName("settings_card")
        self._card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        inside = QVBoxLayout(self._card)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        self.name = group.name
        self.more = MoreButton(group.title, f"more_{group.name}")
        self.more.toggled.connect(lambda _on: self._show_rows())
        usual = [row for row in self.rows if not row.field.display.more]
        for widget in (*usual, self.more, *self.rows[len(usual) :]):
            inside.addWidget(widget)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.heading)
        self._column.addLayout(inset(self._help, bottom=4))
        self._column.addWidget(self._card)
        theme.space(self._column, 4, (0, 8, 0, 8))

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        usual = [stop for row in self.rows if not row.field.display.more for stop in row.stops]
        rare = [stop for row in self.rows if row.field.display.more for stop in row.stops]
        return (*usual, self.more, *rare)

    def search(self, text: str) -> bool:
        """Show what `text` finds, folded away or not; False when that is nothing."""
        self._text = text.strip()
        return self._show_rows()

    def _show_rows(self) -> bool:
        is_found = False
        for row in self.rows:
            # A search looks into what is folded away, too.
            found = row.field.contains(self._text) if self._text else self._is_open(row)
            row.is_first = found and not is_found
            row.setVisible(found)
            is_found = is_found or found
        self.more.setVisible(not self._text and any(row.field.display.more for row in self.rows))
        self.setVisible(is_found)
        self._refreshed()
        return is_found

    def unfold(self, row: SettingRow) -> None:
        """Show a row that may be folded away."""
        if row.field.display.more:
            self.more.setChecked(True)

    def _is_open(self, row: SettingRow) -> bool:
        return not row.field.display.more or self.more.isChecked()


class MoreButton(EnterButton):
    """Checked while unfolded; its state is in its words too. Main thread only."""

    def __init__(self, about: str, name: str) -> None:
        super().__init__()
        self._about = about
        self.setObjectName(name)
        self.setCheckable(True)
        self.setProperty("folding", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        sized(self, icon=14)
        self.toggled.connect(self._show_state)
        self._show_state(False)

    def _show_state(self, is_open: bool) -> None:
        self.setText(tr("Less") if is_open else tr("Advanced"))
        self.setAccessibleName(tr("{text} settings: {about}", text=self.text(), about=self._about))
        self.setIcon(theme.icon("chevron-down" if is_open else "chevron"))


NARROW_PX = 440  # below this the editor stands under the words
WORDS_AT_LEAST_PX = 160  # and where it would leave less than this to them

# Always below the words, over the whole width.
WIDE_KINDS = (FieldKind.LONG, FieldKind.TEXT, FieldKind.FOLDER, FieldKind.FOLDERS, FieldKind.WORDS)


@dataclass(frozen=True)
class SettingAction:
    """Something that can be done about a setting: `act` is called on the pool, `said` is shown when it is."""

    label: str
    said: str
    act: Callable[[], None]


def open_in_editor(path: Path) -> bool:
    """With the program that the system has for such files; False where it has none."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


@dataclass(frozen=True)
class FormSupport:
    """What declarations cannot know: `offers` names what a setting of that manner may be ("models",
    "agents"), `actions` what can be done about a setting, by its key (`model.threads`), `open_file` shows a
    file. `lacks` says in words what a setting needs and this computer has not, once that is switched on; it
    is called on the pool.
    """

    offers: Mapping[str, Offers] = dataclass_field(default_factory=dict)
    actions: Mapping[str, SettingAction] = dataclass_field(default_factory=dict)
    open_file: Callable[[Path], bool] = open_in_editor
    lacks: Mapping[str, Callable[[], str]] = dataclass_field(default_factory=dict)


class SettingRow(QFrame):
    """`changed` brings a valid value, `reset` that the default is wanted. Main thread only."""

    changed = Signal(object)
    reset = Signal()
    acted = Signal(object)  # SettingAction
    restart_wanted = Signal()

    def __init__(
        self,
        field: SettingField,
        offers: Offers = tuple,
        action: SettingAction | None = None,
        at_start: Settings | None = None,
    ) -> None:
        """`at_start`: what the program started with; where a change has to wait for the next start, one is
        offered."""
        super().__init__()
        self.field = field
        self.is_first = False
        self._is_refused = False
        self._is_below = False
        self._value: Any = field.default
        self._at_start = at_start if field.display.next_start else None
        self.variable = field.variable
        named(self, f"setting_{field.section}_{field.name}", field.title)
        self._make(offers, action)
        self._lay_out()
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        confirm = (self.confirm.no, self.confirm.yes) if self.confirm is not None else ()
        actions = (self.action,) if self.action is not None else ()
        return (*self.editor.stops, *confirm, *actions, self.restart, self.back)

    def show_settings(self, settings: Settings) -> None:
        """Show what is set in the file; see `show_value`."""
        self.show_value(self.field.value_in(settings))

    def show_value(self, value: Any) -> None:
        """As it is set now. What is being typed stays, and what was refused, to be corrected."""
        self._value = value
        # Settings are read again on every change of the file, also while somebody types.
        if not self._is_refused and not self.editor.is_edited:
            self.editor.show_value(self._value)
        # Nobody goes back from the model that answers to none.
        has_default = self.field.display.offers != "models"
        differs = (self._value != self.field.default and has_default) or self._is_refused
        self.help.setText(self.field.caption(differs))
        is_here = self.variable is None and self.field.kind is not FieldKind.ELSEWHERE
        self.restart.setVisible(
            self._at_start is not None and self._value != self.field.value_in(self._at_start)
        )
        self._offer_back(differs and is_here)
        if self.action is not None:
            # An action such as measuring replaces what is chosen by itself, not what the user chose.
            self.action.setEnabled(self.variable is None and self._value == self.field.default)

    def say(self, words: str) -> None:
        """What is wrong, beside the editor; nothing takes it away."""
        spoken = bool(words) and words != self.error.text()
        self.error.show_text(words)
        self._error_sign.setVisible(bool(words))
        about = self.field.about()
        self.editor.control.setAccessibleDescription(f"{words} {about}" if words else about)
        # Qt announces no label that changes; without this a screen reader never tells the refusal.
        if spoken:
            QAccessible.updateAccessibility(QAccessibleEvent(self.error, QAccessible.Event.Alert))

    def commit(self) -> None:
        """Take what was typed and not finished."""
        if self.variable is None:
            self.editor.commit()

    # -- Qt ---------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn(event.size().width())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the words of a switch is one on the switch: the words are what people aim at."""
        super().mouseReleaseEvent(event)
        inside = event.button() == Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        )
        control = self.editor.control
        if isinstance(control, Switch) and inside and self.editor.isEnabled():
            control.click()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A hairline to the setting above."""
        super().paintEvent(event)
        if not self.is_first:
            painter = QPainter(self)
            painter.setPen(theme.colour("hairline"))
            painter.drawLine(theme.px(12), 0, self.width() - theme.px(12), 0)

    # -- inside -----------------------------------------------------------------------------------

    def _on_typed(self, value: Any) -> None:
        self._refusal(value)

    def _refusal(self, value: Any) -> bool:
        """Whether it cannot be had, and then why, beside the editor."""
        reason = self.field.refusal(value)
        self.say(words_of(reason) if reason is not None else "")
        return reason is not None

    def _on_wanted(self, value: Any) -> None:
        self._is_refused = self._refusal(value)
        if self._is_refused:
            self._offer_back(True)
        elif self.confirm is not None and value:
            self.editor.show_value(self._value)  # nothing is on before it is agreed to
            self._confirm(value)
        elif value != self._value:
            self._change(value)

    def _offer_back(self, offered: bool) -> None:
        self.back.setVisible(offered)
        self._turn(self.width())  # a button that came or went changes what has room beside the words

    def _change(self, value: Any) -> None:
        self._value = value  # until it is on disk, so that going back at once is a change too
        self.changed.emit(value)

    def _confirm(self, value: Any) -> None:
        assert self.confirm is not None
        self.confirm.ask(
            self.field.display.danger,
            self.field.title,
            tr("Leave it off"),
            lambda: self._change(value),
            self.editor.control.setFocus,
        )

    def _on_reset(self) -> None:
        self._is_refused = False
        self.say("")
        self.editor.show_value(self._value)
        self.editor.control.setFocus(Qt.FocusReason.OtherFocusReason)  # the button goes
        if self._value == self.field.default:
            self._offer_back(False)
        else:
            self.reset.emit()

    # -- building ---------------------------------------------------------------------------------

    def _make(self, offers: Offers, action: SettingAction | None) -> None:
        field = self.field
        ink = "danger" if field.display.danger else "secondary"
        self.title = Label(
            field.title,
            SMALL_PX,
            colour="danger" if field.display.danger else "text",
            name=f"title_{field.name}",
            parent=self,
        )
        self.help = Label(
            field.caption(differs=False), CAPTION_PX, colour=ink, name=f"help_{field.name}", parent=self
        )
        # The name of a variable is one long word, which would make the whole page wider than its window.
        overridden = breakable(self._overridden())
        self.overridden = Label(overridden, CAPTION_PX, colour="warning", name="overridden", parent=self)
        self.error = Label("", CAPTION_PX, colour="danger", name=f"error_{field.name}", parent=self)
        self._error_sign = Sign("warning", "danger", CAPTION_PX)
        unseen = (self.error, self._error_sign)
        # Hidden before they have a parent: shown without one, each would be a window of its own.
        for each in unseen if self.variable is not None else (*unseen, self.overridden):
            each.hide()
        self.confirm = Confirm(f"confirm_{field.name}") if field.display.danger else None
        self.editor = editor(field, offers)
        self.editor.setEnabled(self.variable is None)
        self.editor.wanted.connect(self._on_wanted)
        self.editor.typed.connect(self._on_typed)
        self.back = button(tr("Reset"), f"reset_{field.section}_{field.name}", described=self._reset_words())
        self.back.setToolTip(field.default_in_words())
        self.back.clicked.connect(lambda _checked: self._on_reset())
        self.action = self._make_action(action)
        self.restart = self._make_restart()
        for each_button in self._buttons():
            small(each_button)
            each_button.setProperty("flat", each_button is not self.restart)

    def _make_action(self, action: SettingAction | None) -> QPushButton | None:
        if action is None:
            return None
        name = f"action_{self.field.section}_{self.field.name}"
        made = button(action.label, name, described=f"{action.label}: {self.field.title}")
        made.clicked.connect(lambda _checked: self.acted.emit(action))
        return made

    def _make_restart(self) -> QPushButton:
        name = f"restart_{self.field.section}_{self.field.name}"
        words = tr("Restart Steward for this to take effect: {title}.", title=self.field.title)
        kept = tr("The chat stays open; what has been written of an answer is kept.")
        made = button(tr("Start again"), name, described=f"{words} {kept}")
        made.setToolTip(f"{words} {kept}")
        made.clicked.connect(lambda _checked: self.restart_wanted.emit())
        made.hide()
        return made

    def _buttons(self) -> tuple[QPushButton, ...]:
        return (*((self.action,) if self.action is not None else ()), self.restart, self.back)

    def _reset_words(self) -> str:
        return tr(
            "Reset {title}. {default_in}", title=self.field.title, default_in=self.field.default_in_words()
        )

    def _overridden(self) -> str:
        return tr("Set by the environment variable {variable} for this run.", variable=self.variable)

    def _lay_out(self) -> None:
        said = QHBoxLayout()
        said.addWidget(self._error_sign, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.error, 1)
        self._words = QVBoxLayout()
        self._words.addStretch(1)
        for label in (self.title, self.help, self.overridden):
            self._words.addWidget(label)
        self._words.addLayout(said)
        self._words.addStretch(1)
        self._line = QHBoxLayout()
        self._line.addLayout(self._words, 1)
        self._below, self._flow = QHBoxLayout(), FlowLayout()
        self._column = QVBoxLayout(self)
        for layout in (self._line, self._below, self._flow):
            self._column.addLayout(layout)
        if self.confirm is not None:
            self._column.addWidget(self.confirm)
        theme.space(self._column, 8, (12, 10, 12, 10))
        theme.space(self._words, 2)
        theme.space(self._line, 12)
        self._place_controls(below=False)

    @property
    def _is_switch(self) -> bool:
        """Whether it is a switch: the whole row is there to be clicked then."""
        return self.field.kind is FieldKind.SWITCH

    # By the row's own width and not the window's: the list of pages and the zoom take from it.
    def _turn(self, width: int) -> None:
        """Side by side or, where words would be squeezed, one below the other."""
        # A switch alone has room beside its words everywhere.
        narrow = width < theme.px(NARROW_PX) and not self._is_switch
        below = narrow or width < self._least_beside() or self.field.kind in WIDE_KINDS
        if below != self._is_below:
            self._place_controls(below)

    def _least_beside(self) -> int:
        """The width that words and controls need on one line. Less, and the page would be wider than its
        window, which shows no bar for that."""
        shown = [each for each in (self.editor, *self._buttons()) if not each.isHidden()]
        controls = sum(each.sizeHint().width() + self._line.spacing() for each in shown)
        margins = self._column.contentsMargins()
        return theme.px(WORDS_AT_LEAST_PX) + controls + margins.left() + margins.right()

    def _place_controls(self, below: bool) -> None:
        """Below the words the editor comes first; a text has the whole width there."""
        self._is_below = below
        editors: list[QWidget] = [self.editor]
        for each in (*editors, *self._buttons()):
            # Taken out of all three, whichever it was in.
            for layout in (self._line, self._below, self._flow):
                layout.removeWidget(each)
        if not below:
            for each in (*self._buttons(), *editors):
                self._line.addWidget(each, 0, Qt.AlignmentFlag.AlignVCenter)
            return
        is_wide = self.field.kind in WIDE_KINDS
        for each in editors:
            (self._below if is_wide else self._flow).addWidget(each)
        for each in self._buttons():
            self._flow.addWidget(each)

    def _fit(self) -> None:
        """Fit it to sizes that only the style knows, after every change of it."""
        if self.field.kind not in WIDE_KINDS:
            for each in self._buttons():  # as tall as the editor, so that both stand on one line
                each.setMinimumHeight(self.editor.sizeHint().height())
        self._turn(self.width())
