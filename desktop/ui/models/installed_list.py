"""The installed models below each other, one row each, with the work that their buttons start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.models.library import FileState, InstalledModel, Library
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.language import size_text, tr
from desktop.ui.models.cards import Card
from desktop.ui.models.downloads import shown_error
from desktop.ui.models.words import breakable, path_text, tokens_text
from desktop.ui.reasons import WindowReason
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, clear, let_go, named


class InstalledRow(Card):
    """Draws one model; what its buttons mean is up to the window. Main thread only."""

    use_asked = Signal(str)
    verify_asked = Signal(str)
    delete_agreed = Signal(str)

    def __init__(self, model: InstalledModel) -> None:
        super().__init__(f"installed_{model.id}")
        self.model = model
        self._below: QWidget | None = None
        self.setAccessibleName(model.name)
        self._build()

    def _build(self) -> None:
        model = self.model
        self.column.addWidget(Label(breakable(model.name), bold=True, name="installed_name"))
        self.column.addLayout(self._state_row())
        self._facts = Label("", SMALL_PX, colour="secondary", name="installed_facts")
        self.column.addWidget(self._facts)
        if model.by_reference:
            where = tr("Your own file, used where it is: {path}", path=breakable(path_text(model.path)))
            self.column.addWidget(Label(where, SMALL_PX, colour="secondary", name="installed_path"))
        self.column.addSpacing(theme.px(4))
        self.column.addLayout(self._buttons())

    def _state_row(self) -> QHBoxLayout:
        self._active_sign = Sign("check", "success")
        self._broken_sign = Sign("warning", "warning")
        self._state = Label("", SMALL_PX, colour="success", name="installed_state")
        row = QHBoxLayout()
        row.setSpacing(6)
        for sign in (self._active_sign, self._broken_sign):
            row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._state, 1)
        return row

    def _buttons(self) -> FlowLayout:
        name = self.model.name
        self.use_button = button(tr("Use"), "use_button", described=tr("Use {name}", name=name))
        self.verify_button = button(tr("Verify"), "verify_button", described=tr("Verify {name}", name=name))
        # A file of the user's stays where it is: only its line goes.
        words, told = tr("Delete…"), tr("Delete {name}", name=name)
        if self.model.by_reference:
            words, told = tr("Remove…"), tr("Remove {name} from the list", name=name)
        self.delete_button = button(words, "delete_button", described=told)
        self.verify_button.setToolTip(tr("Reads the whole file and compares its checksum."))
        self.use_button.clicked.connect(lambda _checked: self.use_asked.emit(self.model.id))
        self.verify_button.clicked.connect(lambda _checked: self.verify_asked.emit(self.model.id))
        self.delete_button.clicked.connect(lambda _checked: self.ask_delete())
        row = FlowLayout()
        for each in (self.use_button, self.verify_button, self.delete_button):
            row.addWidget(each)
        return row

    # -- state ----------------------------------------------------------------------------------

    def show_model(self, model: InstalledModel) -> None:
        """Draw what the library says now."""
        self.model = model
        self._facts.setText(facts_text(model))
        for each in (self.use_button, self.verify_button):
            each.setEnabled(not model.is_missing)

    def show_state(self, is_active: bool, loaded_on: str) -> None:
        """Mark the active model; `loaded_on` names the device when its weights are in memory, else ""."""
        words, broken = state_words(self.model, is_active, loaded_on)
        self._active_sign.setVisible(is_active and not broken)
        self._broken_sign.setVisible(broken)
        self._state.show_text(words)
        self._state.set_colour("warning" if broken else "success")
        # Hidden and not grey: the line above says that it is in use already.
        self.use_button.setVisible(not is_active)
        self.setAccessibleDescription(". ".join(part for part in (words, facts_text(self.model)) if part))

    # -- what appears below the buttons ---------------------------------------------------------

    def show_verifying(self) -> None:
        """A bar while the file is read."""
        bar = named(QProgressBar(), "verify_bar", tr("Verifying {name}", name=self.model.name))
        bar.setTextVisible(False)
        bar.setRange(0, 100)
        self._put_below(bar)
        self.verify_button.setEnabled(False)

    def show_verify_progress(self, percent: int) -> None:
        if isinstance(self._below, QProgressBar):
            self._below.setValue(percent)

    def show_verified(self) -> None:
        """The file is as it should be."""
        self.verify_button.setEnabled(True)
        text = tr("Every byte is as it should be.")
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(Sign("check", "success"))
        line.addWidget(Label(text, SMALL_PX, colour="success", name="verify_result"), 1)
        self._put_below(row)

    def show_error(self, error: UserFacing, actions: list[tuple[str, Callable[[], None]]]) -> None:
        self.verify_button.setEnabled(True)
        self._put_below(ErrorCard(error, [*actions, (tr("Close"), self.clear_below)]))

    def ask_delete(self) -> None:
        """Ask within the row; Keep has the focus, so a stray key deletes nothing."""
        card = DeleteCard(self.model)
        card.kept.connect(self._on_kept)
        card.agreed.connect(lambda: self.delete_agreed.emit(self.model.id))
        self._put_below(card)
        # Enter right after the click that asked must not delete.
        card.keep_button.setFocus()

    def clear_below(self) -> None:
        if self._below is not None:
            self.column.removeWidget(self._below)
            let_go(self._below)
            self._below = None

    def _on_kept(self) -> None:
        self.clear_below()
        self.delete_button.setFocus()

    def _put_below(self, widget: QWidget) -> None:
        self.clear_below()
        self._below = widget
        self.column.addWidget(widget)


class DeleteCard(QWidget):
    """Asks once, in place, and says how much goes and whether the file stays."""

    kept = Signal()
    agreed = Signal()

    def __init__(self, model: InstalledModel) -> None:
        super().__init__()
        self.setObjectName("delete_card")
        question, consequence = delete_words(model)
        self.setAccessibleName(question)
        self.setAccessibleDescription(consequence)
        self.keep_button = button(tr("Keep"), "keep_button", described=tr("Keep {name}", name=model.name))
        label = (
            tr("Remove from the list")
            if model.by_reference
            else tr("Delete {size}", size=size_text(model.size_bytes))
        )
        self.agree_button = button(label, "agree_delete_button", described=f"{label}: {model.name}")
        self.keep_button.clicked.connect(lambda _checked: self.kept.emit())
        self.agree_button.clicked.connect(lambda _checked: self.agreed.emit())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(8), 0, 0)
        column.setSpacing(theme.px(4))
        column.addWidget(Label(question, bold=True, name="delete_question"))
        column.addWidget(Label(consequence, SMALL_PX, name="delete_consequence"))
        column.addSpacing(theme.px(4))
        row = FlowLayout()
        row.addWidget(self.keep_button)
        row.addWidget(self.agree_button)
        column.addLayout(row)
        # The keys come to whichever of the two buttons has the focus, and not to the card.
        self.installEventFilter(self)
        for each in (self.keep_button, self.agree_button):
            each.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Esc answers this question instead of closing the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.kept.emit()
            return True
        return False


def state_words(model: InstalledModel, is_active: bool, loaded_on: str) -> tuple[str, bool]:
    """The line under the name, and whether it tells of trouble."""
    active = (
        tr("Active") + (tr(", in memory ({loaded_on})", loaded_on=loaded_on.upper()) if loaded_on else "")
        if is_active
        else ""
    )
    trouble = {
        FileState.MISSING: tr("The file no longer exists"),
        FileState.CHANGED: tr("The file has changed since it was added; verify it before you use it"),
    }.get(model.state, "")
    return " · ".join(part for part in (active, trouble) if part), bool(trouble)


def facts_text(model: InstalledModel) -> str:
    """`1.1 GB · Q4_K_M · 32,768 tokens of context`."""
    facts = model.facts
    return " · ".join((size_text(model.size_bytes), facts.quantization, tokens_text(facts.context_tokens)))


def delete_words(model: InstalledModel) -> tuple[str, str]:
    """The question, and what a yes would do."""
    size = size_text(model.size_bytes)
    if model.by_reference:
        return (
            tr("Remove {name} from the list?", name=model.name),
            tr(
                "Your file ({size}) stays where it is: {path}",
                size=size,
                path=breakable(path_text(model.path)),
            ),
        )
    return (
        tr("Delete {name}?", name=model.name),
        tr(
            "The file will be deleted, which frees {size} of disk space. Conversations stay. To use "
            "this model again, you have to download it again.",
            size=size,
        ),
    )


class Percents:
    """Turns bytes into percents and tells each one once. Called on the pool."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._told = -1

    def __call__(self, bytes_done: int, bytes_total: int) -> None:
        percent = 100 * bytes_done // max(bytes_total, 1)
        # The file is read in thousands of pieces, and each word crosses to the main thread.
        if percent != self._told:
            self._told = percent
            self._tell(percent)


