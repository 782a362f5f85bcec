"""The Settings page: every setting of desktop/settings with its help, changed at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Settings, SettingsChanged, SettingsFile
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop
from desktop.ui.pages.autostart import AutostartGroup
from desktop.ui.pages.backup import BackupGroup
from desktop.ui.pages.page import Page
from desktop.ui.pages.settings_editors import Offers
from desktop.ui.pages.settings_fields import SettingField, field_groups
from desktop.ui.pages.settings_file import Saver, SettingsWatch
from desktop.ui.pages.settings_form import Action, SettingRow, SettingsGroup
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.actions import button, small
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, ScrollColumn, clear, order_tabs
from desktop.ui.widgets.toast import Toast

SAYS = tr_noop("Changes are saved at once. All of this is also in a file that you can edit.")
NOT_FOUND = tr_noop("No setting matches the search.")


class SettingsPage(Page):
    """Derived from the declarations: a new setting is on the page without a line here. Main thread only."""

    title = tr_noop("Settings")
    icon = "settings"

    page_requested = Signal(str)  # the title of the page on which a setting is changed
    restart_requested = Signal()

    def __init__(
        self,
        settings_file: SettingsFile,
        watch: SettingsWatch,
        relay: Relay,
        background: Background,
        offers: Mapping[str, Offers] | None = None,
        actions: Mapping[str, Action] | None = None,
        autostart: AutostartGroup | None = None,
        keeping: BackupGroup | None = None,
        open_file: Callable[[Path], bool] = lambda path: QDesktopServices.openUrl(
            QUrl.fromLocalFile(str(path))
        ),
    ) -> None:
        """`offers` names what may be chosen ("models", "agents"), `actions` what can be
        done about a setting, by its key (`model.threads`)."""
        super().__init__(tr(SAYS))
        self._file = settings_file
        self._watch = watch
        self._background = background
        self._offers = offers or {}
        self._actions = actions or {}
        self._open = open_file
        self._extra: tuple[AutostartGroup | BackupGroup, ...] = tuple(
            each for each in (autostart, keeping) if each is not None
        )
        self._saver = Saver(settings_file, background)
        self.rows: dict[str, SettingRow] = {}
        self._build()
        self._connect(relay)
        self.search_for("")
        self._refresh(settings_file.current)
        self._show_problem(watch.problem)

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        self._refresh(self._file.current)
        for each in self._extra:
            each.refresh()

    def search_for(self, text: str) -> None:
        """Leave only what holds all words of `text` in its title, help or key."""
        if self.search.text() != text:
            self.search.setText(text)  # which comes here again
            return
        found = [group.search(text) for group in self.groups]
        found += [each.search(text) for each in self._extra]
        self.empty.show_text("" if any(found) else tr(NOT_FOUND))

    def hideEvent(self, event: QHideEvent) -> None:
        """What was typed and not finished is not lost."""
        for row in self.rows.values():
            row.commit()
        super().hideEvent(event)

    def _refresh(self, settings: Settings) -> None:
        for row in self.rows.values():
            # A change on its way to the disk would be shown undone for a moment.
            if not self._saver.is_busy(row.field.section, row.field.name):
                row.show_settings(settings)

    def _order_tabs(self) -> None:
        extra = [stop for each in self._extra for stop in each.stops]
        stops = [stop for group in self.groups for stop in group.stops]
        order_tabs((self.search, self.file_button, *extra, *stops))

    # -- doing ------------------------------------------------------------------------------------

    def _on_saved(self, key: tuple[str, str], settings: Settings) -> None:
        row = self.rows[".".join(key)]
        row.say("")
        self._refresh(settings)

    def _on_refused(self, key: tuple[str, str], error: UserFacing) -> None:
        self._refresh(self._file.current)
        # Beside the setting it is about; a note at the top of a long page would not be seen.
        self.rows[".".join(key)].say(str(error))

    def _on_acted(self, action: Action) -> None:
        self._background.run(action.act, done=lambda _none: self.toast.offer(action.said))

    def _on_restart_wanted(self) -> None:
        """What was typed elsewhere on the page and not finished is saved first."""
        for row in self.rows.values():
            row.commit()
        self.restart_requested.emit()

    def _open_file(self) -> None:
        self._background.run(self._file.create, done=self._on_file, failed=self._on_failed)

    def _on_file(self, path: Path) -> None:
        if not self._open(path):
            self.toast.offer(tr("No program for text files was found. The file is {path}.", path=path))

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self._show_problem(error)

    def _show_problem(self, error: UserFacing | None) -> None:
        clear(self._problem)
        if error is not None:
            actions = [(tr("Open the file"), self._open_file), (tr("Read again"), self._watch.look)]
            self._problem.addWidget(ErrorCard(error, actions))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.groups = tuple(
            SettingsGroup(group, [self._row(field) for field in group.settings], self.updateGeometry)
            for group in field_groups()
        )
        self.empty = Label("", SMALL_PX, colour="secondary", name="settings_empty")
        self._problem = QVBoxLayout()
        self._scroll = ScrollColumn("settings_scroll")
        self.column.addLayout(self._search_row())
        self._scroll.body.addLayout(self._problem)
        # What is no setting of the file but people look for here stands above them.
        for widget in (self.empty, *self._extra, *self.groups):
            self._scroll.body.addWidget(widget)
        self._scroll.body.addStretch(1)
        self.column.addWidget(self._scroll, 1)
        self.toast = Toast(self)
        self._order_tabs()

    def _row(self, field: SettingField) -> SettingRow:
        offers = self._offers.get(field.display.offers, tuple)
        row = SettingRow(field, offers, self._actions.get(field.key), self._file.at_start)
        row.changed.connect(lambda value: self._saver.change(field.section, field.name, value))
        row.reset.connect(lambda: self._saver.reset(field.section, field.name))
        row.acted.connect(self._on_acted)
        row.restart_wanted.connect(self._on_restart_wanted)
        row.editor.page_requested.connect(self.page_requested)
        self.rows[field.key] = row
        return row

    def _search_row(self) -> QHBoxLayout:
        self.search = QLineEdit()
        self.search.setObjectName("settings_search")
        self.search.setAccessibleName(tr("Search settings"))
        self.search.setPlaceholderText(tr("Search"))
        self.search.setClearButtonEnabled(True)
        small(self.search)
        self.search.textChanged.connect(self.search_for)
        self.file_button = button(tr("Open the file"), "settings_file")
        self.file_button.setToolTip(str(self._file.path))
        self.file_button.clicked.connect(lambda _checked: self._open_file())
        small(self.file_button)
        self._search_line = QHBoxLayout()
        self._search_line.addWidget(self.search, 1)
        self._search_line.addWidget(self.file_button)
        theme.space(self._search_line, 8, (AROUND, 0, 12, 0))
        return self._search_line

    def _connect(self, relay: Relay) -> None:
        self._saver.saved.connect(self._on_saved)
        self._saver.refused.connect(self._on_refused)
        self._watch.refused.connect(self._show_problem)
        self._watch.read.connect(lambda: self._show_problem(None))
        relay.listen(SettingsChanged, lambda event: self._refresh(event.settings))
