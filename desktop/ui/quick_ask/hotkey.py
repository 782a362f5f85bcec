"""The hotkey of Quick-ask: a field that takes keys, its trial, and the page and the step that show both.

The page says whether a hotkey works on this desktop, and how to bind the command by hand where it does not.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.system.hotkey.global_hotkey import GlobalHotkey, native
from desktop.system.hotkey.grabber import HotkeyPress, HotkeyState
from desktop.system.hotkey.keys import Keys
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.permission.visible import breakable
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.buttons import action, small
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, ScrollColumn, named
from desktop.ui.widgets.toast import Toast

PRESS = tr_noop("Press the keys…")
NOT_HELD = tr_noop("Hold Ctrl, Alt or the Windows key with it, or choose a function key.")

LONE_MODIFIERS = frozenset(
    {
        *(Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr),
        *(Qt.Key.Key_Super_L, Qt.Key.Key_Super_R, Qt.Key.Key_CapsLock, Qt.Key.Key_NumLock),
    }
)

MODIFIERS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.ShiftModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


def step_words(state: HotkeyState) -> str:
    """What to do about it, with the command to bind where that is it: in one line, for a notification."""
    return f"{_next_words(state)} {state.command}".strip()


def _next_words(state: HotkeyState) -> str:
    return words_of(state.next_step) if state.next_step is not None else ""


FIELD_PADDING_PX = 12  # of a field in shape.qss, on each side
LEAST_PX = 180


class KeyField(QLineEdit):
    """Shows the keys; once armed by Enter, Space or a click the next ones pressed are `chosen`.

    Tab leaves it, as any field; Esc keeps what was.
    """

    chosen = Signal(str)
    refused = Signal()
    armed_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._keys = ""
        self.is_armed = False
        named(self, "hotkey_field", tr("Hotkey"))
        # Keys are pressed here and not typed: their names differ from system to system.
        self.setReadOnly(True)
        # Paste and Select all mean nothing for keys.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def show_keys(self, keys: str) -> None:
        self._keys = keys
        self._show()

    def arm(self, armed: bool = True) -> None:
        """Listen for keys, or stop that."""
        if armed != self.is_armed:
            self.is_armed = armed
            self._show()
            self.armed_changed.emit(armed)

    def event(self, event: QEvent) -> bool:
        """Shortcuts of the window are keys to choose, too, while it listens."""
        if self.is_armed and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.is_armed:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
                self.arm()
            else:
                super().keyPressEvent(event)
            return
        # Without the mark of the number block, which Qt counts among the modifiers.
        modifiers = event.modifiers() & MODIFIERS
        if event.key() == Qt.Key.Key_Escape and modifiers == Qt.KeyboardModifier.NoModifier:
            self.arm(False)
        # Ctrl on the way to Ctrl+Space is no choice yet.
        elif Qt.Key(event.key()) not in LONE_MODIFIERS:
            self._choose(QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key()))))

    def mousePressEvent(self, _event: object) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.arm()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.arm(False)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab is a key to choose while it listens, together with another."""
        return False if self.is_armed else super().focusNextPrevChild(forward)

    def _choose(self, pressed: QKeySequence) -> None:
        # Qt knows more keys than the systems can grab.
        keys = Keys.read(pressed.toString(QKeySequence.SequenceFormat.PortableText))
        if keys is None:
            self.refused.emit()
            return
        self.arm(False)
        self.chosen.emit(str(keys))

    def sizeHint(self) -> QSize:
        """As wide as what it says now: languages name keys in words of very different length."""
        hint = super().sizeHint()
        metrics = self.fontMetrics()
        words = max(metrics.horizontalAdvance(text) for text in (self.text(), self.placeholderText()))
        frame = theme.px(2 * FIELD_PADDING_PX) + metrics.horizontalAdvance("MM")
        return QSize(max(theme.px(LEAST_PX), words + frame), hint.height())

    def _show(self) -> None:
        self.setText("" if self.is_armed else native(self._keys) if self._keys else tr("Off"))
        self.setPlaceholderText(tr(PRESS))
        self.updateGeometry()
        self.setAccessibleDescription(tr(PRESS) if self.is_armed else tr("Press Enter, then the keys."))


