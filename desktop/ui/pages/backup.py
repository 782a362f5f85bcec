"""Backup, restore, export and import on the Settings page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.language import error_words, size_text, tr, tr_noop
from desktop.ui.save_dialog import ask_where, ask_which
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import CheckBox, button, small
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, named

HEADING = tr_noop("Backup")
BACKUP_HELP = tr_noop(
    "A backup holds the profile in one file: conversations, notes, memory, reminders, settings, your skills, "
    "what you allowed, and the log. Access tokens are never in it."
)
CHATS_HELP = tr_noop(
    "Conversations as JSON, with all versions, or as Markdown to read. Import reads that "
    "JSON, and conversations.json from ChatGPT's export."
)


@dataclass(frozen=True)
class Offered:
    """What is known before: `models_bytes` is 0 where there is no model in the profile."""

    models_bytes: int


class BackupService(Protocol):
    """Does it. Called on the pool, but for `restart`; returns what is said then; raises UserFacing."""

    def offered(self) -> Offered: ...

    def backup(self, file: Path, with_models: bool) -> str: ...

    def inspect(self, file: Path) -> str: ...

    def prepare(self, file: Path) -> None: ...

    def restart(self) -> None: ...

    def export(self, target: Path) -> str: ...

    def import_file(self, file: Path) -> str: ...


class BackupGroup(QWidget):
    """Looks like a group of settings. Main thread only."""

    section = "backup"  # of the settings' page

    def __init__(self, keeper: BackupService, background: Background) -> None:
        super().__init__()
        self._keeper = keeper
        self._background = background
        self._wanted: Path | None = None  # the backup that is to be restored
        self.dialog: QFileDialog | None = None
        named(self, "settings_keeping", tr(HEADING))
        self._build()
        self._lay_out()
        theme.space(self._column, 8, (0, 8, 0, 8))
        theme.space(self._inside, 8, (12, 10, 12, 10))
        self._show_question("")

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches."""
        return (
            self.models_box,
            self.backup_button,
            self.restore_button,
            self.confirm,
            self.give_up,
            self.export_button,
            self.import_button,
        )

    def refresh(self) -> None:
        """Look how large the models are."""
        self._background.run(self._keeper.offered, done=self._show_offered, failed=self._on_failed)

    def search(self, text: str) -> bool:
        """Hide it unless it holds every word of `text`."""
        everything = f"{tr(HEADING)} {tr(BACKUP_HELP)} {tr(CHATS_HELP)} restore export".casefold()
        found = all(word in everything for word in text.casefold().split())
        self.setVisible(found)
        return found

    # -- doing ------------------------------------------------------------------------------------

    def _on_backup(self) -> None:
        self.dialog = ask_where(
            self,
            tr("Back up"),
            f"steward-{date.today().isoformat()}.zip",
            (tr("Backups (*.zip)"),),
            lambda file: self._run(
                tr("The backup is being written …"), self._keeper.backup, file, self.models_box.isChecked()
            ),
        )

    def _on_restore(self) -> None:
        self.dialog = ask_which(self, tr("Restore"), (tr("Backups (*.zip)"),), self._look_at)

    def _look_at(self, file: Path) -> None:
        # Kept until the answer: the dialog for files is gone by then.
        self._wanted = file
        self._start(tr("The backup is being read …"))
        # Looked at before the question, so that it can say what the backup is and from when.
        self._background.run(self._keeper.inspect, file, done=self._show_question, failed=self._on_failed)

    def _on_confirmed(self) -> None:
        if self._wanted is None:
            return
        self._show_question("")
        self._start(tr("The backup is being unpacked and checked …"))
        self._background.run(
            self._keeper.prepare,
            self._wanted,
            done=lambda _none: self._keeper.restart(),
            failed=self._on_failed,
        )

    def _on_export(self) -> None:
        self.dialog = ask_where(
            self,
            tr("Export chats"),
            f"steward-chats-{date.today().isoformat()}.json",
            (tr("JSON with everything (*.json)"), tr("Folder with a Markdown file for each chat (*.md)")),
            lambda target: self._run(tr("The chats are being written …"), self._keeper.export, target),
        )

    def _on_import(self) -> None:
        self.dialog = ask_which(
            self,
            tr("Import chats"),
            (tr("Chats (*.json)"),),
            lambda file: self._run(tr("The chats are being read …"), self._keeper.import_file, file),
        )

    def _run(self, words: str, act: Callable[..., str], *arguments: object) -> None:
        self._start(words)
        self._background.run(act, *arguments, done=self._say, failed=self._on_failed)

    # -- saying -----------------------------------------------------------------------------------

    def _start(self, words: str) -> None:
        self._say(words)
        self._set_enabled(False)

    def _say(self, words: str) -> None:
        self._set_enabled(True)
        self.said.set_colour("secondary")
        self.said.show_text(words)

    def _on_failed(self, error: Exception) -> None:
        self._set_enabled(True)
        if not isinstance(error, UserFacing):
            self.said.show_text("")
            raise error
        self.said.set_colour("danger")
        self.said.show_text(error_words(error))

    def _show_question(self, about: str) -> None:
        """What the chosen backup is, and whether to restore it; "" takes the question away."""
        self._set_enabled(True)
        self.said.show_text("")
        asked = tr(
            "{about} Steward restarts with it. What is here now is kept aside, in the same folder.",
            about=about,
        )
        self.question.show_text(asked if about else "")
        for each in (self.confirm, self.give_up):
            each.setVisible(bool(about))
        if about:
            # Enter must not restore by mistake.
            self.give_up.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_enabled(self, on: bool) -> None:
        for each in (self.backup_button, self.restore_button, self.export_button, self.import_button):
            each.setEnabled(on)

    def _show_offered(self, offered: Offered) -> None:
        self.models_box.setVisible(bool(offered.models_bytes))
        size = size_text(offered.models_bytes)
        self.models_box.setText(tr("With the model files ({size} more)", size=size))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.heading = Label(tr(HEADING), BODY_PX, bold=True, name="settings_heading")
        self.backup_help = Label(tr(BACKUP_HELP), CAPTION_PX, colour="secondary", name="help_backup")
        self.models_box = CheckBox(tr("With the model files"), "backup_models")
        self.models_box.setAccessibleName(tr("With the model files"))
        self.models_box.hide()
        self.backup_button = self._button(tr("Back up…"), "backup", self._on_backup)
        self.restore_button = self._button(tr("Restore…"), "restore", self._on_restore)
        self.question = Label("", SMALL_PX, name="restore_question")
        self.confirm = self._button(tr("Restore and restart"), "restore_confirm", self._on_confirmed)
        self.give_up = self._button(tr("Not now"), "restore_not_now", lambda: self._show_question(""))
        self.chats_help = Label(tr(CHATS_HELP), CAPTION_PX, colour="secondary", name="help_chats")
        self.export_button = self._button(tr("Export chats…"), "export_chats", self._on_export)
        self.import_button = self._button(tr("Import chats…"), "import_chats", self._on_import)
        self.said = Label("", CAPTION_PX, colour="secondary", name="keeping_said")

    def _button(self, text: str, name: str, act: Callable[[], None]) -> QPushButton:
        made = button(text, name, act)
        small(made)
        return made

    def _lay_out(self) -> None:
        card = QFrame()
        card.setObjectName("settings_card")
        card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._inside = QVBoxLayout(card)
        for parts in (
            (self.backup_help, self.models_box, (self.backup_button, self.restore_button)),
            (self.question, (self.give_up, self.confirm)),
            (self.chats_help, (self.export_button, self.import_button)),
            (self.said,),
        ):
            for part in parts:
                self._add(part)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.heading)
        self._column.addWidget(card)

    def _add(self, part: QWidget | tuple[QWidget, ...]) -> None:
        if isinstance(part, QWidget):
            self._inside.addWidget(part)
            return
        row = FlowLayout()
        for each in part:
            row.addWidget(each)
        self._inside.addLayout(row)