class InstalledList(QWidget):
    """Rows in the order of the library. Main thread only; reading and deleting run on the pool."""

    use_asked = Signal(str)
    delete_agreed = Signal(str)
    _read = Signal(str, int)  # crosses from the pool while a file is verified: id, percent

    def __init__(self, library: Library, background: Background) -> None:
        super().__init__()
        self.setObjectName("installed_models")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._library, self._background = library, background
        self.rows: dict[str, InstalledRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        # From a pool thread: without a queue the slot would run there and touch widgets.
        self._read.connect(self._on_read, Qt.ConnectionType.QueuedConnection)

    def show_models(self, models: Sequence[InstalledModel]) -> None:
        """Keep the rows of models that are still there, with whatever they show; drop and add the others."""
        # A row may be in the middle of a question or a verification.
        kept = {m.id: self.rows.pop(m.id) if m.id in self.rows else self._row(m) for m in models}
        for row in self.rows.values():
            let_go(row)
        for row in kept.values():
            self._column.removeWidget(row)
        clear(self._column)
        self.rows = kept
        for model in models:
            kept[model.id].show_model(model)
        self._column.setSpacing(theme.px(8))
        for row in kept.values():
            self._column.addWidget(row)
        if not kept:
            words = tr("No model is installed yet.")
            self._column.addWidget(Label(words, SMALL_PX, colour="secondary", name="no_models"))

    def mark(self, active_id: str, loaded_id: str, device: str) -> None:
        """Which model answers, and which is in memory, on what."""
        for model_id, row in self.rows.items():
            row.show_state(model_id == active_id, device if model_id == loaded_id else "")

    def verify(self, model_id: str) -> None:
        """Read the whole file and compare it with what is known of it."""
        self.rows[model_id].show_verifying()
        self._background.run(
            self._library.verify,
            model_id,
            Percents(partial(self._read.emit, model_id)),
            done=lambda right: self._on_verified(model_id, right),
            failed=lambda error: self._show_error(
                model_id, error, (tr("Try again"), partial(self.verify, model_id))
            ),
        )

    def delete(self, model_id: str) -> None:
        """Remove it from the library; the file goes only if Steward fetched it."""
        self._background.run(
            self._library.remove,
            model_id,
            failed=lambda error: self._show_error(
                model_id, error, (tr("Try again"), partial(self.delete, model_id))
            ),
        )

    def _row(self, model: InstalledModel) -> InstalledRow:
        row = InstalledRow(model)
        row.use_asked.connect(self.use_asked)
        row.delete_agreed.connect(self.delete_agreed)
        row.verify_asked.connect(self.verify)
        return row

    def _on_read(self, model_id: str, percent: int) -> None:
        row = self.rows.get(model_id)
        if row is not None:
            row.show_verify_progress(percent)

    def _on_verified(self, model_id: str, right: bool) -> None:
        row = self.rows.get(model_id)
        if row is None:
            return
        if right:
            row.show_verified()
        else:
            row.show_error(not_the_same(row.model), [(row.delete_button.text(), row.ask_delete)])

    def _show_error(self, model_id: str, error: Exception, action: tuple[str, Callable[[], None]]) -> None:
        row = self.rows.get(model_id)
        if row is not None:
            row.show_error(shown_error(error), [action])


def not_the_same(model: InstalledModel) -> UserFacing:
    """A verification that ended badly."""
    return UserFacing(WindowReason.WRONG_HASH.of(name=model.name))