class HotkeyEdit(QWidget):
    """The field, buttons to press keys and to switch it off, and what became of it in words.

    `wanted` carries the keys, "" for off; the owner asks the system for them and shows what it says with
    `show_state`. `listening` is True while keys are pressed for choosing: the hotkey should rest meanwhile.
    Main thread only.
    """

    wanted = Signal(str)
    listening = Signal(bool)

    def __init__(self, tells_command: bool = True) -> None:
        """Without `tells_command` what to do by hand stands elsewhere on the page."""
        super().__init__()
        self._tells_command = tells_command
        self.setObjectName("hotkey_edit")
        self.field = small(KeyField())
        self.change = action(
            tr("Change…"), "hotkey_change", described=tr("Change the hotkey by pressing keys")
        )
        self.off = action(tr("Switch off"), "hotkey_off", described=tr("Switch the hotkey off"))
        self.sign = Sign("check", "success")
        self.words = Label("", SMALL_PX, name="hotkey_words")
        self.step = Label("", SMALL_PX, colour="secondary", name="hotkey_step")
        # Apart from the sentence: it is typed as it stands, in every language.
        self.command = Label("", SMALL_PX, name="hotkey_command")
        self.command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lay_out()
        self.field.chosen.connect(self.wanted)
        self.field.refused.connect(self._on_refused)
        self.field.armed_changed.connect(self._on_armed)
        self.change.clicked.connect(self._on_change)
        self.off.clicked.connect(lambda: self.wanted.emit(""))
        self._state: HotkeyState | None = None

    def show_state(self, state: HotkeyState) -> None:
        """What is true now; not while keys are being pressed."""
        self._state = state
        # The state of the old keys would stand in the field while new ones are pressed.
        if self.field.is_armed:
            return
        self.field.show_keys(state.keys)
        self.off.setVisible(bool(state.keys))
        sign, ink = ("check", "success") if state.works else ("question", "secondary")
        if state.is_problem:
            sign, ink = "warning", "warning"
        by_hand = bool(state.command) and not self._tells_command
        step, command = ("", "") if by_hand else (_next_words(state), state.command)
        self._say(sign, ink, words_of(state.words), step, command)

    def _say(self, sign: str, ink: str, words: str, step: str, command: str = "") -> None:
        self.sign.show_sign(sign, ink)
        self.words.setText(words)
        self.words.set_colour("warning" if sign == "warning" else "text")
        self.step.show_text(step)
        self.command.show_text(breakable(command))

    def _on_refused(self) -> None:
        self._say("warning", "warning", tr("These keys cannot be used."), tr(NOT_HELD))

    def _on_change(self) -> None:
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.arm()

    def _on_armed(self, armed: bool) -> None:
        self.listening.emit(armed)
        if armed:
            self._say("question", "secondary", tr(PRESS), tr("Esc keeps the keys as they are."))
        elif self._state is not None:
            self.show_state(self._state)

    def _lay_out(self) -> None:
        row = FlowLayout()
        for part in (self.field, self.change, self.off):
            row.addWidget(part)
        said = theme.space(QHBoxLayout(), 8)
        said.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.words, 1)
        column = theme.space(QVBoxLayout(self), 6)
        column.addLayout(row)
        column.addLayout(said)
        column.addWidget(self.step)
        column.addWidget(self.command)


TRY = tr_noop("Press {keys} now to try it. Nothing opens while this page listens.")
HEARD = tr_noop("It works: Steward heard {keys}.")
KEPT = tr_noop("Until then {keys} stays.")


class HotkeyTrial(QWidget):
    """Main thread only. Keys are kept once the system has given them."""

    try_changed = Signal(bool)  # while True a press is for this, and Quick-ask should not open

    def __init__(self, hotkey: GlobalHotkey, keep: Callable[[str], None], tells_command: bool = True) -> None:
        """`keep` writes the keys into the settings, "" for off; `tells_command` as for the edit."""
        super().__init__()
        self._hotkey = hotkey
        self._keep = keep
        self.is_trying = False  # whether a press is for this
        self.edit = HotkeyEdit(tells_command)
        self.test = action(tr("Test it"), "hotkey_test", described=tr("Test the hotkey"))
        self.test.setCheckable(True)
        self.tried = Label("", SMALL_PX, colour="secondary", name="hotkey_tried")
        self._lay_out()
        self.edit.wanted.connect(self._on_wanted)
        self.edit.listening.connect(hotkey.rest)  # the keys held now must reach the field
        self.test.toggled.connect(self._on_try)
        hotkey.state_changed.connect(self._show)
        hotkey.pressed.connect(self._on_pressed)
        self._show(hotkey.state)

    def refresh(self) -> None:
        """Show what is true now."""
        self._show(self._hotkey.state)

    def hideEvent(self, event: object) -> None:
        """Nobody tries a key on a page that is out of sight."""
        super().hideEvent(event)  # type: ignore[arg-type]
        # Else a press on another page would be swallowed by a test that nobody sees.
        self.test.setChecked(False)

    def _lay_out(self) -> None:
        self.test.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout()
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeading)
        row.addWidget(self.tried, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.edit)
        column.addLayout(row)

    def _show(self, state: HotkeyState) -> None:
        self.edit.show_state(state)
        self.test.setEnabled(state.works)
        if not state.works:
            self.test.setChecked(False)
        self.tried.show_text("")

    def _on_wanted(self, keys: str) -> None:
        """Written only once the system has given them: a restart must not begin with what does not work."""
        before = self._hotkey.state
        self._hotkey.use(keys)
        state = self._hotkey.state
        if state.is_problem and before.works:
            self._hotkey.use(before.keys)
            self.edit.show_state(state)  # why the old ones stay
            self.edit.step.show_text(f"{_next_words(state)} {tr(KEPT, keys=native(before.keys))}")
        elif not state.is_problem or state.command:
            self._keep(keys)

    def _on_try(self, trying: bool) -> None:
        self.is_trying = trying
        self.tried.show_text(tr(TRY, keys=self.edit.field.text()) if trying else "")
        self.try_changed.emit(trying)

    def _on_pressed(self, _press: HotkeyPress) -> None:
        if self.is_trying:
            self.test.setChecked(False)
            self.tried.show_text(tr(HEARD, keys=self.edit.field.text()))


SAYS = tr_noop("A small window over everything: ask, read the answer, and go back to what you were doing.")


class QuickAskPage(Page):
    """Main thread only. Keys are kept once the system has given them."""

    title = tr_noop("Quick-ask")
    icon = "quick"

    try_changed = Signal(bool)  # while True a press is for this page, and Quick-ask should not open

    def __init__(self, hotkey: GlobalHotkey, keep: Callable[[str], None]) -> None:
        """`keep` writes the keys into the settings, "" for off."""
        super().__init__(tr(SAYS))
        self._hotkey = hotkey
        self._trial = HotkeyTrial(hotkey, keep, tells_command=False)  # it stands below
        self.edit, self.test, self.tried = self._trial.edit, self._trial.test, self._trial.tried
        self._build()
        self._trial.try_changed.connect(self.try_changed)
        self.copy.clicked.connect(self._on_copy)

    @property
    def is_trying(self) -> bool:
        """Whether a press is for this page."""
        return self._trial.is_trying

    def shown(self) -> None:
        self._trial.refresh()

    # -- inside -------------------------------------------------------------------------------

    def _build(self) -> None:
        self.heading_keys = Label(tr("Hotkey"), BODY_PX, bold=True, name="section_heading")
        self.heading_command = Label(tr("Command"), BODY_PX, bold=True, name="section_heading")
        self.about = Label(
            tr(
                "This command opens Quick-ask, too. Where Steward can have no hotkey of its own, bind it to "
                "keys in the keyboard settings of your desktop."
            ),
            SMALL_PX,
            colour="secondary",
            name="hotkey_about",
        )
        self.command = named(
            QLineEdit(self._hotkey.command), "hotkey_command", tr("Command that opens Quick-ask")
        )
        # A field and no label: it can be selected by keyboard, and is as long as its path.
        self.command.setReadOnly(True)
        self.command.setCursorPosition(0)  # its beginning says what it is, however long its path
        self.command.setFont(theme.mono_font())
        self.copy = action(tr("Copy"), "hotkey_copy", described=tr("Copy the command"))
        scroll = ScrollColumn("quick_ask_scroll")
        body = scroll.body
        below = QHBoxLayout()
        below.addWidget(self.command, 1)
        below.addWidget(self.copy)
        body.addWidget(self.heading_keys)
        body.addWidget(self._trial)
        body.addSpacing(theme.px(16))
        body.addWidget(self.heading_command)
        body.addWidget(self.about)
        body.addLayout(below)
        body.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.toast = Toast(self)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.text())
        self.toast.offer(tr("Copied."))
        self.command.setFocus(Qt.FocusReason.OtherFocusReason)
        self.command.selectAll()
